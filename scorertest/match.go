package scorertest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
)

// matchSide is the way from references and hypotheses to matchings.
func (t *tester) matchSide(s mteval.MatchScorer) *side[mteval.Matcher, mteval.Matching] {
	return &side[mteval.Matcher, mteval.Matching]{
		t: t, prepare: "PrepareMatch", call: "Match",
		make: s.PrepareMatch,
		run: func(ctx context.Context, m mteval.Matcher, segs []int, hyps []string) ([]mteval.Matching, error) {
			out := make([]mteval.Matching, len(hyps))
			if err := m.Match(ctx, out, segs, hyps); err != nil {
				return nil, err
			}
			return out, nil
		},
		differ: differMatchings,
	}
}

func (t *tester) checkMatchScorer(s mteval.MatchScorer) {
	side := t.matchSide(s)
	if !side.prepared() {
		return
	}
	before := t.allRefTokens(side.p)
	if before == nil || !side.checkAll() {
		return
	}
	// The matcher that made what the matchings are compared with.
	m := side.p
	t.matchings = side.want
	tokens := t.allRefTokens(m)
	if tokens == nil {
		return
	}
	t.Guard("Match", func() { t.checkMatchings(tokens) })
	t.Guard("AppendMatch", func() { t.checkAppendMatch(s, tokens) })
	if !side.broken {
		t.Guard("Match", func() { t.checkOut(side) })
	}
	if !side.broken && !t.rowsBroken {
		t.Guard("MatchSystems", func() { t.checkMatchSystems(s, m) })
	}
	t.Guard("RefTokens", func() {
		for i := range t.refs {
			for r, now := range m.RefTokens(i) {
				if !slices.Equal(now, tokens[i][r]) || !slices.Equal(now, before[i][r]) {
					t.Fail("RefTokens", refTokensSame, "segment %d, reference %.60q: %+v became %+v", i, t.refs[i][r], before[i][r], now)
				}
			}
		}
	})
}

// allRefTokens returns a copy of the tokens of all references, nil where their
// number is wrong.
func (t *tester) allRefTokens(m mteval.Matcher) (all [][][]mteval.Token) {
	t.Guard("RefTokens", func() {
		tokens := make([][][]mteval.Token, len(t.refs))
		for i, refs := range t.refs {
			own := m.RefTokens(i)
			if len(own) != len(refs) {
				t.Fail("RefTokens", refTokens, "segment %d has %d references, and tokens of %d", i, len(refs), len(own))
				return
			}
			for r, text := range refs {
				t.checkTokens("RefTokens", text, own[r])
			}
			tokens[i] = cloneTokens(own)
		}
		all = tokens
	})
	return all
}

func cloneTokens(refs [][]mteval.Token) [][]mteval.Token {
	out := make([][]mteval.Token, len(refs))
	for r := range refs {
		out[r] = slices.Clone(refs[r])
	}
	return out
}

// checkTokens checks what holds for the tokens of any text. Tokens may share a
// place, as the bytes of a character do for some models.
func (t *tester) checkTokens(where, text string, tokens []mteval.Token) {
	start, end := 0, 0
	for j, k := range tokens {
		if k.Weight < 0 || notFinite(float64(k.Weight)) {
			t.Fail(where, tokenWeight, "text %.60q, token %d: %+v", text, j, k)
		}
		if k.Start == 0 && k.End == 0 {
			continue // not in the text
		}
		if k.Start < start || k.End < end || k.Start >= k.End || k.End > len(text) {
			t.Fail(where, tokenSpan, "text %.60q (%d bytes), token %d: %+v, the one before ends at %d", text, len(text), j, k, end)
		}
		start, end = k.Start, k.End
	}
}

// checkMatchings checks the matchings that the hypotheses got one by one.
func (t *tester) checkMatchings(refs [][][]mteval.Token) {
	const where = "Match"
	for i, m := range t.matchings {
		p := t.pairs[i]
		t.checkTokens(where, p.hyp, m.Tokens)
		if len(m.Pairings) != len(refs[p.seg]) {
			t.Fail(where, matchShape, "%v: %d pairings for %d references", p, len(m.Pairings), len(refs[p.seg]))
			continue
		}
		for r, pairing := range m.Pairings {
			ref := refs[p.seg][r]
			if len(pairing.Hyp) != len(m.Tokens) || len(pairing.Ref) != len(ref) {
				t.Fail(where, matchShape, "%v, reference %d: %d and %d links for %d and %d tokens",
					p, r, len(pairing.Hyp), len(pairing.Ref), len(m.Tokens), len(ref))
				continue
			}
			t.checkLinks(p, r, pairing.Hyp, ref)
			t.checkLinks(p, r, pairing.Ref, m.Tokens)
			t.checkSpans(p, r, pairing.Spans, len(m.Tokens), len(ref))
		}
	}
}

