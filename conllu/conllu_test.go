package conllu

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// row is a line of ten columns: ID, form, governor, relation and others.
func row(id, form, head, relation string) string {
	return strings.Join([]string{id, form, "lemma", "X", "_", "_", head, relation, "_", "SpaceAfter=No"}, "\t") + "\n"
}

func TestRead(t *testing.T) {
	file := "# sent_id = 1\n# text = vámonos al mar\n" +
		row("1-2", "vámonos", "_", "_") +
		row("1", "vamos", "0", "root") +
		row("2", "nos", "1", "obj") +
		row("3-4", "al", "_", "_") +
		row("3", "a", "5", "case") +
		row("4", "el", "5", "det") +
		row("5", "mar", "1", "obl") +
		"\n\n# a comment alone\n\n" +
		row("0.1", "unsaid", "_", "_") +
		row("1", "Sue", "2", "nsubj") +
		row("2", "likes", "0", "root") +
		row("3", "New York", "2", "obj") +
		row("3.1", "likes", "_", "_") +
		row("3.2", "it", "_", "_") +
		"\n" + row("1", "# hi", "0", "root") + row("2", "there", "0", "root")
	want := []Sentence{
		{Line: 3, Surface: []string{"vámonos", "al", "mar"}, Words: []Word{
			{"vamos", 0, "root"}, {"nos", 1, "obj"}, {"a", 5, "case"}, {"el", 5, "det"}, {"mar", 1, "obl"},
		}},
		{Line: 14, Words: []Word{{"Sue", 2, "nsubj"}, {"likes", 0, "root"}, {"New York", 2, "obj"}}},
		{Line: 21, Words: []Word{{"# hi", 0, "root"}, {"there", 0, "root"}}},
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(file)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain": file, "CRLF": strings.ReplaceAll(file, "\n", "\r\n"), "BOM": "\ufeff" + file, "gzip": zipped.String(),
		"ended": file + "\n\n",
	} {
		got, err := Read(strings.NewReader(text), "f")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got, err := Read(strings.NewReader("\n# nothing\n"), "f"); err != nil || len(got) != 0 {
		t.Errorf("%v, %v for a file without sentences", got, err)
	}
}

// Open reads what Read does, and its errors begin with the path.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.conllu")
	if _, err := Open(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("%v for a file that is not there", err)
	}
	if err := os.WriteFile(path, []byte(row("1", "a", "0", "root")), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path)
	if d := cmp.Diff([]Sentence{{Words: []Word{{"a", 0, "root"}}, Line: 1}}, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestReadErrors(t *testing.T) {
	one := row("1", "a", "0", "root")
	for _, tt := range []struct{ file, want string }{
		{one + "2\tb\n", "f:2: 2 columns"},
		{one + "\n" + strings.TrimSuffix(one, "\n") + "\tmore\n", "f:3: 11 columns"},
		{one + " \n", "f:2: 1 columns"},
		{"1 a b c 0 root _ _ _ _\n", "f:1: 1 columns"},
		{row("1", "", "0", "root"), "f:1: no form"},
		{row("2", "a", "0", "root"), `f:1: the ID "2", where 1 was to come`},
		{one + one, `f:2: the ID "1", where 2 was to come`},
		{row("x", "a", "0", "root"), `f:1: the ID "x"`},
		{row("+1", "a", "0", "root"), `f:1: the ID "+1"`},
		{row("99999999999999999999", "a", "0", "root"), `f:1: the ID "9`},
		{row("1", "a", "_", "_"), `f:1: the governor "_" is no number`},
		{row("1", "a", "-1", "_"), `f:1: the governor "-1" is no number`},
		{one + row("2", "b", "3", "obj") + row("", "", "", ""), "f:3: no form"},
		{"#\n" + one + row("2", "b", "3", "obj"), "f:3: the governor 3 in a sentence of 2 words"},
		{one + "\n" + row("1", "a", "2", "x") + row("2", "b", "1", "x"), "f:3: the governors of word 1 form a ring, without a root"},
		{one + row("2", "a", "3", "x") + row("3", "b", "2", "x"), "f:1: the governors of word 2 form a ring"},
		{row("1", "a", "1", "x"), "f:1: the governors of word 1 form a ring"},
		{row("2-3", "ab", "_", "_"), `f:1: the range "2-3", where word 1 was to come`},
		{row("1-0", "ab", "_", "_"), `f:1: the range "1-0"`},
		{row("1-", "ab", "_", "_"), `f:1: the range "1-"`},
		{row("1-2", "ab", "_", "_") + one + row("2-3", "c", "_", "_"), `f:3: the range "2-3"`},
		{row("1-2", "ab", "_", "_") + one, "f:1: a range to word 2 of a sentence of 1"},
		{one + row("2.1", "e", "_", "_"), `f:2: the empty node "2.1", where 1.1 was to come`},
		{one + row("1.2", "e", "_", "_"), `f:2: the empty node "1.2"`},
		{row("0.1", "e", "_", "_") + "\n" + one, "f:1: a sentence without words"},
		{one + "# text = next\n", "f:2: a comment within the sentence that starts in line 1"},
		{one + strings.Repeat("a", 1<<21), "f:2: a line of more than 524288 bytes"},
		{"# " + strings.Repeat("a", 1<<19) + "\n" + one, "f:1: a line of more than 524288 bytes"},
		{one + "1\t\xff\n", "f:2: byte 3 (0xff) is not valid UTF-8"},
	} {
		if _, err := Read(strings.NewReader(tt.file), "f"); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.file, err, tt.want)
		}
	}
}

