// Package synthetic makes up translations, of words as frequent as Zipf's law has them, for tests
// and measurements. The same numbers give the same texts everywhere.
package synthetic

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/mteval/mteval/distributed"
)

const vocabulary = 50_000

var words = func() []string {
	syllables := strings.Fields("ba de fi go ku la me ni po ru sa te vi wo zu ar el in or un")
	out := make([]string, vocabulary)
	for i := range out {
		// Frequent words are short.
		var b strings.Builder
		for n := i + 1; n > 0; n /= len(syllables) {
			b.WriteString(syllables[n%len(syllables)])
		}
		out[i] = b.String()
	}
	return out
}()

// Segment returns the outputs of systems for segment i: each copies the reference, of 3 to 40
// words, and leaves out words, puts in others and swaps neighbours, the first systems less than
// the last.
func Segment(i, systems int) []distributed.Record {
	r := rand.New(rand.NewPCG(20260101, uint64(i)))
	zipf := rand.NewZipf(r, 1.1, 2, vocabulary-1)
	reference := make([]string, 3+r.IntN(38))
	for k := range reference {
		reference[k] = words[zipf.Uint64()]
		if r.IntN(12) == 0 {
			reference[k] += ","
		}
	}
	out := make([]distributed.Record, systems)
	ref := strings.Join(reference, " ") + "."
	for s := range out {
		often := 0.04 * float64(s+1) / float64(systems) * 5
		var hyp []string
		for _, w := range reference {
			switch x := r.Float64() / often; {
			case x < .3:
			case x < .8:
				hyp = append(hyp, words[zipf.Uint64()])
			case x < 1 && len(hyp) > 0:
				hyp = append(hyp, hyp[len(hyp)-1])
				hyp[len(hyp)-2] = w
			default:
				hyp = append(hyp, w)
			}
		}
		out[s] = distributed.Record{
			System: fmt.Sprintf("sys%02d", s+1), Segment: fmt.Sprintf("%09d", i+1),
			Hypothesis: strings.Join(hyp, " ") + ".", References: []string{ref},
		}
	}
	return out
}
