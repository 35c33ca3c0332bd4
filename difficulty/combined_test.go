package difficulty_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// Cases of options with AddPlain, worked by hand. In the first ones the systems A "p n" and
// B "q" translate "p q r", and n is like q by ½:
//
//	d(p) = 1 − (1 + 0)/2 = ½,  d(q) = 1 − (½ + 1)/2 = ¼,  d(r) = 1
//
// A's P is (1 + ½)/2 = ¾ without difficulty, its R ½; B's 1 and ⅓.
func TestCombinedByHand(t *testing.T) {
	combined := difficulty.Combined()
	own := combined
	own.LeaveOneOut = true
	hardFirst := combined
	hardFirst.PlainIfEasy = false
	similar := table(map[string]float32{"n q": .5})
	for _, tt := range []struct {
		name    string
		base    exact
		o       difficulty.Options
		refs    []string // of the one segment
		systems []string
		want    []mteval.PRF
	}{
		{
			// With difficulty
			//	A  P = (½·1 + ¼·½)/(½ + ¼) = 5/6, R = (½·1 + ¼·½)/(½ + ¼ + 1) = 5/14
			//	B  P = (¼·1)/¼, R = (¼·1)/(7/4) = 1/7
			name: "combined", base: exact{sim: similar}, o: combined,
			refs: []string{"p q r"}, systems: []string{"p n", "q"},
			want: []mteval.PRF{{P: 19. / 24, R: 3. / 7, F: 114. / 205}, {P: 1, R: 5. / 21, F: 5. / 13}},
		},
		{
			// The other reference is like neither, and not taken.
			name: "two references", base: exact{sim: similar}, o: combined,
			refs: []string{"z", "p q r"}, systems: []string{"p n", "q"},
			want: []mteval.PRF{{P: 19. / 24, R: 3. / 7, F: 114. / 205}, {P: 1, R: 5. / 21, F: 5. / 13}},
		},
		{
			// By B's vote alone A has d = 1, 0, 1: P = 1, R = ½. By A's alone B has d = 0, ½, 1:
			// P = 1, R = ½/(3/2).
			name: "leave-one-out", base: exact{sim: similar}, o: own,
			refs: []string{"p q r"}, systems: []string{"p n", "q"},
			want: []mteval.PRF{{P: .875, R: .5, F: 7. / 11}, {P: 1, R: 1. / 3, F: .5}},
		},
		{
			// Over the number of tokens
			//	A  P = (5/8)/2, R = (5/8)/3
			//	B  P = ¼, R = ¼/3
			name: "paper and plain", base: exact{sim: similar}, o: difficulty.Options{AddPlain: true, Novel: difficulty.Matched},
			refs: []string{"p q r"}, systems: []string{"p n", "q"},
			want: []mteval.PRF{{P: 17. / 32, R: 17. / 48, F: 17. / 40}, {P: .625, R: 5. / 24, F: .3125}},
		},
		{
			// p weighs 3. Without difficulty A has P = (3 + ½)/4, R = (3 + ½)/5, and B 1 and 1/5; with it
			//	A  P = (3/2 + 1/8)/(3/2 + 1/4) = 13/14, R = (3/2 + 1/8)/(3/2 + 1/4 + 1) = 13/22
			//	B  P = 1, R = (1/4)/(11/4)
			name: "weights of tokens", base: exact{sim: similar, weight: weights(map[string]float32{"p": 3})}, o: combined,
			refs: []string{"p q r"}, systems: []string{"p n", "q"},
			want: []mteval.PRF{{P: 101. / 112, R: 71. / 110, F: 7171. / 9531}, {P: 1, R: 8. / 55, F: 16. / 63}},
		},
		{
			// d(a) = 0, d(b) = 1, d(c) = 2/3, d(d) = 1. Without difficulty both references are as
			// good for A; with it the first gives 0, the second P = R = (2/3)/(5/3). B's a in the
			// first is easy, and its P what it is without difficulty.
			name: "which reference", o: combined,
			refs: []string{"a b", "c d"}, systems: []string{"a c", "a", "a"},
			want: []mteval.PRF{{P: .45, R: .45, F: .45}, {P: 1, R: .25, F: .4}, {P: 1, R: .25, F: .4}},
		},
		{
			name: "all is easy", o: combined,
			refs: []string{"a b"}, systems: []string{"a b", "a b"},
			want: []mteval.PRF{{P: 1, R: 1, F: 1}, {P: 1, R: 1, F: 1}},
		},
		{
			name: "all is easy, and 0 then", o: hardFirst,
			refs: []string{"a b"}, systems: []string{"a b", "a b"},
			want: []mteval.PRF{{P: .5, R: .5, F: .5}, {P: .5, R: .5, F: .5}},
		},
		{
			// d(a) = d(b) = ½.
			name: "empty output", o: combined,
			refs: []string{"a b"}, systems: []string{"", "a b"},
			want: []mteval.PRF{{}, {P: 1, R: 1, F: 1}},
		},
		{name: "empty reference", o: combined, refs: []string{""}, systems: []string{"", "a b"}, want: []mteval.PRF{{}, {}}},
		{
			name: "no tokens with a weight", base: exact{weight: weights(map[string]float32{"a": 0})}, o: combined,
			refs: []string{"a"}, systems: []string{"a", "a a"}, want: []mteval.PRF{{}, {}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refs, sys := [][]string{tt.refs}, systems(tt.systems...)
			w := estimate(t, &tt.base, refs, sys)
			for _, w := range []*difficulty.Weights{w, saved(t, w)} {
				if diff := cmp.Diff(tt.want, rows(t, newScorer(t, &tt.base, w, tt.o), refs, sys), approx); diff != "" {
					t.Errorf("P, R, F by system (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// The score of a system is the mean of F: A's is that of the first case above and of 1.
func TestCombinedScore(t *testing.T) {
	base := &exact{sim: table(map[string]float32{"n q": .5})}
	refs, sys := [][]string{{"p q r"}, {"a b"}}, systems("p n|a b", "q|x")
	s := newScorer(t, base, estimate(t, base, refs, sys), difficulty.Combined())
	table := matchings(t, base, refs, sys).Table(s)
	if diff := cmp.Diff([]float64{(114./205 + 1) / 2, 5. / 26}, table.Scores(), approx); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	want := mteval.PRF{P: (19./24 + 1) / 2, R: (3./7 + 1) / 2, F: (114./205 + 1) / 2}
	if diff := cmp.Diff(want, s.PRF(table.Sum(0)), approx); diff != "" {
		t.Errorf("PRF (-want +got):\n%s", diff)
	}
}

// A token's share is half that of its weight, and half that of any other.
func TestCombinedDetailByHand(t *testing.T) {
	base := &exact{sim: table(map[string]float32{"n q": .5})}
	refs, sys := [][]string{{"z", "p q r"}}, systems("p n", "q")
	ms := matchings(t, base, refs, sys)
	got := newScorer(t, base, allWeights(t, ms), difficulty.Combined()).Detail(0, ms.RefTokens(0), ms.At(0, 0))
	share := func(parts []difficulty.Part) (out []float64) {
		for _, p := range parts {
			out = append(out, p.Share)
		}
		return out
	}
	// (2/3 + 1/2)/2 and (1/6 + 1/4)/2; (2/7 + 1/3)/2, (1/14 + 1/6)/2 and 0.
	if diff := cmp.Diff([][]float64{{7. / 12, 5. / 24}, {13. / 42, 5. / 42, 0}}, [][]float64{share(got.Hyp), share(got.Ref)}, approx); diff != "" || got.Reference != 1 {
		t.Errorf("reference %d, shares (-want +got):\n%s", got.Reference, diff)
	}
	// Where all is easy, shares are those of any token.
	refs, sys = [][]string{{"a b"}}, systems("a b", "a b")
	ms = matchings(t, base, refs, sys)
	got = newScorer(t, base, allWeights(t, ms), difficulty.Combined()).Detail(0, ms.RefTokens(0), ms.At(0, 0))
	if diff := cmp.Diff([][]float64{{.5, .5}, {.5, .5}}, [][]float64{share(got.Hyp), share(got.Ref)}, approx); diff != "" {
		t.Errorf("all is easy (-want +got):\n%s", diff)
	}
}

// P and R are the means of those with difficulty and of those without it, which are those
// with weights of 1.
func TestCombinedIsMean(t *testing.T) {
	one := difficulty.Function{Name: "one", Of: func([]float64) float64 { return 1 }}
	rapid.Check(t, func(r *rapid.T) {
		c := drawRandom(r, 0)
		for i := range c.refs {
			c.refs[i] = c.refs[i][:1] // the best of several may be others
		}
		c.systems = append(c.systems, c.systems[0])
		ms := matchings(t, c.base, c.refs, c.systems)
		ones, err := difficulty.EstimateFrom(ms, nil, one)
		if err != nil {
			t.Fatal(err)
		}
		plain := ms.Table(newScorer(t, c.base, ones, difficulty.Options{}))
		o := rapid.SampledFrom(allOptions).Filter(func(o difficulty.Options) bool { return !o.Released }).Draw(r, "options")
		o.LeaveOneOut = rapid.Bool().Draw(r, "leave one out")
		o.AddPlain = false
		aware := ms.Table(newScorer(t, c.base, allWeights(t, ms), o))
		o.AddPlain = true
		both := ms.Table(newScorer(t, c.base, allWeights(t, ms), o))
		beta := o.Beta
		if beta == 0 {
			beta = 1
		}
		for k := range c.systems {
			for i := range c.refs {
				a, p := aware.Row(k, i), plain.Row(k, i)
				want := mteval.PRF{P: (a[0] + p[0]) / 2, R: (a[1] + p[1]) / 2}
				want.F = mteval.PRF{P: want.P, R: want.R}.FBeta(beta)
				got := both.Row(k, i)
				if diff := cmp.Diff(want, mteval.PRF{P: got[0], R: got[1], F: got[2]}, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					r.Fatalf("%+v, system %d, segment %d (-mean +got):\n%s", o, k, i, diff)
				}
			}
		}
	})
}

// With all difficulties equal it is the plain score, whatever they are, where every token is
// like one of the reference, as with vectors.
func TestCombinedOfEqualDifficulties(t *testing.T) {
	base := bases(t)["bertscore"]
	rapid.Check(t, func(r *rapid.T) {
		refs, sys := drawWords(r)
		for i := range refs {
			refs[i][0] += " end" // BERTScore has a score of empty texts
			for k := range sys {
				sys[k].Hyps[i] += " stop"
			}
		}
		ms := matchings(t, base, refs, sys)
		all := rapid.SampledFrom([]float64{0, 1e-9, .01, .5, 1, 7, 1e9}).Draw(r, "difficulty")
		w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Name: "equal", Of: func([]float64) float64 { return all }})
		if err != nil {
			t.Fatal(err)
		}
		plain, got := ms.Table(base), ms.Table(newScorer(t, base, w, difficulty.Combined()))
		for k := range sys {
			for i := range refs {
				for n, want := range plain.Row(k, i)[:3] {
					if math.Abs(got.Row(k, i)[n]-want) > 1e-6 {
						r.Fatalf("difficulty %v, system %d, segment %d: %v, without %v", all, k, i, got.Row(k, i), plain.Row(k, i))
					}
				}
			}
		}
		if diff := cmp.Diff(plain.Scores(), got.Scores(), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			r.Fatalf("scores (-plain +combined):\n%s", diff)
		}
	})
}
