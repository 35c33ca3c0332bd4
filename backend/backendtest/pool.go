package backendtest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mteval/mteval/backend"
)

var poolings = []backend.Pooling{backend.Average, backend.First, backend.Largest}

// mix is one of all layers.
func (t *encoderTester) mix() backend.Mix {
	weights := make([]float64, t.info.Layers)
	for i := range weights {
		weights[i] = .75 - .4*float64(i%5)
	}
	return backend.Mix{Weights: weights}
}

// mixOf is a mix of these.
func mixOf(weights []float64, norm bool, pooling backend.Pooling) backend.Mix {
	return backend.Mix{Weights: weights, Norm: norm, Pooling: pooling}
}

// only are weights of 0 for all layers but one, which has 1.
func (t *encoderTester) only(layer int) []float64 {
	weights := make([]float64, t.info.Layers)
	weights[layer] = 1
	return weights
}

func (t *encoderTester) pick(of []int) [][]int32 {
	out := make([][]int32, len(of))
	for k, i := range of {
		out[k] = t.sequences[i]
	}
	return out
}

// beside is what stands on both sides of dst, so many times.
const (
	beside  = 12345.5
	besides = 64
)

// try calls Pool with copies of all it gets, and spoils them after it, as they are the
// caller's.
func (t *encoderTester) try(ctx context.Context, sequences [][]int32, mix backend.Mix) ([]float32, error) {
	return t.tryInto(ctx, 0, sequences, mix)
}

// tryInto has dst full of a number.
func (t *encoderTester) tryInto(ctx context.Context, full float32, sequences [][]int32, mix backend.Mix) ([]float32, error) {
	own := make([][]int32, len(sequences))
	for i, s := range sequences {
		own[i] = slices.Clone(s)
	}
	ownMix := mix
	ownMix.Weights = slices.Clone(mix.Weights)
	n := len(sequences) * t.info.Dim
	room := slices.Repeat([]float32{beside}, n+2*besides)
	dst := room[besides : besides+n]
	for i := range dst {
		dst[i] = full
	}
	err := t.e.Pool(ctx, dst, own, ownMix)
	if slices.ContainsFunc(append(slices.Clone(room[:besides]), room[besides+n:]...), func(x float32) bool { return x != beside }) {
		t.Fail("Pool", poolOutside, "%d sequences: a number beside dst is changed", len(sequences))
	}
	sameWeight := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	if !slices.EqualFunc(own, sequences, slices.Equal) || !slices.EqualFunc(ownMix.Weights, mix.Weights, sameWeight) {
		t.Fail("Pool", poolInput, "%d sequences, weights %v", len(sequences), mix.Weights)
	}
	got := slices.Clone(dst)
	for i := range room {
		room[i] = float32(math.NaN())
	}
	for i := range ownMix.Weights {
		ownMix.Weights[i] = math.NaN()
	}
	for _, s := range own {
		for k := range s {
			s[k] = -7
		}
	}
	return got, err
}

// pool returns the vectors of sequences, or false where there are none of use.
func (t *encoderTester) pool(sequences [][]int32, mix backend.Mix, what string) ([]float32, bool) {
	got, err := t.try(background, sequences, mix)
	if err != nil {
		t.Fail("Pool", poolFails, "%s: %w", what, err)
		return nil, false
	}
	if i := slices.IndexFunc(got, notFinite); i >= 0 {
		t.Fail("Pool", poolFinite, "%s: %v for the sequence %s", what, got[i], some(sequences[i/t.info.Dim]))
		return nil, false
	}
	return got, true
}

// alone returns the vectors of sequences, each from a call of its own.
func (t *encoderTester) alone(of []int, mix backend.Mix) (out [][]float32, ok bool) {
	for _, i := range of {
		got, ok := t.pool(t.pick([]int{i}), mix, "alone")
		if !ok {
			return nil, false
		}
		out = append(out, got)
	}
	return out, true
}

func (t *encoderTester) poolAll() (ok bool) {
	t.want, ok = t.alone(upTo(len(t.sequences)), t.mix())
	return ok
}

func (t *encoderTester) checkPool() {
	for _, check := range []func(){t.checkAgain, t.checkBatches, t.checkMix, t.checkNorm, t.checkPoolings, t.checkPadding, t.checkFinite, t.checkPoolWrong} {
		t.Guard("Pool", check)
	}
}

