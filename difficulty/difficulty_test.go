package difficulty_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/ranking"
)

var _ ranking.FieldMetric = (*difficulty.Field)(nil)

// exact is a metric made for tests: words are split at spaces, equal words have
// similarity 1, others are not linked.
type exact struct {
	// sim, if set, gives the similarity of two tokens, and whether they are
	// linked at all.
	sim func(hyp, ref mteval.Token) (float32, bool)
	// weight, if set, gives the weight of a word.
	weight func(word string) float32
}

func (*exact) Width() int { return 4 }

func (e *exact) Info() mteval.Info {
	return mteval.Info{Name: "exact", Signature: mteval.Signature{{Key: "words", Abbr: "w", Value: "exact"}}, Scale: 1}
}

func (e *exact) tokens(text string) []mteval.Token {
	var out []mteval.Token
	at := 0
	for word := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], word)
		t := mteval.Token{Text: word, Start: at, End: at + len(word), Weight: 1}
		if e.weight != nil {
			t.Weight = e.weight(word)
		}
		out = append(out, t)
		at += len(word)
	}
	return out
}

func (e *exact) PrepareMatch(_ context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := &exactMatcher{e: e}
	for _, r := range refs {
		var tokens [][]mteval.Token
		for _, text := range r {
			tokens = append(tokens, e.tokens(text))
		}
		m.refs = append(m.refs, tokens)
	}
	return m, nil
}

func (e *exact) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	m, err := e.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	return mteval.PrepareMatched(e, m), nil
}

// AppendMatch appends the unweighted P, R, F of the best reference: what a
// difficulty-aware scorer must not depend on.
func (e *exact) AppendMatch(dst []float64, _ int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	mean := func(links []mteval.Link) float64 {
		sum := 0.0
		for _, l := range links {
			sum += float64(l.Sim)
		}
		return sum / max(1, float64(len(links)))
	}
	var best mteval.PRF
	for r, p := range m.Pairings {
		prf := mteval.PRF{P: mean(p.Hyp), R: mean(p.Ref)}
		prf.F = mteval.PRF{P: prf.P, R: prf.R}.FBeta(1)
		if r == 0 || prf.F > best.F {
			best = prf
		}
	}
	return append(dst, best.P, best.R, best.F, 1)
}

func (e *exact) Score(row []float64) float64 {
	mteval.CheckRow(row, 4)
	if row[3] == 0 {
		return 0
	}
	return row[2] / row[3]
}

type exactMatcher struct {
	e    *exact
	refs [][][]mteval.Token
}

func (m *exactMatcher) Len() int { return len(m.refs) }

func (m *exactMatcher) RefTokens(segment int) [][]mteval.Token { return m.refs[segment] }

func (m *exactMatcher) Match(_ context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m.refs), segs, hyps); err != nil {
		return err
	}
	sim := m.e.sim
	if sim == nil {
		sim = func(a, b mteval.Token) (float32, bool) {
			if a.Text == b.Text {
				return 1, true
			}
			return 0, false
		}
	}
	links := func(from, to []mteval.Token, sim func(a, b mteval.Token) (float32, bool)) []mteval.Link {
		out := make([]mteval.Link, len(from))
		for i, a := range from {
			out[i].To = -1
			linked, kept := false, float32(0)
			for j, b := range to {
				s, ok := sim(a, b)
				if !ok {
					continue
				}
				if !linked || s > out[i].Sim {
					out[i].Sim, linked = s, true
				}
				if b.Weight != 0 && (out[i].To < 0 || s > kept) {
					out[i].To, kept = int32(j), s
				}
			}
		}
		return out
	}
	for k, text := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		hyp := m.e.tokens(text)
		out[k] = mteval.Matching{Tokens: hyp}
		for _, ref := range m.refs[seg] {
			out[k].Pairings = append(out[k].Pairings, mteval.Pairing{
				Hyp: links(hyp, ref, sim),
				Ref: links(ref, hyp, func(a, b mteval.Token) (float32, bool) { return sim(b, a) }),
			})
		}
	}
	return nil
}

// table is a similarity by pairs "hyp ref"; equal words have 1.
func table(pairs map[string]float32) func(hyp, ref mteval.Token) (float32, bool) {
	return func(hyp, ref mteval.Token) (float32, bool) {
		if hyp.Text == ref.Text {
			return 1, true
		}
		s, ok := pairs[hyp.Text+" "+ref.Text]
		return s, ok
	}
}

// weights is a weight by word; others weigh 1.
func weights(w map[string]float32) func(string) float32 {
	return func(word string) float32 {
		if x, ok := w[word]; ok {
			return x
		}
		return 1
	}
}

// systems names systems A, B, … of one segment, or of several split at "|".
func systems(hyps ...string) []mteval.System {
	out := make([]mteval.System, len(hyps))
	for k, h := range hyps {
		out[k] = mteval.System{Name: string(rune('A' + k)), Hyps: strings.Split(h, "|")}
	}
	return out
}

func matchings(t testing.TB, base mteval.MatchScorer, refs [][]string, systems []mteval.System) *mteval.Matchings {
	t.Helper()
	m, err := base.PrepareMatch(context.Background(), refs)
	if err != nil {
		t.Fatal(err)
	}
	ms, err := mteval.MatchSystems(context.Background(), m, systems)
	if err != nil {
		t.Fatal(err)
	}
	return ms
}