// endless has one line again and again.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for len(p)-n >= len(e) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// What is no file of parses is told at once, however long it is.
func TestReadEndless(t *testing.T) {
	for line, want := range map[string]string{"\x00": "f:1: a line of more than", "der 0.1\n": "f:1: 1 columns"} {
		if _, err := Read(endless(line), "f"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

// write writes sentences, a range of words as Surface has it only if it is all of them.
func write(sentences []Sentence) string {
	var b strings.Builder
	for _, s := range sentences {
		if len(s.Surface) == 1 {
			b.WriteString(row(fmt.Sprintf("1-%d", len(s.Words)), s.Surface[0], "_", "_"))
		}
		for i, w := range s.Words {
			b.WriteString(row(fmt.Sprint(i+1), w.Form, fmt.Sprint(w.Head), w.Relation))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestReadWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []Sentence
		line := 1
		for range rapid.IntRange(0, 4).Draw(t, "sentences") {
			s := Sentence{Line: line}
			n := rapid.IntRange(1, 8).Draw(t, "words")
			// Words come under earlier ones of a random order, so that there is no ring.
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			order = rapid.Permutation(order).Draw(t, "order")
			s.Words = make([]Word, n)
			for k, i := range order {
				head := 0
				if at := rapid.IntRange(0, k).Draw(t, "head"); at > 0 {
					head = order[at-1] + 1
				}
				s.Words[i] = Word{rapid.StringMatching(`[^\pZ\pC]{1,5}`).Draw(t, "form"), head, rapid.StringMatching(`[a-z:]{1,5}`).Draw(t, "relation")}
			}
			line += n + 1
			if rapid.Bool().Draw(t, "range") {
				s.Surface = []string{"whole"}
				line++
			}
			want = append(want, s)
		}
		got, err := Read(strings.NewReader(write(want)), "f")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("# c\n" + row("1-2", "ab", "_", "_") + row("1", "a", "0", "root") + row("1.1", "e", "_", "_") + row("2", "b", "1", "x") + "\n")
	f.Add(row("1", "a", "2", "x") + row("2", "b", "1", "x"))
	f.Fuzz(func(t *testing.T, file string) {
		sentences, err := Read(strings.NewReader(file), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("%v names no place", err)
			}
			return
		}
		for _, s := range sentences {
			if len(s.Words) == 0 || s.Line < 1 || len(s.Surface) > len(s.Words) {
				t.Fatalf("%+v", s)
			}
			for i := range s.Words {
				at, steps := i+1, 0
				for at != 0 {
					if at > len(s.Words) || steps > len(s.Words) {
						t.Fatalf("word %d does not hang on a root: %+v", i+1, s)
					}
					at = s.Words[at-1].Head
					steps++
				}
			}
		}
		// What was read lines up with its own text.
		var b Bank
		var texts []string
		for _, s := range sentences {
			texts = append(texts, strings.Join(s.forms(), " "))
		}
		if slices.ContainsFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			return // takes no sentence
		}
		if err := b.Add(texts, sentences, "f"); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBank(t *testing.T) {
	sentences, err := Read(strings.NewReader(
		row("1", "I", "2", "nsubj")+row("2", "'m", "0", "root")+"\n"+
			row("1", "here", "0", "root")+"\n"+
			row("1-2", "du", "_", "_")+row("1", "de", "3", "case")+row("2", "le", "3", "det")+row("3", "pain", "0", "root")+"\n"+
			row("1", "here", "0", "other")), "f")
	if err != nil {
		t.Fatal(err)
	}
	var b Bank
	if err := b.Add([]string{"I'm\u00a0here", "", " ", "du  pain ", "here"}, sentences, "f"); err != nil {
		t.Fatal(err)
	}
	if err := b.Add([]string{"here"}, sentences[1:2], "f"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]Sentence{
		"I'm\u00a0here": sentences[:2], "": nil, "\t": nil, "du  pain ": sentences[2:3], "du pain": sentences[2:3], "here": sentences[3:4],
	} {
		got, err := b.Parse(context.Background(), text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if len(want)+len(got) > 0 && !cmp.Equal(want, got) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for _, b := range []*Bank{&b, new(Bank)} {
		if _, err := b.Parse(context.Background(), "other"); err == nil || !strings.Contains(err.Error(), `"other"`) {
			t.Errorf("%v for a text that was not added", err)
		}
	}
	for _, tt := range []struct {
		texts []string
		want  string
	}{
		{[]string{"I'm here", "de le pain"}, `f:6: the parse has "du" where the text of line 2 goes on with "delepain"`},
		{[]string{"I'm he"}, `f:4: the parse has "here" where the text of line 1 goes on with "he"`},
		{[]string{"I'm here", "du pain"}, "f:11: a parse after the last text, line 2"},
		{[]string{"I'm here", "du pain", "here too"}, `f: the parses end before the text of line 3 does: "too" is left`},
	} {
		b := new(Bank)
		if err := b.Add(tt.texts, sentences, "f"); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v, want %q", tt.texts, err, tt.want)
		}
		if got, err := b.Parse(context.Background(), tt.texts[0]); err == nil {
			t.Errorf("%q: %v was added", tt.texts, got)
		}
	}
}
