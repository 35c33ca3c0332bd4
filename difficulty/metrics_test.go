package difficulty_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/scorertest"
)

func meteorScorer(t testing.TB, workers int) *meteor.Scorer {
	t.Helper()
	s, err := meteor.New(meteor.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wordF(t testing.TB, workers int) *overlap.FScorer {
	t.Helper()
	s, err := overlap.NewF(overlap.FOptions{Options: overlap.Options{Workers: workers}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Over the overlap of words a word's difficulty is the share of systems without it, as
// often as it stands in the reference: A has one "the" of two, so that the second is
// missed by A and B.
//
//	d: the 0, the ⅔, old ⅔, cat ⅓; of the text "the" 1/3
//	A  the old dog:  R = (0 + ⅔)/4, P = (⅓ + ⅔ + 0)/3 with dog, novel, unlike any
//	B  a the cat:    R = (0 + ⅓)/4, P = (0 + ⅓ + ⅓)/3
//	C  the cat the:  R = (0 + ⅔ + ⅓)/4, P = (⅓ + ⅓ + ⅓)/3
func TestOverWordOverlap(t *testing.T) {
	base := wordF(t, 0)
	refs := [][]string{{"the the old cat"}}
	sys := systems("the old dog", "a the cat", "the cat the")
	w := estimate(t, base, refs, sys)
	if diff := cmp.Diff([]float64{0, 2. / 3, 2. / 3, 1. / 3}, w.Of(0, 0), approx); diff != "" {
		t.Errorf("difficulties (-want +got):\n%s", diff)
	}
	want := []mteval.PRF{
		{P: 1. / 3, R: 1. / 6, F: 2. / 9},
		{P: 2. / 9, R: 1. / 12, F: 4. / 33},
		{P: 1. / 3, R: 1. / 4, F: 2. / 7},
	}
	if diff := cmp.Diff(want, rows(t, newScorer(t, base, w, difficulty.Options{}), refs, sys), approx); diff != "" {
		t.Errorf("P, R, F (-want +got):\n%s", diff)
	}
}

// METEOR's words weigh δ = ¾, or ¼ if they are function words, and a match of stems
// counts .6.
//
//	d: the 0, dogs 1 − (1 + .6)/2 = .2, run 0
//	A  the dogs run:  P = R = ¾·.2·1 / 1¾
//	B  the dog run:   R = ¾·.2·.6 / 1¾; P = ¾·1·.6 / 1¾ as dog is novel, or as R
//	   where it weighs what it stands for
func TestOverMETEOR(t *testing.T) {
	base := meteorScorer(t, 0)
	refs := [][]string{{"the dogs run"}}
	sys := systems("the dogs run", "the dog run")
	w := estimate(t, base, refs, sys)
	near := cmpopts.EquateApprox(0, 1e-7) // a weight of .6 is a float32
	if diff := cmp.Diff([]float64{0, .2, 0}, w.Of(0, 0), near); diff != "" {
		t.Errorf("difficulties (-want +got):\n%s", diff)
	}
	all := 1.75
	a := mteval.PRF{P: .15 / all, R: .15 / all, F: .15 / all}
	for o, b := range map[difficulty.Novel]mteval.PRF{
		difficulty.One:     {P: .45 / all, R: .09 / all, F: .15 / all},
		difficulty.Matched: {P: .09 / all, R: .09 / all, F: .09 / all},
	} {
		got := rows(t, newScorer(t, base, w, difficulty.Options{Novel: o}), refs, sys)
		if diff := cmp.Diff([]mteval.PRF{a, b}, got, near); diff != "" {
			t.Errorf("novel %v (-want +got):\n%s", o, diff)
		}
	}
}

// drawWords draws references and systems' outputs of a segment or several, of words
// some of which have stems and synonyms in common.
func drawWords(t *rapid.T) ([][]string, []mteval.System) {
	text := rapid.Custom(func(t *rapid.T) string {
		words := strings.Fields("the a of dogs dog hound run runs ran quick fast big large car automobile")
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 7).Draw(t, "words"), " ")
	})
	refs := rapid.SliceOfN(rapid.SliceOfN(text, 1, 1), 1, 4).Draw(t, "refs")
	var sys []mteval.System
	for k := range rapid.IntRange(1, 4).Draw(t, "systems") {
		sys = append(sys, mteval.System{Name: string(rune('A' + k)), Hyps: rapid.SliceOfN(text, len(refs), len(refs)).Draw(t, "hyps")})
	}
	return refs, sys
}

// With weights of 1 the precision and recall of a segment are the metric's own, whatever
// the mode.
func TestAllWeightsOne(t *testing.T) {
	words, m := wordF(t, 0), meteorScorer(t, 0)
	lexical := bases(t)["bertscore"]
	for name, metric := range map[string]struct {
		base mteval.MatchScorer
		of   func(row []float64) (p, r float64)
	}{
		"wordf":     {words, func(row []float64) (p, r float64) { v := words.PRF(row); return v.P, v.R }},
		"meteor":    {m, func(row []float64) (p, r float64) { v := m.Detail(row); return v.Precision, v.Recall }},
		"bertscore": {lexical, func(row []float64) (p, r float64) { return row[0], row[1] }},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				refs, sys := drawWords(r)
				ms := matchings(t, metric.base, refs, sys)
				plain := ms.Table(metric.base)
				w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Name: "one", Of: func([]float64) float64 { return 1 }})
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range []difficulty.Options{{}, {Novel: difficulty.Hardest}, difficulty.Normalized(), difficulty.Combined(), {Smoothing: difficulty.Max}} {
					table := ms.Table(newScorer(t, metric.base, w, o))
					for k := range sys {
						for i := range refs {
							wantP, wantR := metric.of(plain.Row(k, i))
							if refs[i][0] == "" || sys[k].Hyps[i] == "" {
								wantP, wantR = 0, 0
							}
							row := table.Row(k, i)
							if math.Abs(row[0]-wantP)+math.Abs(row[1]-wantR) > 1e-6 {
								r.Fatalf("%+v, system %d, segment %d: P, R %v %v, want %v %v", o, k, i, row[0], row[1], wantP, wantR)
							}
						}
					}
				}
			})
		})
	}
}

