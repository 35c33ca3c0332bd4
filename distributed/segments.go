package distributed

import (
	"cmp"
	"context"
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mteval/mteval"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[SegmentScore](), encodeScore, decodeScore)
	register.DoFn4x0[context.Context, Record, func(string, Record), func(Bad)](&keyFn{})
	register.Emitter2[string, Record]()
	register.DoFn5x1[context.Context, string, func(*Record) bool, func(SegmentScore), func(Bad), error](&scoreFn{})
	register.Iter1[Record]()
	register.Emitter1[SegmentScore]()
	register.Emitter1[Bad]()
}

// A SegmentScore has the scores of a system's output for a segment, and their rows, by metric in
// the order of the descriptions.
type SegmentScore struct {
	Position
	System, Segment string
	References      int // that the record has
	Scores          []float64
	Rows            [][]float64
}

func encodeScore(x SegmentScore) []byte {
	n := 64 + len(x.File) + len(x.ID) + len(x.System) + len(x.Segment) + 9*len(x.Scores)
	for _, r := range x.Rows {
		n += 2 + 8*len(r)
	}
	b := appendPosition(make([]byte, 0, n), &x.Position)
	b = appendText(appendText(b, x.System), x.Segment)
	b = appendFloats(binary.AppendUvarint(b, uint64(x.References)), x.Scores)
	return appendRows(b, x.Rows)
}

func appendRows(b []byte, rows [][]float64) []byte {
	b = binary.AppendUvarint(b, uint64(len(rows)))
	for _, r := range rows {
		b = appendFloats(b, r)
	}
	return b
}

func (d *decoder) rows() [][]float64 {
	out := make([][]float64, d.count(1))
	for i := range out {
		out[i] = d.floats()
	}
	return out
}

func decodeScore(b []byte) (SegmentScore, error) {
	d := decoder{b: b}
	x := SegmentScore{Position: d.position(), System: d.text(), Segment: d.text(), References: int(d.number())}
	x.Scores, x.Rows = d.floats(), d.rows()
	return x, d.end()
}

// SegmentScores scores Records: a collection of SegmentScore, and one of Bad, each record being
// in one of them. Of records of the same segment and system the first by position is
// scored; those without a position are all alike. It panics if Check has something to say.
func SegmentScores(s beam.Scope, records beam.PCollection, metrics []Description) (scores, bad beam.PCollection) {
	mustCheck(metrics)
	s = s.Scope("mteval.SegmentScores")
	keyed, nameless := beam.ParDo2(s, &keyFn{}, records)
	scores, refused := beam.ParDo2(s, &scoreFn{opened: opened{Metrics: metrics}}, beam.GroupByKey(s, keyed))
	return scores, beam.Flatten(s, nameless, refused)
}

// keyFn keys records by their segments. Those that have none are apart, as they would be a group
// of any size.
type keyFn struct {
	bad beam.Counter
}

func (f *keyFn) Setup() { f.bad = beam.NewCounter("mteval", "bad") }

func (f *keyFn) ProcessElement(ctx context.Context, r Record, emit func(string, Record), bad func(Bad)) {
	if r.Segment == "" {
		f.bad.Inc(ctx, 1)
		bad(r.bad("no segment"))
		return
	}
	emit(r.Segment, r)
}

const (
	// batchRecords and batchBytes are what is scored in one call, at most, but for the records of
	// one segment, which are never apart.
	batchRecords = 512
	batchBytes   = 4 << 20
)

// scoreFn scores the segments of a bundle, many in a call.
type scoreFn struct {
	opened

	groups         []*group // that wait
	records, bytes int      // of them
	scored, bad    beam.Counter
}

// Setup opens the metrics.
func (f *scoreFn) Setup(ctx context.Context) error {
	f.scored = beam.NewCounter("mteval", "scored")
	f.bad = beam.NewCounter("mteval", "bad")
	return f.opened.Setup(ctx)
}

func (f *scoreFn) StartBundle(_ context.Context, _ func(SegmentScore), _ func(Bad)) {
	f.clear() // of a bundle that failed
}

func (f *scoreFn) clear() {
	clear(f.groups)
	f.groups, f.records, f.bytes = f.groups[:0], 0, 0
}

