package mteval

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/mteval/mteval/internal/contract"
)

// A Token of a text.
type Token struct {
	// Text is what makes two tokens equal: a word, or a model's subword piece.
	Text string
	// Start and End are the token's place in the text it was taken from, in
	// bytes. Both are 0 for a token that is not in the text, such as [CLS].
	Start, End int
	// Weight is what the token counts for in an average: 1, or its IDF. A
	// token of weight 0 is left out of averages, though others may match it.
	Weight float32
}

// A Link says how well a token is matched on the other side.
type Link struct {
	// To is the index of the token that it matches best among those that the
	// metric does not leave out, −1 if it matches none.
	To int32
	// Sim is the best similarity to any token, left-out ones included; 0 if
	// there is none. It can be negative, and is at most 1.
	Sim float32
}

// A Pairing links the tokens of a hypothesis and those of one reference, in both
// directions.
type Pairing struct {
	Hyp []Link // one for each token of the hypothesis
	Ref []Link // one for each token of the reference

	// Spans are the runs of tokens that were aligned, in the order of the
	// reference, for a metric whose row does not follow from links alone. Others
	// set it to nil.
	Spans []Span
}

// A Span is a run of tokens of a hypothesis that is aligned with one of a reference.
type Span struct {
	Hyp, Ref       int32 // the first token of each
	HypLen, RefLen int32 // how many there are, at least 1
	Stage          int32 // by which of the metric's rules, from 0
}

// A Matching is a hypothesis matched against all references of its segment.
type Matching struct {
	Tokens   []Token   // the hypothesis's tokens
	Pairings []Pairing // one for each reference
}

// A Matcher matches tokens of hypotheses with those of prepared references. It
// is safe for concurrent use.
type Matcher interface {
	// Len is the number of segments.
	Len() int

	// RefTokens returns the tokens of each reference of a segment. The
	// slices are the matcher's own and must not be changed. It panics if
	// there is no such segment.
	RefTokens(segment int) [][]Token

	// Match sets out[k], for each k, to the matching of hyps[k] with the
	// references of segment segs[k] (segs nil: segment k). The slices in out
	// may be used again where they are large enough. On error what out holds
	// is not defined.
	Match(ctx context.Context, out []Matching, segs []int, hyps []string) error
}

// A MatchScorer is a Scorer whose rows come from matching tokens, and nothing
// else. Package difficulty can reweigh any of them.
type MatchScorer interface {
	Scorer

	// PrepareMatch does the work on the references, under the conditions of
	// Scorer.Prepare.
	PrepareMatch(ctx context.Context, refs [][]string) (Matcher, error)

	// AppendMatch appends the row of a hypothesis of a segment, made from its
	// matching alone. refs are the tokens of the segment's references, m what
	// a Matcher of PrepareMatch's made of the hypothesis. It panics if m is not.
	AppendMatch(dst []float64, segment int, refs [][]Token, m *Matching) []float64
}

// PrepareMatched is what a MatchScorer's Prepare returns: the rows of s from the
// matchings of m. It panics if one of them is nil.
func PrepareMatched(s MatchScorer, m Matcher) Prepared {
	if contract.Nil(s) || contract.Nil(m) {
		panic("mteval: PrepareMatched of a scorer or Matcher that is nil")
	}
	return &matched{s: s, m: m}
}

type matched struct {
	s MatchScorer
	m Matcher
}

// matchedCalls are of all of them: a pool is known to the runtime, and one in a matched would
// keep its Matcher until the garbage was collected twice.
var matchedCalls sync.Pool // *matchedCall

// matchedCall is what a call of Append works with.
type matchedCall struct {
	out   []Matching
	bytes []int // that each of out takes
	all   int   // their sum
	used  int   // how many of out this call needs
	segs  []int // of a block of hypotheses, where the caller gave none
}

// keptMatched is of how many bytes the memory is kept for other calls.
const keptMatched = 8 << 20

func (c *matchedCall) prepare(n int) {
	c.used = n
	if more := n - len(c.out); more > 0 {
		c.out = append(c.out, make([]Matching, more)...)
		c.bytes = append(c.bytes, make([]int, more)...)
	}
}

// release forgets the texts, and says whether the memory is worth keeping.
func (c *matchedCall) release() bool {
	for k := range c.out[:c.used] {
		m := &c.out[k]
		clear(m.Tokens)
		n := int(unsafe.Sizeof(*m)) + cap(m.Tokens)*int(unsafe.Sizeof(Token{}))
		for _, p := range m.Pairings[:cap(m.Pairings)] {
			n += int(unsafe.Sizeof(p)) + (cap(p.Hyp)+cap(p.Ref))*int(unsafe.Sizeof(Link{})) + cap(p.Spans)*int(unsafe.Sizeof(Span{}))
		}
		c.all += n - c.bytes[k]
		c.bytes[k] = n
	}
	return c.all <= keptMatched
}