func estimate(t testing.TB, base mteval.MatchScorer, refs [][]string, systems []mteval.System) *difficulty.Weights {
	t.Helper()
	w, err := difficulty.EstimateFrom(matchings(t, base, refs, systems), nil, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newScorer(t testing.TB, base mteval.MatchScorer, w *difficulty.Weights, o difficulty.Options) *difficulty.Scorer {
	t.Helper()
	s, err := difficulty.New(base, w, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rows returns DA-P, DA-R and DA-F of every system and segment, systems first.
func rows(t testing.TB, s *difficulty.Scorer, refs [][]string, systems []mteval.System) []mteval.PRF {
	t.Helper()
	table, err := mteval.Systems(context.Background(), s, refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	var out []mteval.PRF
	for k := range systems {
		for i := range refs {
			row := table.Row(k, i)
			if row[3] != 1 {
				t.Errorf("system %d, segment %d: row %v does not end in 1", k, i, row)
			}
			out = append(out, mteval.PRF{P: row[0], R: row[1], F: row[2]})
		}
	}
	return out
}

var approx = cmpopts.EquateApprox(0, 1e-12)

// Cases worked by hand. Where a case has scored systems, they are scored with the
// weights that voters gave.
func TestByHand(t *testing.T) {
	nothing := mteval.PRF{}
	// Equal words have similarity 1 where they stand at the same place, else ½.
	placed := func(hyp, ref mteval.Token) (float32, bool) {
		switch {
		case hyp.Text != ref.Text:
			return 0, false
		case hyp.Start != ref.Start:
			return .5, true
		}
		return 1, true
	}
	// Difficulties 0, ¼, ¾ of p, q, r for the voters "p q s" and "p n":
	//	q  1 − (1 + ½)/2
	//	r  1 − (½ + 0)/2
	similar := table(map[string]float32{"n q": .5, "s r": .5})
	for _, tt := range []struct {
		name   string
		base   exact
		o      difficulty.Options
		refs   []string // of the one segment
		voters []string
		d      [][]float64 // by reference
		scored []string    // none: the voters
		want   []mteval.PRF
	}{
		{
			// The paper's case. A's only word that is difficult and right
			// is Trump, B's and C's "to". "at" and "rhododendron" are
			// like nothing, and so add 0.
			//	A  DA-R = DA-P = (0 + 0 + 0 + 2/3)/4
			//	B  DA-R = DA-P = (0 + 0 + 1/3 + 0)/4
			name:   "gave it to Trump",
			refs:   []string{"gave it to Trump"},
			voters: []string{"gave it at Trump", "gave it to rhododendron", "gave it to rhododendron"},
			d:      [][]float64{{0, 0, 1. / 3, 2. / 3}},
			want:   []mteval.PRF{{P: 1. / 6, R: 1. / 6, F: 1. / 6}, {P: 1. / 12, R: 1. / 12, F: 1. / 12}, {P: 1. / 12, R: 1. / 12, F: 1. / 12}},
		},
		{
			// the₁ is at 0 and matched 1 and ½, cat 1 and ½, the₂ ½ and
			// ½, mat not at all. In a hypothesis "the" weighs
			// (¼ + ½)/2 = 3/8.
			//	A  R = (¼·1 + ¼·1 + ½·½ + 0)/4 = 3/16
			//	   P = (3/8·1 + ¼·1)/2 = 5/16
			//	   F = 2·3/16·5/16 / (8/16) = 15/64
			//	B  R = (¼·½ + ¼·½ + ½·½ + 0)/4 = 1/8
			//	   P = (1·0 + ¼·½ + 3/8·½)/3 = 5/48
			//	   F = 2·6/48·5/48 / (11/48) = 5/44
			name:   "a repeated reference token",
			base:   exact{sim: placed},
			refs:   []string{"the cat the mat"},
			voters: []string{"the cat", "a cat the"},
			d:      [][]float64{{.25, .25, .5, 1}},
			want:   []mteval.PRF{{P: 5. / 16, R: 3. / 16, F: 15. / 64}, {P: 5. / 48, R: 1. / 8, F: 5. / 44}},
		},
		{
			// B takes the second reference: R = (½ + ½ + 1·0)/3, P = ½,
			// F = (1/3)/(5/6).
			// Z: with the first R = ½/2, P = ½/3, F = (1/12)/(5/12) = 1/5;
			// with the second R = (½ + ½)/3, P = (½ + ½)/3, F = 1/3.
			name:   "several references",
			refs:   []string{"a b", "c d e"},
			voters: []string{"a b", "c d"},
			d:      [][]float64{{.5, .5}, {.5, .5, 1}},
			scored: []string{"a b", "c d", "a c d", "x"},
			want: []mteval.PRF{{P: .5, R: .5, F: .5}, {P: .5, R: 1. / 3, F: .4},
				{P: 1. / 3, R: 1. / 3, F: 1. / 3}, nothing},
		},
		{
			// A with the first reference: R = ½/1, P = ½/4, F = 1/5; with
			// the second R = ½/2 and the same P, so less F.
			name:   "the reference with the best F",
			refs:   []string{"a", "a b"},
			voters: []string{"a x y z", "x"},
			d:      [][]float64{{.5}, {.5, 1}},
			want:   []mteval.PRF{{P: .125, R: .5, F: .2}, nothing},
		},
		{
			//	A  R = (2·½·1 + 1·½·0)/(2+1) = 1/3
			//	   P = (2·½·1 + 3·1·0)/(2+3) = 1/5
			//	   F = (2/15)/(8/15)
			//	B  R = (0 + 1·½·1)/3 = 1/6, P = ½/1, F = (1/6)/(2/3)
			name:   "tokens of different weight",
			base:   exact{weight: weights(map[string]float32{"x": 2, "z": 3})},
			refs:   []string{"x y"},
			voters: []string{"x z", "y"},
			d:      [][]float64{{.5, .5}},
			want:   []mteval.PRF{{P: .2, R: 1. / 3, F: .25}, {P: .5, R: 1. / 6, F: .25}},
		},
		{
			// As above, over 2·½ + 1·½ in the reference, 2·½ + 3·1 in A
			// and 1·½ in B.
			//	A  R = 1/1.5, P = 1/4, F = 2·(2/3)(1/4)/(11/12) = 4/11
			//	B  R = ½/1.5, P = 1, F = (2/3)/(4/3)
			name:   "tokens of different weight, normalized",
			base:   exact{weight: weights(map[string]float32{"x": 2, "z": 3})},
			o:      difficulty.Options{Normalize: true},
			refs:   []string{"x y"},
			voters: []string{"x z", "y"},
			d:      [][]float64{{.5, .5}},
			want:   []mteval.PRF{{P: .25, R: 2. / 3, F: 4. / 11}, {P: 1, R: 1. / 3, F: .5}},
		},
		{
			// [S] weighs nothing, but "u" may match it: its similarity
			// counts, its difficulty (½, by B alone) does not.
			//	A  R = (½·0)/1, P = 1·¾/1
			//	B  R = ½·1/1, P = ½·1/1
			name:   "special tokens",
			base:   exact{weight: weights(map[string]float32{"[S]": 0}), sim: table(map[string]float32{"u [S]": .75})},
			refs:   []string{"[S] v"},
			voters: []string{"u", "[S] v"},
			d:      [][]float64{{.125, .5}},
			want:   []mteval.PRF{{P: .75, R: 0, F: 0}, {P: .5, R: .5, F: .5}},
		},
		{
			// d(p) = 1 − (−½ −½)/2, d(q) = 1 − (−¼ + 1)/2.
			//	A  R = (3/2·−½ + 5/8·−¼)/2 = −29/64, P = 1·−¼
			//	   F = 2·29/64·16/64 / (−45/64) = −29/90
			//	B  R = (3/2·−½ + 5/8·1)/2 = −1/16, P = 5/8·1; F of
			//	   different signs is 0
			name:   "similarities below 0",
			base:   exact{sim: table(map[string]float32{"u p": -.5, "u q": -.25, "q p": -.5})},
			refs:   []string{"p q"},
			voters: []string{"u", "q"},
			d:      [][]float64{{1.5, .625}},
			want:   []mteval.PRF{{P: -.25, R: -29. / 64, F: -29. / 90}, {P: .625, R: -1. / 16, F: 0}},
		},
		{
			name:   "all perfect",
			refs:   []string{"a b"},
			voters: []string{"a b", "b a"},
			d:      [][]float64{{0, 0}},
			// Even of one that is not: recall is 0.
			scored: []string{"a b", "a", "a c"},
			want:   []mteval.PRF{nothing, nothing, nothing},
		},
		{
			name:   "all perfect, normalized",
			o:      difficulty.Normalized(),
			refs:   []string{"a b"},
			voters: []string{"a b", "b a"},
			d:      [][]float64{{0, 0}},
			scored: []string{"a b", "a", "a c"},
			want:   []mteval.PRF{nothing, nothing, nothing},
		},
		{
			// A system without tokens counts as similarity 0.
			name:   "an empty hypothesis",
			refs:   []string{"a"},
			voters: []string{"a", ""},
			d:      [][]float64{{.5}},
			want:   []mteval.PRF{{P: .5, R: .5, F: .5}, nothing},
		},
		{
			name:   "an empty reference",
			refs:   []string{""},
			voters: []string{"a", ""},
			d:      [][]float64{{}},
			want:   []mteval.PRF{nothing, nothing},
		},
		{
			name:   "an empty reference beside another",
			refs:   []string{"", "a"},
			voters: []string{"a", "b"},
			d:      [][]float64{{}, {.5}},
			want:   []mteval.PRF{{P: .5, R: .5, F: .5}, nothing},
		},
		{
			//	A  R = (0·1 + ¼·1 + ¾·½)/3 = 5/24, P = (0 + ¼ + 1·½)/3 = ¼
			//	   F = 2·5/24·6/24 / (11/24) = 5/22
			//	B  R = (0 + ¼·½ + 0)/3 = 1/24, P = (0 + 1·½)/2 = ¼
			//	   F = 2·1/24·6/24 / (7/24) = 1/14
			name:   "novel one",
			base:   exact{sim: similar},
			refs:   []string{"p q r"},
			voters: []string{"p q s", "p n"},
			d:      [][]float64{{0, .25, .75}},
			want:   []mteval.PRF{{P: .25, R: 5. / 24, F: 5. / 22}, {P: .25, R: 1. / 24, F: 1. / 14}},
		},
		{
			// s weighs as r, n as q:
			//	A  P = (0 + ¼ + ¾·½)/3 = 5/24
			//	B  P = (0 + ¼·½)/2 = 1/16
			//	   F = 2·1/24·1/16 / (5/48) = 1/20
			name:   "novel matched",
			base:   exact{sim: similar},
			o:      difficulty.Options{Novel: difficulty.Matched},
			refs:   []string{"p q r"},
			voters: []string{"p q s", "p n"},
			d:      [][]float64{{0, .25, .75}},
			want:   []mteval.PRF{{P: 5. / 24, R: 5. / 24, F: 5. / 24}, {P: 1. / 16, R: 1. / 24, F: 1. / 20}},
		},
		{
			// s and n weigh ¾:
			//	B  P = (0 + ¾·½)/2 = 3/16
			//	   F = 2·2/48·9/48 / (11/48) = 3/44
			name:   "novel hardest",
			base:   exact{sim: similar},
			o:      difficulty.Options{Novel: difficulty.Hardest},
			refs:   []string{"p q r"},
			voters: []string{"p q s", "p n"},
			d:      [][]float64{{0, .25, .75}},
			want:   []mteval.PRF{{P: 5. / 24, R: 5. / 24, F: 5. / 24}, {P: 3. / 16, R: 1. / 24, F: 3. / 44}},
		},
		{
			// R of both is over 0 + ¼ + ¾ = 1.
			//	A  R = 5/8, P = (¼ + ½)/(¼ + 1) = 3/5
			//	B  R = 1/8, P = ½/1
			//	"q zzz": R = ¼, P = ¼/(¼ + 1)
			name:   "normalized, novel one",
			base:   exact{sim: similar},
			o:      difficulty.Options{Normalize: true},
			refs:   []string{"p q r"},
			voters: []string{"p q s", "p n"},
			d:      [][]float64{{0, .25, .75}},
			scored: []string{"p q s", "p n", "q zzz"},
			want: []mteval.PRF{{P: .6, R: .625, F: 2 * .6 * .625 / 1.225}, {P: .5, R: .125, F: .2},
				{P: .2, R: .25, F: 2. / 9}},
		},
		{
			//	A  P = (¼ + ¾·½)/(¼ + ¾) = 5/8
			//	B  P = (¼·½)/¼ = ½
			//	"q zzz": zzz matches none and weighs 1, P = ¼/(¼ + 1)
			name:   "normalized, novel matched",
			base:   exact{sim: similar},
			o:      difficulty.Normalized(),
			refs:   []string{"p q r"},
			voters: []string{"p q s", "p n"},
			d:      [][]float64{{0, .25, .75}},
			scored: []string{"p q s", "p n", "q zzz"},
			want: []mteval.PRF{{P: .625, R: .625, F: .625}, {P: .5, R: .125, F: .2},
				{P: .2, R: .25, F: 2. / 9}},
		},
		{
			//	A  P = (¼ + ¾·½)/(¼ + ¾) = 5/8
			//	B  P = (¾·½)/¾ = ½
			//	"q zzz": P = ¼/(¼ + ¾)
			name:   "normalized, novel hardest",
			base:   exact{sim: similar},
			o:      difficulty.Options{Novel: difficulty.Hardest, Normalize: true},
			refs:   []string{"p q r"},
			voters: []string{"p q s", "p n"},
			d:      [][]float64{{0, .25, .75}},
			scored: []string{"p q s", "p n", "q zzz"},
			want: []mteval.PRF{{P: .625, R: .625, F: .625}, {P: .5, R: .125, F: .2},
				{P: .25, R: .25, F: .25}},
		},
		{
			// F = 5PR/(4P + R) with P = 6/24, R = 5/24: (150/576)/(29/24).
			name:   "beta 2",
			base:   exact{sim: similar},
			o:      difficulty.Options{Beta: 2},
			refs:   []string{"p q r"},
			voters: []string{"p q s", "p n"},
			d:      [][]float64{{0, .25, .75}},
			scored: []string{"p q s"},
			want:   []mteval.PRF{{P: .25, R: 5. / 24, F: 25. / 116}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refs, voters := [][]string{tt.refs}, systems(tt.voters...)
			w := estimate(t, &tt.base, refs, voters)
			for r := range tt.refs {
				if diff := cmp.Diff(tt.d[r], w.Of(0, r), approx); diff != "" {
					t.Errorf("difficulty in reference %d (-want +got):\n%s", r+1, diff)
				}
			}
			scored := voters
			if tt.scored != nil {
				scored = systems(tt.scored...)
			}
			got := rows(t, newScorer(t, &tt.base, w, tt.o), refs, scored)
			if diff := cmp.Diff(tt.want, got, approx); diff != "" {
				t.Errorf("P, R, F by system (-want +got):\n%s", diff)
			}
		})
	}
}

// Smoothed weights are read off hypotheses of one word of a reference of three,
// with similarity 1: precision is the word's weight, recall a third of it.
func TestSmoothing(t *testing.T) {
	base := &exact{sim: table(map[string]float32{"n q": .5, "s r": .5})}
	refs := [][]string{{"p q r"}}
	w := estimate(t, base, refs, systems("p q s", "p n")) // 0, ¼, ¾ as above
	e := math.Exp
	sum := e(0) + e(.25) + e(.75)
	for _, tt := range []struct {
		o    difficulty.Options
		want []float64
	}{
		{difficulty.Options{}, []float64{0, .25, .75}},
		{difficulty.Options{Smoothing: difficulty.Power}, []float64{0, .5, math.Sqrt(.75)}},
		{difficulty.Options{Smoothing: difficulty.Power, Exponent: 2}, []float64{0, 1. / 16, 9. / 16}},
		{difficulty.Options{Smoothing: difficulty.Softmax}, []float64{e(0) / sum, e(.25) / sum, e(.75) / sum}},
		{difficulty.Options{Smoothing: difficulty.Max}, []float64{0, 1. / 3, 1}},
		{difficulty.Options{Floor: .125}, []float64{.125, .25, .75}},
		// The floor comes last.
		{difficulty.Options{Smoothing: difficulty.Max, Floor: .5}, []float64{.5, .5, 1}},
		{difficulty.Options{Smoothing: difficulty.Power, Exponent: 2, Floor: .25}, []float64{.25, .25, 9. / 16}},
		{difficulty.Options{Floor: 1}, []float64{1, 1, 1}},
	} {
		s := newScorer(t, base, w, tt.o)
		var p, r []float64
		for _, prf := range rows(t, s, refs, systems("p", "q", "r")) {
			p, r = append(p, prf.P), append(r, 3*prf.R)
		}
		if diff := cmp.Diff(tt.want, p, approx); diff != "" {
			t.Errorf("%+v: weights in precision (-want +got):\n%s", tt.o, diff)
		}
		if diff := cmp.Diff(tt.want, r, approx); diff != "" {
			t.Errorf("%+v: weights in recall (-want +got):\n%s", tt.o, diff)
		}
	}
}

// Special tokens have no part in smoothing, and no floor lifts them.
func TestSmoothingOfSpecialTokens(t *testing.T) {
	base := &exact{weight: weights(map[string]float32{"[S]": 0})}
	refs := [][]string{{"[S] p q"}}
	// [S] is missed by both and would be the most difficult: 1. p has ½, q 0.
	w := estimate(t, base, refs, systems("p q", "q"))
	if diff := cmp.Diff([]float64{1, .5, 0}, w.Of(0, 0)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	e := math.Exp(.5)
	for _, tt := range []struct {
		o    difficulty.Options
		want []float64 // of p and q
	}{
		{difficulty.Options{Smoothing: difficulty.Softmax}, []float64{e / (1 + e), 1 / (1 + e)}},
		{difficulty.Options{Smoothing: difficulty.Max}, []float64{1, 0}},
	} {
		var p []float64
		for _, prf := range rows(t, newScorer(t, base, w, tt.o), refs, systems("p", "q")) {
			p = append(p, prf.P)
		}
		if diff := cmp.Diff(tt.want, p, approx); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.o, diff)
		}
	}
	// The hardest token is p, not [S]: "x" of similarity 1 to p weighs ½.
	base.sim = table(map[string]float32{"x q": 1})
	got := rows(t, newScorer(t, base, w, difficulty.Options{Novel: difficulty.Hardest, Floor: .25}), refs, systems("x", "q", "[S]"))
	want := []mteval.PRF{
		{P: .5, R: .125, F: .2},         // R = (½·0 + ¼·1)/2
		{P: .25, R: .125, F: .25 / 1.5}, // F = 2·¼·⅛/(3/8)
		{},
	}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Max makes nothing out of next to nothing.
func TestMaxOfLittle(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a b"}, {"a b"}}
	tiny := []float64{9e-7, 1e-6}
	i := 0
	w, err := difficulty.EstimateFrom(matchings(t, base, refs, systems("a b|a b")), nil, difficulty.Function{Name: "tiny", Of: func([]float64) float64 {
		i++
		return tiny[(i-1)/2] // by segment
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := newScorer(t, base, w, difficulty.Options{Smoothing: difficulty.Max})
	got := rows(t, s, refs, systems("a b|a b"))
	if diff := cmp.Diff([]mteval.PRF{{}, {P: 1, R: 1, F: 1}}, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Two segments, of which A has P, R = ½, ½ in the first and ¼, 1/6 in the second.
func TestAverages(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a b"}, {"c d e"}}
	sys := systems("a b|c y", "x|x") // d = ½ of a, b, c; 1 of d, e
	w := estimate(t, base, refs, sys)
	want := []mteval.PRF{{P: .5, R: .5, F: .5}, {P: .25, R: 1. / 6, F: .2}, {}, {}}
	for _, tt := range []struct {
		o    difficulty.Options
		want float64
	}{
		// Means P = 3/8, R = 1/3: F = (1/4)/(17/24) = 6/17.
		{difficulty.Options{}, 6. / 17},
		{difficulty.Options{Average: difficulty.MeanF}, .35},
		// 5·3/8·1/3 / (4·3/8 + 1/3) = (5/8)/(11/6) = 15/44.
		{difficulty.Options{Beta: 2}, 15. / 44},
	} {
		s := newScorer(t, base, w, tt.o)
		if tt.o.Beta == 0 {
			if diff := cmp.Diff(want, rows(t, s, refs, sys), approx); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		}
		table, err := mteval.Systems(t.Context(), s, refs, sys)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]float64{tt.want, 0}, table.Scores(), approx); diff != "" {
			t.Errorf("%+v: scores (-want +got):\n%s", tt.o, diff)
		}
		prf := s.PRF(table.Sum(0))
		if diff := cmp.Diff(mteval.PRF{P: .375, R: 1. / 3, F: tt.want}, prf, approx); diff != "" {
			t.Errorf("%+v: PRF (-want +got):\n%s", tt.o, diff)
		}
		if got := s.Score(make([]float64, 4)); got != 0 {
			t.Errorf("score of no segment %v", got)
		}
	}
}

func median(best []float64) float64 {
	s := slices.Sorted(slices.Values(best))
	return 1 - (s[(len(s)-1)/2]+s[len(s)/2])/2
}

func TestFunctions(t *testing.T) {
	base := &exact{sim: table(map[string]float32{"a' a": .75, "a'' a": .25})}
	refs := [][]string{{"a b"}}
	sys := systems("a b", "a'", "a''", "b")
	ms := matchings(t, base, refs, sys)
	for _, tt := range []struct {
		f      difficulty.Function
		voters []int
		want   []float64
	}{
		// Similarities of a: 1, ¾, ¼, 0; of b: 1, 0, 0, 1.
		{difficulty.Function{}, nil, []float64{.5, .5}},
		{difficulty.Function{Name: "median", Of: median}, nil, []float64{.5, .5}},
		{difficulty.Function{Name: "median", Of: median}, []int{0, 1, 2}, []float64{.25, 1}},
		{difficulty.Function{Name: "best", Of: func(best []float64) float64 { return 1 - slices.Max(best) }}, []int{1, 2}, []float64{.25, 1}},
		{difficulty.Function{Name: "worst", Of: func(best []float64) float64 { return 1 - slices.Min(best) }}, []int{2, 0}, []float64{.75, 1}},
		// In the order of voters.
		{difficulty.Function{Name: "first", Of: func(best []float64) float64 { return best[0] }}, []int{2, 0}, []float64{.25, 0}},
		{difficulty.Function{}, []int{3}, []float64{1, 0}},
	} {
		w, err := difficulty.EstimateFrom(ms, tt.voters, tt.f)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, w.Of(0, 0), approx); diff != "" {
			t.Errorf("%q of %v (-want +got):\n%s", tt.f.Name, tt.voters, diff)
		}
		sig := newScorer(t, base, w, difficulty.Options{}).Info().Signature
		n := len(tt.voters)
		if tt.voters == nil {
			n = 4
		}
		if got := sig.Get("function"); got != tt.f.Name {
			t.Errorf("%q: function %q in the signature", tt.f.Name, got)
		}
		if got := sig.Get("systems"); got != fmt.Sprint(n) {
			t.Errorf("%q: systems %q in the signature, want %d", tt.f.Name, got, n)
		}
	}
}

func TestEstimateErrors(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a"}, {"", "b"}}
	ms := matchings(t, base, refs, systems("a|b", "a|c"))
	// The function is at fault with b, in segment 1 only.
	for _, x := range []float64{math.NaN(), -1e-9, math.Inf(1), math.Inf(-1), 1.0001e9} {
		_, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Name: "faulty", Of: func(best []float64) float64 {
			if best[1] == 1 {
				return .5
			}
			return x
		}})
		var at *mteval.SegmentError
		if !errors.As(err, &at) || at.Segment != 1 || at.Side != mteval.ReferenceSide || at.Index != 1 || !strings.Contains(err.Error(), `token "b"`) {
			t.Errorf("difficulty %v: error %v", x, err)
		}
	}
	if _, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Of: median}); err == nil {
		t.Error("a function without a name is taken")
	}
	if _, err := difficulty.EstimateFrom(ms, []int{}, difficulty.Function{}); !errors.Is(err, difficulty.ErrNoSystems) {
		t.Errorf("no voters: error %v", err)
	}
	for _, k := range []int{-1, 2} {
		if _, err := difficulty.EstimateFrom(ms, []int{0, k}, difficulty.Function{}); err == nil {
			t.Errorf("voter %d of 2 is taken", k)
		}
	}
	m, err := base.PrepareMatch(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := difficulty.Estimate(t.Context(), m, nil); !errors.Is(err, difficulty.ErrNoSystems) {
		t.Errorf("no systems: error %v", err)
	}
	if _, err := difficulty.Estimate(t.Context(), m, systems("a")); !errors.Is(err, mteval.ErrLength) {
		t.Errorf("a system of another length: error %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := difficulty.Estimate(cancelled, m, systems("a|b")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestEstimate(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a b", "c"}, {"d"}}
	sys := systems("a|d", "b c|e", "a b|f")
	m, err := base.PrepareMatch(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	w, err := difficulty.Estimate(t.Context(), m, sys)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"A", "B", "C"}, w.Systems()); diff != "" {
		t.Errorf("systems (-want +got):\n%s", diff)
	}
	if w.Len() != 2 {
		t.Errorf("%d segments", w.Len())
	}
	want := [][]float64{{1. / 3, 1. / 3}, {2. / 3}, {2. / 3}}
	got := [][]float64{w.Of(0, 0), w.Of(0, 1), w.Of(1, 0)}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := estimate(t, base, refs, sys).Hash(); got != w.Hash() {
		t.Errorf("hash %s from matchings, %s from a matcher", got, w.Hash())
	}
	// What the caller does with results changes nothing.
	before := w.Hash()
	w.Of(0, 0)[0] = 7
	w.Systems()[0] = "Z"
	if w.Hash() != before || w.Systems()[0] != "A" {
		t.Error("results share memory with the weights")
	}
}

func TestOptionErrors(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a"}}
	w := estimate(t, base, refs, systems("a"))
	ms := matchings(t, base, refs, systems("a"))
	nan, inf := math.NaN(), math.Inf(1)
	for _, o := range []difficulty.Options{
		{Novel: -1}, {Novel: difficulty.Hardest + 1},
		{Average: -1}, {Average: difficulty.MeanF + 1},
		{Beta: -1}, {Beta: nan}, {Beta: inf},
		{Smoothing: -1}, {Smoothing: difficulty.Max + 1},
		{Smoothing: difficulty.Power, Exponent: -1}, {Smoothing: difficulty.Power, Exponent: nan}, {Smoothing: difficulty.Power, Exponent: inf},
		{Exponent: 2}, {Smoothing: difficulty.Softmax, Exponent: 1},
		{Floor: -.1}, {Floor: 1.1}, {Floor: nan},
		{Baseline: 1}, {Baseline: -1.5}, {Baseline: nan}, {Baseline: -inf},
		{Released: true, Novel: difficulty.Hardest}, {Released: true, Smoothing: difficulty.Power},
		{Released: true, Beta: 2}, {Released: true, Floor: .1}, {Released: true, Average: difficulty.MeanF}, {Released: true, AddPlain: true},
	} {
		if s, err := difficulty.New(base, w, o); err == nil || s != nil || !strings.HasPrefix(err.Error(), "difficulty: ") {
			t.Errorf("New with %+v: %v, %v", o, s, err)
		}
		if f, err := difficulty.NewField(base, ms, o, difficulty.Function{}); err == nil || f != nil {
			t.Errorf("NewField with %+v: %v, %v", o, f, err)
		}
		if err := o.Check(); err == nil || !strings.HasPrefix(err.Error(), "difficulty: ") {
			t.Errorf("Check of %+v: %v", o, err)
		}
	}
	if _, err := difficulty.New(nil, w, difficulty.Options{}); err == nil {
		t.Error("no error for no metric")
	}
	if _, err := difficulty.New(base, nil, difficulty.Options{}); err == nil {
		t.Error("no error for no weights")
	}
}

func TestInfo(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a b"}}
	ms := matchings(t, base, refs, systems("a", "b"))
	w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o    difficulty.Options
		want string
	}{
		{difficulty.Paper(), "novel=one"},
		{difficulty.Options{Beta: 1}, "novel=one"},
		{difficulty.Normalized(), "novel=matched,normalized"},
		{difficulty.Options{Novel: difficulty.Hardest, Floor: .1, Beta: 2, Average: difficulty.MeanF}, "novel=hardest,floor=0.1,beta=2,mean-f"},
		{difficulty.Options{Smoothing: difficulty.Power}, "novel=one,power=0.5"},
		{difficulty.Options{Smoothing: difficulty.Power, Exponent: 3}, "novel=one,power=3"},
		{difficulty.Options{Smoothing: difficulty.Softmax}, "novel=one,softmax"},
		{difficulty.Options{Smoothing: difficulty.Max}, "novel=one,max"},
		{difficulty.Released(), "released,novel=one"},
		{difficulty.Options{Released: true, Novel: difficulty.Matched, Normalize: true, Smoothing: difficulty.Softmax, Baseline: .3},
			"released,novel=matched,normalized,softmax,baseline=0.3"},
		{difficulty.Options{PlainIfEasy: true, Normalize: true, Baseline: -.5, LeaveOneOut: true}, "novel=one,normalized,plain-if-easy,baseline=-0.5,leave-one-out"},
		{difficulty.Options{PlainIfEasy: true, Normalize: true, Smoothing: difficulty.Max}, "novel=one,normalized,max"},
		{difficulty.Combined(), "novel=matched,normalized,plain-if-easy,add-plain,mean-f"},
		{difficulty.Options{AddPlain: true, LeaveOneOut: true}, "novel=one,add-plain,leave-one-out"},
	} {
		name := "da-exact"
		if tt.o.AddPlain {
			name = "exact+da"
		}
		info := newScorer(t, base, w, tt.o).Info()
		if got, want := info.Signature.String(), "words:exact|difficulty:"+tt.want+"|systems:2|weights:"+w.Hash(); got != want {
			t.Errorf("signature %s, want %s", got, want)
		}
		if got, want := info.Signature.Short(), "w:exact|da:"+tt.want+"|K:2|w:"+w.Hash(); got != want {
			t.Errorf("short signature %s, want %s", got, want)
		}
		f, err := difficulty.NewField(base, ms, tt.o, difficulty.Function{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := f.Info().Signature.String(), "words:exact|difficulty:"+tt.want; got != want {
			t.Errorf("signature of the field %s, want %s", got, want)
		}
		for _, info := range []mteval.Info{info, f.Info()} {
			info.Signature = nil
			if diff := cmp.Diff(mteval.Info{Name: name, Scale: 1}, info); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
	for _, tt := range []struct{ got, want string }{
		{difficulty.Novel(9).String(), "Novel(9)"}, {difficulty.Smoothing(-1).String(), "Smoothing(-1)"},
		{difficulty.Matched.String(), "matched"}, {difficulty.NoSmoothing.String(), "none"},
	} {
		if tt.got != tt.want {
			t.Errorf("String gives %s, want %s", tt.got, tt.want)
		}
	}
}

// The hash tells apart what differs in anything that scores depend on.
func TestHash(t *testing.T) {
	seen := make(map[string]string)
	add := func(name string, w *difficulty.Weights) {
		h := w.Hash()
		if len(h) != 16 {
			t.Errorf("%s: hash %s", name, h)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[h] = name
	}
	base := &exact{}
	add("two tokens", estimate(t, base, [][]string{{"a b"}}, systems("a", "b")))
	add("another text", estimate(t, base, [][]string{{"a c"}}, systems("a", "c")))
	add("one token", estimate(t, base, [][]string{{"ab"}}, systems("ab", "x")))
	add("other difficulty", estimate(t, base, [][]string{{"a b"}}, systems("a", "x")))
	add("two references", estimate(t, base, [][]string{{"a", "b"}}, systems("a", "b")))
	add("two segments", estimate(t, base, [][]string{{"a"}, {"b"}}, systems("a|b", "x|y")))
	add("other weights", estimate(t, &exact{weight: weights(map[string]float32{"a": 2})}, [][]string{{"a b"}}, systems("a", "b")))
	w, err := difficulty.EstimateFrom(matchings(t, base, [][]string{{"a b"}}, systems("a", "b")), nil, difficulty.Function{Name: "median", Of: median})
	if err != nil {
		t.Fatal(err)
	}
	add("another function", w)
}

func TestOtherReferences(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a b"}, {"c", "d e"}, {"f"}}
	w := estimate(t, base, refs, systems("a|c|f"))
	s := newScorer(t, base, w, difficulty.Options{})
	weighing := newScorer(t, &exact{weight: weights(map[string]float32{"e": 2})}, w, difficulty.Options{})
	if _, err := s.Prepare(t.Context(), [][]string{{"a  b"}, {"c", "d e "}, {"f"}}); err != nil {
		t.Errorf("the same tokens elsewhere in the text: %v", err)
	}
	for _, tt := range []struct {
		name string
		s    *difficulty.Scorer
		refs [][]string
		want int // −1: of no segment
	}{
		{"another word", s, [][]string{{"a b"}, {"c", "d x"}, {"f"}}, 1},
		{"a word less", s, [][]string{{"a b"}, {"c", "d e"}, {""}}, 2},
		{"a reference less", s, [][]string{{"a b"}, {"c"}, {"f"}}, 1},
		{"a reference more", s, [][]string{{"a b", "a b"}, {"c", "d e"}, {"f"}}, 0},
		{"a segment less", s, [][]string{{"a b"}, {"c", "d e"}}, -1},
		{"a segment more", s, [][]string{{"a b"}, {"c", "d e"}, {"f"}, {"f"}}, -1},
		{"another weight", weighing, refs, 1},
	} {
		_, err := tt.s.Prepare(t.Context(), tt.refs)
		var at *mteval.SegmentError
		if !errors.Is(err, difficulty.ErrReferences) || errors.As(err, &at) != (tt.want >= 0) || at != nil && at.Segment != tt.want {
			t.Errorf("%s: error %v, want ErrReferences at segment %d", tt.name, err, tt.want)
		}
	}
	if _, err := s.Prepare(t.Context(), [][]string{{"a b"}, {}, {"f"}}); !errors.Is(err, mteval.ErrNoReference) {
		t.Errorf("no reference: error %v", err)
	}
}

// panics reports whether f panics.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return
}

func TestPanics(t *testing.T) {
	base := &exact{}
	s := newScorer(t, base, estimate(t, base, [][]string{{"a b"}}, systems("a")), difficulty.Options{})
	for name, refs := range map[string][][]string{"tokens": {{"a b c"}}, "references": {{"a b", "a b"}}} {
		m, err := base.PrepareMatch(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]mteval.Matching, 1)
		if err := m.Match(t.Context(), out, nil, []string{"a"}); err != nil {
			t.Fatal(err)
		}
		if !panics(func() { s.AppendMatch(nil, 0, m.RefTokens(0), &out[0]) }) {
			t.Errorf("a matching with other %s does not panic", name)
		}
	}
	if !panics(func() { s.Score(make([]float64, 5)) }) || !panics(func() { s.PRF(nil) }) {
		t.Error("a row of the wrong width does not panic")
	}
}

// scoresOf returns the system scores.
func scoresOf(t testing.TB, s mteval.Scorer, refs [][]string, systems []mteval.System) []float64 {
	t.Helper()
	table, err := mteval.Systems(context.Background(), s, refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	return table.Scores()
}

func TestJSON(t *testing.T) {
	base := &exact{weight: weights(map[string]float32{"b": .1, "[S]": 0})}
	refs := [][]string{{"[S] a b", ""}, {"c \"quoted\" <é> \u2028 漢"}}
	sys := systems("a|c", "b|<é> x", "b a|漢")
	w := estimate(t, base, refs, sys)
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	// The form is for others to read, and a change of it needs a new name.
	const begins = `{"format":"mteval-difficulty/2","systems":["A","B","C"],"segments":[[{"tokens":["[S]","a","b"],"difficulty":[1,0.33333333333333337,0.33333333333333337],"weights":[0,1,0.1]},{"tokens":[],"difficulty":[]}],[{"tokens":["c",`
	if !strings.HasPrefix(string(data), begins) {
		t.Errorf("JSON begins\n%.300s\nwant\n%s", data, begins)
	}
	got := new(difficulty.Weights)
	if err := json.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	same(t, refs, w, got)
	for _, o := range []difficulty.Options{{}, difficulty.Normalized()} {
		a, b := newScorer(t, base, w, o), newScorer(t, base, got, o)
		if diff := cmp.Diff(scoresOf(t, a, refs, sys), scoresOf(t, b, refs, sys)); diff != "" {
			t.Errorf("scores (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(a.Info(), b.Info()); diff != "" {
			t.Errorf("info (-before +after):\n%s", diff)
		}
	}
	other := newScorer(t, base, got, difficulty.Options{})
	var at *mteval.SegmentError
	if _, err := other.Prepare(t.Context(), [][]string{refs[0], {"c"}}); !errors.Is(err, difficulty.ErrReferences) || !errors.As(err, &at) || at.Segment != 1 {
		t.Errorf("other references: error %v", err)
	}
}

// same fails the test where two weights differ in a bit.
func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, refs [][]string, a, b *difficulty.Weights) {
	t.Helper()
	if a.Hash() != b.Hash() || !slices.Equal(a.Systems(), b.Systems()) || a.Len() != b.Len() {
		t.Fatalf("hashes %s and %s, systems %q and %q, %d and %d segments", a.Hash(), b.Hash(), a.Systems(), b.Systems(), a.Len(), b.Len())
	}
	for i, rs := range refs {
		for r := range rs {
			x, y := a.Of(i, r), b.Of(i, r)
			for j := range x {
				if math.Float64bits(x[j]) != math.Float64bits(y[j]) {
					t.Fatalf("segment %d, reference %d, token %d: %v and %v", i, r, j, x[j], y[j])
				}
			}
		}
	}
}

// Any numbers that a function may give come back, with any weights.
func TestJSONIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Float64Range(0, 1e9), 1, 8).Draw(t, "difficulties")
		byWord := rapid.SliceOfN(rapid.Float32Range(0, 1e9), len(numbers), len(numbers)).Draw(t, "weights")
		var text []string
		of := make(map[string]float32)
		for i := range numbers {
			word := fmt.Sprint("w", i)
			text = append(text, word)
			of[word] = byWord[i]
		}
		base := &exact{weight: weights(of)}
		refs := [][]string{{strings.Join(text, " ")}}
		m, err := base.PrepareMatch(context.Background(), refs)
		if err != nil {
			t.Fatal(err)
		}
		ms, err := mteval.MatchSystems(context.Background(), m, systems(""))
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Name: "drawn", Of: func([]float64) float64 {
			i++
			return numbers[i-1]
		}})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		got := new(difficulty.Weights)
		if err := json.Unmarshal(data, got); err != nil {
			t.Fatal(err)
		}
		same(t, refs, w, got)
	})
}

