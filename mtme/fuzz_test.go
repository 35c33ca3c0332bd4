package mtme

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mteval/mteval/files"
)

// tiny is a pair of two segments, of which no file is read.
func tiny() *Pair {
	texts := []string{"One.", "Two."}
	return &Pair{Set: "wmt23", LanguagePair: "en-de", Sources: texts, Domains: []string{"news", "speech"}, Documents: []string{"1", "2"},
		Systems: []string{"a", "b"}, Outputs: map[string][]string{"a": texts, "b": texts}, domains: []string{"news", "speech"}}
}

// atLine is a failure where an error has no line.
func atLine(t *testing.T, err error) {
	var at *files.LineError
	if !errors.As(err, &at) || at.Line < 1 {
		t.Errorf("%v has no line", err)
	}
}

// What is read of any file of scores is scores: of known systems, each of all segments, and
// missing only where people's may be.
func FuzzScores(f *testing.F) {
	for _, text := range []string{"a\t1\na\t2\nb\t3\nb\tNone\n", "a\t1\n", "news\ta\t1\nspeech\ta\t2", "a 1\na 1e400", "\ufeffb\t-1\r\n", "\x1f\x8b"} {
		for level := range 3 {
			f.Add(text, level, level == 0)
		}
	}
	f.Fuzz(func(t *testing.T, text string, level int, none bool) {
		p := tiny()
		level = min(max(level, 0), 2)
		table := p.newTable(Level(level), none)
		err := eachLineOf(t.Context(), strings.NewReader(text), "scores", table.add, func(int) error { return table.end(nil, p.domains) })
		if err != nil {
			atLine(t, err)
			return
		}
		s := table.scores(p)
		if err := s.Check(); err != nil || len(s.Systems) == 0 {
			t.Errorf("%q: %v, %v", text, s, err)
		}
		for _, v := range s.Values {
			if math.IsNaN(v) && !none {
				t.Errorf("%q: %v", text, s)
			}
		}
	})
}

// What is read of any file of ratings has scores, or an error that says why not.
func FuzzRatings(f *testing.F) {
	for _, text := range []string{
		"a\tNone\na\t{\"errors\": []}\n", "a\t{\"errors\": [{\"start\": 0, \"end\": 4, \"severity\": \"major\", \"score\": 5}]}\tr\na\tNone\tr\n",
		"a\t{\"errors\": []}\na\tNone\na\t{\"errors\": []}\tr\na\tNone\n", "b\t{}", "b\t{\"errors\": [{\"score\": 1e308}, {\"score\": 1e308}]}\nb\tNone",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := tiny()
		r := &ratingReader{p: p, name: "mqm", rated: map[ratingKey]bool{}}
		if err := eachLineOf(t.Context(), strings.NewReader(text), "ratings", r.add, r.end); err != nil {
			atLine(t, err)
			return
		}
		for _, weight := range []func(Error) (float64, error){nil, GoogleWeights} {
			s, err := p.RatingScores(r.out, weight)
			if err != nil {
				continue
			}
			if err := s.Check(); err != nil || len(s.Systems) == 0 {
				t.Errorf("%q: %v, %v", text, s, err)
			}
		}
		summaries, err := p.SummarizeRatings(r.out)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range summaries {
			if s.ErrorFree > s.Rated || s.Rated > len(p.Sources) {
				t.Errorf("%q: %+v", text, s)
			}
		}
	})
}
