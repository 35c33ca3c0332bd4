package multilevel_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/scorertest"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tunable"
)

var ctx = context.Background()

var spaced = multilevel.WordsBy(tokenize.None, false)

// chain parses any text: every word hangs on the one before.
type chain struct{}

func (chain) Parse(_ context.Context, text string) ([]conllu.Sentence, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, nil
	}
	s := conllu.Sentence{}
	for i, w := range words {
		s.Words = append(s.Words, conllu.Word{Form: w, Head: i, Relation: "next"})
	}
	return []conllu.Sentence{s}, nil
}

func newScorer(t testing.TB, base tunable.Scorer, o multilevel.Options) *multilevel.Scorer {
	t.Helper()
	s, err := multilevel.New(base, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wordF(t testing.TB, w multilevel.Words) *multilevel.F {
	t.Helper()
	f, err := multilevel.NewWordF(w)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func tripleF(t testing.TB, p conllu.Parser, lower bool) *multilevel.F {
	t.Helper()
	f, err := multilevel.NewTripleF(p, lower)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func newMeteor(t testing.TB, o meteor.Options) *meteor.Scorer {
	t.Helper()
	s, err := meteor.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newDreem(t testing.TB) *dreem.Scorer {
	t.Helper()
	s, err := dreem.New(dreem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// levels are three of balance, by hand: recall, both, precision.
var levels = []multilevel.Level{
	{Values: map[string]float64{"alpha": 1}},
	{Values: map[string]float64{"alpha": .5}},
	{Values: map[string]float64{"alpha": 0}},
}

// The cases of Score(t, r) and equation 2 by hand. References have 4 words.
func TestByHand(t *testing.T) {
	s := newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Thresholds: []float64{.5, .75}, Words: spaced})
	for _, tt := range []struct {
		hyp   string
		level int
		score float64
	}{
		{"a b x x", 0, .5},          // P = R = F = 2/4, which is not above θ1: low, R
		{"a b x", 1, 7. / 12},       // P = 2/3, R = 2/4, F = 4/7: medium, (P + R)/2
		{"a b c x", 1, .75},         // F = 3/4, which is not above θ2
		{"a b c d x", 2, .8},        // P = 4/5, R = 1, F = 8/9: high, P
		{"a a a a", 0, .25},         // a is clipped to one
		{"a b", 1, .75},             // P = 1, R = 1/2, F = 2/3
		{"", 0, 0},                  // nothing
		{"a x x x x x x", 0, .25},   // R
		{"d c b a", 2, 1},           // the order does not matter
		{"a b c d e f g h", 1, .75}, // P = 1/2, R = 1, F = 2/3
	} {
		r, err := mteval.Sentence(ctx, s, []string{"a b c d"}, tt.hyp)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int, 3)
		counts[tt.level] = 1
		if math.Abs(r.Score-tt.score) > 1e-15 || !slices.Equal(s.Counts(r.Sum), counts) || r.Sum[2] != 4 {
			t.Errorf("%q: %v on %v with length %v, want %v on %v", tt.hyp, r.Score, s.Counts(r.Sum), r.Sum[2], tt.score, counts)
		}
	}
	// (4·.5 + 2·1 + 3·7/12) / 9: the last has P = 2/4, R = 2/3, F = 4/7, so it is medium.
	r, err := mteval.Corpus(ctx, s, [][]string{{"a b c d"}, {"k l"}, {"a b c"}}, []string{"a b x x", "k l", "a b x y"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (4*.5 + 2*1 + 3*7./12) / 9; math.Abs(r.Score-want) > 1e-15 {
		t.Errorf("corpus %v, want %v", r.Score, want)
	}
	if diff := cmp.Diff([]int{1, 1, 1}, s.Counts(r.Sum)); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

// Beside "a b c d" the hypothesis is low with recall 1/2, beside "a b" medium with
// (1/2 + 1)/2, which is more, though beside "a b x x x x x x" it would be medium, (1 + 1/2)/2,
// as well.
func TestReferences(t *testing.T) {
	s := newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Thresholds: []float64{.5, .75}, Words: spaced})
	for _, tt := range []struct {
		refs   []string
		score  float64
		length float64
		counts []int
	}{
		{[]string{"a b c d"}, .5, 4, []int{1, 0, 0}},
		{[]string{"a b c d", "a b"}, .75, 2, []int{0, 1, 0}},
		{[]string{"a b", "a b c d"}, .75, 2, []int{0, 1, 0}},
		{[]string{"a b x x y y z z", "a b"}, .75, 8, []int{0, 1, 0}}, // equals: the first
		{[]string{"", "q"}, 0, 0, []int{1, 0, 0}},
		{[]string{"q", ""}, 0, 1, []int{1, 0, 0}},
	} {
		r, err := mteval.Sentence(ctx, s, tt.refs, "a b x x")
		if err != nil {
			t.Fatal(err)
		}
		if r.Score != tt.score || r.Sum[2] != tt.length || !slices.Equal(s.Counts(r.Sum), tt.counts) {
			t.Errorf("%q: %v, length %v, levels %v, want %+v", tt.refs, r.Score, r.Sum[2], s.Counts(r.Sum), tt)
		}
	}
}

// parses holds sentences of words "form/head/relation".
type parses map[string][]string

func (p parses) Parse(_ context.Context, text string) ([]conllu.Sentence, error) {
	sentences, ok := p[text]
	if !ok {
		return nil, fmt.Errorf("no parse of %q", text)
	}
	var out []conllu.Sentence
	for _, s := range sentences {
		var parsed conllu.Sentence
		for _, w := range strings.Fields(s) {
			f := strings.Split(w, "/")
			var head int
			if _, err := fmt.Sscan(f[1], &head); err != nil {
				return nil, err
			}
			parsed.Words = append(parsed.Words, conllu.Word{Form: f[0], Head: head, Relation: f[2]})
		}
		out = append(out, parsed)
	}
	return out, nil
}

var bank = parses{
	"The cat sees the cat":   {"The/2/det cat/3/nsubj sees/0/root the/5/det cat/3/obj"},
	"the cat sees the cat":   {"the/2/det cat/3/nsubj sees/0/root the/5/det cat/3/obj"},
	"the cat sees a cat":     {"the/2/det cat/3/nsubj sees/0/root a/5/det cat/3/obj"},
	"cat sees":               {"cat/2/nsubj sees/0/root"},
	"cat sees it . cat sees": {"cat/2/nsubj sees/0/root it/2/obj", "cat/2/nsubj sees/0/root"},
	"sees":                   {"sees/0/root"},
	"cat":                    {"cat/0/root"},
	"":                       nil,
	"broken":                 {"broken/2/root"},
}

func TestTriples(t *testing.T) {
	for _, tt := range []struct {
		hyp, ref string
		lower    bool
		row      []float64
	}{
		// det(cat, the), nsubj(sees, cat), root(, sees), det(cat, the), obj(sees, cat):
		// det(cat, the) counts once, as the hypothesis has it once.
		{"the cat sees a cat", "the cat sees the cat", false, []float64{4, 5, 5}},
		{"the cat sees the cat", "the cat sees a cat", false, []float64{4, 5, 5}},
		{"The cat sees the cat", "the cat sees the cat", false, []float64{4, 5, 5}},
		{"The cat sees the cat", "the cat sees the cat", true, []float64{5, 5, 5}},
		{"cat sees", "the cat sees the cat", false, []float64{2, 2, 5}},
		{"cat sees it . cat sees", "cat sees", false, []float64{2, 5, 2}}, // two sentences
		{"sees", "cat sees", false, []float64{1, 1, 2}},                   // the root
		{"cat", "cat sees", false, []float64{0, 1, 2}},
		{"", "cat", false, []float64{0, 0, 1}},
		{"cat", "", false, []float64{0, 1, 0}},
		{"", "", false, []float64{0, 0, 0}},
	} {
		s := tripleF(t, bank, tt.lower)
		r, err := mteval.Sentence(ctx, s, []string{tt.ref}, tt.hyp)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.row, r.Sum); diff != "" {
			t.Errorf("%q beside %q (-want +got):\n%s", tt.hyp, tt.ref, diff)
		}
		f := 0.0
		if p := tt.row; p[0] > 0 {
			f = 2 * p[0] / (p[1] + p[2])
		}
		if math.Abs(r.Score-f) > 1e-15 {
			t.Errorf("%q beside %q: %v, want %v", tt.hyp, tt.ref, r.Score, f)
		}
	}
}

// A text that the parser does not have is an error at its segment.
func TestParserErrors(t *testing.T) {
	mix, err := multilevel.NewMix(wordF(t, spaced), tripleF(t, bank, false), .5)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []mteval.Scorer{tripleF(t, bank, false), mix, newScorer(t, newBalance(0), multilevel.Options{Words: spaced, Parser: bank})} {
		name := s.Info().Name
		for _, text := range []string{"other", "broken"} {
			if _, err := s.Prepare(ctx, [][]string{{"cat", "sees"}, {"cat", text}}); err == nil || !strings.Contains(err.Error(), text) {
				if text == "broken" && err != nil && strings.Contains(err.Error(), "governor 2") {
					continue
				}
				t.Errorf("%s: %v for the reference %q", name, err, text)
			}
			p, err := s.Prepare(ctx, [][]string{{"cat"}})
			if err != nil {
				t.Fatal(err)
			}
			dst := []float64{7}
			got, err := p.Append(ctx, dst, []int{0, 0}, []string{"cat", text})
			if err == nil || !slices.Equal(got, dst) {
				t.Errorf("%s: %v, %v for the hypothesis %q", name, got, err, text)
			}
		}
	}
}

// failing is a tunable.Scorer that takes no reference "bad".
type failing struct{ balance }

func (s failing) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	for i, r := range refs {
		if slices.Contains(r, "bad") {
			return nil, &mteval.SegmentError{Segment: i, Err: errors.New("it is bad")}
		}
	}
	return s.balance.Prepare(ctx, refs)
}

// References are scored one by one; errors still name the segment.
func TestSegmentErrors(t *testing.T) {
	s := newScorer(t, failing{newBalance(.5)}, multilevel.Options{Words: spaced})
	_, err := s.Prepare(ctx, [][]string{{"a", "b", "c"}, {"d", "bad"}, {"e"}})
	var of *mteval.SegmentError
	if !errors.As(err, &of) || of.Segment != 1 {
		t.Errorf("%v", err)
	}
}

// Equation 1 by hand: F_W = 4/5, F_D = 4/5 and, in other words, 0.
func TestMix(t *testing.T) {
	words, triples := wordF(t, spaced), tripleF(t, bank, false)
	for _, tt := range []struct {
		hyp, ref string
		lambda   float64
		want     float64
	}{
		{"the cat sees a cat", "the cat sees the cat", .5, .8},
		{"cat", "cat sees", 1, 2. / 3}, // P = 1, R = 1/2; no triple
		{"cat", "cat sees", .5, 1. / 3},
		{"cat", "cat sees", .25, 1. / 6},
		{"cat", "cat sees", 0, 0},
		{"cat sees", "the cat sees the cat", .25, 4. / 7}, // both 2·2/(2+5)
		{"sees", "cat sees", .25, 2. / 3},
	} {
		s, err := multilevel.NewMix(words, triples, tt.lambda)
		if err != nil {
			t.Fatal(err)
		}
		r, err := mteval.Sentence(ctx, s, []string{tt.ref}, tt.hyp)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Score-tt.want) > 1e-15 {
			t.Errorf("%q beside %q with λ %v: %v, want %v", tt.hyp, tt.ref, tt.lambda, r.Score, tt.want)
		}
	}
	ter, err := overlap.NewRate(overlap.WER, overlap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bleu.New(bleu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a, b   mteval.Scorer
		lambda float64
		want   string
	}{
		{words, triples, 1.1, "lambda is 1.1"},
		{words, triples, math.NaN(), "lambda is NaN"},
		{words, nil, .5, "nil"},
		{words, ter, .5, "do not mix"},
		{words, b, .5, "do not mix"},
	} {
		if _, err := multilevel.NewMix(tt.a, tt.b, tt.lambda); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// texts draws segments of few words, so that they have some in common.
func texts(t *rapid.T) (hyps []string, refs [][]string) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"the", "cat", "cats", "is", "here", ",", "not"}), 0, 8).Draw(t, "words"), " ")
	})
	for range rapid.IntRange(1, 5).Draw(t, "segments") {
		hyps = append(hyps, text.Draw(t, "hyp"))
		refs = append(refs, rapid.SliceOfN(text, 1, 3).Draw(t, "refs"))
	}
	return hyps, refs
}

