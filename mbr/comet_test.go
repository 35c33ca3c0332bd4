package mbr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/mbr"
)

// openComet opens a model of comet's tests.
func openComet(t testing.TB, name string, o comet.Options) *comet.Scorer {
	t.Helper()
	s, err := comet.Open(filepath.Join("..", "comet", "testdata", name), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// The values are those of mbrs, which has them in 32 bits; see scripts/record_mbr_comet.py.
func TestMbrsComet(t *testing.T) {
	var recorded struct {
		Source     string
		Candidates []string
		Cases      []struct {
			Metric              string
			References          []string
			Weights             []float64
			Scores              [][]float64
			Expected, Aggregate []float64
		}
	}
	shareddata.ReadJSON(t, filepath.Join("testdata", "mbrs_comet.json"), &recorded)
	if len(recorded.Cases) == 0 {
		t.Fatal("nothing recorded")
	}
	for _, c := range recorded.Cases {
		s := openComet(t, c.Metric, comet.Options{})
		name := fmt.Sprintf("%s, %d references, weights %v", c.Metric, len(c.References), c.Weights)
		seg := mbr.Segment{Candidates: recorded.Candidates, References: c.References, Weights: c.Weights, Source: &recorded.Source}
		same := func(what string, got, want []float64) {
			t.Helper()
			if len(got) != len(want) {
				t.Fatalf("%s, %s: %d values, want %d", name, what, len(got), len(want))
			}
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 1e-6) {
					t.Errorf("%s, %s %d: %v, want %v", name, what, i, got[i], want[i])
				}
			}
		}
		for _, aggregate := range []bool{false, true} {
			d, err := mbr.New(s, mbr.Options{Aggregate: aggregate})
			if err != nil {
				t.Fatal(err)
			}
			r, err := d.Decode(t.Context(), seg)
			if err != nil {
				t.Fatal(err)
			}
			if aggregate {
				same("aggregate", r.Utilities, c.Aggregate)
				continue
			}
			same("expected", r.Utilities, c.Expected)
			scores, err := d.Scores(t.Context(), nil, seg)
			if err != nil {
				t.Fatal(err)
			}
			var want []float64
			for _, row := range c.Scores {
				want = append(want, row...)
			}
			same("scores", scores, want)
		}
	}
}

// What can have no mean says so, and so does what is given no source.
func TestCometWithoutMean(t *testing.T) {
	source := "Der Hund schläft."
	for _, tt := range []struct {
		model  string
		source *string
		want   string
	}{
		{"qe", &source, "a referenceless_regression_metric reads no references"},
		{"unified", &source, "a unified_metric has no mean of references"},
		{"wmt22", nil, "no source: comet reads it: set Segment.Source"},
	} {
		d, err := mbr.New(openComet(t, tt.model, comet.Options{}), mbr.Options{Aggregate: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Decode(t.Context(), mbr.Segment{Candidates: []string{"a", "b"}, Source: tt.source})
		if err == nil || !strings.HasPrefix(err.Error(), "mbr: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.model, err, tt.want)
		}
		if tt.source == nil && !errors.Is(err, mteval.ErrNoSource) {
			t.Errorf("%s: error %v, want ErrNoSource", tt.model, err)
		}
	}
}

// counter is an encoder that counts the sequences that it is asked for.
type counter struct {
	backend.Encoder
	pooled *atomic.Int64
}

func (c counter) Pool(ctx context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	c.pooled.Add(int64(len(sequences)))
	return c.Encoder.Pool(ctx, dst, sequences, mix)
}

// manyCandidates are n different ones, against each other more pairs than are scored at a time.
func manyCandidates(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("Birnen %d und Brot", i)
	}
	return out
}

// However many pairs there are, COMET embeds each different text once: candidates, samples, and
// the source.
func TestCometEmbedsOnce(t *testing.T) {
	const n = 80
	var pooled atomic.Int64
	s := openComet(t, "wmt22", comet.Options{OpenEncoder: func(f backend.EncoderFiles) (backend.Encoder, error) {
		e, err := transformer.OpenEncoder(f, transformer.EncoderOptions{})
		return counter{e, &pooled}, err
	}})
	source, all := "neun Birnen", manyCandidates(2*n)
	for name, o := range map[string]mbr.Options{"plain": {}, "aggregate": {Aggregate: true}, "pruned": {Prune: &mbr.Pruning{}}} {
		d, err := mbr.New(s, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, refs := range [][]string{nil, all[n/2 : n+n/2]} {
			pooled.Store(0)
			seg := mbr.Segment{Candidates: all[:n], References: refs, Source: &source}
			if _, err := d.Decode(t.Context(), seg); err != nil {
				t.Fatal(err)
			}
			want := int64(n + 1)
			if refs != nil {
				want += n / 2
			}
			if got := pooled.Load(); got != want {
				t.Errorf("%s, %d own references: %d texts embedded, want %d", name, len(refs), got, want)
			}
		}
	}
}

// BERTScore embeds each different text once.
func TestBERTScoreEmbedsOnce(t *testing.T) {
	const n = 80
	fake := backendtest.NewFake(backendtest.FakeOptions{})
	s, err := bertscore.New(fake, bertscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	for _, o := range []mbr.Options{{}, {Prune: &mbr.Pruning{}}} {
		d, err := mbr.New(s, o)
		if err != nil {
			t.Fatal(err)
		}
		before := fake.Texts()
		if _, err := d.Decode(t.Context(), mbr.Segment{Candidates: manyCandidates(n)}); err != nil {
			t.Fatal(err)
		}
		if got := fake.Texts() - before; got != n {
			t.Errorf("%d texts embedded, want %d", got, n)
		}
	}
}

// Texts that are embedded make no work for the garbage collector either.
func TestEmbeddedLoopAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	words, err := lexical.New(lexical.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer words.Close()
	bert, err := bertscore.New(words, bertscore.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	source := "neun Birnen"
	seg := mbr.Segment{Candidates: manyCandidates(30), Source: &source}
	for name, s := range map[string]mteval.Scorer{"bertscore": bert, "comet": openComet(t, "wmt22", comet.Options{Workers: 1})} {
		for what, o := range map[string]mbr.Options{"all": {Workers: 1}, "pruned": {Workers: 1, Prune: &mbr.Pruning{}}} {
			d, err := mbr.New(s, o)
			if err != nil {
				t.Fatal(err)
			}
			var r mbr.Result
			count(t, name+", "+what, func() error { return d.DecodeTo(t.Context(), &r, seg) })
		}
	}
}
