package mbr

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/ter"
)

// How work is cut into blocks and calls changes no bit.
func TestBlocks(t *testing.T) {
	symmetric, err := chrf.New(chrf.Options{Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	seg := Segment{Candidates: []string{"a b", "a c b", "", "a b", "b b c", "c", "a c b", "b a", "c b a d", "d"}}
	weighted := seg
	weighted.Weights = []float64{1, 0, 3, 2, 5, 0, 1, 1, .5, 4}
	other := seg
	other.References = []string{"a", "b b", "a b", "a", "b c d"}
	for name, s := range map[string]mteval.Scorer{"chrf": &chrf.Scorer{}, "symmetric": symmetric, "bleu": &bleu.Scorer{}, "ter": &ter.Scorer{}} {
		for _, o := range []Options{{}, {Prune: &Pruning{Samples: []int{2, 3, 10}, Draws: 20}}} {
			whole, err := New(s, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{1, 7, 40} {
				cut, err := New(s, o)
				if err != nil {
					t.Fatal(err)
				}
				cut.block, cut.call = n, n
				for i, seg := range []Segment{seg, weighted, other} {
					if d := cmp.Diff(all(t, whole, seg), all(t, cut, seg)); d != "" {
						t.Errorf("%s, %+v, blocks of %d, segment %d: %s", name, o, n, i, d)
					}
				}
			}
		}
	}
}

// all is everything that a Decoder says of a segment.
func all(t *testing.T, d *Decoder, seg Segment) []any {
	t.Helper()
	r, err := d.Decode(t.Context(), seg)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := d.Scores(t.Context(), nil, seg)
	if err != nil {
		t.Fatal(err)
	}
	return []any{r, scores}
}

// Five hundred candidates, whose rows would be 36 MB, take a small part of that.
func TestDecodeMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	candidates := make([]string, 500)
	for i := range candidates {
		candidates[i] = fmt.Sprintf("w%d x%d", i, i%7)
	}
	for name, s := range map[string]mteval.Scorer{"pairs": &chrf.Scorer{}, "plain": hidden{&chrf.Scorer{}}} {
		d, err := New(s, Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := d.Decode(t.Context(), Segment{Candidates: candidates}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 10<<20 {
			t.Errorf("%s: %d MB were allocated in all", name, got>>20)
		}
	}
}

// hidden is a Scorer and no more.
type hidden struct{ mteval.Scorer }
