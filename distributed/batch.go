package distributed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/contract"
)

// A group is the records of a segment, sorted by system.
type group struct {
	records []Record
	bytes   int
	sides   []side // different references and sources
	of      []int  // the side of each record
	// rows of each record, by metric.
	rows [][][]float64
}

// A side is what hypotheses are scored against.
type side struct {
	refs   []string
	source *string
}

func newGroup(records []Record) *group {
	g := &group{records: records, of: make([]int, len(records)), rows: make([][][]float64, len(records))}
	number := map[string]int{} // of sides, by their texts
	var key []byte
	for i := range records {
		r := &records[i]
		if i > 0 && g.sides[g.of[i-1]].equal(r) { // as most are
			g.of[i] = g.of[i-1]
			g.bytes += len(r.Hypothesis)
			continue
		}
		key = key[:0]
		if r.Source != nil {
			key = appendText(append(key, 1), *r.Source)
		}
		for _, t := range r.References {
			key = appendText(key, t)
		}
		at, ok := number[string(key)]
		if !ok {
			at = len(g.sides)
			number[string(key)] = at
			g.sides = append(g.sides, side{r.References, r.Source})
			for _, t := range r.References {
				g.bytes += len(t)
			}
		}
		g.of[i] = at
		g.bytes += len(r.Hypothesis)
	}
	return g
}

func (s *side) equal(r *Record) bool {
	if (s.source == nil) != (r.Source == nil) || s.source != nil && *s.source != *r.Source {
		return false
	}
	return slices.Equal(s.refs, r.References)
}

// A refusal is an error at one of the groups' texts.
type refusal struct {
	metric string
	err    error
}

func (e *refusal) Error() string { return e.metric + ": " + e.err.Error() }

func (e *refusal) Unwrap() error { return e.err }

// reasonOf is what an error says of a text, without the number of a segment that is one of a
// batch.
func reasonOf(err error) string {
	var at *mteval.SegmentError
	var by *refusal
	if !errors.As(err, &by) || !errors.As(err, &at) {
		return err.Error()
	}
	switch at.Side {
	case mteval.ReferenceSide:
		return fmt.Sprintf("%s: reference %d: %v", by.metric, at.Index+1, at.Err)
	case mteval.HypothesisSide:
		return fmt.Sprintf("%s: hypothesis: %v", by.metric, at.Err)
	case mteval.SourceSide:
		return fmt.Sprintf("%s: source: %v", by.metric, at.Err)
	}
	return fmt.Sprintf("%s: %v", by.metric, at.Err)
}

// score sets the rows of the groups' records, by all metrics. Where it ends at a text that a
// metric refuses, and there is one group, refused says which records that is about; it is nil
// after any other error.
func (f *scoreFn) score(ctx context.Context, groups []*group) (refused func(record int) bool, err error) {
	return f.scoreBy(ctx, groups, (*metric).aware)
}

// scoreBy is score with another way to do what is aware of difficulty.
func (f *scoreFn) scoreBy(ctx context.Context, groups []*group, aware func(*metric, context.Context, []*group, int) (func(int) bool, error)) (refused func(record int) bool, err error) {
	for _, g := range groups {
		for i := range g.rows {
			g.rows[i] = make([][]float64, len(f.metrics))
		}
	}
	for k := range f.metrics {
		m := &f.metrics[k]
		if m.Difficulty != nil {
			refused, err = aware(m, ctx, groups, k)
		} else {
			refused, err = m.plain(ctx, groups, k)
		}
		if err != nil {
			return refused, &refusal{m.ScoreName(), err}
		}
	}
	return nil, nil
}

// plain sets the rows of a metric, the k-th, in one call, or in two where it can do without
// sources and only some records have one.
func (m *metric) plain(ctx context.Context, groups []*group, k int) (func(int) bool, error) {
	if m.sources == nil {
		return m.call(ctx, groups, k, func(side) bool { return true }, false)
	}
	refused, err := m.call(ctx, groups, k, func(s side) bool { return s.source != nil }, true)
	if err != nil {
		return refused, err
	}
	return m.call(ctx, groups, k, func(s side) bool { return s.source == nil }, false)
}

