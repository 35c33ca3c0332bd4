package human

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// Pairs are comparisons of two systems' outputs. Their indices are into Systems and
// Items: metaeval.Scores.Select(Systems, Items) brings a metric's scores into this order.
type Pairs struct {
	Systems, Items []string
	Pairs          []metaeval.Pair
	// Judges has the name of each pair's judge; nil if they were not said.
	Judges []string
}

// check returns an error for nil, indices out of range, and the like.
func (p *Pairs) check() error {
	if p == nil {
		return errors.New("human: no pairs: they are nil")
	}
	if p.Judges != nil && len(p.Judges) != len(p.Pairs) {
		return fmt.Errorf("human: %d judges of %d pairs", len(p.Judges), len(p.Pairs))
	}
	for i, c := range p.Pairs {
		if c.Item < 0 || c.Item >= len(p.Items) || c.A < 0 || c.A >= len(p.Systems) || c.B < 0 || c.B >= len(p.Systems) {
			return fmt.Errorf("human: pair %d is out of range: item %d of %d, systems %d and %d of %d", i, c.Item, len(p.Items), c.A, c.B, len(p.Systems))
		}
		if c.A == c.B || c.Human < -1 || c.Human > 1 {
			return fmt.Errorf("human: pair %d: system %d against %d has %d, want two systems and 1, 0 or -1", i, c.A, c.B, c.Human)
		}
	}
	return nil
}

// A Count says how often the output of system A was judged better than that of system
// B, equal to it, and worse.
type Count struct {
	A, B                int
	Better, Ties, Worse int
}

// Counts adds up the pairs: one count for each two systems that were compared, the one
// that comes first in Systems as A, in this order.
func (p *Pairs) Counts() ([]Count, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	n := len(p.Systems)
	at := make(map[int]Count)
	for _, c := range p.Pairs {
		if c.A > c.B {
			c.A, c.B, c.Human = c.B, c.A, -c.Human
		}
		k := at[c.A*n+c.B]
		switch c.Human {
		case 1:
			k.Better++
		case 0:
			k.Ties++
		default:
			k.Worse++
		}
		at[c.A*n+c.B] = k
	}
	var out []Count
	for _, two := range slices.Sorted(maps.Keys(at)) {
		k := at[two]
		k.A, k.B = two/n, two%n
		out = append(out, k)
	}
	return out, nil
}

// ExpectedWins returns the score of each of n systems that WMT ranked by from 2013
// (Koehn 2012; Bojar et al. 2013): the chance that it beats another system, averaged
// over the other systems,
//
//	score(i) = 1/|J| Σ_j win(i, j) / (win(i, j) + win(j, i))
//
// where ties count for nothing and J are the systems that it has any other comparison
// with. It wraps [metaeval.ErrUndefined] if a system has none with any. A count that is negative,
// or not of two of the systems, is another error.
func ExpectedWins(n int, counts []Count) ([]float64, error) {
	if n < 0 {
		return nil, fmt.Errorf("human: expected wins of %d systems", n)
	}
	type two struct{ a, b int }
	merged := make(map[two][2]float64) // better and worse
	var order []two                    // so that sums do not depend on the map's
	for _, c := range counts {
		if c.A < 0 || c.A >= n || c.B < 0 || c.B >= n || c.A == c.B || c.Better < 0 || c.Ties < 0 || c.Worse < 0 {
			return nil, fmt.Errorf("human: no count of two among %d systems: %+v", n, c)
		}
		if c.A > c.B {
			c.A, c.B, c.Better, c.Worse = c.B, c.A, c.Worse, c.Better
		}
		k := two{c.A, c.B}
		m, ok := merged[k]
		if !ok {
			order = append(order, k)
		}
		merged[k] = [2]float64{m[0] + float64(c.Better), m[1] + float64(c.Worse)}
	}
	// Of more systems than the counts can have, one of the first is undefined.
	n = min(n, 2*len(order)+1)
	wins, against := make([]float64, n), make([]int, n)
	add := func(system int, share float64) {
		if system < n {
			wins[system] += share
			against[system]++
		}
	}
	for _, k := range order {
		if m := merged[k]; m[0]+m[1] > 0 {
			add(k.a, m[0]/(m[0]+m[1]))
			add(k.b, m[1]/(m[0]+m[1]))
		}
	}
	for i := range wins {
		if against[i] == 0 {
			return nil, fmt.Errorf("human: expected wins of system %d: %w: it has no comparison that is not a tie", i, metaeval.ErrUndefined)
		}
		wins[i] /= float64(against[i])
	}
	return wins, nil
}
