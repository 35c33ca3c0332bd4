package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
)

func TestColumns(t *testing.T) {
	text := &Text{"f", []string{"a\tb\tc", "\t\t", " d \te\tf\tg"}}
	got, err := text.Columns(3)
	want := []*Text{{"f", []string{"a", "", " d "}}, {"f", []string{"b", "", "e"}}, {"f", []string{"c", "", "f\tg"}}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for n, want := range map[int]string{4: "f:1: 3 columns, want 4 with tabs between", 0: "files: 0 columns: want 1 or more"} {
		if _, err := text.Columns(n); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Columns put together again are the lines.
func TestColumnsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := &Text{"f", rapid.SliceOf(rapid.StringMatching(`(a?\t){2}[ab\t]{0,3}`)).Draw(t, "lines")}
		n := rapid.IntRange(1, 3).Draw(t, "n")
		columns, err := text.Columns(n)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range text.Lines {
			var parts []string
			for _, c := range columns {
				parts = append(parts, c.Lines[i])
			}
			if strings.Join(parts, "\t") != line {
				t.Fatalf("%q is %q", line, parts)
			}
		}
	})
}

func TestSystemColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{"ref": "r1\nr2\n", "one": "a\nb\n", "two": "a\tb\n\td\n", "odd": "a\tb\nc\n", "more": "a\nb\tc\n"})
	open := func(outputs ...string) (*Corpus, error) {
		return OpenOutputs(t.Context(), []*Text{{"set", []string{"r1", "r2"}}}, outputs, CorpusOptions{SystemColumns: true})
	}
	got, err := open("two")
	want := &Corpus{
		Refs:    [][]string{{"r1"}, {"r2"}},
		Systems: []mteval.System{{Name: "System 1", Hyps: []string{"a", ""}}, {Name: "System 2", Hyps: []string{"b", "d"}}},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Corpus{})); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	} else if p := got.HypPlace("System 2", 1) + " " + got.RefPlace(1, 0); p != "two:2 set:2" {
		t.Error(p)
	}
	if got, err := open("one"); err != nil || len(got.Systems) != 1 || got.Systems[0].Name != "System 1" {
		t.Errorf("%+v, %v", got, err)
	}
	for outputs, want := range map[string]string{
		"odd":     "odd:2: 1 columns, the first line has 2: a system in each, with tabs between",
		"more":    "more:2: 2 columns, the first line has 1: a system in each, with tabs between",
		"one two": "files: columns of systems are of one output, not 2",
	} {
		if _, err := open(strings.Fields(outputs)...); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", outputs, err, want)
		}
	}
	if _, err := OpenCorpus(t.Context(), []string{"ref", "ref"}, nil, CorpusOptions{RefColumns: 2}); err == nil || !strings.Contains(err.Error(), "2 columns of references are of one file, not 2") {
		t.Error(err)
	}
	if _, err := OpenOutputs(t.Context(), nil, nil, CorpusOptions{}); err == nil || err.Error() != "files: no references" {
		t.Error(err)
	}
}

// References that are blank are missing beside others.
func TestSkipEmptyRefs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "segments")
		var refs []*Text
		for range rapid.IntRange(1, 3).Draw(t, "references") {
			refs = append(refs, &Text{"f", rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b c", "", " \t"}), n, n).Draw(t, "lines")})
		}
		c, err := OpenOutputs(t.Context(), refs, nil, CorpusOptions{SkipEmptyRefs: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range c.Refs {
			var want []string
			for _, r := range refs {
				if strings.TrimSpace(r.Lines[i]) != "" {
					want = append(want, r.Lines[i])
				}
			}
			if len(want) == 0 {
				want = []string{refs[0].Lines[i]}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("segment %d (-want +got):\n%s", i, d)
			}
		}
	})
}