// compare compares vectors of sequences with those that they got alone.
func (t *encoderTester) compare(got []float32, of []int, where string, r rule, what string) {
	t.compareWith(t.want, got, of, where, r, what)
}

func (t *encoderTester) compareWith(want [][]float32, got []float32, of []int, where string, r rule, what string) {
	dim := t.info.Dim
	for k, i := range of {
		v := got[k*dim : (k+1)*dim]
		if sameBits(v, want[i]) {
			continue
		}
		if d := apart(v, want[i]); t.tolerance == 0 || !(d <= t.tolerance) {
			t.Fail(where, r, "%s, place %d of %d, sequence %s: the vectors are %.3g of their length apart", what, k, len(of), some(t.sequences[i]), d)
		}
	}
}

// apart is the distance of two vectors, as a part of the length of the second.
func apart(a, b []float32) float64 {
	sum, square := 0.0, 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
		square += float64(b[i]) * float64(b[i])
	}
	if sum == 0 {
		return 0
	}
	return math.Sqrt(sum / square)
}

func (t *encoderTester) checkAgain() {
	// After calls of all sequences, whose arguments are spoilt.
	all := upTo(len(t.sequences))
	if again, ok := t.alone(all, t.mix()); ok {
		for i := range again {
			t.compare(again[i], []int{i}, "Pool", poolAgain, "alone again")
		}
	}
	for _, full := range []float32{3, float32(math.NaN())} {
		got, err := t.tryInto(background, full, t.sequences[:2], t.mix())
		if err != nil {
			t.Fail("Pool", poolFails, "dst full of %v: %w", full, err)
			continue
		}
		t.compare(got, all[:2], "Pool", poolDirty, fmt.Sprintf("dst full of %v", full))
	}
	for _, none := range [][][]int32{nil, {}} {
		t.pool(none, t.mix(), "no sequence")
	}
}

// checkBatches pools sequences together, in other orders, under each pooling.
func (t *encoderTester) checkBatches() {
	const where = "Pool"
	all := upTo(len(t.sequences))
	reverse := slices.Clone(all)
	slices.Reverse(reverse)
	rng := rand.New(rand.NewPCG(1, 0))
	var mixed []int
	for len(mixed) < 150 {
		mixed = append(mixed, rng.IntN(t.short()))
	}
	first, last := t.long[0], t.long[len(t.long)-1]
	for _, c := range []struct {
		what string
		of   []int
	}{
		{"all together", all}, {"all in reverse", reverse}, {"in no order with repetitions", mixed},
		{"long ones among others", []int{first, 0, last, 0, first}}, {"two", all[:2]},
	} {
		if got, ok := t.pool(t.pick(c.of), t.mix(), c.what); ok {
			t.compare(got, c.of, where, poolAlone, c.what)
		}
	}
	short := upTo(t.short())
	for _, norm := range []bool{false, true} {
		for _, pooling := range poolings {
			mix := mixOf(t.mix().Weights, norm, pooling)
			what := fmt.Sprintf("together, Norm %t, pooling %d", norm, pooling)
			want, ok := t.alone(short, mix)
			if !ok {
				return
			}
			slices.Reverse(short)
			if got, ok := t.pool(t.pick(short), mix, what); ok {
				t.compareWith(want, got, short, where, poolAlone, what)
			}
			slices.Reverse(short)
		}
	}
}

// few are some sequences of one token, of two, and of more, none of which has padding.
func (t *encoderTester) few() [][]int32 {
	var out [][]int32
	for _, s := range slices.Concat(t.sequences[len(t.texts):], t.sequences[:6]) {
		if !slices.Contains(s, t.info.Pad) {
			out = append(out, s)
		}
	}
	if two := t.empty(); len(two) >= 2 {
		out = append(out, two[:2])
	}
	return out
}

// near says whether numbers are equal to rounding, that of numbers of such a size.
func (t *encoderTester) near(a, b, size float64) bool {
	return math.Abs(a-b) <= (1e-4+t.tolerance)*size+1e-30
}