// With one level, or the same parameters on all, segments have the metric's scores, bit
// for bit.
func TestDegenerate(t *testing.T) {
	same := map[string]float64{"alpha": .7}
	other := func(s tunable.Scorer) tunable.Scorer {
		v := make([]float64, len(s.Parameters()))
		for i, p := range s.Parameters() {
			if v[i] = p.Value; p.Name == "alpha" {
				v[i] = .7
			}
		}
		s, err := s.WithParameters(v)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	m, d := newMeteor(t, meteor.Options{}), newDreem(t)
	inner := newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Words: spaced})
	for _, tt := range []struct {
		name string
		base tunable.Scorer
		want mteval.Scorer
		o    multilevel.Options
	}{
		{"meteor, one level", m, m, multilevel.Options{Levels: []multilevel.Level{{}}}},
		{"meteor, one level with alpha", m, other(m), multilevel.Options{Levels: []multilevel.Level{{Values: same}}}},
		{"meteor, zero options", m, m, multilevel.Options{}},
		{"meteor, three levels with alpha", m, other(m), multilevel.Options{Levels: []multilevel.Level{{Values: same}, {Values: same}, {Values: same}}, Parser: chain{}}},
		{"meteor, five levels", m, m, multilevel.Options{Levels: make([]multilevel.Level, 5), Thresholds: []float64{.1, .1, .5, .9}}},
		{"dreem", d, d, multilevel.Options{Words: multilevel.WordsBy(tokenize.V13a, true)}},
		{"balance", newBalance(.3), newBalance(.3), multilevel.Options{Levels: []multilevel.Level{{}}, Words: spaced}},
		{"multilevel", inner, inner, multilevel.Options{Words: spaced}},
	} {
		s := newScorer(t, tt.base, tt.o)
		rapid.Check(t, func(t *rapid.T) {
			hyps, refs := texts(t)
			for i := range refs {
				refs[i] = slices.DeleteFunc(refs[i], func(r string) bool { return r == "" })
				if len(refs[i]) == 0 {
					refs[i] = []string{"cat"}
				}
			}
			want, err := mteval.Corpus(ctx, tt.want, refs, hyps)
			if err != nil {
				t.Fatal(err)
			}
			got, err := mteval.Corpus(ctx, s, refs, hyps)
			if err != nil {
				t.Fatal(err)
			}
			for i := range hyps {
				if a, b := tt.want.Score(want.Row(i)), s.Score(got.Row(i)); math.Float64bits(a) != math.Float64bits(b) {
					t.Fatalf("%s: segment %d, %q beside %q: %v, want %v", tt.name, i+1, hyps[i], refs[i], b, a)
				}
			}
		})
	}
}

