package difficulty

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mteval/mteval"
)

// Scorer is a difficulty-aware form of a token-matching metric, with frozen
// weights. It implements mteval.MatchScorer and mteval.PRFScorer. A row is DA-P,
// DA-R, DA-F and 1.
type Scorer struct {
	base    mteval.MatchScorer
	opt     Options
	weights *Weights
	sig     func() mteval.Signature // made once, when it is asked for
	refs    [][]reference           // [segment][reference]
}

var (
	_ mteval.MatchScorer = (*Scorer)(nil)
	_ mteval.PRFScorer   = (*Scorer)(nil)
)

// reference is what a segment's reference gives to hypotheses matched with it.
type reference struct {
	weight []float64          // of its tokens, smoothed
	tokens []float64          // the tokens' own weights, such as an IDF
	byText map[string]float64 // the mean weight of the tokens of a text
	max    float64            // the largest weight
}

// New returns the difficulty-aware form of base with these weights and options.
// The base's matcher must give the reference tokens that the weights were
// estimated on.
func New(base mteval.MatchScorer, w *Weights, o Options) (*Scorer, error) {
	if base == nil || w == nil {
		return nil, errors.New("difficulty: no metric or no weights")
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Scorer{base: base, opt: o, weights: w}
	s.sig = sync.OnceValue(func() mteval.Signature {
		return append(slices.Concat(base.Info().Signature, o.signature(), Function{Name: w.function}.signature()),
			mteval.Field{Key: "systems", Abbr: "K", Value: fmt.Sprint(len(w.systems))},
			mteval.Field{Key: "weights", Abbr: "w", Value: w.Hash()})
	})
	s.refs = make([][]reference, len(w.refs))
	for i, refs := range w.refs {
		s.refs[i] = make([]reference, len(refs))
		for r := range refs {
			s.refs[i][r] = s.reference(&refs[r])
			// Negated, to find NaN too.
			if !(s.refs[i][r].max <= maxDifficulty) {
				return nil, &mteval.SegmentError{Segment: i, Err: fmt.Errorf(
					"difficulty: a smoothed weight of %v is above %g", s.refs[i][r].max, maxDifficulty)}
			}
		}
	}
	return s, nil
}

func (s *Scorer) reference(w *refWeights) reference {
	ref := reference{weight: slices.Clone(w.d), byText: make(map[string]float64, len(w.d))}
	s.opt.smooth(ref.weight, w.tokens)
	count := make(map[string]float64, len(w.d))
	for j, t := range w.tokens {
		ref.tokens = append(ref.tokens, float64(t.Weight))
		if t.Weight == 0 {
			continue
		}
		// The mean of a token's occurrences, kept up to date.
		count[t.Text]++
		ref.byText[t.Text] += (ref.weight[j] - ref.byText[t.Text]) / count[t.Text]
		ref.max = max(ref.max, ref.weight[j])
	}
	return ref
}

// Info describes the scorer. Its name is that of the base with "da-" before it.
// The signature has the number of systems and a hash of the weights.
func (s *Scorer) Info() mteval.Info {
	return mteval.Info{Name: "da-" + s.base.Info().Name, Signature: slices.Clone(s.sig()), Width: 4, Scale: 1}
}

// PrepareMatch prepares the base's matcher. References that do not give the tokens
// that the weights were estimated on are an error wrapping ErrReferences.
func (s *Scorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	m, err := s.base.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	if err := s.weights.check(m); err != nil {
		return nil, err
	}
	return m, nil
}

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
// DA-F. It panics if the matching is not with the tokens of the weights.
func (s *Scorer) AppendMatch(dst []float64, segment int, _ [][]mteval.Token, m *mteval.Matching) []float64 {
	refs := s.refs[segment]
	if len(refs) != len(m.Pairings) {
		panic("difficulty: matching and weights have different numbers of references")
	}
	var best mteval.PRF
	for r := range refs {
		ref, pair := &refs[r], &m.Pairings[r]
		if len(ref.weight) != len(pair.Ref) {
			panic("difficulty: matching and weights have different numbers of tokens")
		}
		var p, q mean
		for j, l := range pair.Ref {
			q.add(ref.tokens[j], ref.weight[j], float64(l.Sim))
		}
		for j, l := range pair.Hyp {
			t := &m.Tokens[j]
			if t.Weight == 0 {
				continue
			}
			w, ok := ref.byText[t.Text]
			if !ok {
				w = s.novel(ref, l)
			}
			p.add(float64(t.Weight), w, float64(l.Sim))
		}
		score := mteval.PRF{P: p.of(s.opt.Normalize), R: q.of(s.opt.Normalize)}
		score.F = mteval.Harmonic(score.P, score.R, s.opt.Beta)
		if r == 0 || score.F > best.F {
			best = score
		}
	}
	return append(dst, best.P, best.R, best.F, 1)
}

// novel is the weight of a hypothesis token that the reference lacks.
func (s *Scorer) novel(ref *reference, l mteval.Link) float64 {
	switch {
	case s.opt.Novel == Hardest:
		return ref.max
	case s.opt.Novel == Matched && l.To >= 0:
		return ref.weight[l.To]
	}
	return 1
}

// mean adds up one of equations 3 and 4.
type mean struct{ sum, tokens, weights float64 }

// add takes a token's own weight w, its difficulty d and its similarity.
func (m *mean) add(w, d, sim float64) {
	m.sum += float64(float64(w*d) * sim)
	m.tokens += w
	m.weights += float64(w * d)
}

func (m *mean) of(normalize bool) float64 {
	n := m.tokens
	if normalize {
		n = m.weights
	}
	if n == 0 {
		return 0 // an empty side, or nothing that is difficult
	}
	return m.sum / n
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
		out.F = mteval.Harmonic(out.P, out.R, s.opt.Beta)
	}
	return out
}