// checkLinks checks links to the tokens of the other side.
func (t *tester) checkLinks(p pair, r int, links []mteval.Link, other []mteval.Token) {
	const where = "Match"
	for j, l := range links {
		if notFinite(float64(l.Sim)) || l.Sim > 1 {
			t.Fail(where, matchSim, "%v, reference %d, token %d: %+v", p, r, j, l)
		}
		switch {
		case len(other) == 0:
			if l.To != -1 || l.Sim != 0 {
				t.Fail(where, matchNone, "%v, reference %d, token %d: %+v", p, r, j, l)
			}
		case l.To < -1 || int(l.To) >= len(other):
			t.Fail(where, matchTo, "%v, reference %d, token %d: %+v, there are %d", p, r, j, l, len(other))
		case l.To >= 0 && other[l.To].Weight == 0:
			t.Fail(where, matchTo, "%v, reference %d, token %d: %+v is left out: %+v", p, r, j, l, other[l.To])
		}
	}
}

// checkSpans checks the runs that are aligned.
func (t *tester) checkSpans(p pair, r int, spans []mteval.Span, hyp, ref int) {
	taken, end := make([]bool, hyp), int32(0)
	for _, c := range spans {
		ok := c.HypLen > 0 && c.RefLen > 0 && c.Stage >= 0 && c.Hyp >= 0 && int(c.Hyp)+int(c.HypLen) <= hyp &&
			c.Ref >= end && int(c.Ref)+int(c.RefLen) <= ref
		if ok {
			for j := c.Hyp; j < c.Hyp+c.HypLen; j++ {
				ok = ok && !taken[j]
				taken[j] = true
			}
			end = c.Ref + c.RefLen
		}
		if !ok {
			t.Fail("Match", matchSpans, "%v, reference %d: %+v of %d and %d tokens", p, r, c, hyp, ref)
		}
	}
}

// checkOut hands Match slices that hold other things already.
func (t *tester) checkOut(s *side[mteval.Matcher, mteval.Matching]) {
	const where = "Match"
	n := len(t.refs)
	out := garbage(n)
	match := func(of []int, segs []int, hyps []string, what string) bool {
		if err := s.p.Match(background, out, segs, hyps); err != nil {
			t.Fail(where, callFails, "%s: %w", what, err)
			return false
		}
		if of != nil {
			s.compare(out, of, where, matchReuse, what)
		}
		return true
	}
	of := t.identity()
	segs, hyps := t.split(of)
	if !match(of, segs, hyps, "out full of other things") {
		return
	}
	// Hypotheses that are equal must not come to share memory, or the next
	// call writes to it twice.
	equal := make([]int, n)
	same := slices.Repeat(t.hyps[:1], n)
	if !match(nil, equal, same, "the same hypothesis many times") {
		return
	}
	slices.Reverse(of)
	segs, hyps = t.split(of)
	if !match(of, segs, hyps, "out of an earlier call") {
		return
	}

	kept := make([]mteval.Matching, n)
	for k := range out {
		kept[k] = cloneMatching(&out[k])
	}
	if _, ok := s.do(background, s.p, equal, same, "another out"); !ok {
		return
	}
	s.do(background, s.p, nil, t.hyps, "another out")
	for k := range out {
		if d := differMatchings(out[k], kept[k]); d != "" {
			t.Fail(where, matchEarlier, "%v: %s", t.pairs[of[k]], d)
		}
	}
}

// garbage returns matchings of all sizes that are full of nonsense.
func garbage(n int) []mteval.Matching {
	out := make([]mteval.Matching, n)
	for k := range out {
		m := &out[k]
		for j := range (k * 7) % 40 {
			m.Tokens = append(m.Tokens, mteval.Token{Text: "garbage", Start: j - 9, End: -j, Weight: float32(math.NaN())})
		}
		for range k % 5 {
			links := slices.Repeat([]mteval.Link{{To: 1 << 30, Sim: float32(math.NaN())}}, k%3*20)
			m.Pairings = append(m.Pairings, mteval.Pairing{
				Hyp: links, Ref: slices.Clone(links), Spans: slices.Repeat([]mteval.Span{{Hyp: -7, Stage: 99}}, k%4),
			})
		}
		if k%2 == 0 { // with what is behind the length
			m.Tokens, m.Pairings = m.Tokens[:0], m.Pairings[:0]
		}
	}
	return out
}

