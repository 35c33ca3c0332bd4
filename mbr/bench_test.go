package mbr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/mbr"
)

// candidates are n different sentences of 25 words that have many in common, as samples do.
func candidates(n int) []string {
	words := strings.Fields("the old keeper of lock has opened a gate at six and nobody told her about strike which began in harbour that morning before ferry left")
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for w := range 25 {
			at := w
			if (i*7+w*w)%5 == 0 {
				at = (w + i) % len(words)
			}
			fmt.Fprintf(&b, "%s ", words[at])
		}
		fmt.Fprintf(&b, "%d.", i)
		out[i] = b.String()
	}
	return out
}

func BenchmarkDecode(b *testing.B) {
	seg := mbr.Segment{Candidates: candidates(100)}
	for _, aggregate := range []bool{false, true} {
		b.Run(fmt.Sprintf("aggregate=%t", aggregate), func(b *testing.B) {
			d, err := mbr.New(&chrf.Scorer{}, mbr.Options{Aggregate: aggregate, Workers: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Decode(b.Context(), seg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
