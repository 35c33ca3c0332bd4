package difficulty

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/rows"
)

// Scorer is a difficulty-aware form of a token-matching metric, with frozen
// weights. It implements mteval.MatchScorer and mteval.PRFScorer. A row is DA-P,
// DA-R, DA-F and 1. It is made with New.
type Scorer struct {
	base    mteval.MatchScorer
	opt     Options
	weights *Weights
	name    string
	sig     func() mteval.Signature // made once, when it is asked for
	refs    [][]reference           // [segment][reference]
	pool    sync.Pool               // *scratch
}

var (
	_ mteval.MatchScorer = (*Scorer)(nil)
	_ mteval.PRFScorer   = (*Scorer)(nil)
)

// reference is what a segment's reference gives to hypotheses matched with it.
type reference struct {
	tokens  []float64      // the tokens' own weights, such as an IDF
	text    []int          // by token, the number of its text; −1 for one that weighs nothing
	numbers map[string]int // of the texts
	all     tokenWeights   // with the votes of all systems
}

// tokenWeights are the weights that a reference's difficulties make.
type tokenWeights struct {
	token []float64 // by token, smoothed
	text  []float64 // by number of a text, what a hypothesis's token of it weighs
	count []float64 // by number of a text, its tokens
	max   float64   // the largest of a token
}

// scratch is what one call of AppendMatch needs.
type scratch struct {
	own tokenWeights // without a system's own vote
	hyp []float64    // the weights of a hypothesis's tokens
}

// New returns the difficulty-aware form of base with these weights and options.
// The base's matcher must give the reference tokens that the weights were
// estimated on.
func New(base mteval.MatchScorer, w *Weights, o Options) (*Scorer, error) {
	return newScorer(context.Background(), base, w, o)
}

func newScorer(ctx context.Context, base mteval.MatchScorer, w *Weights, o Options) (*Scorer, error) {
	if base == nil || w == nil {
		return nil, errors.New("difficulty: no metric or no weights")
	}
	if err := rows.CheckScorer(base); err != nil {
		return nil, fmt.Errorf("difficulty: %w", err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.checkFunction(w.function); err != nil {
		return nil, err
	}
	if len(w.systems) == 0 {
		return nil, ErrNoSystems
	}
	if o.LeaveOneOut && len(w.systems) < 2 {
		return nil, fmt.Errorf("%w: LeaveOneOut needs two at least, the weights are of %d", ErrNoSystems, len(w.systems))
	}
	s := &Scorer{base: base, name: o.name(base.Info().Name), opt: o, weights: w}
	s.pool.New = func() any { return new(scratch) }
	s.sig = sync.OnceValue(func() mteval.Signature {
		return append(slices.Concat(base.Info().Signature, o.signature(), Function{Name: w.function}.signature()),
			mteval.Field{Key: "systems", Abbr: "K", Value: fmt.Sprint(len(w.systems))},
			mteval.Field{Key: "weights", Abbr: "w", Value: w.Hash()})
	})
	s.refs = make([][]reference, len(w.refs))
	for i, refs := range w.refs {
		s.refs[i] = make([]reference, len(refs))
		for r := range refs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s.refs[i][r] = s.reference(&refs[r])
			most := s.refs[i][r].all.max
			if o.LeaveOneOut {
				most = s.mostWithout(&s.refs[i][r], &refs[r])
			}
			// Negated, to find NaN too.
			if !(most <= maxDifficulty) {
				return nil, &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: r, Err: fmt.Errorf(
					"difficulty: a smoothed weight of %v is above %g", most, maxDifficulty)}
			}
		}
	}
	return s, nil
}

func (s *Scorer) reference(w *refWeights) reference {
	ref := reference{numbers: make(map[string]int, len(w.d))}
	for _, t := range w.tokens {
		n := -1
		if t.Weight != 0 {
			var ok bool
			if n, ok = ref.numbers[t.Text]; !ok {
				n = len(ref.numbers)
				ref.numbers[t.Text] = n
			}
		}
		ref.tokens, ref.text = append(ref.tokens, float64(t.Weight)), append(ref.text, n)
	}
	s.weigh(&ref.all, &ref, w.tokens, func(j int) float64 { return w.d[j] })
	ref.all.count = nil
	return ref
}