// Each segment is on one level, the mean lies between its segments' scores, and a segment's
// score is the metric's with the parameters of its level.
func TestLevelsAreTheMetric(t *testing.T) {
	o := multilevel.IntoEnglish(chain{})
	m := newMeteor(t, meteor.Options{})
	s := newScorer(t, m, o)
	rapid.Check(t, func(t *rapid.T) {
		hyps, refs := texts(t)
		r, err := mteval.Corpus(ctx, s, refs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, sum := math.Inf(1), math.Inf(-1), 0
		for i, hyp := range hyps {
			row := r.Row(i)
			counts := s.Counts(row)
			level := slices.Index(counts, 1)
			if counts[0]+counts[1]+counts[2] != 1 || level < 0 {
				t.Fatalf("levels %v", counts)
			}
			if v := s.Score(row); row[2] > 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
			p := m.Parameters()
			values := make([]float64, len(p))
			for j := range p {
				values[j] = p[j].Value
			}
			values[0] = o.Levels[level].Values["alpha"]
			alone, err := m.WithParameters(values)
			if err != nil {
				t.Fatal(err)
			}
			found := row[2] == 0
			for _, ref := range refs[i] {
				one, err := mteval.Sentence(ctx, alone, []string{ref}, hyp)
				if err != nil {
					t.Fatal(err)
				}
				found = found || one.Score == s.Score(row)
			}
			if !found {
				t.Fatalf("%q beside %q: %v is no score of its level %d", hyp, refs[i], s.Score(row), level)
			}
		}
		for _, n := range s.Counts(r.Sum) {
			sum += n
		}
		if sum != len(hyps) || r.Sum[2] > 0 && !(r.Score >= lo-1e-12 && r.Score <= hi+1e-12) {
			t.Fatalf("%v of scores from %v to %v, levels %v of %d segments", r.Score, lo, hi, s.Counts(r.Sum), len(hyps))
		}
	})
}

// Any metric can be the classifier, and its parameters come along.
func TestClassifiers(t *testing.T) {
	f, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		t.Fatal(err)
	}
	own := newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Thresholds: []float64{.5, .75}, Words: spaced})
	others := newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Thresholds: []float64{.5, .75}, Words: spaced, Classifier: f})
	rapid.Check(t, func(t *rapid.T) {
		hyps, refs := texts(t)
		a, err := mteval.Corpus(ctx, own, refs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		b, err := mteval.Corpus(ctx, others, refs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.Rows, b.Rows); diff != "" {
			t.Fatalf("F of package overlap (-own +other):\n%s", diff)
		}
	})
}