// checkMix compares mixes with the sums that they are of layers, which are mixes too.
func (t *encoderTester) checkMix() {
	few, weights := t.few(), t.mix().Weights
	for _, norm := range []bool{false, true} {
		for _, pooling := range poolings[:2] { // the largest of a sum is no sum
			sum, size := make([]float64, len(few)*t.info.Dim), make([]float64, len(few)*t.info.Dim)
			for layer := range t.info.Layers {
				one, ok := t.pool(few, mixOf(t.only(layer), norm, pooling), fmt.Sprintf("layer %d alone", layer))
				if !ok {
					return
				}
				if !norm && largest(one) == 0 {
					t.Fail("Pool", poolMix, "layer %d alone, pooling %d: all numbers are 0", layer, pooling)
				}
				for i, x := range one {
					sum[i] += weights[layer] * float64(x)
					size[i] += math.Abs(weights[layer]) * largest(one)
				}
				up := make([]float64, t.info.Layers)
				copy(up, weights[:layer+1])
				got, ok := t.pool(few, mixOf(up, norm, pooling), fmt.Sprintf("layers up to %d", layer))
				if !ok {
					return
				}
				for i, x := range got {
					if !t.near(float64(x), sum[i], size[i]) {
						t.Fail("Pool", poolMix, "layers up to %d, Norm %t, pooling %d, sequence %s: number %d is %v, the layers' sum is %v",
							layer, norm, pooling, some(few[i/t.info.Dim]), i%t.info.Dim, x, sum[i])
						return
					}
				}
			}
		}
	}
	for _, pooling := range poolings {
		got, ok := t.pool(few, mixOf(make([]float64, t.info.Layers), true, pooling), "weights of 0")
		if ok && largest(got) != 0 {
			t.Fail("Pool", poolMix, "weights of 0, pooling %d: there is a number %v", pooling, largest(got))
		}
	}
}

// largest is the largest of the absolute values.
func largest(v []float32) float64 {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	return most
}

// checkNorm compares a layer with and without Norm: with it is the same, shifted by the mean,
// which is that of the average too, and scaled.
func (t *encoderTester) checkNorm() {
	few, dim := t.few(), t.info.Dim
	for layer := range t.info.Layers {
		var v [2][2][]float32 // of Norm, of Average and First
		for n := range v {
			for p := range v[n] {
				var ok bool
				if v[n][p], ok = t.pool(few, mixOf(t.only(layer), n == 1, poolings[p]), "one layer"); !ok {
					return
				}
			}
		}
		for k, s := range few {
			at := func(norm, pooling int) []float32 { return v[norm][pooling][k*dim : (k+1)*dim] }
			mean, variance, dot := 0.0, 0.0, 0.0
			for _, x := range at(0, 0) {
				mean += float64(x) / float64(dim)
			}
			for i, x := range at(0, 0) {
				variance += (float64(x) - mean) * (float64(x) - mean) / float64(dim)
				dot += (float64(x) - mean) * float64(at(1, 0)[i]) / float64(dim)
			}
			if variance == 0 {
				continue // nothing to tell a scale by
			}
			scale := 1 / math.Sqrt(variance+1e-12)
			if len(s) > 1 {
				// The variance is over all tokens, not known here, and that of an average
				// not above it.
				scale = min(scale, max(0, dot/variance))
			}
			for p := range poolings[:2] {
				for i, x := range at(0, p) {
					// Ten times the rounding, as of numbers that are close together.
					if want, got := scale*(float64(x)-mean), float64(at(1, p)[i]); !t.near(want, got, 10*(1+scale*largest(at(0, p)))) {
						t.Fail("Pool", poolNorm, "layer %d, pooling %d, sequence %s: number %d is %v, want %v", layer, poolings[p], some(s), i, got, want)
						return
					}
				}
			}
		}
	}
}

// checkPoolings compares the poolings of sequences. Of one token all are its vector. Of two
// the larger number in each place is Largest's, and the other follows from the average.
func (t *encoderTester) checkPoolings() {
	few, dim := t.few(), t.info.Dim
	var v [3][]float32
	for p, pooling := range poolings {
		var ok bool
		if v[p], ok = t.pool(few, mixOf(t.mix().Weights, false, pooling), "all layers"); !ok {
			return
		}
	}
	for k, s := range few {
		size := max(largest(v[0][k*dim:(k+1)*dim]), largest(v[2][k*dim:(k+1)*dim]))
		for i := k * dim; i < (k+1)*dim; i++ {
			average, first, most := float64(v[0][i]), float64(v[1][i]), float64(v[2][i])
			near := func(a, b float64) bool { return t.near(a, b, 4*size) }
			ok := (average <= most || near(average, most)) && (first <= most || near(first, most))
			switch len(s) {
			case 1:
				ok = near(average, most) && near(first, most)
			case 2:
				ok = ok && (near(first, most) || near(first, 2*average-most))
			}
			if !ok {
				t.Fail("Pool", poolPooling, "sequence %s, place %d: Average %v, First %v, Largest %v", some(s), i-k*dim, average, first, most)
				return
			}
		}
	}
}