func TestJSONErrors(t *testing.T) {
	head := `{"format":"mteval-difficulty/2","systems":["A"],"segments":`
	for _, tt := range []struct {
		name, data string
		segment    int // −1: of no segment
	}{
		{"no JSON", `{"format":`, -1},
		{"an array", `[]`, -1},
		{"no format", `{"systems":["A"],"segments":[]}`, -1},
		{"another format", `{"format":"mteval-difficulty/3","systems":["A"],"segments":[]}`, -1},
		{"no systems", `{"format":"mteval-difficulty/2","systems":[],"segments":[]}`, -1},
		{"too few difficulties", head + `[[],[{"tokens":["a","b"],"difficulty":[1]}]]}`, 1},
		{"too many difficulties", head + `[[{"tokens":["a"],"difficulty":[1,1]}]]}`, 0},
		{"too few weights", head + `[[],[],[{"tokens":["a","b"],"difficulty":[1,1],"weights":[1]}]]}`, 2},
		{"too many weights", head + `[[{"tokens":["a"],"difficulty":[1],"weights":[1,1]}]]}`, 0},
		{"a negative difficulty", head + `[[],[{"tokens":[],"difficulty":[]},{"tokens":["a"],"difficulty":[-0.5]}]]}`, 1},
		{"a negative weight", head + `[[{"tokens":["a"],"difficulty":[0.5],"weights":[-1]}]]}`, 0},
		{"a difficulty too large", head + `[[],[{"tokens":["a"],"difficulty":[1000000001]}]]}`, 1},
		{"a weight too large", head + `[[],[{"tokens":["a"],"difficulty":[1],"weights":[2e9]}]]}`, 1},
		{"a difficulty too large to read", head + `[[{"tokens":["a"],"difficulty":[1e999]}]]}`, -1},
		{"a difficulty that is no number", head + `[[{"tokens":["a"],"difficulty":["NaN"]}]]}`, -1},
	} {
		w := estimate(t, &exact{}, [][]string{{"a"}}, systems("a"))
		before := w.Hash()
		err := json.Unmarshal([]byte(tt.data), w)
		var at *mteval.SegmentError
		if err == nil || errors.As(err, &at) != (tt.segment >= 0) || at != nil && at.Segment != tt.segment {
			t.Errorf("%s: error %v, want one at segment %d", tt.name, err, tt.segment)
		}
		if w.Hash() != before {
			t.Errorf("%s: the weights changed", tt.name)
		}
		if tt.name == "no systems" && !errors.Is(err, difficulty.ErrNoSystems) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

// JSON has no way to write such a token; half a token would be one of other
// references.
func TestJSONOfInvalidUTF8(t *testing.T) {
	w := estimate(t, &exact{}, [][]string{{"a"}, {"b \xff"}}, systems("a|b"))
	data, err := json.Marshal(w)
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Segment != 1 {
		t.Errorf("%s, error %v", data, err)
	}
}

// Smoothing can make more of a weight than sums can bear.
func TestSmoothedWeightTooLarge(t *testing.T) {
	base := &exact{}
	ms := matchings(t, base, [][]string{{"a"}, {"b"}}, systems("a|x"))
	w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Name: "large", Of: func(best []float64) float64 { return 1e9 - 1e9*best[0] }})
	if err != nil {
		t.Fatal(err)
	}
	newScorer(t, base, w, difficulty.Options{})
	s, err := difficulty.New(base, w, difficulty.Options{Smoothing: difficulty.Power, Exponent: 2})
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Segment != 1 || s != nil {
		t.Errorf("%v, error %v", s, err)
	}
}