func cloneMatching(m *mteval.Matching) mteval.Matching {
	c := mteval.Matching{Tokens: slices.Clone(m.Tokens), Pairings: slices.Clone(m.Pairings)}
	for r, p := range c.Pairings {
		c.Pairings[r] = mteval.Pairing{Hyp: slices.Clone(p.Hyp), Ref: slices.Clone(p.Ref), Spans: slices.Clone(p.Spans)}
	}
	return c
}

// differMatchings says where two matchings differ in any bit.
func differMatchings(got, want mteval.Matching) string {
	for j := range max(len(got.Tokens), len(want.Tokens)) {
		if j >= len(got.Tokens) || j >= len(want.Tokens) || !sameToken(got.Tokens[j], want.Tokens[j]) {
			return fmt.Sprintf("tokens %+v, want %+v", tail(got.Tokens, j), tail(want.Tokens, j))
		}
	}
	if len(got.Pairings) != len(want.Pairings) {
		return fmt.Sprintf("%d pairings, want %d", len(got.Pairings), len(want.Pairings))
	}
	for r, p := range got.Pairings {
		q := want.Pairings[r]
		if !slices.Equal(p.Spans, q.Spans) {
			return fmt.Sprintf("reference %d, spans %+v, want %+v", r, p.Spans, q.Spans)
		}
		for k, sides := range [2][2][]mteval.Link{{p.Hyp, q.Hyp}, {p.Ref, q.Ref}} {
			if !slices.EqualFunc(sides[0], sides[1], sameLink) {
				return fmt.Sprintf("reference %d, links of the %s %+v, want %+v", r, [2]string{"hypothesis", "reference"}[k], sides[0], sides[1])
			}
		}
	}
	return ""
}

// tail is what is worth telling of tokens that differ at j.
func tail(tokens []mteval.Token, j int) []mteval.Token {
	return tokens[min(j, len(tokens)):min(j+2, len(tokens))]
}

func sameToken(a, b mteval.Token) bool {
	return a.Text == b.Text && a.Start == b.Start && a.End == b.End && math.Float32bits(a.Weight) == math.Float32bits(b.Weight)
}

func sameLink(a, b mteval.Link) bool {
	return a.To == b.To && math.Float32bits(a.Sim) == math.Float32bits(b.Sim)
}

func (t *tester) checkAppendMatch(s mteval.MatchScorer, refs [][][]mteval.Token) {
	const where = "AppendMatch"
	w := t.width
	for i, p := range t.pairs {
		m := cloneMatching(&t.matchings[i])
		own := cloneTokens(refs[p.seg])
		for name, dst := range dsts(w) {
			n, before := len(dst), slices.Clone(dst)
			got := s.AppendMatch(dst, p.seg, own, &m)
			if len(got) != n+w || !sameBits(got[:n], before) || !sameBits(dst, before) {
				t.Fail(where, matchAppends, "%v, dst %s: %v became %v, Width is %d", p, name, before, got, w)
				continue
			}
			if d := differRows(got[n:], t.rows[i]); d != "" {
				t.Fail(where, matchRow, "%v: %s", p, d)
			}
		}
		if d := differMatchings(m, t.matchings[i]); d != "" {
			t.Fail(where, matchInput, "%v: %s", p, d)
		}
		if !slices.EqualFunc(own, refs[p.seg], slices.Equal[[]mteval.Token]) {
			t.Fail(where, matchInput, "%v: reference tokens %+v became %+v", p, refs[p.seg], own)
		}
	}
}

func (t *tester) checkMatchSystems(s mteval.MatchScorer, m mteval.Matcher) {
	const where = "MatchSystems"
	systems := t.systems()
	table, err := mteval.Systems(background, t.s, cloneRefs(t.refs), systems)
	if err != nil {
		return // told already
	}
	ms, err := mteval.MatchSystems(background, m, systems)
	if err != nil {
		t.Fail(where, matchTable, "%w", err)
		return
	}
	matched := ms.Table(s)
	for k, system := range systems {
		for i := range t.refs {
			if d := differRows(matched.Row(k, i), table.Row(k, i)); d != "" {
				t.Fail(where, matchTable, "system %s, %v: %s", system.Name, pair{i, system.Hyps[i]}, d)
			}
		}
	}
}