// Systems that all say the same are equal, and get what one of them alone does: what it
// has entirely right is not difficult, and what it misses is as difficult as can be.
func TestEqualSystems(t *testing.T) {
	for name, base := range map[string]mteval.MatchScorer{"wordf": wordF(t, 0), "meteor": meteorScorer(t, 0), "bertscore": bases(t)["bertscore"]} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				refs, sys := drawWords(r)
				sys = sys[:1]
				alone := matchings(t, base, refs, sys)
				for range rapid.IntRange(1, 4).Draw(r, "more") {
					sys = append(sys, sys[0])
				}
				ms := matchings(t, base, refs, sys)
				for _, o := range []difficulty.Options{{}, difficulty.Released(), {Released: true, Smoothing: difficulty.Softmax, Novel: difficulty.Matched}, {LeaveOneOut: true}} {
					table := ms.Table(newScorer(t, base, allWeights(t, ms), o))
					o.LeaveOneOut = false
					one := ms.Table(newScorer(t, base, allWeights(t, alone), o)).Sum(0)
					for k := range sys {
						if diff := cmp.Diff(one, table.Sum(k), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
							r.Fatalf("%+v, system %d (-alone +among equals):\n%s", o, k, diff)
						}
					}
				}
				for i := range refs {
					s := newScorer(t, base, allWeights(t, alone), difficulty.Options{})
					for _, p := range s.Detail(i, alone.RefTokens(i), alone.At(0, i)).Ref {
						if math.Abs(p.Difficulty-(1-p.Sim)) > 1e-12 {
							r.Fatalf("%+v", p)
						}
					}
				}
			})
		})
	}
}

