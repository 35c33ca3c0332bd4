package significance

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
)

// numberTable has rows of numbers, whole or not.
func numberTable(systems, segments int, step float64) *mteval.Table {
	t := mteval.NewTable(numbers{}, make([]string, systems), segments)
	for k := range systems {
		for i := range segments {
			for j, row := 0, t.Row(k, i); j < len(row); j++ {
				row[j] = step * float64((i*7919+k*104729+j*31)%90)
			}
		}
	}
	return t
}

// The samples of several tables are those of each: of whole numbers to the last bit, whether
// they are packed or not, and of others sums in another order.
func TestBootstrapTables(t *testing.T) {
	tables := []*mteval.Table{numberTable(3, 70, 1), numberTable(2, 70, .1), numberTable(0, 70, 1), numberTable(1, 70, 1)}
	for _, workers := range []int{1, 3} {
		o := Options{Samples: 150, Seed: 9, Workers: workers}
		got, err := BootstrapTables(t.Context(), tables, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, table := range tables {
			want, err := Bootstrap(t.Context(), table, o)
			if err != nil {
				t.Fatal(err)
			}
			if len(got[i]) != len(table.Systems) {
				t.Fatalf("table %d: %d systems", i, len(got[i]))
			}
			for k := range want {
				for s, v := range want[k] {
					if g := got[i][k][s]; g != v && (i != 1 || math.Abs(g-v) > 1e-9*v) {
						t.Errorf("table %d, system %d, sample %d: %v, want %v", i, k, s, g, v)
					}
				}
			}
			alone, err := BootstrapTables(t.Context(), tables[i:i+1], o)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got[i:i+1], alone); d != "" && len(table.Systems) > 0 {
				t.Errorf("table %d (-of all +alone):\n%s", i, d)
			}
		}
	}
}

func TestBootstrapTablesErrors(t *testing.T) {
	one := numberTable(1, 5, 1)
	for name, tables := range map[string][]*mteval.Table{
		"nil":         {one, nil},
		"no segments": {numberTable(1, 0, 1)},
		"lengths":     {one, numberTable(1, 6, 1)},
	} {
		if got, err := BootstrapTables(t.Context(), tables, Options{}); err == nil || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := BootstrapTables(t.Context(), []*mteval.Table{one}, Options{Samples: -1}); err == nil {
		t.Error("−1 samples")
	}
	if got, err := BootstrapTables(t.Context(), nil, Options{}); err != nil || len(got) > 0 {
		t.Errorf("no tables: %v, %v", got, err)
	}
	for _, calls := range []int64{0, 1, 5} {
		if _, err := BootstrapTables(kit.NewCountdown(calls), []*mteval.Table{one, one}, Options{Samples: 1000}); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d calls: %v", calls, err)
		}
	}
}
