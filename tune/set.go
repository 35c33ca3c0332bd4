package tune

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
)

// A Set is judged texts, of one language pair as a rule. An objective needs what people
// said of its kind: Kendall needs Pairs, Pearson Scores, the others SystemScores.
type Set struct {
	// Name of the set, for results and errors.
	Name string
	// Refs has the references by segment, at least one each.
	Refs [][]string
	// Systems have a hypothesis for each segment. Those that nothing was said of are not
	// scored. Rows of texts that have a source each are one system.
	Systems []mteval.System
	// Sources, if not nil, has the source of each segment: segments with the same are kept
	// together in cross-validation. Nil: each segment has its own.
	Sources []string

	// Pairs say which of two outputs is better. Item is a segment, A and B are indices
	// of Systems. Ties are left out.
	Pairs []metaeval.Pair
	// Scores are people's of outputs, NaN where there is none, at
	// [system*len(Refs)+segment]; more is better.
	Scores []float64
	// SystemScores are people's of the systems, NaN where there is none; more is better.
	SystemScores []float64
}

func (s *Set) errorf(format string, args ...any) error {
	return fmt.Errorf("tune: %s: %w", s.Name, fmt.Errorf(format, args...))
}

// maxScore is what people's scores can be at most, so that squares of them do not overflow.
const maxScore = 1e100

func (s *Set) check(o Objective) error {
	n := len(s.Refs)
	if err := mteval.CheckReferences(s.Refs); err != nil {
		return s.errorf("%w", err)
	}
	if s.Sources != nil && len(s.Sources) != n {
		return s.errorf("%w: %d sources of %d segments", mteval.ErrLength, len(s.Sources), n)
	}
	for _, sys := range s.Systems {
		if len(sys.Hyps) != n {
			return s.errorf("%w: system %s has %d hypotheses for %d segments", mteval.ErrLength, sys.Name, len(sys.Hyps), n)
		}
	}
	finite := func(what string, values []float64, want int) error {
		if len(values) != want {
			return s.errorf("%d %s, want %d", len(values), what, want)
		}
		for _, v := range values {
			if math.Abs(v) > maxScore {
				return s.errorf("one of the %s is %v: %v is the most", what, v, maxScore)
			}
		}
		return nil
	}
	switch o {
	case Kendall:
		for i, p := range s.Pairs {
			if p.Item < 0 || p.Item >= n || min(p.A, p.B) < 0 || max(p.A, p.B) >= len(s.Systems) || p.A == p.B || p.Human < -1 || p.Human > 1 {
				return s.errorf("pair %d is of systems %d and %d on segment %d, with %d: there are %d systems and %d segments", i+1, p.A, p.B, p.Item, p.Human, len(s.Systems), n)
			}
		}
		return nil
	case Pearson:
		return finite("scores of segments", s.Scores, n*len(s.Systems))
	}
	return finite("scores of systems", s.SystemScores, len(s.Systems))
}

// A pair of hypotheses.
type pair struct{ better, worse int }

// A part is what an evaluation needs of a set, or of some of its sources. Of pairs, and
// of hyps with human or systems, those are there that the objective needs.
type part struct {
	name string
	kept *tunable.Kept
	// pairs are of hypotheses in kept.
	pairs []pair
	// hyps are hypotheses in kept: of judged outputs, with human, or of all outputs of
	// judged systems, with systems, indices of human.
	hyps    []int
	systems []int
	human   []float64

	source []int // of each hypothesis in kept, from 0 up
}

// keep keeps the statistics of all outputs that the objective needs, each distinct text
// of a segment once.
func (s *Set) keep(ctx context.Context, scorer tunable.Scorer, o Objective) (*part, error) {
	if err := s.check(o); err != nil {
		return nil, err
	}
	p := &part{name: s.Name}
	l := textList{set: s, at: make(map[segmentText]int), sources: make(map[string]int)}
	number := l.number
	switch {
	case o == Kendall:
		for _, c := range s.Pairs {
			switch a, b := c.A, c.B; c.Human {
			case 1:
				p.pairs = append(p.pairs, pair{number(a, c.Item), number(b, c.Item)})
			case -1:
				p.pairs = append(p.pairs, pair{number(b, c.Item), number(a, c.Item)})
			}
		}
	case o == Pearson:
		n := len(s.Refs)
		for i := range s.Refs {
			for k := range s.Systems {
				if v := s.Scores[k*n+i]; v == v {
					p.hyps, p.human = append(p.hyps, number(k, i)), append(p.human, v)
				}
			}
		}
	default:
		var judged []int
		for k, v := range s.SystemScores {
			if v == v {
				judged, p.human = append(judged, k), append(p.human, v)
			}
		}
		for i := range s.Refs {
			for j, k := range judged {
				p.hyps, p.systems = append(p.hyps, number(k, i)), append(p.systems, j)
			}
		}
	}
	if err := p.check(o); err != nil {
		return nil, err
	}
	var err error
	if p.kept, err = tunable.Keep(ctx, scorer, s.Refs, l.segs, l.hyps); err != nil {
		return nil, s.errorf("%w", err)
	}
	p.source = l.source
	return p, nil
}

