package wordnet

import (
	"archive/zip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/shareddata"
)

// groups lists the words that share a synset, for every synset: what does not depend on
// how synsets are numbered.
func groups(synsets map[string][]uint32) []string {
	words := make(map[uint32][]string)
	for _, w := range slices.Sorted(maps.Keys(synsets)) {
		for _, id := range synsets[w] {
			words[id] = append(words[id], w)
		}
	}
	var out []string
	for _, w := range words {
		out = append(out, strings.Join(w, " "))
	}
	slices.Sort(out)
	return out
}

// recorded reads lines of a word and the numbers of its synsets in METEOR 1.5.
func recorded(t *testing.T, path string) map[string][]uint32 {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]uint32)
	for line := range strings.Lines(string(data)) {
		word, numbers, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(word, "#") {
			continue
		}
		ids := []uint32{}
		for _, n := range strings.Fields(numbers) {
			id, err := strconv.ParseUint(n, 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, uint32(id))
		}
		slices.Sort(ids)
		out[word] = ids
	}
	if len(out) < 100 {
		t.Fatalf("%s: %d words", path, len(out))
	}
	return out
}

func check(t *testing.T, table *Table, path string, numbers bool) {
	want := recorded(t, path)
	got := make(map[string][]uint32)
	for w := range want {
		got[w] = append([]uint32{}, table.Synsets(w)...)
	}
	if d := cmp.Diff(groups(want), groups(got)); d != "" {
		t.Errorf("%s: words that share a synset (-METEOR +ours):\n%s", path, d)
	}
	if d := cmp.Diff(want, got); numbers && d != "" {
		t.Errorf("%s: synsets (-METEOR +ours):\n%s", path, d)
	}
}

// The words of testdata are the project's own, recorded by scripts/record_meteor.py.
func TestRecorded(t *testing.T) { check(t, Default(), "testdata/english.tsv", false) }

func TestShared(t *testing.T) {
	check(t, Default(), shareddata.Path(t, "golden", "meteor", "syn", "en.tsv"), false)
	check(t, Default(), shareddata.Path(t, "golden", "meteor", "own", "syn.en.tsv"), false)
}

// The embedded table is METEOR's whole table.
func TestJar(t *testing.T) {
	dir := os.Getenv("MTEVAL_METEOR")
	if dir == "" {
		t.Skip("MTEVAL_METEOR is not set: scripts/meteor.sh fetches meteor-1.5.jar")
	}
	jar, err := zip.OpenReader(filepath.Join(dir, "meteor-1.5.jar"))
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	synsets, err := jar.Open("synonym/english.synsets")
	if err != nil {
		t.Fatal(err)
	}
	exceptions, err := jar.Open("synonym/english.exceptions")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Read(synsets, "synsets", exceptions, "exceptions")
	if err != nil {
		t.Fatal(err)
	}
	ours, all := Default(), [2]map[string][]uint32{{}, {}}
	for id := range table.words.Len() {
		word := table.words.Word(uint32(id + 1))
		all[0][word], all[1][word] = table.of(word), ours.of(word)
	}
	if !slices.Equal(groups(all[0]), groups(all[1])) || ours.words.Len() != table.words.Len() {
		t.Error("the embedded table is not the jar's")
	}
	if d := cmp.Diff(table.bases, ours.bases); d != "" {
		t.Errorf("exceptions (-jar +ours):\n%s", d)
	}
	if len(all[0]) != 147306 || len(table.bases) != 5940 {
		t.Errorf("%d words, %d exceptions", len(all[0]), len(table.bases))
	}
	for _, path := range []string{"testdata/english.tsv", filepath.Join(shareddata.Path(t, "golden", "meteor", "syn"), "en.tsv")} {
		check(t, table, path, true)
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ synsets, exceptions, want string }{
		{"", "a\nb\n", "s: there is nothing in it"},
		{"a\n1\nb\n", "a\nb\n", `s:3: the file ends after "b"`},
		{"a\n1\nb\n1 x2\n", "a\nb\n", `s:4: "x2" is not the number of a synset`},
		{"a\n1\na\n2\n", "a\nb\n", `s:4: "a" stands there a second time`},
		{"a\n1\n", "", "e: there is nothing in it"},
		{"a\n1\n", "x\ny\nz", `e:3: the file ends after "z"`},
		{"a\n1\n" + strings.Repeat("x", 70000) + "\n1\n", "a\nb\n", "s:3: a line of more than 65536 bytes"},
	} {
		_, err := Read(strings.NewReader(tt.synsets), "s", strings.NewReader(tt.exceptions), "e")
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.20q, %.20q: %v, want %s", tt.synsets, tt.exceptions, err, tt.want)
		}
	}
}

func TestBOM(t *testing.T) {
	table, err := Read(strings.NewReader("\ufeffcat\n1\n"), "s", strings.NewReader("\ufeffmouse\nmice\n"), "e")
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Synsets("cat")) != 1 || table.bases["mice"][0] != "mouse" {
		t.Errorf("%v, %v", table.Synsets("cat"), table.bases)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("cat\n1 2\ndog\n3\n", "mice\nmouse\n", "cats")
	f.Fuzz(func(_ *testing.T, synsets, exceptions, word string) {
		if t, err := Read(strings.NewReader(synsets), "s", strings.NewReader(exceptions), "e"); err == nil {
			t.Synsets(word)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(embedded[:1000])
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = decode(data) })
}

func ExampleTable_Synsets() {
	table := Default()
	for _, pair := range [][2]string{{"car", "automobile"}, {"cars", "automobile"}, {"mice", "mouse"}, {"car", "boat"}} {
		shared := 0
		for _, id := range table.Synsets(pair[0]) {
			if slices.Contains(table.Synsets(pair[1]), id) {
				shared++
			}
		}
		fmt.Println(pair[0], pair[1], shared > 0)
	}
	// Output:
	// car automobile true
	// cars automobile true
	// mice mouse true
	// car boat false
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		if _, err := decode(embedded); err != nil {
			b.Fatal(err)
		}
	}
}