func TestParameters(t *testing.T) {
	s := newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Thresholds: []float64{.5, .75}, Words: spaced, Parser: chain{}})
	want := []tunable.Parameter{
		{Name: "lambda", Value: .5, Max: 1}, {Name: "theta1", Value: .5, Max: 1}, {Name: "theta2", Value: .75, Max: 1},
		{Name: "low.alpha", Value: 1, Max: 1}, {Name: "medium.alpha", Value: .5, Max: 1}, {Name: "high.alpha", Max: 1},
	}
	if diff := cmp.Diff(want, s.Parameters()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Thresholds in another order are the same thresholds.
	refs, hyps := scorertest.Texts()
	var scores []float64
	for _, v := range [][]float64{{.3, .2, .6, .9, .4, .1}, {.3, .6, .2, .9, .4, .1}} {
		w, err := s.WithParameters(v)
		if err != nil {
			t.Fatal(err)
		}
		r, err := mteval.Corpus(ctx, w, refs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, r.Score)
		for i, p := range w.Parameters() {
			if p.Value != v[i] {
				t.Errorf("%s is %v, want %v", p.Name, p.Value, v[i])
			}
		}
	}
	if scores[0] != scores[1] {
		t.Errorf("%v", scores)
	}
	for _, tt := range []struct {
		values []float64
		want   string
	}{
		{[]float64{2, .2, .6, .9, .4, .1}, "lambda"},
		{[]float64{.5, -.1, .6, .9, .4, .1}, "theta1"},
		{[]float64{.5, .1, 1.5, .9, .4, .1}, "theta2"},
		{[]float64{.5, .1, .5, .9, .4, 7}, "level high"},
	} {
		if _, err := s.WithParameters(tt.values); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.values, err, tt.want)
		}
	}
}

