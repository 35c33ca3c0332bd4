package selection_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
	"github.com/mteval/mteval/tokenize"
)

func FuzzParseMethod(f *testing.F) {
	for _, text := range []string{"variance", "consistency+2*variance:COMET", "variance:chrf++", "variance:chrf+++random", ".5*average:a*b:c+difficulty:wordf", "+", "1e9*random", "", "NaN*variance"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := selection.ParseMethod(text)
		if err != nil {
			return
		}
		if len(m.Parts) == 0 {
			t.Fatal("no parts")
		}
		for _, p := range m.Parts {
			if !slices.Contains(selection.MethodNames(), p.Name) || !(p.Weight > 0 && p.Weight <= 1e6) {
				t.Fatalf("%+v", p)
			}
		}
	})
}

// A method is told with the metrics that it takes where none is named, and its names may have a +.
func TestMethodResolved(t *testing.T) {
	for text, want := range map[string]string{
		"consistency+2*variance:COMET":     "consistency:chrf+2*variance:COMET",
		"variance:chrf+++random":           "variance:chrf+++random",
		"difficulty+diversity+length":      "difficulty:bertscore+diversity+length",
		" .5 * average + difficulty:wordf": "0.5*average:chrf+difficulty:wordf",
	} {
		m := must(selection.ParseMethod(text))(t)
		if got := m.Resolved([]string{"chrf", "bleu"}); got != want || m.Text != text {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Where no method is named, there is one to choose by, and there are those to compare.
func TestStandardMethods(t *testing.T) {
	systems := []mteval.System{{Name: "a", Hyps: []string{"x"}}}
	for _, tt := range []struct {
		set     selection.Set
		metrics string
		compare bool
		want    string
	}{
		{want: "diversity"},
		{metrics: "m n", want: "variance+consistency"},
		{compare: true},
		{selection.Set{Systems: systems}, "m", true, "variance consistency variance+consistency average diversity"},
		{selection.Set{Systems: systems, References: [][]string{{"x"}}}, "", true, "diversity difficulty"},
		{metrics: "m n", compare: true, want: "variance:m consistency:m variance:m+consistency:m average:m variance:n consistency:n variance:n+consistency:n average:n"},
	} {
		var got []string
		for _, m := range tt.set.StandardMethods(strings.Fields(tt.metrics), tt.compare) {
			got = append(got, m.Text)
			if parsed := must(selection.ParseMethod(m.Text))(t); !cmp.Equal(parsed, m) {
				t.Errorf("%s is %+v, and is read as %+v", m.Text, m, parsed)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%+v: %s", tt, s)
		}
	}
}

func scores(systems, items []string, values ...float64) *metaeval.Scores {
	s := metaeval.NewScores(systems, items)
	copy(s.Values, values)
	return s
}

// Scores are brought into the order of the texts, and the systems of the outputs.
func TestSetAligns(t *testing.T) {
	two := []string{"1", "2"}
	s := &selection.Set{Segments: two}
	if _, err := s.AddMetric(metaeval.Metric{Name: "m", Scores: scores([]string{"b", "a"}, []string{"2", "1"}, 1, 2, 3, 4)}); err != nil {
		t.Fatal(err)
	}
	if got := s.Metrics[0].Scores; got.At(0, 0) != 2 || got.At(1, 1) != 3 {
		t.Errorf("%+v", got)
	}
	s = &selection.Set{Segments: two, Systems: []mteval.System{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	got, err := s.AddMetric(metaeval.Metric{Name: "m", Scores: scores([]string{"x", "c", "a"}, two, 1, 2, 3, math.NaN(), 5, 6)})
	if want := (selection.Aligned{Silent: []string{"b"}, Others: []string{"x"}, Present: 3, All: 4}); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for want, s2 := range map[string]*metaeval.Scores{
		`scores of n: segment "3" is none of the 2 that there are, 1 to 2`:       scores([]string{"a"}, []string{"3"}, 1),
		"scores of n: none of the systems: of x, and the outputs are of a, b, c": scores([]string{"x"}, two, 1, 2),
	} {
		if _, err := s.AddMetric(metaeval.Metric{Name: "n", Scores: s2}); err == nil || err.Error() != want || len(s.Metrics) != 1 {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// b has nobody's score, and is left out of all.
	s.Metrics[0].Scores = scores([]string{"a", "b", "c"}, two, 1, 2, 3, 4, 5, 6)
	if _, err := s.Judge("people", scores([]string{"c", "a"}, two, 1, 2, 3, 4)); err != nil {
		t.Fatal(err)
	}
	if ac := []string{"a", "c"}; len(s.Systems) != 2 || !slices.Equal(s.Human.Systems, ac) || !slices.Equal(s.Metrics[0].Scores.Systems, ac) {
		t.Errorf("%+v", s)
	}
	if _, err := s.Judge("people", scores([]string{"c"}, two, 1, 2)); err == nil || err.Error() != "people: people judged 1 of the systems, and a ranking is of two or more" {
		t.Error(err)
	}
}

// Segment 3 has no output, 4 repeats 2, and 5 has the outputs of 2 and another source.
func texts() *selection.Set {
	return &selection.Set{
		Segments: strings.Fields("1 2 3 4 5"),
		Sources:  []string{"one two three", "yes", "four", "yes", "indeed"},
		Systems: []mteval.System{
			{Name: "a", Hyps: []string{"eins zwei drei", "ja", "", "ja", "ja"}},
			{Name: "b", Hyps: []string{"ein zwei drei", "ja", " ", "ja", "ja"}},
		},
	}
}

// What can't be chosen is left out and counted.
func TestSetChooses(t *testing.T) {
	utilities := []float64{1, 2, 3, 4, 5}
	documents := strings.Fields("x x y y z")
	for name, tt := range map[string]struct {
		set    func(s *selection.Set)
		budget selection.Budget
		want   []int
		left   selection.LeftOut
	}{
		"all":                  {want: []int{4, 1, 0}, left: selection.LeftOut{Blank: 1, Repeated: 1}},
		"before":               {budget: selection.Budget{Chosen: []string{"4"}}, want: []int{4, 0}, left: selection.LeftOut{Before: 1, Blank: 1, Repeated: 1}},
		"without sources":      {set: func(s *selection.Set) { s.Sources = nil }, want: []int{4, 3, 1, 0}, left: selection.LeftOut{Blank: 1}},
		"without outputs":      {set: func(s *selection.Set) { s.Systems = nil }, want: []int{4, 3, 2, 1, 0}},
		"documents":            {budget: selection.Budget{Whole: true}, want: []int{4, 3, 0, 1}, left: selection.LeftOut{Blank: 1}},
		"words":                {budget: selection.Budget{Words: 2}, want: []int{4, 1}, left: selection.LeftOut{Blank: 1, Repeated: 1}},
		"nothing fits or left": {budget: selection.Budget{Chosen: []string{"1", "2", "5"}}, left: selection.LeftOut{Before: 3, Blank: 1, Repeated: 1}},
	} {
		s := texts()
		s.Documents = documents
		s.CountWords(must(tokenize.ByName("none"))(t))
		if tt.set != nil {
			tt.set(s)
		}
		got, err := s.Choose(utilities, tt.budget)
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.Equal(got.Segments, tt.want) || got.LeftOut != tt.left {
			t.Errorf("%s: %v, %+v", name, got.Segments, got.LeftOut)
		}
	}
	s := texts()
	if _, err := s.Choose(utilities, selection.Budget{Words: 3}); err == nil {
		t.Error("words that nobody counted")
	}
	s.CountWords(must(tokenize.ByName("none"))(t))
	got := must(s.Choose(make([]float64, 5), selection.Budget{Segments: 2}))(t)
	if want := (&selection.Choice{Utilities: make([]float64, 5), Segments: []int{0, 1}, LeftOut: selection.LeftOut{Blank: 1, Repeated: 1}, Words: 4, AllWords: 7, Outputs: 4, Different: 3, Level: true}); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if got := s.Longest(); !slices.Equal(got, []float64{3, 1, 1, 1, 1}) {
		t.Error(got)
	}
}

// What has no spaces between words is told by their length.
func TestLongWords(t *testing.T) {
	for text, want := range map[string]int{"": 0, "你好世界": 4, "你好": 0, "four": 0, "fifteen-letters": 15, "fourteen-lettr": 0} {
		if got := selection.LongWords([]string{text}); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
}
