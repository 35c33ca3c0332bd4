package mbr_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/mbr"
	"github.com/mteval/mteval/ter"
)

func scorers(t *testing.T) map[string]mteval.Scorer {
	t.Helper()
	f1, err := chrf.New(chrf.Options{Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	plusplus, err := chrf.New(chrf.Options{WordOrder: 2})
	if err != nil {
		t.Fatal(err)
	}
	sentence, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]mteval.Scorer{"chrf": &chrf.Scorer{}, "chrf1": f1, "chrf++": plusplus, "bleu": sentence, "ter": &ter.Scorer{}}
}

// The values are those of mbrs, which has them in 32 bits; see scripts/record_mbr.py.
func TestMbrs(t *testing.T) {
	data, err := os.ReadFile("testdata/mbrs.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Candidates []string
		Cases      []struct {
			Metric              string
			References          []string
			Weights             []float64
			Scores              [][]float64
			Expected, Aggregate []float64
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Cases) == 0 {
		t.Fatal("nothing recorded")
	}
	same := func(name string, got, want []float64, tolerance float64) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= tolerance*100) {
				t.Errorf("%s %d: %v, want %v", name, i, got[i], want[i])
			}
		}
	}
	all := scorers(t)
	for _, c := range recorded.Cases {
		seg := mbr.Segment{Candidates: recorded.Candidates, References: c.References, Weights: c.Weights}
		for _, aggregate := range []bool{false, true} {
			d, err := mbr.New(all[c.Metric], mbr.Options{Aggregate: aggregate})
			if err != nil {
				t.Fatal(err)
			}
			r, err := d.Decode(t.Context(), seg)
			if err != nil {
				t.Fatal(err)
			}
			if aggregate {
				same(c.Metric+" aggregate", r.Utilities, c.Aggregate, 1e-6)
				continue
			}
			same(c.Metric+" expected", r.Utilities, c.Expected, 1e-11)
			scores, err := d.Scores(t.Context(), nil, seg)
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for _, row := range c.Scores {
				want = append(want, row...)
			}
			same(c.Metric+" scores", scores, want, 1e-11)
		}
	}
}

// Scores are those of Prepare and Append, whichever way they are made.
func TestScoresAreThoseOfAppend(t *testing.T) {
	all := scorers(t)
	text := rapid.StringMatching(`[ab .,]{0,12}`)
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			d, err := mbr.New(s, mbr.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				seg := mbr.Segment{Candidates: rapid.SliceOfN(text, 1, 6).Draw(t, "candidates")}
				refs := seg.Candidates
				if rapid.Bool().Draw(t, "own references") {
					refs = rapid.SliceOfN(text, 1, 6).Draw(t, "references")
					seg.References = refs
				}
				var scores []float64
				for _, h := range seg.Candidates {
					for _, r := range refs {
						got, err := mteval.Sentence(t.Context(), s, []string{r}, h)
						if err != nil {
							t.Fatal(err)
						}
						scores = append(scores, got.Score)
					}
				}
				gotScores, err := d.Scores(t.Context(), nil, seg)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(scores, gotScores); diff != "" {
					t.Fatal(diff)
				}
			})
		})
	}
}

// Of one reference the mean is the reference.
func TestAggregateOfOne(t *testing.T) {
	all := scorers(t)
	text := rapid.StringMatching(`[ab .,]{0,12}`)
	for _, name := range []string{"chrf", "chrf++", "bleu"} {
		s := all[name].(mteval.AggregateScorer)
		rapid.Check(t, func(t *rapid.T) {
			hyp, ref := text.Draw(t, "hyp"), text.Draw(t, "ref")
			p, err := s.PrepareAggregate(t.Context(), [][]string{{ref}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Append(t.Context(), nil, nil, []string{hyp})
			if err != nil {
				t.Fatal(err)
			}
			want, err := mteval.Sentence(t.Context(), s, []string{ref}, hyp)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.Row(0), got); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		})
	}
}

func TestOrderOfErrors(t *testing.T) {
	d, err := mbr.New(&ter.Scorer{}, mbr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Against a b, a c, a b: TER 0, ½, 0 of the first and third, ½, 0, ½ of the second.
	r, err := d.Decode(t.Context(), mbr.Segment{Candidates: []string{"a c", "a b", "a b"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{1, 2, 0}, r.Order); d != "" {
		t.Error(d)
	}
}

func TestBad(t *testing.T) {
	if _, err := mbr.New(nil, mbr.Options{}); err == nil {
		t.Error("no metric: no error")
	}
	if _, err := mbr.New(&ter.Scorer{}, mbr.Options{Aggregate: true}); err == nil {
		t.Error("TER has no mean of references: no error")
	}
	d, err := mbr.New(&chrf.Scorer{}, mbr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, seg := range map[string]mbr.Segment{
		"no candidate": {},
		"no reference": {Candidates: []string{"a"}, References: []string{}},
		"few weights":  {Candidates: []string{"a", "b"}, Weights: []float64{1}},
		"negative":     {Candidates: []string{"a"}, Weights: []float64{-1}},
		"not a number": {Candidates: []string{"a"}, Weights: []float64{math.NaN()}},
		"all 0":        {Candidates: []string{"a"}, Weights: []float64{0}},
	} {
		if _, err := d.Decode(t.Context(), seg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	limited, err := chrf.New(chrf.Options{MaxTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = mbr.New(limited, mbr.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(t.Context(), mbr.Segment{Candidates: []string{"a", "a b"}}); !errors.Is(err, mteval.ErrTooLong) {
		t.Errorf("error %v, want ErrTooLong", err)
	}
}

// A text that is refused is named by its number, and none is there then.
func TestPairsError(t *testing.T) {
	one, err := bleu.New(bleu.Options{MaxTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	other, err := chrf.New(chrf.Options{MaxTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []mteval.PairScorer{one, other} {
		p := s.NewPairs()
		err := p.Set(t.Context(), []string{"a", "b", "a b"})
		want := &mteval.SegmentError{Segment: 2, Side: mteval.HypothesisSide, Index: 2}
		var got *mteval.SegmentError
		if !errors.As(err, &got) || !errors.Is(err, mteval.ErrTooLong) {
			t.Fatalf("%s: error %v", s.Info().Name, err)
		}
		got.Err = nil
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", s.Info().Name, d)
		}
		if rows, err := p.Append(t.Context(), nil, 0, []int{0}); err == nil {
			t.Errorf("%s: rows %v of a text that is not there", s.Info().Name, rows)
		}
	}
}

// A reference of weight 0 is as if it were not there.
func TestWeightOfZero(t *testing.T) {
	seg := mbr.Segment{Candidates: []string{"a b", "b c", "c"}, References: []string{"b", "a b", "x y z", "c"}, Weights: []float64{2, 0, 0, 1}}
	without := mbr.Segment{Candidates: seg.Candidates, References: []string{"b", "c"}, Weights: []float64{2, 1}}
	for name, s := range scorers(t) {
		_, mean := s.(mteval.AggregateScorer)
		for _, o := range []mbr.Options{{}, {Aggregate: true}, {Prune: &mbr.Pruning{}}} {
			if o.Aggregate && !mean {
				continue
			}
			if d := cmp.Diff(decode(t, s, o, without), decode(t, s, o, seg)); d != "" {
				t.Errorf("%s, %+v: %s", name, o, d)
			}
		}
	}
}
