package dreem

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/scorertest"
	"github.com/mteval/mteval/tokenize"
)

var ctx = context.Background()

func mustNew(t testing.TB, o Options) *Scorer {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plane has vectors of two numbers that are easily worked with by hand.
func plane(t testing.TB) *Vectors {
	t.Helper()
	v, err := NewVectors(2, []string{"a", "b", "c"}, []float32{1, 0, 0, 1, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// adder is an autoencoder that makes tanh(l + r), and takes back half of it for each.
func adder(t testing.TB) *Autoencoder {
	t.Helper()
	a, err := NewAutoencoder(2, []float32{
		1, 0, 1, 0,
		0, 1, 0, 1,
		0, 0,
		.5, 0, 0, .5, .5, 0, 0, .5,
		0, 0, 0, 0,
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type fixedTrees map[string][]Tree

func (f fixedTrees) Trees(_ context.Context, text string) ([]Tree, error) { return f[text], nil }

// Equations 7 to 10, worked by hand.
//
// "a b" and "a a c": one-hot ⟨1 1 0⟩ and ⟨2 0 1⟩, cosine 2/(√2·√5) = 2/√10.
// Words: (½, ½) and (5/3, 4/3), cosine 9/(√2·√41).
// Trees: a and b, of unit length, make tanh(1)·(1, 1), scaled (1, 1)/√2. The tree (a a) c:
// tanh(2)·(1, 0), scaled (1, 0); with c = (.6, .8): tanh(1.6), tanh(.8).
// P_len = exp(1 − 3/2).
func TestByHand(t *testing.T) {
	trees := fixedTrees{
		"a b":   {{Words: []string{"a", "b"}, Merges: [][2]int{{0, 1}}}},
		"a a c": {{Words: []string{"a", "a", "c"}, Merges: [][2]int{{0, 1}, {3, 2}}}},
	}
	x, y := math.Tanh(1.6), math.Tanh(.8)
	tree := (x + y) / math.Sqrt2 / math.Hypot(x, y)
	oneHot, word := 2/math.Sqrt(10), 9/math.Sqrt(2*41)
	plen := math.Exp(-.5)
	// Greedily: the pair a a makes (1, 0), which takes back (½, 0) twice: error ½·¼ +
	// ½·¼ = .25. The pair a c makes (tanh 1.6, tanh .8) scaled, halves of which are
	// (.4058, .2923): error ½·(.3531 + .0854) + ½·(.0377 + .2578) = .3670. So it is the tree above.
	for _, tt := range []struct {
		name    string
		weights PartWeights
		alpha   float64
		want    float64
	}{
		{"one-hot", PartWeights{OneHot: .3}, 1, oneHot * plen},
		{"words", PartWeights{Word: .1}, 1, word * plen},
		{"greedy", PartWeights{Greedy: 1}, 1, tree * plen},
		{"tree", PartWeights{Tree: 1}, 1, tree * plen},
		{"all", PartWeights{.1, .2, .3, .4}, 1, (oneHot + 4*word + 9*tree + 16*tree) / 30 * plen},
		{"alpha", PartWeights{.5, 1, 0, 0}, 2.5, math.Pow((oneHot+4*word)/5, 2.5) * plen},
	} {
		o := Options{Vectors: plane(t), Autoencoder: adder(t), Trees: trees, Weights: tt.weights, Alpha: tt.alpha}
		for _, pair := range [][2]string{{"a b", "a a c"}, {"a a c", "a b"}} {
			r, err := mteval.Sentence(ctx, mustNew(t, o), []string{pair[1]}, pair[0])
			if err != nil || math.Abs(r.Score-tt.want) > 1e-6 {
				t.Errorf("%s: %v, %v, want %v", tt.name, r.Score, err, tt.want)
			}
		}
	}
}

// Equation 2: a corpus's score weighs by the length of the references.
func TestCorpus(t *testing.T) {
	s := mustNew(t, Options{Vectors: plane(t), Weights: PartWeights{OneHot: 1}, Alpha: 1})
	refs, err := mteval.Segments([]string{"a a a", "b", "", "c"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := mteval.Corpus(ctx, s, refs, []string{"a a a", "c", "a", ""})
	if want := 3. / 5; err != nil || math.Abs(r.Score-want) > 1e-15 {
		t.Errorf("%v, %v, want %v", r.Score, err, want)
	}
}

// Parts that a side has not are left out, and empty sides score 0.
func TestLeftOut(t *testing.T) {
	o := Options{Vectors: plane(t), Autoencoder: adder(t)}
	for _, tt := range []struct {
		hyp, ref string
		unknown  Unknown
		want     float64
	}{
		{"", "a", Skip, 0},
		{"a", "", Skip, 0},
		{"", "", Skip, 0},
		{" \t", "\u00a0", Skip, 0},
		{"zebra", "zebra", Skip, 1},           // by its token alone
		{"zebra a", "zebra a", Substitute, 1}, // the zebra is the mean of all
		{"zebra", "gnu", Skip, 0},
		{"A", "a", Skip, 1}, // lower case
	} {
		o.Unknown = tt.unknown
		r, err := mteval.Sentence(ctx, mustNew(t, o), []string{tt.ref}, tt.hyp)
		if err != nil || r.Score != tt.want {
			t.Errorf("%q, %q: %v, %v, want %v", tt.hyp, tt.ref, r.Score, err, tt.want)
		}
	}
	// Opposite vectors: the cosine of all is negative, and counts as 0.
	v, err := NewVectors(1, []string{"a", "b"}, []float32{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := mteval.Sentence(ctx, mustNew(t, Options{Vectors: v}), []string{"b"}, "a"); err != nil || r.Score != 0 {
		t.Errorf("opposite: %v, %v", r.Score, err)
	}
}

func TestConformance(t *testing.T) {
	for _, o := range []Options{
		{},
		{Weights: High, Alpha: 2, KeepCase: true, Tokenizer: tokenize.None},
		{Vectors: plane(t), Unknown: Substitute},
		{Vectors: plane(t), Autoencoder: adder(t), Weights: Low},
		{Trees: flat{}},
	} {
		if o.Trees != nil {
			o.Vectors, o.Autoencoder = plane(t), adder(t)
		}
		var variants []mteval.Scorer
		for _, n := range []int{1, 2, 5} {
			v := o
			v.Workers = n
			variants = append(variants, mustNew(t, v))
		}
		if err := scorertest.Test(mustNew(t, o), scorertest.Options{Variants: variants}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// flat makes a tree from the left of any text.
type flat struct{}

func (flat) Trees(ctx context.Context, text string) ([]Tree, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, ctx.Err()
	}
	t := Tree{Words: words}
	for k := 1; k < len(words); k++ {
		l := 0
		if k > 1 {
			l = len(words) + k - 2
		}
		t.Merges = append(t.Merges, [2]int{l, k})
	}
	return []Tree{t}, ctx.Err()
}

func TestProperties(t *testing.T) {
	line := rapid.StringMatching(`([a-d]|the|house|of|Union|cat)( ([a-d]|the|house|of|union|cat|,)){0,12}`)
	weight := rapid.Float64Range(0, .25)
	rapid.Check(t, func(rt *rapid.T) {
		x, y := line.Draw(rt, "x"), line.Draw(rt, "y")
		w := PartWeights{weight.Draw(rt, "w1"), weight.Draw(rt, "w2"), weight.Draw(rt, "w3"), weight.Draw(rt, "w4")}
		score := func(w PartWeights, hyp, ref string) float64 {
			r, err := mteval.Sentence(ctx, mustNew(t, Options{Weights: w}), []string{ref}, hyp)
			if err != nil || !(r.Score >= 0 && r.Score <= 1) {
				rt.Fatalf("%v, %v", r.Score, err)
			}
			return r.Score
		}
		xy := score(w, x, y)
		if yx := score(w, y, x); xy != yx {
			rt.Fatalf("%v and, the other way round, %v", xy, yx)
		}
		if w.OneHot+w.Word+w.Greedy > 1e-100 {
			// Of words without vectors, as b is one, nothing but the first part is there.
			if xx := score(w, x, x); xx != 1 && !(xx == 0 && w.OneHot < 1e-100) {
				rt.Fatalf("%v for the same", xx)
			}
		}
		if scaled := score(PartWeights{w.OneHot * 4, w.Word * 4, w.Greedy * 4, w.Tree * 4}, x, y); scaled != xy && w.OneHot+w.Word+w.Greedy > 1e-100 {
			rt.Fatalf("%v with larger weights, %v", scaled, xy)
		}
	})
}

// The values of a level are the scorer's weights, by the names of its parameters.
func TestLevels(t *testing.T) {
	var got []map[string]float64
	for _, w := range Levels() {
		s, err := New(Options{Weights: w})
		if err != nil {
			t.Fatal(err)
		}
		values := w.Values()
		for _, p := range s.Parameters()[1:] {
			if v, ok := values[p.Name]; !ok || v != p.Value {
				t.Errorf("%s is %v, the level has %v", p.Name, p.Value, v)
			}
		}
		got = append(got, values)
	}
	want := []map[string]float64{
		{"one-hot": .23, "word": .42, "greedy": .18, "tree": .17},
		{"one-hot": .11, "word": .42, "greedy": .20, "tree": .27},
		{"one-hot": .05, "word": .40, "greedy": .20, "tree": .35},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("levels (-Table 4 +got):\n%s", d)
	}
}

func TestNewErrors(t *testing.T) {
	one, err := NewVectors(1, []string{"a"}, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Language: "fi"}, "see OpenVectors"},
		{Options{Autoencoder: adder(t)}, "set Options.Vectors"},
		{Options{Vectors: one, Autoencoder: adder(t)}, "an autoencoder for vectors of 2"},
		{Options{Vectors: one, Trees: flat{}}, "trees without an autoencoder"},
		{Options{Alpha: -1}, "alpha is -1"},
		{Options{Alpha: math.NaN()}, "alpha is NaN"},
		{Options{Weights: PartWeights{Word: -1}}, "word is -1"},
		{Options{Unknown: 7}, "Unknown"},
	} {
		if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
	if _, err := mustNew(t, Options{}).WithParameters([]float64{1}); err == nil {
		t.Error("no error for one value")
	}
}

type noTrees struct{}

func (noTrees) Trees(context.Context, string) ([]Tree, error) { return nil, errors.New("no parser") }

func TestTreeErrors(t *testing.T) {
	o := Options{Vectors: plane(t), Autoencoder: adder(t), Trees: noTrees{}}
	_, err := mteval.Sentence(ctx, mustNew(t, o), []string{"b"}, "a")
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Segment != 0 {
		t.Errorf("%v", err)
	}
	for _, bad := range []Tree{
		{},
		{Words: []string{"a", "b"}},
		{Words: []string{"a", "b"}, Merges: [][2]int{{0, 0}}},
		{Words: []string{"a", "b"}, Merges: [][2]int{{0, 2}}},
		{Words: []string{"a", "b"}, Merges: [][2]int{{0, -1}}},
	} {
		o.Trees = fixedTrees{"a": {bad}}
		if _, err := mteval.Sentence(ctx, mustNew(t, o), []string{"a"}, "a"); err == nil {
			t.Errorf("no error for %+v", bad)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	p, err := mustNew(b, Options{}).Prepare(ctx, [][]string{{"the state of the union is strong , and it will be stronger still in the years that lie ahead of us ."}})
	if err != nil {
		b.Fatal(err)
	}
	var rows []float64
	segs, hyps := []int{0}, []string{"the union 's state is strong , and in the years that are ahead of us it is going to be stronger ."}
	b.ReportAllocs()
	for b.Loop() {
		rows, _ = p.Append(ctx, rows[:0], segs, hyps)
	}
}