// call sets the rows of the records whose sides are of a kind.
func (m *metric) call(ctx context.Context, groups []*group, k int, of func(side) bool, sourced bool) (func(int) bool, error) {
	var refs [][]string
	var sources, hyps []string
	var segs []int
	type place struct{ group, record int }
	var places []place
	sideAt := make([]int, 0, 8)
	for n, g := range groups {
		sideAt = sideAt[:0]
		for _, s := range g.sides {
			sideAt = append(sideAt, len(refs))
			if !of(s) {
				continue
			}
			refs = append(refs, s.refs)
			if sourced {
				sources = append(sources, *s.source)
			}
		}
		for i := range g.records {
			if !of(g.sides[g.of[i]]) {
				continue
			}
			places = append(places, place{n, i})
			segs = append(segs, sideAt[g.of[i]])
			hyps = append(hyps, g.records[i].Hypothesis)
		}
	}
	if len(hyps) == 0 {
		return nil, nil
	}
	fail := func(err error) (func(int) bool, error) {
		var at *mteval.SegmentError
		if !errors.As(err, &at) {
			return nil, err
		}
		if at.Side == mteval.HypothesisSide && at.Index < len(places) {
			return func(i int) bool { return i == places[at.Index].record }, err
		}
		return func(i int) bool {
			for n, p := range places {
				if p.record == i && segs[n] == at.Segment {
					return true
				}
			}
			return false
		}, err
	}
	var p mteval.Prepared
	var err error
	if sourced {
		p, err = m.sources.PrepareSources(ctx, sources, refs)
	} else {
		p, err = m.scorer.Prepare(ctx, refs)
	}
	if err == nil && contract.Nil(p) {
		err = contract.NoPrepared(m.info.Name)
	}
	if err != nil {
		return fail(err)
	}
	w := m.scorer.Width()
	rows, err := p.Append(ctx, make([]float64, 0, w*len(hyps)), segs, hyps)
	if err != nil {
		return fail(err)
	}
	if err := contract.Length(m.info.Name, len(rows), len(hyps), w); err != nil {
		return nil, err
	}
	for n, at := range places {
		row := rows[n*w : (n+1)*w : (n+1)*w]
		if err := finite(row); err != nil {
			return fail(&mteval.SegmentError{Segment: segs[n], Side: mteval.HypothesisSide, Index: n, Err: err})
		}
		groups[at.group].rows[at.record][k] = row
	}
	return nil, nil
}

// finite refuses a row that no sum could be made with.
func finite(row []float64) error {
	for _, x := range row {
		if x-x != 0 {
			return fmt.Errorf("the metric gave a row with %v", x)
		}
	}
	return nil
}

// aware sets the rows of a metric that is aware of difficulty: those of segments with the
// same systems at once.
func (m *metric) aware(ctx context.Context, groups []*group, k int) (func(int) bool, error) {
	var sets [][]*group
	number := map[string]int{}
	for _, g := range groups {
		var key []byte
		for i := range g.records {
			key = appendText(key, g.records[i].System)
		}
		n, ok := number[string(key)]
		if !ok {
			n = len(sets)
			number[string(key)] = n
			sets = append(sets, nil)
		}
		sets[n] = append(sets[n], g)
	}
	for _, set := range sets {
		if err := m.awareOf(ctx, set, k); err != nil {
			return refusedBy(err), err
		}
	}
	return nil, nil
}

// pairs only pairs tokens, which is where a metric that is aware of difficulty looks at texts. It
// sets no rows.
func (m *metric) pairs(ctx context.Context, groups []*group, _ int) (func(int) bool, error) {
	for _, g := range groups {
		systems := make([]mteval.System, len(g.records))
		for i := range systems {
			systems[i] = mteval.System{Name: g.records[i].System, Hyps: []string{g.records[i].Hypothesis}}
		}
		matcher, err := m.match.PrepareMatch(ctx, [][]string{g.records[0].References})
		if err == nil {
			_, err = mteval.MatchSystems(ctx, matcher, systems)
		}
		if err != nil {
			return refusedBy(err), err
		}
	}
	return nil, nil
}

// refusedBy says which records an error of one group of all systems is about; nil: it is of no
// text.
func refusedBy(err error) func(int) bool {
	var at *mteval.SegmentError
	if !errors.As(err, &at) {
		return nil
	}
	return func(i int) bool { return at.Side != mteval.HypothesisSide || i == at.Index }
}

// awareOf is aware for segments with the same systems.
func (m *metric) awareOf(ctx context.Context, set []*group, k int) error {
	first := set[0].records
	if m.Difficulty.LeaveOneOut && len(first) < 2 {
		return &mteval.SegmentError{Err: errors.New("a single system has no votes but its own, which are left out")}
	}
	refs := make([][]string, len(set))
	systems := make([]mteval.System, len(first))
	all := make([]int, len(first))
	for i := range systems {
		systems[i] = mteval.System{Name: first[i].System, Hyps: make([]string, len(set))}
		all[i] = i
	}
	for n, g := range set {
		refs[n] = g.records[0].References
		for i := range g.records {
			systems[i].Hyps[n] = g.records[i].Hypothesis
		}
	}
	matcher, err := m.match.PrepareMatch(ctx, refs)
	if err != nil {
		return err
	}
	ms, err := mteval.MatchSystems(ctx, matcher, systems)
	if err != nil {
		return err
	}
	field, err := difficulty.NewField(m.match, ms, *m.Difficulty, difficulty.Function{})
	if err != nil {
		return err
	}
	poll, err := field.Poll(ctx, all, nil)
	if err != nil {
		return err
	}
	table, err := poll.Table(ctx)
	if err != nil {
		return err
	}
	for n, g := range set {
		for i := range g.records {
			row := table.Row(i, n)
			if err := finite(row); err != nil {
				return &mteval.SegmentError{Segment: n, Side: mteval.HypothesisSide, Index: i, Err: err}
			}
			g.rows[i][k] = slices.Clone(row)
		}
	}
	return nil
}
