package meta

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// What can't be compared is an error that begins with the package's name, and no result.
func TestErrors(t *testing.T) {
	people, good, _, _ := tables()
	m, both := []Candidate{metric("m", good)}, func(s *metaeval.Scores) []Candidate { return []Candidate{metric("m", s)} }
	alone := metric("m", ofSystems(1, 2, 3))
	alone.SystemsOnly = true
	wrong := metric("m", good)
	wrong.SystemsOnly = true
	given := func(ps ...metaeval.Pair) People {
		return People{Pairs: &human.Pairs{Systems: []string{"a", "b", "c"}, Items: []string{"1"}, Pairs: ps}}
	}
	win := metaeval.Pair{A: 0, B: 1, Human: 1}
	threshold, far := 5.0, math.Inf(1)
	twice := &human.Pairs{Systems: []string{"a", "a"}, Items: []string{"1"}, Pairs: []metaeval.Pair{win}}
	for name, tt := range map[string]struct {
		people   People
		metrics  []Candidate
		o        SegmentOptions
		systems  string // the errors, "" for none
		segments string
	}{
		"fine":               {People{Scores: people}, m, SegmentOptions{}, "", ""},
		"nothing":            {People{}, m, SegmentOptions{}, "people said nothing", "people said nothing"},
		"no metrics":         {People{Scores: people}, nil, SegmentOptions{}, "no metric", "no metric"},
		"nil scores":         {People{Scores: people}, both(nil), SegmentOptions{}, "m: metaeval: no scores", "m: metaeval: no scores"},
		"infinite":           {People{Scores: but(people, 0, 1, far)}, m, SegmentOptions{}, "people's scores: metaeval: the score of system a on item 2 is +Inf", "people's scores"},
		"infinite, metric":   {People{Scores: people}, both(but(good, 0, 1, far)), SegmentOptions{}, "m: metaeval: the score of", "m: metaeval: the score of"},
		"no name":            {People{Scores: people}, append(m[:1:1], metric("", good)), SegmentOptions{}, "metric 2 has no name", "metric 2 has no name"},
		"other judgements":   {People{Scores: people, Judgements: called(people, "a", "w")}, m, SegmentOptions{}, "people's numbers of judgements: scores are not of", "people's numbers of judgements: scores are not of"},
		"judgements, items":  {People{Scores: people, Judgements: called(people, "1", "x")}, m, SegmentOptions{}, "people's numbers of judgements: scores are not of", "people's numbers of judgements: scores are not of"},
		"zero form":          {People{Scores: people}, m, SegmentOptions{Forms: []metaeval.KendallForm{metaeval.Table5(), {}}}, "", "form 2 of Kendall's tau has no name"},
		"form of no pairs":   {People{Scores: people}, m, SegmentOptions{Forms: []metaeval.KendallForm{{Name: "6"}}}, "", `form "6" of Kendall's tau counts no pair`},
		"two":                {People{Scores: people}, append(m, m...), SegmentOptions{}, `two metrics are called "m"`, `two metrics are called "m"`},
		"judgements only":    {People{Judgements: people, Systems: ofSystems(1, 2)}, m, SegmentOptions{}, "people's judgements have no scores", "people's judgements have no scores"},
		"other systems":      {People{Scores: called(called(called(called(people, "a", "w"), "b", "x"), "c", "y"), "d", "z")}, m, SegmentOptions{}, "0 systems have scores by people and by every metric: people's are w, x, y, z, m's a, b, c, d", "m has no score of what people judged: theirs is such as system w, segment 1, and m's system a, segment 1"},
		"no items":           {People{Scores: people}, both(metaeval.NewScores([]string{"a"}, nil)), SegmentOptions{}, "0 systems", "m has no score of what people judged: theirs is such as system a, segment 1, and m's system a, segment none"},
		"one system":         {People{Scores: table(row{"a", []float64{1, 2}})}, m, SegmentOptions{}, "1 systems have scores by people", "no two systems have people's scores of the same segment"},
		"systems only":       {People{Systems: ofSystems(1, 2, 3)}, []Candidate{alone}, SegmentOptions{}, "", "m has scores of systems, not of segments"},
		"people's systems":   {People{Systems: ofSystems(1, 2, 3)}, m, SegmentOptions{}, "", "people have scores of systems, not of segments"},
		"items of systems":   {People{Systems: people}, m, SegmentOptions{}, "people's scores of systems are on 12 items", "people's scores of systems are on 12 items"},
		"items of systems'":  {People{Scores: people}, []Candidate{wrong}, SegmentOptions{}, "m: scores of systems are on 12 items", "m: scores of systems are on 12 items"},
		"no wins":            {given(metaeval.Pair{A: 0, B: 1}), m, SegmentOptions{}, "people's pairs: human: expected wins", ""},
		"pair":               {given(metaeval.Pair{A: 0, B: 5}), m, SegmentOptions{}, "people's pairs: human: pair 0 is out of range", "people's pairs: human: pair 0 is out of range"},
		"names of pairs":     {People{Pairs: twice}, m, SegmentOptions{}, `people's pairs: metaeval: two systems are called "a"`, `people's pairs: metaeval: two systems are called "a"`},
		"pairs, threshold":   {given(win), m, SegmentOptions{Threshold: &threshold}, "-", "thresholds make pairs of scores, and people gave pairs"},
		"pairs, sweep":       {given(win), m, SegmentOptions{Sweep: []float64{1}}, "-", "thresholds make pairs of scores, and people gave pairs"},
		"pairs, others":      {given(win), both(called(good, "1", "x")), SegmentOptions{}, "-", "no pair of people's has scores by every metric: theirs is such as system a, segment 1, and m's system a, segment x"},
		"threshold":          {People{Scores: people}, m, SegmentOptions{Threshold: &far}, "", "threshold +Inf"},
		"sweep":              {People{Scores: people}, m, SegmentOptions{Sweep: []float64{-1}}, "", "threshold -1"},
		"grouping":           {People{Scores: people}, m, SegmentOptions{Grouping: 3}, "", "there is no grouping 3"},
		"forms":              {People{Scores: people}, m, SegmentOptions{Forms: []metaeval.KendallForm{metaeval.Table5(), metaeval.Table5()}}, "", `two forms of Kendall's tau are called "5"`},
		"samples":            {People{Scores: people}, m, SegmentOptions{Options: Options{Samples: -1}}, "-1 samples", "-1 samples"},
		"alpha":              {People{Scores: people}, m, SegmentOptions{Options: Options{Alpha: 1}}, "a level of significance of 1", "a level of significance of 1"},
		"alpha that is none": {People{Scores: people}, m, SegmentOptions{Options: Options{Alpha: nan}}, "a level of significance of NaN", "a level of significance of NaN"},
	} {
		if tt.o.Samples == 0 {
			tt.o.Samples = 20
		}
		check := func(level, want string, r *Result, err error) {
			t.Helper()
			switch {
			case want == "" && (err != nil || r == nil), want != "" && (err == nil || r != nil):
				t.Errorf("%s, %s: %v, want %q", name, level, err, want)
			case want != "" && (!strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "meta: ") && !strings.HasPrefix(err.Error(), "metaeval: ")):
				t.Errorf("%s, %s: %v, want %q", name, level, err, want)
			}
		}
		if tt.systems != "-" {
			r, err := Systems(ctx, tt.people, tt.metrics, SystemOptions{Options: tt.o.Options})
			check("systems", tt.systems, r, err)
			if name == "no wins" && !errors.Is(err, metaeval.ErrUndefined) {
				t.Error(err)
			}
		}
		r, err := Segments(ctx, tt.people, tt.metrics, tt.o)
		check("segments", tt.segments, r, err)
	}
}