// The n-grams of the example are chrF's, for texts of six characters and more, and
// difficulty over them with weights of 1 has chrF's precision and recall.
func TestNGramsAreChrF(t *testing.T) {
	scorer, err := chrf.New(chrf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := scorertest.Test(ngrams{}, scorertest.Options{}); err != nil {
		t.Error(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abcä ")), 8, 20, -1).Filter(func(s string) bool {
			return utf8.RuneCountInString(strings.ReplaceAll(s, " ", "")) >= 6
		})
		ref, hyp := text.Draw(r, "ref"), text.Draw(r, "hyp")
		refs := [][]string{{ref}}
		want, err := mteval.Sentence(t.Context(), scorer, []string{ref}, hyp)
		if err != nil {
			t.Fatal(err)
		}
		ms := matchings(t, ngrams{}, refs, systems(hyp))
		if got := ms.Table(ngrams{}).Scores()[0]; math.Abs(got-want.Score/100) > 1e-6 {
			r.Fatalf("%v, chrF %v", got, want.Score/100)
		}
		w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Name: "one", Of: func([]float64) float64 { return 1 }})
		if err != nil {
			t.Fatal(err)
		}
		if got := ms.Table(newScorer(t, ngrams{}, w, difficulty.Options{Beta: 2})).Scores()[0]; math.Abs(got-want.Score/100) > 1e-6 {
			r.Fatalf("with weights of 1 %v, chrF %v", got, want.Score/100)
		}
	})
}

// The parts of a score add up to it.
func TestDetail(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawRandom(r, -.5)
		c.systems = append(c.systems, c.systems[0])
		ms := matchings(t, c.base, c.refs, c.systems)
		o := rapid.SampledFrom(allOptions).Draw(r, "options")
		o.LeaveOneOut = rapid.Bool().Draw(r, "leave one out")
		s := newScorer(t, c.base, allWeights(t, ms), o)
		table := ms.Table(s)
		for k := range c.systems {
			for i := range c.refs {
				d := s.Detail(i, ms.RefTokens(i), ms.At(k, i))
				row := table.Row(k, i)
				if diff := cmp.Diff(row[:3], []float64{d.P, d.R, d.F}); diff != "" {
					r.Fatalf("system %d, segment %d (-row +detail):\n%s", k, i, diff)
				}
				texts := [2]map[string]bool{{}, {}}
				for n, parts := range [2][]difficulty.Part{d.Hyp, d.Ref} {
					sum := 0.0
					for _, p := range parts {
						sum += p.Share
						if p.Weight == 0 && (p.Share != 0 || p.Alone) {
							r.Fatalf("left out: %+v", p)
						}
						if p.Weight != 0 {
							texts[n][p.Text] = true
						}
					}
					if math.Abs(sum-row[n]) > 1e-9*max(1, math.Abs(sum)) {
						r.Fatalf("system %d, segment %d: shares add up to %v, not to %v", k, i, sum, row[n])
					}
				}
				for n, parts := range [2][]difficulty.Part{d.Hyp, d.Ref} {
					for _, p := range parts {
						if p.Weight != 0 && p.Alone == texts[1-n][p.Text] {
							r.Fatalf("alone: %+v", p)
						}
					}
				}
			}
		}
	})
}

func TestDetailByHand(t *testing.T) {
	base := &exact{sim: table(map[string]float32{"n q": .5})}
	refs := [][]string{{"z", "p q r"}}
	sys := systems("p n", "q")
	w := estimate(t, base, refs, sys) // d(p) = ½, d(q) = ¼, d(r) = 1, and d(z) = 1
	o := difficulty.Options{Novel: difficulty.Matched, Normalize: true}
	ms := matchings(t, base, refs, sys)
	got := newScorer(t, base, w, o).Detail(0, ms.RefTokens(0), ms.At(0, 0))
	token := func(text string, at int) mteval.Token {
		return mteval.Token{Text: text, Start: at, End: at + 1, Weight: 1}
	}
	// P = (½·1 + ¼·½)/(¾), R = (½·1 + ¼·½)/(7/4)
	want := difficulty.Detail{
		PRF: mteval.PRF{P: 5. / 6, R: 5. / 14, F: .5}, Reference: 1,
		Hyp: []difficulty.Part{
			{Token: token("p", 0), Difficulty: .5, Sim: 1, To: 0, Share: 2. / 3},
			{Token: token("n", 2), Difficulty: .25, Sim: .5, To: 1, Alone: true, Share: 1. / 6},
		},
		Ref: []difficulty.Part{
			{Token: token("p", 0), Difficulty: .5, Sim: 1, To: 0, Share: 2. / 7},
			{Token: token("q", 2), Difficulty: .25, Sim: .5, To: 1, Alone: true, Share: 1. / 14},
			{Token: token("r", 4), Difficulty: 1, To: -1, Alone: true},
		},
	}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1, .5, .25, 1}, w.All(), approx); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
}
