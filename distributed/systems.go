package distributed

import (
	"context"
	"encoding/binary"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mteval/mteval"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[sums](), encodeSums, decodeSums)
	beam.RegisterType(reflect.TypeFor[SystemScore]())
	register.Function1x2(bySystem)
	register.Combiner2[sums, SegmentScore](&sumFn{})
	register.DoFn4x0[context.Context, string, sums, func(SystemScore)](&systemFn{})
	register.Emitter1[SystemScore]()
}

// A SystemScore is the score of a system by a metric.
type SystemScore struct {
	System string  `json:"system"`
	Metric string  `json:"metric"` // the name of its Description
	Score  float64 `json:"score"`
	// LowerIsBetter is true for an error metric.
	LowerIsBetter bool `json:"lower_is_better"`
	// Segments that the system has scores of.
	Segments int64 `json:"segments"`
	// Row is the sum of their rows, which adds up with that of other segments.
	Row []float64 `json:"row"`
	// Signature is complete, with the number of references and the version. Of a metric that is
	// aware of difficulty it lacks the number of systems and the hash of the weights, which are by
	// segment.
	Signature string `json:"signature"`
}

// SystemScores adds up SegmentScores, made with the same descriptions, to SystemScores: one
// for each system and metric. It panics if Check has something to say.
func SystemScores(s beam.Scope, scores beam.PCollection, metrics []Description) beam.PCollection {
	mustCheck(metrics)
	s = s.Scope("mteval.SystemScores")
	total := beam.CombinePerKey(s, &sumFn{}, beam.ParDo(s, bySystem, scores))
	return beam.ParDo(s, &systemFn{opened{Metrics: metrics}}, total)
}

func bySystem(x SegmentScore) (string, SegmentScore) { return x.System, x }

// sums are the sums of rows of a system.
type sums struct {
	Segments    int64
	Least, Most int       // references of a segment
	Rows        [][]exact // by metric
}

// sumFn adds up rows, in any order.
type sumFn struct{}

func (*sumFn) CreateAccumulator() sums { return sums{} }

func (*sumFn) AddInput(a sums, x SegmentScore) sums {
	a.references(1, x.References, x.References)
	if a.Rows == nil {
		a.Rows = make([][]exact, len(x.Rows))
		for k, row := range x.Rows {
			a.Rows[k] = make([]exact, len(row))
		}
	}
	for k, row := range x.Rows {
		for i, v := range row {
			a.Rows[k][i] = a.Rows[k][i].add(v)
		}
	}
	return a
}

func (*sumFn) MergeAccumulators(a, b sums) sums {
	switch {
	case b.Segments == 0:
		return a
	case a.Segments == 0:
		return b
	}
	a.references(b.Segments, b.Least, b.Most)
	for k, row := range b.Rows {
		for i, e := range row {
			for _, v := range e {
				a.Rows[k][i] = a.Rows[k][i].add(v)
			}
		}
	}
	return a
}

// references counts segments with so many references.
func (a *sums) references(segments int64, least, most int) {
	if a.Segments == 0 {
		a.Least, a.Most = least, most
	}
	a.Segments += segments
	a.Least, a.Most = min(a.Least, least), max(a.Most, most)
}

func encodeSums(a sums) []byte {
	b := binary.AppendUvarint(nil, uint64(a.Segments))
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(a.Least)), uint64(a.Most))
	b = binary.AppendUvarint(b, uint64(len(a.Rows)))
	for _, row := range a.Rows {
		b = binary.AppendUvarint(b, uint64(len(row)))
		for _, e := range row {
			b = appendFloats(b, e)
		}
	}
	return b
}

func decodeSums(b []byte) (sums, error) {
	d := decoder{b: b}
	a := sums{Segments: int64(d.number()), Least: int(d.number()), Most: int(d.number())}
	if n := d.count(1); n > 0 {
		a.Rows = make([][]exact, n)
	}
	for k := range a.Rows {
		a.Rows[k] = make([]exact, d.count(1))
		for i := range a.Rows[k] {
			a.Rows[k][i] = d.floats()
		}
	}
	return a, d.end()
}

// systemFn makes scores of sums.
type systemFn struct {
	opened
}

func (f *systemFn) ProcessElement(_ context.Context, system string, a sums, emit func(SystemScore)) {
	for k := range f.metrics {
		m := &f.metrics[k]
		row := make([]float64, len(a.Rows[k]))
		for i, e := range a.Rows[k] {
			row[i] = e.value()
		}
		emit(SystemScore{
			System: system, Metric: m.ScoreName(), Score: m.scorer.Score(row), LowerIsBetter: m.scorer.Info().LowerIsBetter, Segments: a.Segments, Row: row,
			Signature: m.signature(a.Least, a.Most).String(),
		})
	}
}

// signature is the complete one for segments with as many references.
func (m *metric) signature(least, most int) mteval.Signature {
	if m.inputs.References == mteval.Unused {
		return m.info.Signature.Complete(nil)
	}
	return m.info.Signature.Complete([][]string{make([]string, least), make([]string, most)})
}
