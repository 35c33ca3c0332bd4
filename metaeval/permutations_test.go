package metaeval

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/mteval/mteval/internal/kit"
)

// NumPy's counts, see scripts/record_permutations.py: of tables with several blocks of items
// and several tiles of systems.
func TestPermutationPValuesOfNumPy(t *testing.T) {
	data, err := os.ReadFile("testdata/permutations.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Cases []struct {
			Systems, Items int
			Seed           uint64
			Reached        [][]float64
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Cases) != 7 {
		t.Fatalf("%d cases", len(recorded.Cases))
	}
	for _, c := range recorded.Cases {
		var systems, items []string
		for k := range c.Systems {
			systems = append(systems, strconv.Itoa(k))
		}
		for i := range c.Items {
			items = append(items, strconv.Itoa(i))
		}
		s := NewScores(systems, items)
		for k := range c.Systems {
			for i := range c.Items {
				v := (7*i*i + 13*k*k + i*k) % 97
				if k < i%3 {
					v++
				}
				s.Set(k, i, float64(v)/10)
			}
		}
		p, err := PermutationPValues(t.Context(), s, 1000, c.Seed)
		if err != nil {
			t.Fatal(err)
		}
		for a, row := range c.Reached {
			for k, want := range row {
				if got := 1000 * p[a][a+1+k]; math.Abs(got-want) > 1e-9 {
					t.Errorf("%d systems, %d items: %v of 1,000 for %d and %d, want %v", c.Systems, c.Items, got, a, a+1+k, want)
				}
			}
		}
	}
}

// It ends between two permutations, however many are left.
func TestPermutationPValuesCancelled(t *testing.T) {
	s := NewScores([]string{"a", "b"}, []string{"1", "2"})
	copy(s.Values, []float64{1, 2, 3, 5})
	ctx := kit.NewCountdown(3)
	if p, err := PermutationPValues(ctx, s, math.MaxInt, 4); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", p, err)
	}
}
