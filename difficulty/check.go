package difficulty

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
)

// A checkingMatcher is a metric's matcher whose matchings are checked before they are used, so
// that a metric that breaks the contract of mteval.Matcher is an error that names it, and
// neither a panic nor a wrong score.
type checkingMatcher struct {
	mteval.Matcher
	metric string
	refs   [][]refWeights
}

func (c *checkingMatcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(c.refs), segs, hyps); err != nil {
		return err
	}
	if len(out) != len(hyps) {
		return fmt.Errorf("difficulty: %d hypotheses with room for %d matchings", len(hyps), len(out))
	}
	if err := c.Matcher.Match(ctx, out, segs, hyps); err != nil {
		return err
	}
	for k := range out {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		refs := c.refs[seg]
		err := checkMatching(&out[k], len(refs), func(r int) []mteval.Token { return refs[r].tokens })
		if err != nil {
			return &mteval.SegmentError{Segment: seg, Side: mteval.HypothesisSide, Index: k,
				Err: fmt.Errorf("difficulty: metric %s gave %w", c.metric, err)}
		}
	}
	return nil
}

// checkMatchings checks matchings that a metric's matcher made, if it was no
// checkingMatcher.
func checkMatchings(ctx context.Context, ms *mteval.Matchings) error {
	for i := range ms.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		refs := ms.RefTokens(i)
		for k := range ms.Systems {
			if err := checkMatching(ms.At(k, i), len(refs), func(r int) []mteval.Token { return refs[r] }); err != nil {
				return &mteval.SegmentError{Segment: i, Side: mteval.HypothesisSide, Index: k,
					Err: fmt.Errorf("difficulty: the matchings of system %s have %w", ms.Systems[k], err)}
			}
		}
	}
	return nil
}

// checkMatching says what of a matching can't be used with the tokens of n references.
func checkMatching(m *mteval.Matching, n int, ref func(r int) []mteval.Token) error {
	if len(m.Pairings) != n {
		return fmt.Errorf("%d pairings for %d references", len(m.Pairings), n)
	}
	for i := range m.Tokens {
		if w := m.Tokens[i].Weight; !(w >= 0 && w <= maxDifficulty) {
			return fmt.Errorf("weight %v of token %q, not in 0 to %g", w, m.Tokens[i].Text, maxDifficulty)
		}
	}
	for r := range m.Pairings {
		p, tokens := &m.Pairings[r], ref(r)
		if len(p.Hyp) != len(m.Tokens) || len(p.Ref) != len(tokens) {
			return fmt.Errorf("%d and %d links for %d and %d tokens", len(p.Hyp), len(p.Ref), len(m.Tokens), len(tokens))
		}
		if err := checkLinks(p.Hyp, tokens); err != nil {
			return err
		}
		if err := checkLinks(p.Ref, m.Tokens); err != nil {
			return err
		}
	}
	return nil
}

// checkLinks checks links to the tokens of the other side.
func checkLinks(links []mteval.Link, others []mteval.Token) error {
	for _, l := range links {
		// The first for NaN and infinity, too.
		if !(l.Sim-l.Sim == 0 && l.Sim <= 1) || l.To < -1 || int(l.To) >= len(others) || l.To >= 0 && others[l.To].Weight == 0 {
			return fmt.Errorf("a link to token %d, of similarity %v, of %d tokens", l.To, l.Sim, len(others))
		}
	}
	return nil
}
