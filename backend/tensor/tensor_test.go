package tensor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	gorgonia "gorgonia.org/tensor"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/tensor"
)

// from returns an embedding function that asks a fake backend, and passes its tensors
// through change.
func from(fake *backendtest.Fake, change func(*gorgonia.Dense) *gorgonia.Dense) func(context.Context, string) ([]mteval.Token, *gorgonia.Dense, error) {
	var b backend.Batch
	return func(ctx context.Context, text string) ([]mteval.Token, *gorgonia.Dense, error) {
		if err := fake.Embed(ctx, &b, []string{text}); err != nil {
			return nil, nil, err
		}
		d := tensor.Dense(&b, 0)
		if d != nil && change != nil {
			d = change(d)
		}
		if len(b.Truncated) > 0 {
			return b.Tokens, d, fmt.Errorf("fake: %w", backend.ErrTruncated)
		}
		return b.Tokens, d, nil
	}
}

func must(d gorgonia.Tensor, err error) *gorgonia.Dense {
	if err != nil {
		panic(err)
	}
	return d.(*gorgonia.Dense)
}

// The changes that leave the numbers as they are.
var changes = map[string]func(*gorgonia.Dense) *gorgonia.Dense{
	"as it is": nil,
	"float64": func(d *gorgonia.Dense) *gorgonia.Dense {
		var data []float64
		for _, x := range d.Data().([]float32) {
			data = append(data, float64(x))
		}
		return gorgonia.New(gorgonia.WithShape(d.Shape()...), gorgonia.WithBacking(data))
	},
	"transposed": func(d *gorgonia.Dense) *gorgonia.Dense {
		d = must(gorgonia.Transpose(d, 1, 0)) // moves the numbers
		if err := d.T(); err != nil {         // does not
			panic(err)
		}
		return d
	},
	"with gaps": func(d *gorgonia.Dense) *gorgonia.Dense {
		rows, cols := d.Shape()[0], d.Shape()[1]
		wide := gorgonia.New(gorgonia.Of(gorgonia.Float32), gorgonia.WithShape(rows+2, cols+3))
		data, from := wide.Data().([]float32), d.Data().([]float32)
		for i := range data {
			data[i] = 99
		}
		for i := range rows {
			copy(data[(i+1)*(cols+3)+2:], from[i*cols:(i+1)*cols])
		}
		return must(wide.Slice(gorgonia.S(1, 1+rows), gorgonia.S(2, 2+cols)))
	},
	"columns first": func(d *gorgonia.Dense) *gorgonia.Dense {
		// The numbers are given row by row.
		return gorgonia.New(gorgonia.WithShape(d.Shape()...), gorgonia.AsFortran(slices.Clone(d.Data().([]float32))))
	},
}