// A textList gives the distinct texts of a set's segments numbers.
type textList struct {
	set    *Set
	at     map[segmentText]int
	segs   []int
	hyps   []string
	source []int // of each, from 0 up

	sources map[string]int // their numbers, by name
}

type segmentText struct {
	segment int
	hyp     string
}

// number is that of a system's text.
func (l *textList) number(system, segment int) int {
	t := segmentText{segment, l.set.Systems[system].Hyps[segment]}
	k, ok := l.at[t]
	if !ok {
		k = len(l.hyps)
		l.at[t] = k
		l.segs, l.hyps = append(l.segs, segment), append(l.hyps, t.hyp)
		l.source = append(l.source, l.sourceOf(segment))
	}
	return k
}

func (l *textList) sourceOf(segment int) int {
	if l.set.Sources == nil {
		return segment
	}
	name := l.set.Sources[segment]
	k, ok := l.sources[name]
	if !ok {
		k = len(l.sources)
		l.sources[name] = k
	}
	return k
}

// check returns an error for a part on which the objective is not defined.
func (p *part) check(o Objective) error {
	switch {
	case o == Kendall && len(p.pairs) == 0:
		return fmt.Errorf("tune: %s: no pair of which people found one better", p.name)
	case o != Kendall && len(p.human) < 2:
		return fmt.Errorf("tune: %s: %d scores of people's: there is no %s", p.name, len(p.human), o)
	case o != Kendall && len(p.hyps) == 0:
		return fmt.Errorf("tune: %s: no output", p.name)
	case (o == Pearson || o == SystemPearson) && slices.Min(p.human) == slices.Max(p.human):
		return fmt.Errorf("tune: %s: all of people's scores are %v: there is no %s", p.name, p.human[0], o)
	}
	return nil
}

// sources are the numbers of the sources that there are, in order.
func (p *part) sources() []int {
	out := slices.Clone(p.source)
	slices.Sort(out)
	return slices.Compact(out)
}

// judgements is how many there are.
func (p *part) judgements() int { return max(len(p.pairs), len(p.human)) }

// of returns the part of p whose sources keep says.
func (p *part) of(name string, keep func(source int) bool) *part {
	out := &part{name: name}
	to := make([]int, p.kept.Len())
	var from []int
	for h, source := range p.source {
		to[h] = -1
		if keep(source) {
			to[h] = len(from)
			from = append(from, h)
			out.source = append(out.source, source)
		}
	}
	out.kept = p.kept.Select(from)
	for _, c := range p.pairs {
		if a, b := to[c.better], to[c.worse]; a >= 0 && b >= 0 {
			out.pairs = append(out.pairs, pair{a, b})
		}
	}
	for i, h := range p.hyps {
		if to[h] < 0 {
			continue
		}
		out.hyps = append(out.hyps, to[h])
		if p.systems != nil {
			out.systems = append(out.systems, p.systems[i])
		} else {
			out.human = append(out.human, p.human[i])
		}
	}
	if p.systems != nil {
		out.human = p.human
	}
	return out
}

// describe describes the set, of which p was kept.
func (s *Set) describe(p *part, o Objective) tuned.Data {
	h := hasher{Hash: sha256.New()}
	h.number(len(s.Refs))
	for _, r := range s.Refs {
		h.list(r)
	}
	h.number(len(s.Systems))
	for _, sys := range s.Systems {
		h.text(sys.Name)
		h.list(sys.Hyps)
	}
	h.list(s.Sources)
	h.text(o.String())
	switch o {
	case Kendall:
		for _, c := range s.Pairs {
			h.number(c.Item)
			h.number(c.A)
			h.number(c.B)
			h.number(int(c.Human) + 1)
		}
	case Pearson:
		h.values(s.Scores)
	default:
		h.values(s.SystemScores)
	}
	return tuned.Data{
		Name: s.Name, SHA256: hex.EncodeToString(h.Sum(nil)),
		Sources: len(p.sources()), Hypotheses: p.kept.Len(), Judgements: p.judgements(),
	}
}

// A hasher takes the hash of what a set has, each list after its length.
type hasher struct {
	hash.Hash
	buf [8]byte
}

func (h *hasher) bits(v uint64) {
	binary.LittleEndian.PutUint64(h.buf[:], v)
	h.Write(h.buf[:])
}

func (h *hasher) number(n int) { h.bits(uint64(n)) }

func (h *hasher) text(t string) {
	h.number(len(t))
	h.Write([]byte(t))
}

func (h *hasher) list(l []string) {
	h.number(len(l))
	for _, t := range l {
		h.text(t)
	}
}

func (h *hasher) values(x []float64) {
	h.number(len(x))
	for _, v := range x {
		if v != v {
			v = math.NaN() // there are several
		}
		h.bits(math.Float64bits(v))
	}
}
