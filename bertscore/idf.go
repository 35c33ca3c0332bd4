package bertscore

import (
	"context"
	"math"

	"github.com/mteval/mteval"
)

// idf holds the weights of tokens; nil weighs all alike.
type idf struct {
	weight map[string]float32
	unseen float32
}

// everywhere is the weight of a token that every reference has, log 1 = 0: next
// to nothing, but it keeps the mean of nothing but such tokens defined.
const everywhere = 1e-30

// newIDF counts in how many of the references each token is: sides are those of the
// different texts. A text that is several references counts as often.
func newIDF(ctx context.Context, r *references, sides []side) (*idf, error) {
	docs := make(map[string]int)
	n := 0.0
	for _, places := range r.places {
		for _, place := range places {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n++
			once := make(map[string]bool)
			for _, t := range sides[place].tokens {
				if t.Weight != 0 && !once[t.Text] {
					once[t.Text] = true
					docs[t.Text]++
				}
			}
		}
	}
	f := &idf{make(map[string]float32, len(docs)), float32(math.Log(n + 1))}
	for t, d := range docs {
		f.weight[t] = float32(max(everywhere, math.Log((n+1)/float64(d+1))))
	}
	return f, nil
}

func (f *idf) apply(tokens []mteval.Token) {
	if f == nil {
		return
	}
	for i := range tokens {
		if t := &tokens[i]; t.Weight != 0 {
			w, ok := f.weight[t.Text]
			if !ok {
				w = f.unseen
			}
			t.Weight = w
		}
	}
}