func TestSignature(t *testing.T) {
	m := newScorer(t, newMeteor(t, meteor.Options{}), multilevel.OutOfEnglish()).Info()
	for key, want := range map[string]string{"params": "0.99,0.2,0.6,0.75/0.9,0.2,0.6,0.75/0.81,0.2,0.6,0.75", "lang": "en", "classifier": "wordf(words=metric)", "length": "metric"} {
		if got := m.Signature.Get(key); got != want {
			t.Errorf("meteor: %s is %q, want %q", key, got, want)
		}
	}
	for _, tt := range []struct {
		s    *multilevel.Scorer
		want string
	}{
		{newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Thresholds: []float64{.5, .75}, Words: spaced, Parser: chain{}, Lowercase: true}),
			"alpha:1/0.5/0|levels:low,medium,high|thetas:0.5,0.75|classifier:mix(lambda=0.5,first=wordf(words=none),second=triplef(case=lc))|length:none"},
		{newScorer(t, newBalance(.5), multilevel.Options{Levels: []multilevel.Level{{Name: "all"}}, Words: spaced}),
			"alpha:0.5|levels:all|thetas:none|classifier:wordf(words=none)|length:none"},
	} {
		info := tt.s.Info()
		if got := info.Signature.String(); got != tt.want || info.Name != "multilevel-balance" {
			t.Errorf("%s %s\nwant %s", info.Name, got, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	wer, err := overlap.NewRate(overlap.WER, overlap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string, v float64) []multilevel.Level {
		return []multilevel.Level{{Values: map[string]float64{name: v}}}
	}
	inner := newScorer(t, newBalance(.5), multilevel.Options{Levels: make([]multilevel.Level, 2), Thresholds: []float64{.5}, Words: spaced})
	for _, tt := range []struct {
		base tunable.Scorer
		o    multilevel.Options
		want string
	}{
		{nil, multilevel.Options{}, "no metric"},
		{newBalance(0), multilevel.Options{}, "does not say what its words are"},
		{newBalance(0), multilevel.Options{Words: spaced, Levels: []multilevel.Level{}}, "no levels"},
		{newBalance(0), multilevel.Options{Words: spaced, Levels: make([]multilevel.Level, 4)}, "no thresholds for 4 levels"},
		{newBalance(0), multilevel.Options{Words: spaced, Classifier: wordF(t, spaced)}, "no thresholds for 3 levels"},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{.5}}, "1 thresholds for 3 levels: want 2"},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{.5, .4}}, "each must be as large"},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{.5, 1.4}}, "theta2 is 1.4, not from 0 to 1"},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{math.NaN(), 1}}, "theta1 is NaN"},
		{newBalance(0), multilevel.Options{Words: spaced, Levels: value("beta", 1)}, `level level1: balance has no parameter "beta": have alpha`},
		{newBalance(0), multilevel.Options{Words: spaced, Levels: value("alpha", 2)}, "level level1: balance: want an alpha from 0 to 1"},
		{newBalance(0), multilevel.Options{Words: spaced, Levels: []multilevel.Level{{Name: "a b"}}}, `a level is called "a b"`},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{.5}, Levels: []multilevel.Level{{Name: "a"}, {Name: "a"}}}, "two levels are called a"},
		{newBalance(0), multilevel.Options{Words: spaced, Lambda: 2, Parser: chain{}}, "Lambda is 2"},
		{newBalance(0), multilevel.Options{Words: spaced, Lambda: .2}, "need a Parser"},
		{newBalance(0), multilevel.Options{Words: spaced, Lowercase: true}, "need a Parser"},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{.1, .2}, Classifier: wer}, "less of it is better"},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{.1, .2}, Classifier: wordF(t, spaced), Parser: chain{}}, "leave them out"},
		{newBalance(0), multilevel.Options{Words: spaced, Thresholds: []float64{.1}, Levels: make([]multilevel.Level, 2), Classifier: inner}, "two parameters are called theta1"},
	} {
		if _, err := multilevel.New(tt.base, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}

// Values of numpy 2.4.6: numpy.percentile(x, [10, 25, 30, 50, 80, 100], method="inverted_cdf").
func TestThresholds(t *testing.T) {
	x := []float64{.31, .02, .57, .44, .91, .44, .08, .77, .63, .25}
	got, err := multilevel.Thresholds(x, .1, .25, .3, .5, .8, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{.02, .25, .25, .44, .63, .91}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		f, shares []float64
	}{{nil, []float64{.5}}, {x, []float64{0}}, {x, []float64{1.1}}, {x, []float64{.5, .4}}, {x, []float64{math.NaN()}}, {[]float64{1, math.NaN()}, []float64{.5}}} {
		if got, err := multilevel.Thresholds(tt.f, tt.shares...); err == nil {
			t.Errorf("%v of %v: %v", tt.shares, tt.f, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 50).Draw(t, "f")
		share := float64(rapid.IntRange(1, 100).Draw(t, "percent")) / 100
		theta, err := multilevel.Thresholds(f, share)
		if err != nil {
			t.Fatal(err)
		}
		at, below := 0, 0
		for _, v := range f {
			if v <= theta[0] {
				at++
			}
			if v < theta[0] {
				below++
			}
		}
		if n := share * float64(len(f)); float64(at) < n-1e-6 || float64(below) >= n+1e-6 {
			t.Fatalf("%v: %d of %d are not above it, %d below", theta[0], at, len(f), below)
		}
	})
}

func TestConformance(t *testing.T) {
	m := newMeteor(t, meteor.Options{Normalization: meteor.Full})
	mix, err := multilevel.NewMix(wordF(t, multilevel.WordsOf(m)), tripleF(t, chain{}, true), .4)
	if err != nil {
		t.Fatal(err)
	}
	d := newDreem(t)
	for name, s := range map[string]mteval.Scorer{
		"words":        wordF(t, spaced),
		"metric's":     wordF(t, multilevel.WordsOf(m)),
		"triples":      tripleF(t, chain{}, false),
		"mix":          mix,
		"balance":      newBalance(.5),
		"over balance": newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Words: spaced, Parser: chain{}}),
		"over meteor":  newScorer(t, m, multilevel.IntoEnglish(chain{})),
		"out of":       newScorer(t, m, multilevel.OutOfEnglish()),
		"one level":    newScorer(t, m, multilevel.Options{Levels: make([]multilevel.Level, 1)}),
		"over dreem":   newScorer(t, d, multilevel.Options{Words: multilevel.WordsBy(tokenize.V13a, true), Parser: chain{}}),
		"by a metric":  newScorer(t, m, multilevel.Options{Levels: make([]multilevel.Level, 2), Thresholds: []float64{.3}, Classifier: d}),
		"over itself":  newScorer(t, newScorer(t, newBalance(.5), multilevel.Options{Levels: levels, Words: spaced}), multilevel.Options{Words: spaced}),
	} {
		if err := scorertest.Test(s, scorertest.Options{Refs: [][]string{{"", "a b c d", "c b"}, {"", ""}}, Hyps: []string{"a b c", ""}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
