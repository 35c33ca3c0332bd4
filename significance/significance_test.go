package significance

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/ter"
)

var ctx = context.Background()

type recorded struct {
	Refs    []string
	Systems []mteval.System
	Cases   []struct {
		Metric, Test string
		Samples      int
		Results      []struct {
			Score    float64
			P        *float64 `json:"p_value"`
			Mean, CI *float64
		}
	}
}

func read(t testing.TB) (*recorded, map[string]*mteval.Table) {
	t.Helper()
	data, err := os.ReadFile("testdata/sacrebleu.json")
	if err != nil {
		t.Fatal(err)
	}
	var rec recorded
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	refs, err := mteval.Segments(rec.Refs)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bleu.New(bleu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := chrf.New(chrf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tables := make(map[string]*mteval.Table)
	for name, s := range map[string]mteval.Scorer{"BLEU": b, "chrF2": c, "TER": ter.New(ter.Options{})} {
		if tables[name], err = mteval.Systems(ctx, s, refs, rec.Systems); err != nil {
			t.Fatal(err)
		}
	}
	return &rec, tables
}

// The values of testdata/sacrebleu.json are sacreBLEU's: see
// scripts/record_significance.py. It adds up rows, and so computes scores of samples,
// in float32.
func TestSacreBLEU(t *testing.T) {
	rec, tables := read(t)
	if len(rec.Cases) != 12 {
		t.Errorf("%d cases", len(rec.Cases))
	}
	for _, c := range rec.Cases {
		test := PairedBootstrap
		if c.Test == "ar" {
			test = PairedRandomization
		}
		got, err := test(ctx, tables[c.Metric], 0, Options{Samples: c.Samples})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range c.Results {
			g := got[k]
			if math.Abs(g.Score-want.Score) > 1e-9 {
				t.Errorf("%s %s: score %v, want %v", c.Metric, g.System, g.Score, want.Score)
			}
			wantP := 1.0 // the baseline, and outputs that are equal to its
			if k > 0 && g.System != "same" {
				wantP = *want.P
			}
			if g.P != wantP {
				t.Errorf("%s %s %d, %s: p = %v, want %v", c.Metric, c.Test, c.Samples, g.System, g.P, wantP)
			}
			if c.Test == "bs" && (math.Abs(g.Interval.Mean-*want.Mean) > 1e-4 || math.Abs(g.Interval.Half()-*want.CI) > 1e-4) {
				t.Errorf("%s %d, %s: %v ± %v, want %v ± %v", c.Metric, c.Samples, g.System, g.Interval.Mean, g.Interval.Half(), *want.Mean, *want.CI)
			}
		}
	}
}

func TestWorkersAndSeeds(t *testing.T) {
	_, tables := read(t)
	for name, test := range map[string]func(context.Context, *mteval.Table, int, Options) ([]PairedTest, error){
		"bootstrap": PairedBootstrap, "randomization": PairedRandomization,
	} {
		var first []PairedTest
		for _, workers := range []int{1, 2, 7} {
			got, err := test(ctx, tables["BLEU"], 1, Options{Samples: 200, Seed: 7, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if d := cmp.Diff(first, got); d != "" {
				t.Errorf("%s, %d workers (-1 +got):\n%s", name, workers, d)
			}
		}
		other, err := test(ctx, tables["BLEU"], 1, Options{Samples: 200, Seed: 8})
		if err != nil || cmp.Equal(first, other) {
			t.Errorf("%s: another seed gives the same, %v", name, err)
		}
	}
}

func TestErrors(t *testing.T) {
	_, tables := read(t)
	table := tables["BLEU"]
	for _, baseline := range []int{-1, 4} {
		if _, err := PairedBootstrap(ctx, table, baseline, Options{}); err == nil {
			t.Errorf("no error for baseline %d", baseline)
		}
		if _, err := PairedRandomization(ctx, table, baseline, Options{}); err == nil {
			t.Errorf("no error for baseline %d", baseline)
		}
	}
	if _, err := Bootstrap(ctx, table, Options{Samples: -1}); err == nil {
		t.Error("no error for -1 samples")
	}
	s, _ := bleu.New(bleu.Options{})
	empty := mteval.NewTable(s, []string{"a"}, 0)
	if _, err := Bootstrap(ctx, empty, Options{}); !errors.Is(err, ErrNoSegments) {
		t.Errorf("no segments: error %v", err)
	}
	if _, err := PairedRandomization(ctx, empty, 0, Options{}); !errors.Is(err, ErrNoSegments) {
		t.Errorf("no segments: error %v", err)
	}
	if got, err := Bootstrap(ctx, mteval.NewTable(s, nil, 3), Options{}); err != nil || len(got) != 0 {
		t.Errorf("no systems: %v, %v", got, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := PairedBootstrap(cancelled, table, 0, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if _, err := PairedRandomization(cancelled, table, 0, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// One segment has no spread, and all-equal samples an interval of one point.
func TestOneSegment(t *testing.T) {
	s, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	table, err := mteval.Systems(ctx, s, [][]string{{"a b c"}}, []mteval.System{{Name: "x", Hyps: []string{"a b"}}, {Name: "y", Hyps: []string{"a c"}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := PairedBootstrap(ctx, table, 0, Options{Samples: 10})
	if err != nil {
		t.Fatal(err)
	}
	if i := got[0].Interval; math.Abs(i.Mean-got[0].Score) > 1e-12 || i.Half() != 0 {
		t.Errorf("%+v", got[0])
	}
	if i := Interval95(nil); i != (Interval{}) {
		t.Errorf("%+v", i)
	}
}

func BenchmarkBootstrap(b *testing.B) {
	_, tables := read(b)
	for b.Loop() {
		if _, err := Bootstrap(ctx, tables["BLEU"], Options{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// numbers is a metric whose rows are given.
type numbers struct{ mteval.Scorer }

func (numbers) Width() int { return 3 }

func (numbers) Info() mteval.Info           { return mteval.Info{Name: "numbers", Scale: 1} }
func (numbers) Score(row []float64) float64 { return row[0] + 10*row[1] + 100*row[2] }

// Packed sums are the plain ones, whatever the largest number.
func TestPackedSums(t *testing.T) {
	of := func(table *mteval.Table) *segments {
		s, err := bySegment(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	sum := func(s *segments, draws []uint32) []float64 {
		sum, err := s.sum(t.Context(), draws)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	for _, largest := range []int{1, 2, 90, 8000, 8191, 8192, 60000, 70000} {
		table := mteval.NewTable(numbers{}, []string{"a", "b", "c"}, 500)
		for k := range table.Systems {
			for i := range table.Len() {
				for j, row := 0, table.Row(k, i); j < len(row); j++ {
					row[j] = float64((i*7919 + k*104729 + j*31) % (largest + 1))
				}
			}
		}
		table.Row(0, 0)[0] = float64(largest)
		s := of(table)
		if packed := s.packed != nil; packed != (largest <= 8191) {
			t.Errorf("largest %d: packed %v", largest, packed)
		}
		plain := *s
		plain.packed = nil
		draws := make([]uint32, 1501)
		for i := range draws {
			draws[i] = uint32(i * i % table.Len())
		}
		if d := cmp.Diff(sum(&plain, draws), sum(s, draws)); d != "" {
			t.Errorf("largest %d (-plain +packed):\n%s", largest, d)
		}
	}
	table := mteval.NewTable(numbers{}, []string{"a"}, 2)
	table.Row(0, 1)[2] = .5
	if of(table).packed != nil {
		t.Error("packed a fraction")
	}
	table.Row(0, 1)[2] = -1
	if of(table).packed != nil {
		t.Error("packed a negative number")
	}
}