func (f *scoreFn) ProcessElement(ctx context.Context, segment string, records func(*Record) bool, emit func(SegmentScore), bad func(Bad)) error {
	g := f.group(ctx, records, bad)
	if len(g.records) == 0 {
		return nil
	}
	f.groups = append(f.groups, g)
	f.records += len(g.records)
	f.bytes += g.bytes
	if f.records < batchRecords && f.bytes < batchBytes {
		return nil
	}
	return f.flush(ctx, emit, bad)
}

func (f *scoreFn) FinishBundle(ctx context.Context, emit func(SegmentScore), bad func(Bad)) error {
	return f.flush(ctx, emit, bad)
}

// group returns the records of a segment that can be scored.
func (f *scoreFn) group(ctx context.Context, records func(*Record) bool, bad func(Bad)) *group {
	var all []Record
	for r := (Record{}); records(&r); r = (Record{}) {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.System, b.System), a.compare(b.Position),
			// So that it does not matter in which order records come.
			cmp.Compare(a.Hypothesis, b.Hypothesis), slices.Compare(a.References, b.References))
	})
	aware := slices.ContainsFunc(f.metrics, func(m metric) bool { return m.Difficulty != nil })
	kept := all[:0]
	for i := range all {
		r := &all[i]
		reason := f.refuse(r)
		switch {
		case reason != "":
		case len(kept) > 0 && kept[len(kept)-1].System == r.System:
			reason = "another record has this segment and system"
		case aware && len(kept) > 0 && !slices.Equal(kept[0].References, r.References):
			reason = "its references are not those of system " + kept[0].System + ", without which there is no difficulty"
		}
		if reason != "" {
			f.bad.Inc(ctx, 1)
			bad(r.bad("%s", reason))
			continue
		}
		kept = append(kept, *r)
	}
	return newGroup(kept)
}

// refuse says why a record can't be scored, as far as that can be seen, "" if it can.
func (f *scoreFn) refuse(r *Record) string {
	for i := range f.metrics {
		m := &f.metrics[i]
		if m.inputs.References == mteval.Required && len(r.References) == 0 {
			return "no reference, which " + m.ScoreName() + " reads"
		}
		if m.inputs.Sources == mteval.Required && r.Source == nil {
			return "no source, which " + m.ScoreName() + " reads"
		}
	}
	return ""
}

func (f *scoreFn) flush(ctx context.Context, emit func(SegmentScore), bad func(Bad)) error {
	defer f.clear()
	if len(f.groups) == 0 {
		return nil
	}
	refused, err := f.score(ctx, f.groups)
	if err == nil {
		f.emit(ctx, f.groups, emit)
		return nil
	}
	if refused == nil {
		return err
	}
	// A text among them is refused: segment by segment it is found, and only it.
	for _, g := range f.groups {
		sifted := false
		for len(g.records) > 0 {
			refused, err := f.score(ctx, []*group{g})
			if err == nil {
				f.emit(ctx, []*group{g}, emit)
				break
			}
			if refused == nil {
				return err
			}
			var kept []Record
			for i := range g.records {
				err, out := err, refused(i)
				if !out && !sifted {
					// Others are looked at one by one now, as each call with all of them would find one.
					if out, err = f.refused(ctx, g.records[i:i+1]); err != nil && !out {
						return err
					}
				}
				if out {
					f.bad.Inc(ctx, 1)
					bad(g.records[i].bad("%v", reasonOf(err)))
				} else {
					kept = append(kept, g.records[i])
				}
			}
			if len(kept) == len(g.records) {
				return err // it names no text of the segment
			}
			sifted = true
			g = newGroup(kept)
		}
	}
	return nil
}

// refused says whether a text of a record is refused, and why. Any other error it returns, too.
func (f *scoreFn) refused(ctx context.Context, record []Record) (bool, error) {
	g := newGroup(record)
	refused, err := f.scoreBy(ctx, []*group{g}, (*metric).pairs)
	return refused != nil, err
}

func (f *scoreFn) emit(ctx context.Context, groups []*group, emit func(SegmentScore)) {
	for _, g := range groups {
		f.scored.Inc(ctx, int64(len(g.records)))
		for i := range g.records {
			r := &g.records[i]
			x := SegmentScore{Position: r.Position, System: r.System, Segment: r.Segment, References: len(r.References), Rows: g.rows[i]}
			for k := range f.metrics {
				x.Scores = append(x.Scores, f.metrics[k].scorer.Score(x.Rows[k]))
			}
			emit(x)
		}
	}
}