// What can be read can be written and read again, and used.
func FuzzUnmarshalJSON(f *testing.F) {
	for _, seed := range []string{
		`{"format":"mteval-difficulty/2","systems":["A"],"segments":[]}`,
		`{"format":"mteval-difficulty/2","systems":["A","B"],"function":"median","segments":[[{"tokens":["a","a"],"difficulty":[0.1,1.5],"weights":[2,0]}],null,[{"tokens":null,"difficulty":null}]]}`,
		`{"format":"mteval-difficulty/2","systems":[""],"segments":[[{"tokens":["\ud800"],"difficulty":[-0]}]]}`,
		`{"format":"mteval-difficulty/2","systems":["A"],"segments":[[{"tokens":["a"],"difficulty":[1e9],"weights":[1e9]}]]}`,
		`{}`, `null`, `[1]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var w difficulty.Weights
		if json.Unmarshal(data, &w) != nil {
			return
		}
		written, err := json.Marshal(&w)
		if err != nil {
			t.Fatal(err)
		}
		var again difficulty.Weights
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatal(err)
		}
		same(t, nil, &w, &again)
		s, err := difficulty.New(&exact{}, &again, difficulty.Options{Novel: difficulty.Hardest, Smoothing: difficulty.Softmax})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Info().Signature.Get("weights"); got != w.Hash() {
			t.Fatalf("weights %s in the signature, want %s", got, w.Hash())
		}
	})
}

// Corpora for what must hold for any metric: the exact one, and BERTScore over the
// lexical backend.
var (
	fieldRefs = [][]string{
		{"He gave the old book to his sister .", "His sister got the old book from him ."},
		{"The ferry leaves at half past nine .", "At 9.30 the ferry sails ."},
		{"No", ""},
		{"Prices rose by more than a tenth in one year ."},
	}
	fieldSystems = []mteval.System{
		{Name: "north", Hyps: []string{"He gave the old book to his sister .", "The ferry goes at half past nine .", "No", "Prices rose by a tenth in one year ."}},
		{Name: "east", Hyps: []string{"He gave his sister an old books .", "The ferries leave at nine .", "Not", "In one year prices went up by more than 10 % ."}},
		{Name: "south", Hyps: []string{"Him give book for sister", "Ferry leaves half nine", "", "Price rise tenth year"}},
		{Name: "west", Hyps: []string{"The sister gave him the old book .", "At half past nine , the ferry leaves .", "No", ""}},
	}
)

func bases(t testing.TB) map[string]mteval.MatchScorer {
	b, err := lexical.New(lexical.Options{Dim: 64})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]mteval.MatchScorer{"exact": &exact{}}
	for name, o := range map[string]bertscore.Options{"bertscore": {}, "bertscore with IDF": {IDF: true}} {
		if out[name], err = bertscore.New(b, o); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

var allOptions = []difficulty.Options{
	{}, difficulty.Normalized(), {Novel: difficulty.Hardest, Average: difficulty.MeanF},
	{Smoothing: difficulty.Softmax, Normalize: true, Floor: .05, Beta: 2},
	{Smoothing: difficulty.Power, Exponent: 2, Novel: difficulty.Matched}, {Smoothing: difficulty.Max},
	difficulty.Released(), {Released: true, Smoothing: difficulty.Max, Baseline: .6},
	{Released: true, Novel: difficulty.Matched, Smoothing: difficulty.Softmax, Normalize: true, Baseline: .3},
	{Novel: difficulty.Matched, Normalize: true, PlainIfEasy: true}, difficulty.Combined(), {AddPlain: true, Smoothing: difficulty.Power},
}

// A field gives what its parts give one by one, for any systems and voters.
func TestField(t *testing.T) {
	ctx := t.Context()
	for name, base := range bases(t) {
		ms := matchings(t, base, fieldRefs, fieldSystems)
		for _, o := range allOptions {
			for _, fn := range []difficulty.Function{{}, {Name: "median", Of: median}} {
				if fn.Name != "" && (o.Released || o.Baseline != 0) {
					continue // defined for equation 2 only
				}
				f, err := difficulty.NewField(base, ms, o, fn)
				if err != nil {
					t.Fatal(err)
				}
				for _, tt := range []struct{ systems, voters []int }{
					{[]int{0, 1, 2, 3}, nil}, {[]int{3, 1}, []int{0, 2, 3}}, {[]int{2}, []int{1}}, {nil, nil},
				} {
					w, err := difficulty.EstimateFrom(ms, tt.voters, fn)
					if err != nil {
						t.Fatal(err)
					}
					s := newScorer(t, base, w, o)
					all := scoresOf(t, s, fieldRefs, fieldSystems)
					fromTable := ms.Table(s).Scores()
					if diff := cmp.Diff(all, fromTable); diff != "" {
						t.Errorf("%s, %+v, voters %v (-Systems +Matchings.Table):\n%s", name, o, tt.voters, diff)
					}
					want := []float64{}
					for _, k := range tt.systems {
						want = append(want, all[k])
					}
					got, err := f.Scores(ctx, tt.systems, tt.voters)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s, %+v, systems %v, voters %v (-one by one +field):\n%s", name, o, tt.systems, tt.voters, diff)
					}
					fs, err := f.Scorer(tt.voters)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(s.Info(), fs.Info()); diff != "" {
						t.Errorf("%s: info (-one by one +field):\n%s", name, diff)
					}
				}
			}
		}
		f, err := difficulty.NewField(base, ms, difficulty.Options{}, difficulty.Function{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Scores(ctx, []int{0}, []int{}); !errors.Is(err, difficulty.ErrNoSystems) {
			t.Errorf("no voters: error %v", err)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := f.Scores(cancelled, []int{0}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error %v", err)
		}
	}
}

// Weights that are frozen do not change with a system that comes later.
func TestFrozenWeights(t *testing.T) {
	for name, base := range bases(t) {
		w := estimate(t, base, fieldRefs, fieldSystems[:2])
		s := newScorer(t, base, w, difficulty.Options{})
		before := scoresOf(t, s, fieldRefs, fieldSystems[:2])
		after := scoresOf(t, s, fieldRefs, fieldSystems)
		if diff := cmp.Diff(before, after[:2]); diff != "" {
			t.Errorf("%s: scores (-before +after):\n%s", name, diff)
		}
		// They would, estimated again.
		again := newScorer(t, base, estimate(t, base, fieldRefs, fieldSystems), difficulty.Options{})
		if cmp.Equal(before, scoresOf(t, again, fieldRefs, fieldSystems)[:2]) {
			t.Errorf("%s: more systems change nothing", name)
		}
		if again.Info().Signature.String() == s.Info().Signature.String() {
			t.Errorf("%s: the signatures are equal", name)
		}
	}
}

// Equations 2 to 5 of the package's comment, from the matchings of BERTScore over
// the lexical backend.
func TestEquations(t *testing.T) {
	for name, base := range bases(t) {
		ms := matchings(t, base, fieldRefs, fieldSystems)
		got := rows(t, newScorer(t, base, estimate(t, base, fieldRefs, fieldSystems), difficulty.Options{}), fieldRefs, fieldSystems)
		for k := range fieldSystems {
			for i := range fieldRefs {
				want := mteval.PRF{F: -1}
				for r, ref := range ms.RefTokens(i) {
					d := make([]float64, len(ref))
					byText := make(map[string][]float64)
					var recall, weight float64
					for j, t := range ref {
						d[j] = 1
						for v := range fieldSystems {
							d[j] -= float64(ms.At(v, i).Pairings[r].Ref[j].Sim) / float64(len(fieldSystems))
						}
						byText[t.Text] = append(byText[t.Text], d[j])
						recall += float64(t.Weight) * d[j] * float64(ms.At(k, i).Pairings[r].Ref[j].Sim)
						weight += float64(t.Weight)
					}
					prf := mteval.PRF{R: recall / max(weight, 1e-300)}
					var precision, total float64
					for j, t := range ms.At(k, i).Tokens {
						own := 1.0
						if all := byText[t.Text]; all != nil {
							own = 0
							for _, x := range all {
								own += x / float64(len(all))
							}
						}
						precision += float64(t.Weight) * own * float64(ms.At(k, i).Pairings[r].Hyp[j].Sim)
						total += float64(t.Weight)
					}
					prf.P = precision / max(total, 1e-300)
					if prf.P != 0 || prf.R != 0 {
						prf.F = 2 * prf.P * prf.R / (prf.P + prf.R)
					}
					if prf.F > want.F {
						want = prf
					}
				}
				if diff := cmp.Diff(want, got[k*len(fieldRefs)+i], cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Errorf("%s: system %d, segment %d (-want +got):\n%s", name, k, i, diff)
				}
			}
		}
	}
}

// Difficulty sorts systems apart where the base metric sees little: the word that
// most systems miss decides.
func TestBertScoreDifficulty(t *testing.T) {
	base := bases(t)["bertscore"]
	refs := [][]string{{"gave it to Trump"}}
	sys := systems("gave it at Trump", "gave it to rhododendron", "gave it to rhododendron")
	plain := scoresOf(t, base, refs, sys)
	aware := scoresOf(t, newScorer(t, base, estimate(t, base, refs, sys), difficulty.Normalized()), refs, sys)
	if !(aware[0]-aware[1] > plain[0]-plain[1] && aware[1] == aware[2]) {
		t.Errorf("difficulty-aware %v, plain %v", aware, plain)
	}
}

// random is a corpus of few words, with similarities from a hash of the pair of
// words: some equal words, most not linked.
type random struct {
	base    *exact
	refs    [][]string
	systems []mteval.System
}

func drawRandom(t *rapid.T, least float32) random {
	seed := rapid.Uint32().Draw(t, "seed")
	linked := func(hyp, ref mteval.Token) (float32, bool) {
		if hyp.Text == ref.Text {
			return 1, true
		}
		h := fnv.New64a()
		fmt.Fprint(h, seed, hyp.Text, ref.Text)
		rng := rand.New(rand.NewPCG(h.Sum64(), 1))
		return least + (1-least)*rng.Float32(), rng.IntN(3) > 0
	}
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a b c d e f g")), 0, 5).Draw(t, "words"), " ")
	})
	c := random{base: &exact{sim: linked, weight: weights(map[string]float32{"a": 0, "b": .25, "c": 3})}}
	c.refs = rapid.SliceOfN(rapid.SliceOfN(text, 1, 2), 1, 4).Draw(t, "refs")
	for k := range rapid.IntRange(1, 4).Draw(t, "systems") {
		c.systems = append(c.systems, mteval.System{
			Name: string(rune('A' + k)), Hyps: rapid.SliceOfN(text, len(c.refs), len(c.refs)).Draw(t, "hyps"),
		})
	}
	return c
}

// Normalized precision and recall are averages of similarities: between the least
// and the largest that has a weight, or 0 where nothing weighs anything.
func TestNormalizeKeepsTheScale(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawRandom(r, -.5)
		ms := matchings(t, c.base, c.refs, c.systems)
		o := difficulty.Options{Normalize: true, Novel: difficulty.Novel(rapid.IntRange(0, 2).Draw(r, "novel"))}
		o.Smoothing = difficulty.Smoothing(rapid.IntRange(0, 3).Draw(r, "smoothing"))
		s := newScorer(t, c.base, estimate(t, c.base, c.refs, c.systems), o)
		table := ms.Table(s)
		for k := range c.systems {
			for i := range c.refs {
				within := false
				row := table.Row(k, i)
				for n, pair := range ms.At(k, i).Pairings {
					lo, hi := bounds(ms.At(k, i).Tokens, pair.Hyp)
					low, high := bounds(ms.RefTokens(i)[n], pair.Ref)
					within = within || inside(row[0], lo, hi) && inside(row[1], low, high)
				}
				if !within {
					r.Fatalf("system %d, segment %d: P %v, R %v of %+v", k, i, row[0], row[1], *ms.At(k, i))
				}
			}
		}
	})
}

func bounds(tokens []mteval.Token, links []mteval.Link) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i, l := range links {
		if tokens[i].Weight != 0 {
			lo, hi = min(lo, float64(l.Sim)), max(hi, float64(l.Sim))
		}
	}
	return lo, hi
}

func inside(x, lo, hi float64) bool { return x == 0 || lo-1e-12 <= x && x <= hi+1e-12 }

// With difficulties c times as large and no token that weighs 1 of itself, P and R
// are c times as large, or the same where they are normalized.
func TestScaling(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawRandom(r, 0)
		ms := matchings(t, c.base, c.refs, c.systems)
		factor := rapid.Float64Range(.01, 100).Draw(r, "factor")
		for _, normalize := range []bool{false, true} {
			var tables [2]*mteval.Table
			for i, x := range []float64{1, factor} {
				w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{Name: "scaled", Of: func(best []float64) float64 {
					sum := 0.0
					for _, b := range best {
						sum += b / float64(len(best))
					}
					return x * (1 + 1e-6 - sum) // above 0 with rounding too
				}})
				if err != nil {
					r.Fatal(err)
				}
				tables[i] = ms.Table(newScorer(t, c.base, w, difficulty.Options{Novel: difficulty.Hardest, Normalize: normalize}))
			}
			want := factor
			if normalize {
				want = 1
			}
			for k := range c.systems {
				for i := range c.refs {
					a, b := tables[0].Row(k, i), tables[1].Row(k, i)
					for j := range 3 {
						if math.Abs(b[j]-want*a[j]) > 1e-9*factor {
							// Of two references as good, either may be taken.
							if j < 2 && math.Abs(b[2]-want*a[2]) <= 1e-9*factor && len(c.refs[i]) > 1 {
								continue
							}
							r.Fatalf("normalize %v, times %v: row %v, was %v", normalize, factor, b, a)
						}
					}
				}
			}
		}
	})
}

// The order of systems does not matter but for rounding.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawRandom(r, -1)
		a := estimate(t, c.base, c.refs, c.systems)
		b := estimate(t, c.base, c.refs, rapid.Permutation(c.systems).Draw(r, "order"))
		for i := range c.refs {
			for n := range c.refs[i] {
				if diff := cmp.Diff(a.Of(i, n), b.Of(i, n), approx); diff != "" {
					r.Fatalf("segment %d, reference %d (-before +after):\n%s", i, n, diff)
				}
			}
		}
	})
}

// The difficulty that one system gives, alone or K times, is 1 less its similarity,
// and K times the same system changes nothing.
func TestIdenticalSystems(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawRandom(r, -1)
		one := c.systems[:1]
		many := slices.Repeat(one, rapid.IntRange(2, 9).Draw(r, "K"))
		a, b := estimate(t, c.base, c.refs, one), estimate(t, c.base, c.refs, many)
		ms := matchings(t, c.base, c.refs, one)
		for i := range c.refs {
			for n, pair := range ms.At(0, i).Pairings {
				want := make([]float64, len(pair.Ref))
				for j, l := range pair.Ref {
					want[j] = 1 - float64(l.Sim)
				}
				if diff := cmp.Diff(want, a.Of(i, n), approx); diff != "" {
					r.Fatalf("one system (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(want, b.Of(i, n), approx); diff != "" {
					r.Fatalf("%d systems (-want +got):\n%s", len(many), diff)
				}
			}
		}
	})
}

// A saved file that was edited is refused.
func TestEditedJSON(t *testing.T) {
	data, err := json.Marshal(estimate(t, &exact{}, [][]string{{"a b"}}, systems("a", "x")))
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{`"difficulty":[0.5,1]`: `"difficulty":[0.5,0.9]`, `"tokens":["a","b"]`: `"tokens":["a","c"]`,
		`"systems":["`: `"systems":["x`, `"outputs":"`: `"outputs":"x`, `"segments":[[`: `"segments":[[],[`, `"systems":`: `"function":"x","systems":`} {
		edited := strings.Replace(string(data), from, to, 1)
		if edited == string(data) {
			t.Fatalf("%s is not in %s", from, data)
		}
		if err := json.Unmarshal([]byte(edited), new(difficulty.Weights)); err == nil || !strings.Contains(err.Error(), "not those that were saved") {
			t.Errorf("%s: error %v", to, err)
		}
	}
}

// Scoring a matching allocates nothing, in any mode.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	ms := matchings(t, bases(t)["bertscore"], fieldRefs, fieldSystems)
	for _, o := range allOptions {
		for _, without := range []bool{false, true} {
			o.LeaveOneOut = without
			s := newScorer(t, bases(t)["bertscore"], allWeights(t, ms), o)
			row := make([]float64, 0, 4)
			n := testing.AllocsPerRun(20, func() {
				for k := range fieldSystems {
					for i := range fieldRefs {
						s.AppendMatch(row, i, ms.RefTokens(i), ms.At(k, i))
					}
				}
			})
			if n > 0 {
				t.Errorf("%+v: %v allocations", o, n)
			}
		}
	}
}
