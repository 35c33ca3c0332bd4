package stem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/shareddata"
)

// codes of the languages that METEOR 1.5 has stemmers for, by their names.
var codes = map[string]string{
	"danish": "da", "dutch": "nl", "english": "en", "finnish": "fi", "french": "fr", "german": "de",
	"hungarian": "hu", "italian": "it", "norwegian": "no", "portuguese": "pt", "romanian": "ro",
	"russian": "ru", "spanish": "es", "swedish": "sv", "turkish": "tr",
}

// check compares with lines of a word and the stem that METEOR 1.5 has for it.
func check(t *testing.T, language, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	stem, words := For(language), 0
	for line := range strings.Lines(string(data)) {
		word, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(word, "#") {
			continue
		}
		words++
		if got := stem(word); got != want {
			t.Errorf("%s: the stem of %q is %q, METEOR has %q", language, word, got, want)
		}
	}
	if words == 0 {
		t.Errorf("no words in %s", path)
	}
}

// The values of testdata are recorded by scripts/record_meteor.py.
func TestRecorded(t *testing.T) {
	for name, code := range codes {
		check(t, code, filepath.Join("testdata", name+".tsv"))
	}
}

func TestShared(t *testing.T) {
	own, _ := filepath.Glob(filepath.Join(shareddata.Path(t, "golden", "meteor", "own"), "stem.*.tsv"))
	all, _ := filepath.Glob(filepath.Join(shareddata.Path(t, "golden", "meteor", "stem"), "*.tsv"))
	for _, path := range append(own, all...) {
		name := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), ".tsv"), "stem.")
		check(t, codes[name], path)
	}
	if len(all) != len(codes) {
		t.Errorf("%d lists for %d languages", len(all), len(codes))
	}
}

func FuzzStem(f *testing.F) {
	for _, w := range []string{"Ergebnisse", "aarteeseen", "könyvről", "execuções", "\xff\xc3", ""} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, word string) {
		for _, code := range Languages() {
			For(code)(word)
		}
	})
}

// A long word takes no time to speak of.
func TestLongWord(t *testing.T) {
	word := strings.Repeat("y", 1_000_000)
	for _, code := range Languages() {
		if got := For(code)(word); got != word {
			t.Errorf("%s: the stem has %d letters", code, len(got))
		}
	}
	if For("xx") != nil {
		t.Error("there is a stemmer for xx")
	}
}