func (p *matched) Len() int { return p.m.Len() }

func (p *matched) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := CheckHypotheses(p.m.Len(), segs, hyps); err != nil {
		return dst, err
	}
	// A call may be of a corpus: this bounds the matchings of it that are in memory. What
	// a Matcher works with, vectors say, it bounds itself.
	const size, bytes = 2048, 4 << 20
	c, _ := matchedCalls.Get().(*matchedCall)
	if c == nil {
		c = new(matchedCall)
	}
	c.prepare(min(size, len(hyps)))
	defer func() {
		if c.release() {
			matchedCalls.Put(c)
		}
	}()
	n := len(dst)
	for lo, hi := 0, 0; lo < len(hyps); lo = hi {
		for most := bytes; hi < len(hyps) && hi < lo+size && (hi == lo || len(hyps[hi]) <= most); hi++ {
			most -= len(hyps[hi])
		}
		if err := ctx.Err(); err != nil {
			return dst[:n], err
		}
		out, of := c.out[:hi-lo], c.block(segs, lo, hi)
		if err := p.m.Match(ctx, out, of, hyps[lo:hi]); err != nil {
			return dst[:n], withIndex(err, func(k int) int { return lo + k })
		}
		for k := range out {
			dst = p.s.AppendMatch(dst, of[k], p.m.RefTokens(of[k]), &out[k])
		}
	}
	return dst, nil
}

// block returns the segments of hypotheses lo to hi.
func (c *matchedCall) block(segs []int, lo, hi int) []int {
	if segs != nil {
		return segs[lo:hi]
	}
	c.segs = c.segs[:0]
	for k := lo; k < hi; k++ {
		c.segs = append(c.segs, k)
	}
	return c.segs
}

// Matchings holds what several systems' outputs match in one set of references:
// the work of a token-matching metric, done once, from which its rows under any
// weights come cheaply. It takes about 16 bytes a token and reference, and 48 a
// token.
type Matchings struct {
	Systems []string
	refs    [][][]Token // the matcher's, of which nothing else is kept: its vectors are large
	m       []Matching  // [segment*len(Systems)+system]
}

// MatchSystems matches the outputs of several systems with m's references.
func MatchSystems(ctx context.Context, m Matcher, systems []System) (*Matchings, error) {
	if contract.Nil(m) {
		return nil, errors.New("mteval: no matcher: it is nil")
	}
	n, err := checkSystems(m.Len(), systems)
	if err != nil {
		return nil, err
	}
	ms := &Matchings{Systems: names(systems), refs: make([][][]Token, n), m: make([]Matching, n*len(systems))}
	for i := range n {
		ms.refs[i] = m.RefTokens(i)
	}
	err = blocks(ctx, n, systems, func(segs []int, hyps []string) error {
		if len(segs) == 0 {
			return nil
		}
		at := segs[0] * len(systems)
		return m.Match(ctx, ms.m[at:at+len(hyps)], segs, hyps)
	})
	if err != nil {
		return nil, err
	}
	return ms, nil
}

// Len is the number of segments, 0 of the zero value.
func (ms *Matchings) Len() int { return len(ms.refs) }

// RefTokens returns the tokens of each reference of a segment, not to be changed. It panics
// if there is no such segment.
func (ms *Matchings) RefTokens(segment int) [][]Token { return ms.refs[segment] }

// At returns the matching of a system's output for a segment, not to be changed. It panics if
// there is no such system or segment.
func (ms *Matchings) At(system, segment int) *Matching {
	return &ms.m[segment*len(ms.Systems)+system]
}

// Table returns the rows of s for all systems. s must be the scorer whose
// matcher made the matchings, or one that wraps it, and it panics with another. The
// signature lacks the number of references and the version.
func (ms *Matchings) Table(s MatchScorer) *Table {
	t := NewTable(s, ms.Systems, ms.Len())
	for k := range ms.Systems {
		for i := range ms.Len() {
			row := s.AppendMatch(t.Row(k, i)[:0], i, ms.RefTokens(i), ms.At(k, i))
			CheckRow(row, t.width)
		}
	}
	return t
}

// Sum returns the sum of the rows of one system, what Table(s).Sum(system) is. It panics if
// there is no such system, and as Table does.
func (ms *Matchings) Sum(s MatchScorer, system int) []float64 {
	if ms.Len() == 0 {
		return make([]float64, s.Width())
	}
	sum := s.AppendMatch(nil, 0, ms.RefTokens(0), ms.At(system, 0))
	row := make([]float64, 0, len(sum))
	for i := 1; i < ms.Len(); i++ {
		row = s.AppendMatch(row[:0], i, ms.RefTokens(i), ms.At(system, i))
		sumRows(sum, row)
	}
	return sum
}
