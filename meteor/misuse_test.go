package meteor

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mteval/mteval/internal/race"
)

func errorOf[T any](_ T, err error) error { return err }

// What no constructor made, and what makes no sense, is an error.
func TestMisuse(t *testing.T) {
	ctx := t.Context()
	s := mustNew(t, Options{})
	m, err := s.PrepareMatch(ctx, [][]string{{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for name, err := range map[string]error{
		"zero Paraphrases":        errorOf(New(Options{Paraphrases: new(Paraphrases)})),
		"zero Resources":          errorOf(New(Options{Resources: new(Resources)})),
		"negative Beam":           errorOf(New(Options{Beam: -1})),
		"huge Beam":               errorOf(New(Options{Beam: math.MaxInt})),
		"no modules":              errorOf(New(Options{Modules: []Module{}})),
		"a short module":          errorOf(New(Options{Modules: []Module{""}})),
		"many modules":            errorOf(New(Options{Modules: make([]Module, 1000)})),
		"many weights":            errorOf(New(Options{Weights: make([]float64, 1000)})),
		"a weight of NaN":         errorOf(New(Options{Weights: []float64{nan}})),
		"a parameter of NaN":      errorOf(New(Options{Params: &Params{nan, 1, 1, 1}})),
		"an infinite parameter":   errorOf(New(Options{Params: &Params{1, math.Inf(1), 1, 1}})),
		"negative Normalization":  errorOf(New(Options{Normalization: -1})),
		"no such Normalization":   errorOf(New(Options{Normalization: 4})),
		"no such Task":            errorOf(New(Options{Task: "x"})),
		"no language":             errorOf(New(Options{Language: strings.Repeat("x", 1<<20)})),
		"zero Scorer, Prepare":    errorOf(new(Scorer).Prepare(ctx, [][]string{{"a"}})),
		"zero Scorer, Match":      errorOf(new(Scorer).PrepareMatch(ctx, [][]string{{"a"}})),
		"zero Scorer, parameters": errorOf(new(Scorer).WithParameters(nil)),
		"zero Scorer, With":       errorOf(new(Scorer).With(Params{}, nil)),
		"no parameters":           errorOf(s.WithParameters(nil)),
		"an alignment by none":    errorOf(new(Scorer).Align(ctx, "a", "b")),
		"more weights":            errorOf(s.With(Params{}, make([]float64, 9))),
		"no room for matchings":   m.Match(ctx, nil, nil, []string{"a"}),
		"no modules named":        errorOf(ParseModules("")),
		"no task named":           errorOf(ParseTask("")),
		"no such correction":      errorOf(ParseCorrections("x")),
		"nothing to read":         errorOf(ReadParaphrases(ctx, strings.NewReader(""), "f")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// These have nothing to return an error with.
	zero := new(Scorer)
	_, _, _, _ = zero.Info(), zero.Parameters(), zero.Score(make([]float64, width)), zero.Width()
	_, _ = zero.EvaluationID(), zero.Statistics(make([]float64, width))
	if got := Normalization(-1).String(); got != "Normalization(-1)" {
		t.Errorf("%q", got)
	}
}

// jarOf are the files of a jar with these lists, the others of one word each.
func jarOf(lists map[string]string) fstest.MapFS {
	jar := fstest.MapFS{}
	add := func(name, text string) {
		if own, ok := lists[name]; ok {
			text = own
		}
		jar[name] = &fstest.MapFile{Data: []byte(text)}
	}
	add("synonym/english.synsets", "car\n1\n")
	add("synonym/english.exceptions", "mouse\nmice\n")
	for code, name := range jarNames {
		add("function/"+name+".words", "the\n")
		if slices.Contains(normalized, code) {
			add("nonbreaking/"+name+".prefixes", "Dr\n")
		}
	}
	return jar
}

// A byte order mark is no part of the first word of a list.
func TestListsBOM(t *testing.T) {
	r, err := readResources(jarOf(map[string]string{
		"function/english.words":       "\ufeffthe\n",
		"nonbreaking/english.prefixes": "\ufeffDr\n",
		"synonym/english.synsets":      "\ufeffcar\n1\n",
	}), "jar")
	if err != nil {
		t.Fatal(err)
	}
	if !r.function["en"].words["the"] || !r.prefixes["en"].always["Dr"] || len(r.synonyms().Synsets("car")) != 1 {
		t.Errorf("%v, %v", r.function["en"], r.prefixes["en"])
	}
	for name, data := range map[string][]byte{"plain": []byte("\ufeff1\na\nb\n"), "gzip": pack(t, "\ufeff1\na\nb\n")} {
		table, err := ReadParaphrases(t.Context(), bytes.NewReader(data), name)
		if err != nil || table.words.Len() != 1 {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"function.words": []byte("\ufeffder\ndie\n"), "paraphrase.gz": pack(t, "1\na\nb\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, err := OpenLanguage(t.Context(), dir)
	if err != nil || !slices.Equal(o.FunctionWords, []string{"der", "die"}) {
		t.Errorf("%q, %v", o.FunctionWords, err)
	}
}

// Lists and tables that expand without end, or have lines that no list has, are errors.
func TestExpandingFiles(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	path := filepath.Join(t.TempDir(), "jar")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, file := range jarOf(nil) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "synonym/english.synsets" {
			block := bytes.Repeat([]byte("a\n1\n"), 1<<18)
			for range 128 {
				if _, err := w.Write(block); err != nil {
					t.Fatal(err)
				}
			}
		} else if _, err := w.Write(file.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := allocated(func() { _, err = OpenJar(path) }); err == nil || !strings.Contains(err.Error(), "synsets: more than") || got > 400<<20 {
		t.Errorf("a jar with a list of 128 MB: %v, %d MB", err, got>>20)
	}

	var packed bytes.Buffer
	g := gzip.NewWriter(&packed)
	for range 64 {
		if _, err := g.Write(bytes.Repeat([]byte("1\na\na\n"), 1<<19)); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadParaphrases(t.Context(), &packed, "f"); err == nil || !strings.Contains(err.Error(), "expands") {
		t.Errorf("a table that expands: %v", err)
	}
	long := strings.Repeat("x", 1<<20)
	for _, name := range []string{"function/english.words", "nonbreaking/english.prefixes", "synonym/english.synsets", "synonym/english.exceptions"} {
		if _, err := readResources(jarOf(map[string]string{name: "a\n1\n" + long}), "jar"); err == nil || !strings.Contains(err.Error(), name+":3:") {
			t.Errorf("%s with a line of 1 MB: %v", name, err)
		}
	}
	if _, err := ReadParaphrases(t.Context(), strings.NewReader("1\na\n"+strings.Repeat("x", 3<<20)), "f"); err == nil {
		t.Error("a table with a line of 3 MB")
	}
}

// What the normalization of a line takes grows with its length.
func TestLongRunOfDots(t *testing.T) {
	s := splitter{norm: Full, english: true}
	var w words
	if err := s.split(&w, ".."+strings.Repeat("DOT", 1_000_000)); err != nil {
		t.Fatal(err)
	}
	if len(w.spans) != 2 {
		t.Errorf("%d words", len(w.spans))
	}
}

func FuzzJar(f *testing.F) {
	f.Add("the\nof\n", "Dr\nNo #NUMERIC_ONLY#\n", "car\n1 2\n", "mouse\nmice\n", "the cars of Dr. No 5")
	f.Add("\ufeffthe", "# x\n", "\ufeffcar\n4294967295\n", "a\nb c\n", "a b")
	f.Fuzz(func(t *testing.T, function, prefixes, synsets, exceptions, line string) {
		if len(line) > 1000 { // time goes with the square of equal words, and is not what this is about
			return
		}
		r, err := readResources(jarOf(map[string]string{
			"function/english.words": function, "nonbreaking/english.prefixes": prefixes,
			"synonym/english.synsets": synsets, "synonym/english.exceptions": exceptions,
		}), "jar")
		if err != nil {
			return
		}
		s := mustNew(t, Options{Resources: r, Normalization: Full})
		checkScore(t, s, line, line+" x")
	})
}

func FuzzOpenLanguage(f *testing.F) {
	f.Add([]byte("der\ndie\n"), []byte("1\na\nb\n"), "a der", "b")
	f.Add([]byte("\ufeff"), pack(f, "1\na\nb\n"), "", "b")
	f.Fuzz(func(t *testing.T, function, paraphrases []byte, hyp, ref string) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"function.words": function, "paraphrase.gz": paraphrases} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o, err := OpenLanguage(context.Background(), dir)
		if err != nil {
			return
		}
		checkScore(t, mustNew(t, o), hyp, ref)
	})
}

func FuzzParameters(f *testing.F) {
	f.Add("exact stem", "rank", "strings,rewards", .5, 1., .5, .5, 1., .6)
	f.Add("exact", "li", "all", 1., 1e308, 1., 0., 0., 5e-324)
	f.Fuzz(func(t *testing.T, modules, task, corrections string, alpha, beta, gamma, delta, w1, w2 float64) {
		var o Options
		var err error
		if o.Modules, err = ParseModules(modules); err != nil {
			return
		}
		if o.Task, err = ParseTask(task); err != nil {
			return
		}
		if o.Correct, err = ParseCorrections(corrections); err != nil {
			return
		}
		o.Params, o.Weights = &Params{alpha, beta, gamma, delta}, []float64{w1, w2}
		s, err := New(o)
		if err != nil {
			return
		}
		checkScore(t, s, "the cars run run fast", "a car ran fast fast")
	})
}

// checkScore checks that two texts have a score.
func checkScore(t *testing.T, s *Scorer, hyp, ref string) {
	t.Helper()
	p, err := s.Prepare(context.Background(), [][]string{{ref}})
	if err != nil {
		t.Fatal(err)
	}
	row, err := p.Append(context.Background(), nil, nil, []string{hyp})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Score(row); !(got >= 0 && got <= 1) {
		t.Fatalf("score %v", got)
	}
}

// A reader that gives nothing does not keep a table from being cancelled.
func TestCancelParaphrases(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := mustPipe(t)
	defer w.Close()
	done := make(chan error, 1)
	go func() {
		_, err := ReadParaphrases(ctx, r, "f")
		done <- err
	}()
	if _, err := w.Write([]byte("1\na\n")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("no error")
	}
}

func mustPipe(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, w
}