// weigh sets out to the weights that difficulties d make, by token.
func (s *Scorer) weigh(out *tokenWeights, ref *reference, tokens []mteval.Token, d func(j int) float64) {
	out.token = slices.Grow(out.token[:0], len(tokens))[:len(tokens)]
	for j := range tokens {
		// (1 − x) / (1 − b) is 1 less the rescaled similarity.
		out.token[j] = d(j) / (1 - s.opt.Baseline)
	}
	s.opt.smooth(out.token, tokens)
	n := len(ref.numbers)
	out.text, out.count = slices.Grow(out.text[:0], n)[:n], slices.Grow(out.count[:0], n)[:n]
	clear(out.text)
	clear(out.count)
	out.max = 0
	for j, k := range ref.text {
		if k < 0 {
			continue
		}
		w := out.token[j]
		out.max = max(out.max, w)
		// The mean of a text's tokens, kept up to date; the program has it of what was
		// so far and the next.
		out.count[k]++
		n := out.count[k]
		if s.opt.Released {
			n = min(n, 2)
		}
		out.text[k] += (w - out.text[k]) / n
	}
}

// without sets out to the weights without the vote of the system whose output has
// these links: of the K terms 1 − x of which a difficulty is the mean, one goes.
func (s *Scorer) without(out *tokenWeights, ref *reference, w *refWeights, links []mteval.Link) {
	k := float64(len(s.weights.systems))
	s.weigh(out, ref, w.tokens, func(j int) float64 {
		// Not below 0, where rounding would put it.
		return max(0, (float64(k*w.d[j])-(1-float64(links[j].Sim)))/(k-1))
	})
}

// mostWithout bounds the weights that without can give, where a system is perfect.
func (s *Scorer) mostWithout(ref *reference, w *refWeights) float64 {
	k := float64(len(s.weights.systems))
	var out tokenWeights
	s.weigh(&out, ref, w.tokens, func(j int) float64 { return k * w.d[j] / (k - 1) })
	return out.max
}

// Width is the length of a row.
func (s *Scorer) Width() int { return 4 }

// Info describes the scorer. Its name is that of the base with "da-" before it,
// and with "+da" behind it if the plain score is added.
// The signature has the number of systems and a hash of the weights.
func (s *Scorer) Info() mteval.Info {
	if s.base == nil {
		return mteval.Info{Scale: 1}
	}
	return mteval.Info{Name: s.name, Signature: s.sig(), Scale: 1}
}

// PrepareMatch prepares the base's matcher. References that do not give the tokens
// that the weights were estimated on are an error wrapping ErrReferences.
func (s *Scorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if s.base == nil {
		return nil, errNotNew
	}
	m, err := s.base.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	name := s.base.Info().Name
	if m == nil {
		return nil, fmt.Errorf("difficulty: metric %s gave no matcher", name)
	}
	if err := s.weights.check(ctx, m); err != nil {
		return nil, err
	}
	return &checkingMatcher{m, name, s.weights.refs}, nil
}

var errNotNew = errors.New("difficulty: no metric: made without New or NewField")

// Prepare does the work on the references. They must be those of the weights, see
// PrepareMatch.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	m, err := s.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	return mteval.PrepareMatched(s, m), nil
}

// AppendMatch appends DA-P, DA-R, DA-F and 1 with the reference of the highest
// DA-F. It panics if the matching is not with the tokens of the weights, or has a
// similarity that is not finite: no matching of a matcher of PrepareMatch's is such.
func (s *Scorer) AppendMatch(dst []float64, segment int, _ [][]mteval.Token, m *mteval.Matching) []float64 {
	sc := s.pool.Get().(*scratch)
	best, _ := s.best(sc, segment, m)
	s.pool.Put(sc)
	return append(dst, best.P, best.R, best.F, 1)
}

// best returns the score with the reference of the highest F, and which it is.
func (s *Scorer) best(sc *scratch, segment int, m *mteval.Matching) (mteval.PRF, int) {
	refs := s.refs[segment]
	if len(refs) != len(m.Pairings) {
		panic("difficulty: matching and weights have different numbers of references")
	}
	var best mteval.PRF
	at := 0
	for r := range refs {
		pair := &m.Pairings[r]
		p, q := s.means(sc, s.weighing(sc, segment, r, m), &refs[r], m.Tokens, pair)
		score := mteval.PRF{P: p.of(&s.opt), R: q.of(&s.opt)}
		// Not the released program's F, which can be anything for different signs.
		score.F = mteval.PRF{P: score.P, R: score.R}.FBeta(s.opt.Beta)
		if r == 0 || score.F > best.F {
			best, at = score, r
		}
	}
	best.F = s.opt.f(best.P, best.R)
	if sum := best.P + best.R + best.F; sum-sum != 0 {
		panic(fmt.Sprintf("difficulty: segment %d: scores %v, by similarities that are not finite", segment, best))
	}
	return best, at
}

