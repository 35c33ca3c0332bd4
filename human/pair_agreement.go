package human

import (
	"errors"
	"fmt"

	"github.com/mteval/mteval/metaeval"
)

// Chance says how often two judgements of a pair agree by chance.
type Chance uint8

const (
	// Empirical: by how many of the pairs are ties (WMT from 2011). Which system stands
	// first means nothing, so what is left is half A > B and half B > A.
	Empirical Chance = iota
	// Uniform: 1/3, A > B, a tie and B > A being as likely (WMT until 2010).
	Uniform
)

// A PairAgreement is WMT's agreement on pairs of outputs (Callison-Burch et al. 2007 and
// later):
//
//	κ = (P(A) − P(E)) / (1 − P(E)),  P(E) = P(A > B)² + P(A = B)² + P(A < B)²
type PairAgreement struct {
	// Judged twice is how many pairs of judgements of the same two outputs there are,
	// and Agreed how many of them say the same.
	Judged, Agreed int
	PA             float64 // Agreed / Judged
	PE             float64 // by chance
	Kappa          float64
}

// Between is the agreement of different judges on the same pair of outputs.
func (p *Pairs) Between(c Chance) (PairAgreement, error) { return p.agreement(c, false) }

// Within is the agreement of judges with themselves, when they judged a pair more than
// once.
func (p *Pairs) Within(c Chance) (PairAgreement, error) { return p.agreement(c, true) }

// agreement counts pairs of judgements. It wraps metaeval.ErrUndefined where there are none, and
// where all are ties.
func (p *Pairs) agreement(chance Chance, within bool) (PairAgreement, error) {
	if err := p.check(); err != nil {
		return PairAgreement{}, err
	}
	if chance > Uniform {
		return PairAgreement{}, fmt.Errorf("human: there is no chance %d", chance)
	}
	if p.Judges == nil {
		return PairAgreement{}, errors.New("human: the agreement of judges needs their names, and these pairs have none")
	}
	type two struct{ item, a, b int }
	type own struct {
		two
		judge string
	}
	all := make(map[two][3]int)
	alone := make(map[own][3]int)
	ties := 0
	for i, c := range p.Pairs {
		if c.A > c.B {
			c.A, c.B, c.Human = c.B, c.A, -c.Human
		}
		if c.Human == 0 {
			ties++
		}
		k := two{c.Item, c.A, c.B}
		n := all[k]
		n[c.Human+1]++
		all[k] = n
		n = alone[own{k, p.Judges[i]}]
		n[c.Human+1]++
		alone[own{k, p.Judges[i]}] = n
	}
	var same, every PairAgreement
	for _, n := range alone {
		same.add(n)
	}
	for _, n := range all {
		every.add(n)
	}
	out := same
	if !within {
		out = PairAgreement{Judged: every.Judged - same.Judged, Agreed: every.Agreed - same.Agreed}
	}
	if out.Judged == 0 {
		return PairAgreement{}, fmt.Errorf("human: agreement is %w: no pair of outputs was judged twice", metaeval.ErrUndefined)
	}
	out.PA = float64(out.Agreed) / float64(out.Judged)
	out.PE = 1. / 3
	if chance == Empirical {
		t := float64(ties) / float64(len(p.Pairs))
		out.PE = t*t + (1-t)*(1-t)/2
		if ties == len(p.Pairs) {
			return PairAgreement{}, fmt.Errorf("human: agreement is %w: all pairs are ties", metaeval.ErrUndefined)
		}
	}
	out.Kappa = (out.PA - out.PE) / (1 - out.PE)
	return out, nil
}

// add adds the pairs among judgements of which n[k] say k.
func (a *PairAgreement) add(n [3]int) {
	sum := 0
	for _, k := range n {
		a.Agreed += k * (k - 1) / 2
		sum += k
	}
	a.Judged += sum * (sum - 1) / 2
}