// The contract of backend.Backend is kept with tensors of any kind.
func TestConformance(t *testing.T) {
	for name, change := range changes {
		for _, o := range []backendtest.FakeOptions{{}, {Dim: 2, Special: true, MaxTokens: 9}} {
			t.Run(fmt.Sprintf("%s/max %d", name, o.MaxTokens), func(t *testing.T) {
				open := func() (backend.Backend, error) {
					fake := backendtest.NewFake(o)
					return tensor.New(fake.Info(), from(fake, change))
				}
				if err := backendtest.Test(open, backendtest.Options{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// However a tensor lies in memory, its numbers are those that the library's At gives.
func TestViews(t *testing.T) {
	for name, change := range changes {
		for rows := 1; rows <= 4; rows++ {
			for cols := 2; cols <= 4; cols++ {
				data := make([]float32, rows*cols)
				for i := range data {
					data[i] = float32(i) + 0.5
				}
				d := gorgonia.New(gorgonia.WithShape(rows, cols), gorgonia.WithBacking(slices.Clone(data)))
				if change != nil {
					d = change(d)
				}
				if len(d.Shape()) == 2 {
					for i := range rows {
						for j := range cols {
							if x, err := d.At(i, j); err != nil || fmt.Sprint(x) != fmt.Sprint(data[i*cols+j]) {
								t.Fatalf("%s, %d×%d: the test is wrong: %v at %d, %d, error %v", name, rows, cols, x, i, j, err)
							}
						}
					}
				}
				b := backend.Batch{Dim: cols, Data: []float32{1, 2}[:0]}
				if err := tensor.FromDense(&b, make([]mteval.Token, rows), d); err != nil || !slices.Equal(b.Data, data) {
					t.Errorf("%s, %d×%d: got %v, error %v", name, rows, cols, b.Data, err)
				}
			}
		}
	}
}

// A batch goes to tensors, which share its memory, and comes back.
func TestBatch(t *testing.T) {
	fake := backendtest.NewFake(backendtest.FakeOptions{Dim: 3})
	var b, back backend.Batch
	if err := fake.Embed(t.Context(), &b, []string{"a b", "", "c"}); err != nil {
		t.Fatal(err)
	}
	if d := tensor.Dense(&b, 1); d != nil {
		t.Errorf("a text without tokens has %v", d)
	}
	for i := range b.Len() {
		d := tensor.Dense(&b, i)
		tokens, data := b.Text(i)
		if d != nil {
			d.Data().([]float32)[0] = 7
			if data[0] != 7 || !slices.Equal(d.Shape(), []int{len(tokens), 3}) {
				t.Errorf("text %d: shape %v, number %v", i, d.Shape(), data[0])
			}
		}
		if err := tensor.FromDense(&back, tokens, d); err != nil {
			t.Fatal(err)
		}
	}
	if back.Dim != 3 || !slices.Equal(back.Data, b.Data) || !slices.Equal(back.Tokens, b.Tokens) || !slices.Equal(back.Offsets, b.Offsets) {
		t.Errorf("got %+v, want %+v", back, b)
	}
}

func TestErrors(t *testing.T) {
	dense := func(backing any, shape ...int) *gorgonia.Dense {
		return gorgonia.New(gorgonia.WithShape(shape...), gorgonia.WithBacking(backing))
	}
	inf := float32(math.Inf(1))
	for _, tt := range []struct {
		name   string
		tokens int
		d      *gorgonia.Dense
		want   string
	}{
		{"none", 1, nil, "no tensor for 1 tokens"},
		{"rows", 3, dense(make([]float32, 4), 2, 2), "shape (2, 2) for 3 tokens of Dim 2"},
		{"columns", 2, dense(make([]float32, 6), 2, 3), "shape (2, 3)"},
		{"transposed", 3, dense(make([]float32, 6), 2, 3), "shape (2, 3)"},
		{"no tokens", 0, dense(make([]float32, 2), 1, 2), "for 0 tokens"},
		{"vector", 2, dense(make([]float32, 4), 4), "shape (4)"},
		{"cube", 2, dense(make([]float32, 4), 1, 2, 2), "shape (1, 2, 2)"},
		{"scalar", 1, gorgonia.New(gorgonia.FromScalar(float32(1))), "shape ()"},
		{"whole numbers", 1, dense(make([]int, 2), 1, 2), "type int"},
		{"infinite", 2, dense([]float32{1, 2, inf, 3}, 2, 2), "row 1, column 0 is +Inf"},
		{"not a number", 1, dense([]float64{1, math.NaN()}, 1, 2), "row 0, column 1 is NaN"},
		{"too large", 1, dense([]float64{1e300, 1}, 1, 2), "1e+300"},
		{"mask", 1, gorgonia.New(gorgonia.WithShape(1, 2), gorgonia.WithBacking(make([]float32, 2), []bool{true, false})), "mask"},
	} {
		b := backend.Batch{Dim: 2, Offsets: []int{0}}
		err := tensor.FromDense(&b, make([]mteval.Token, tt.tokens), tt.d)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
		if b.Len() != 0 || len(b.Tokens) != 0 || len(b.Data) != 0 {
			t.Errorf("%s: the batch is %+v after an error", tt.name, b)
		}
	}

	fake := backendtest.NewFake(backendtest.FakeOptions{Dim: 2, MaxTokens: 3, FailAt: 2})
	if _, err := tensor.New(fake.Info(), nil); err == nil {
		t.Error("no error without a function")
	}
	for _, spoil := range []func(*backend.Info){
		func(i *backend.Info) { i.Name = "" }, func(i *backend.Info) { i.Signature = nil },
		func(i *backend.Info) { i.Dim = 0 }, func(i *backend.Info) { i.MaxTokens = -1 },
	} {
		info := fake.Info()
		spoil(&info)
		if _, err := tensor.New(info, from(fake, nil)); err == nil {
			t.Errorf("no error for %+v", info)
		}
	}
	info := fake.Info()
	info.MaxTokens = 2
	b, err := tensor.New(info, from(fake, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Embed(t.Context(), new(backend.Batch), []string{"a b c"}); err == nil || !strings.Contains(err.Error(), "3 tokens") {
		t.Errorf("too many tokens: error %v", err)
	}
	if err := b.Embed(t.Context(), new(backend.Batch), []string{"a"}); !errors.Is(err, backendtest.ErrFake) {
		t.Errorf("error %v, want %v", err, backendtest.ErrFake)
	}
	if err := b.Embed(t.Context(), nil, []string{"a"}); err == nil {
		t.Error("no error without a batch")
	}
	if err := tensor.FromDense(nil, nil, nil); err == nil {
		t.Error("FromDense: no error without a batch")
	}

	// Tokens that break the contract of package backend.
	for name, token := range map[string]mteval.Token{
		"weight": {Text: "a", End: 1, Weight: 2}, "place": {Text: "a", End: 2, Weight: 1}, "end": {Text: "a", Start: 1, Weight: 1},
	} {
		b, err := tensor.New(fake.Info(), func(context.Context, string) ([]mteval.Token, *gorgonia.Dense, error) {
			return []mteval.Token{token}, dense(make([]float32, 2), 1, 2), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Embed(t.Context(), new(backend.Batch), []string{"a"}); err == nil || !strings.Contains(err.Error(), "tensor: backend fake") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
