package train

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mteval/mteval/dreem"
)

// The gradient is that of numerical differences.
func TestGradient(t *testing.T) {
	const d = 3
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = random.NormFloat64()
		}
		return out
	}
	o := &objective{ctx: context.Background(), d: d, sentences: []sentence{
		{leaves: numbers(4 * d), merges: [][2]int{{1, 2}, {0, 4}, {5, 3}}},
		{leaves: numbers(2 * d), merges: [][2]int{{0, 1}}},
	}}
	x := numbers(dreem.Parameters(d))
	grad := make([]float64, len(x))
	o.gradient(grad, x)
	for i := range x {
		const h = 1e-5
		was := x[i]
		x[i] = was + h
		up := o.value(x)
		x[i] = was - h
		down := o.value(x)
		x[i] = was
		if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("parameter %d: %v, numerically %v", i, grad[i], want)
		}
	}
}

var text = strings.Split(strings.Repeat(`the cat sleeps in the house
the dog sleeps in the garden
a cat eats fish
a dog eats meat
the man reads a book in the garden
the woman reads a paper in the house
`, 5), "\n")

// With as many numbers as words, the vectors' products are those of the whole
// decomposition by a library.
func TestDecompose(t *testing.T) {
	o := VectorOptions{Dim: 6}
	m := &sparse{n: 8, columns: 8, starts: []int{0}}
	dense := mat.NewDense(8, 8, nil)
	random := rand.New(rand.NewPCG(1, 2))
	for r := range 8 {
		for c := range 8 {
			if random.Float64() < .6 {
				x := random.Float64()
				dense.Set(r, c, x)
				m.column, m.value = append(m.column, int32(c)), append(m.value, x)
			}
		}
		m.starts = append(m.starts, len(m.value))
	}
	got, _, err := decompose(context.Background(), m, 8, &o)
	if err != nil {
		t.Fatal(err)
	}
	var svd mat.SVD
	if !svd.Factorize(dense, mat.SVDThin) {
		t.Fatal("no decomposition")
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	for j := range o.Dim {
		sign := 1.0
		if sum := mat.Sum(u.ColView(j)); sum < 0 {
			sign = -1
		}
		for i := range 8 {
			if want := sign * math.Sqrt(values[j]) * u.At(i, j); math.Abs(float64(got[i*o.Dim+j])-want) > 1e-6 {
				t.Errorf("%d, %d: %v, want %v", i, j, got[i*o.Dim+j], want)
			}
		}
	}
}

// The mutual information of a b / a b / c, by hand: a and b, which only
// have each other, have log(2·2·2^.75/(2·2^.75)) = log 2.
func TestInformation(t *testing.T) {
	m, err := information(context.Background(), []int32{0, 1, -2, 0, 1, -2, 2, -2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.value) != 2 || math.Abs(m.value[0]-math.Ln2) > 1e-15 || m.column[0] != 1 || m.column[1] != 0 {
		t.Errorf("%+v", m)
	}
}

func TestTrain(t *testing.T) {
	ctx := context.Background()
	var hashes [2][2]string
	for k, workers := range []int{1, 3} {
		v, err := Vectors(ctx, text, VectorOptions{Dim: 5, MinCount: 5, Pieces: 10, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var losses []float64
		a, err := Autoencoder(ctx, v, text, workers, func(_ int, loss float64) { losses = append(losses, loss) })
		if err != nil {
			t.Fatal(err)
		}
		if len(losses) != 4 || !(losses[3] < losses[0]) {
			t.Errorf("errors %v", losses)
		}
		hashes[k] = [2]string{v.Hash(), a.Hash()}
		if _, err := dreem.New(dreem.Options{Vectors: v, Autoencoder: a}); err != nil {
			t.Error(err)
		}
	}
	if hashes[0] != hashes[1] {
		t.Errorf("%v with other workers", hashes)
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	v, err := Vectors(ctx, text, VectorOptions{Dim: 5, MinCount: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []VectorOptions{{}, {Dim: -1}, {Dim: 5, MinCount: 1000}, {Dim: 5, Pieces: -1}} {
		if _, err := Vectors(ctx, text, o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
	if _, err := Autoencoder(ctx, v, []string{"zebra"}, 0, nil); err == nil {
		t.Error("no error without sentences")
	}
	cancel()
	if _, err := Vectors(ctx, text, VectorOptions{Dim: 5, MinCount: 5}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Autoencoder(ctx, v, text, 0, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