// checkPadding pools padding alone: nothing is left.
func (t *encoderTester) checkPadding() {
	if t.info.Pad < 0 {
		return
	}
	for _, ids := range [][]int32{{t.info.Pad}, {t.info.Pad, t.info.Pad}} {
		got, ok := t.pool([][]int32{ids}, t.mix(), "padding alone")
		if ok && largest(got) != 0 {
			t.Fail("Pool", poolPadding, "Average of %d tokens of padding has a number %v", len(ids), largest(got))
		}
		if _, err := t.try(background, [][]int32{ids}, mixOf(t.mix().Weights, false, backend.Largest)); err == nil {
			t.Fail("Pool", poolPadding, "Largest of %d tokens of padding is no error", len(ids))
		}
	}
}

// checkFinite has weights of which the sums are too large.
func (t *encoderTester) checkFinite() {
	weights := slices.Repeat([]float64{math.MaxFloat64}, t.info.Layers)
	for _, pooling := range poolings {
		got, err := t.try(background, t.sequences[:2], mixOf(weights, false, pooling))
		if i := slices.IndexFunc(got, notFinite); err == nil && i >= 0 {
			t.Fail("Pool", poolFinite, "weights of %v, pooling %d: %v and no error", weights[0], pooling, got[i])
		}
	}
}

// checkPoolWrong gives Pool what it must refuse, among what is right.
func (t *encoderTester) checkPoolWrong() {
	good := t.sequences[0]
	wrong := func(what string, dst int, sequences [][]int32, mix backend.Mix) {
		t.Guard("Pool", func() {
			if err := t.e.Pool(background, make([]float32, dst), sequences, mix); err == nil {
				t.Fail("Pool", poolWrong, "no error for %s", what)
			}
		})
	}
	dim, two := t.info.Dim, [][]int32{good, good}
	for _, room := range []int{0, dim, 2*dim - 1, 2*dim + 1, 3 * dim} {
		wrong(fmt.Sprintf("room for %d numbers, for 2 vectors of %d", room, dim), room, two, t.mix())
	}
	weights := t.mix().Weights
	for _, w := range [][]float64{nil, weights[1:], append(slices.Clone(weights), 0)} {
		wrong(fmt.Sprintf("%d weights of %d layers", len(w), len(weights)), 2*dim, two, backend.Mix{Weights: w})
		wrong(fmt.Sprintf("%d weights of %d layers and no sequence", len(w), len(weights)), 0, nil, backend.Mix{Weights: w})
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		w := slices.Clone(weights)
		w[len(w)-1] = x
		wrong(fmt.Sprintf("a weight %v", x), 2*dim, two, backend.Mix{Weights: w})
	}
	wrong("pooling 3", 2*dim, two, mixOf(weights, false, backend.Largest+1))
	long := slices.Repeat(good[:1], t.info.MaxTokens+1)
	for _, ids := range [][]int32{{}, nil, long, {-1}, {math.MinInt32}, {math.MaxInt32}, append(slices.Clone(good[:1]), math.MaxInt32)} {
		what := fmt.Sprintf("a sequence of %d tokens %s", len(ids), some(ids))
		wrong(what, 2*dim, [][]int32{ids, good}, t.mix())
		wrong(what, 3*dim, [][]int32{good, good, ids}, t.mix())
	}
}

func (t *encoderTester) checkPoolCancelled() {
	var of []int
	for len(of) < 100 {
		of = append(of, upTo(t.short())...)
	}
	sequences := t.pick(of)
	t.checkCancelled("Pool", poolCancelled, func(ctx context.Context, what string) error {
		got, err := t.try(ctx, sequences, t.mix())
		if err == nil {
			t.compare(got, of, "Pool", poolCancelled, what)
		}
		return err
	})
}