// weighing returns the weights of a reference's tokens for a hypothesis, and sets
// sc.hyp to those of the hypothesis's tokens.
func (s *Scorer) weighing(sc *scratch, segment, r int, m *mteval.Matching) *tokenWeights {
	ref, pair := &s.refs[segment][r], &m.Pairings[r]
	if len(ref.tokens) != len(pair.Ref) || len(m.Tokens) != len(pair.Hyp) {
		panic("difficulty: matching and weights have different numbers of tokens")
	}
	w := &ref.all
	if s.opt.LeaveOneOut {
		w = &sc.own
		s.without(w, ref, &s.weights.refs[segment][r], pair.Ref)
	}
	sc.hyp = slices.Grow(sc.hyp[:0], len(m.Tokens))[:len(m.Tokens)]
	for i := range m.Tokens {
		t := &m.Tokens[i]
		if t.Weight == 0 {
			sc.hyp[i] = 0
		} else if n, ok := ref.numbers[t.Text]; ok {
			sc.hyp[i] = w.text[n]
		} else {
			sc.hyp[i] = s.novel(w, pair.Hyp[i])
		}
	}
	if s.opt.Released && s.opt.Smoothing != NoSmoothing {
		s.opt.smooth(sc.hyp, m.Tokens)
	}
	return w
}

// means returns what P and R are made of.
func (s *Scorer) means(sc *scratch, w *tokenWeights, ref *reference, tokens []mteval.Token, pair *mteval.Pairing) (p, r mean) {
	for j, l := range pair.Ref {
		r.add(ref.tokens[j], w.token[j], s.opt.rescale(float64(l.Sim)))
	}
	for i, l := range pair.Hyp {
		p.add(float64(tokens[i].Weight), sc.hyp[i], s.opt.rescale(float64(l.Sim)))
	}
	return p, r
}

// novel is the weight of a hypothesis token that the reference lacks.
func (s *Scorer) novel(w *tokenWeights, l mteval.Link) float64 {
	switch {
	case s.opt.Novel == Hardest:
		return w.max
	case s.opt.Novel == Matched && l.To >= 0:
		return w.token[l.To]
	}
	return 1
}

// mean adds up one of equations 3 and 4.
type mean struct{ sum, plain, tokens, weights float64 }

// add takes a token's own weight w, its difficulty d and its similarity.
func (m *mean) add(w, d, sim float64) {
	m.sum += float64(float64(w*d) * sim)
	m.plain += float64(w * sim)
	m.tokens += w
	m.weights += float64(w * d)
}

// divisor returns what a sum is divided by, and whether it is that of the plain
// similarities, without difficulties.
func (m *mean) divisor(o *Options) (n float64, plain bool) {
	switch {
	case !o.Normalize:
		return m.tokens, false
	case o.PlainIfEasy && o.Smoothing != Max && m.weights < easy*m.tokens:
		return m.tokens, true
	}
	return m.weights, false
}

func (m *mean) of(o *Options) float64 {
	n, plain := m.divisor(o)
	out := m.sum / n
	switch {
	case n == 0:
		out = 0 // an empty side, or nothing that is difficult
	case plain:
		out = m.plain / n
	}
	if o.AddPlain && m.tokens != 0 {
		return (out + m.plain/m.tokens) / 2
	}
	return out
}

// Score returns F of the mean DA-P and DA-R over the rows that were added up, or
// the mean DA-F: see Options.Average.
func (s *Scorer) Score(row []float64) float64 { return s.PRF(row).F }

// PRF returns the mean DA-P and DA-R over the rows that were added up, and their F
// by Options.Average.
func (s *Scorer) PRF(row []float64) mteval.PRF {
	mteval.CheckRow(row, 4)
	n := row[3]
	if n == 0 {
		return mteval.PRF{}
	}
	out := mteval.PRF{P: row[0] / n, R: row[1] / n, F: row[2] / n}
	if s.opt.Average == FOfMeans {
		out.F = s.opt.f(out.P, out.R)
	}
	return out
}
