package scorertest

import (
	"context"
	"testing"

	"github.com/mteval/mteval"
)

// lengths is a sound scorer that reads sources: how long the hypothesis is beside the source
// and, if it reads any, the first reference.
type lengths struct {
	in mteval.Inputs
	// faults
	inputs  func() mteval.Inputs
	prepare func(refs [][]string) (mteval.Prepared, error)
	sources func(sources []string, refs [][]string) (mteval.Prepared, error)
}

func (lengths) Info() mteval.Info           { return mteval.Info{Name: "lengths", Scale: 1} }
func (lengths) Width() int                  { return 2 }
func (lengths) Score(row []float64) float64 { mteval.CheckRow(row, 2); return row[0] / max(1, row[1]) }
func (l lengths) Inputs() mteval.Inputs {
	if l.inputs != nil {
		return l.inputs()
	}
	return l.in
}

func (l lengths) Prepare(_ context.Context, refs [][]string) (mteval.Prepared, error) {
	if l.prepare != nil {
		return l.prepare(refs)
	}
	if l.in.Sources == mteval.Required {
		return nil, mteval.ErrNoSource
	}
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	return l.prepared(make([]string, len(refs)), refs), nil
}

func (l lengths) PrepareSources(ctx context.Context, sources []string, refs [][]string) (mteval.Prepared, error) {
	if l.sources != nil {
		return l.sources(sources, refs)
	}
	if err := mteval.CheckSources(l.in, sources, refs); err != nil {
		return nil, err
	}
	if l.in.Sources == mteval.Unused {
		sources = make([]string, len(refs))
	}
	return l.prepared(sources, refs), ctx.Err()
}

func (l lengths) prepared(sources []string, refs [][]string) mteval.Prepared {
	p := make(preparedLengths, len(sources))
	for i := range p {
		p[i] = float64(len(sources[i]))
		if l.in.References != mteval.Unused && refs != nil && len(refs[i]) > 0 {
			p[i] += float64(len(refs[i][0]))
		}
	}
	return p
}

type preparedLengths []float64

func (p preparedLengths) Len() int { return len(p) }

func (p preparedLengths) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p), segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	for k, h := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		dst = append(dst, float64(len(h)), p[seg])
	}
	return dst, nil
}

// inputs are all that a SourceScorer can read.
var inputs = []mteval.Inputs{
	{Sources: mteval.Required, References: mteval.Required},
	{Sources: mteval.Required, References: mteval.Optional},
	{Sources: mteval.Required},
	{Sources: mteval.Optional, References: mteval.Required},
	{Sources: mteval.Optional, References: mteval.Optional},
	{References: mteval.Required}, // as one of its kind, with other options
}

func TestSourceScorers(t *testing.T) {
	for _, in := range inputs {
		if err := Test(lengths{in: in}, Options{Variants: []mteval.Scorer{lengths{in: in}}}); err != nil {
			t.Errorf("%+v: %v", in, err)
		}
	}
}

func sourceFaults() []fault {
	both, alone, unread := inputs[0], inputs[2], inputs[5]
	calls := 0
	return []fault{
		{name: "reads no sources", s: lengths{in: mteval.Inputs{References: mteval.Optional}}, want: breaks("Inputs", sourceInputs)},
		{name: "inputs change", s: lengths{in: both, inputs: func() mteval.Inputs {
			calls++
			return inputs[calls%2]
		}}, want: breaks("Inputs", infoSame)},
		{name: "changes sources", s: lengths{in: both, sources: func(sources []string, refs [][]string) (mteval.Prepared, error) {
			if err := mteval.CheckSources(both, sources, refs); err != nil {
				return nil, err
			}
			p := lengths{in: both}.prepared(sources, refs)
			for i := range sources {
				sources[i] += "."
			}
			return p, nil
		}}, want: breaks(prepareSources, sourceInput)},
		{name: "Prepare without sources", s: lengths{in: both, prepare: func(refs [][]string) (mteval.Prepared, error) {
			return lengths{in: both}.prepared(make([]string, len(refs)), refs), nil
		}}, want: breaks("Prepare", sourceNone)},
		{name: "reads sources that it says it doesn't", s: lengths{in: unread, sources: func(sources []string, refs [][]string) (mteval.Prepared, error) {
			if err := mteval.CheckSources(unread, sources, refs); err != nil {
				return nil, err
			}
			return lengths{in: unread}.prepared(sources, refs), nil
		}}, want: breaks(prepareSources, sourceNone)},
		{name: "fewer sources", s: lengths{in: both, sources: func(sources []string, refs [][]string) (mteval.Prepared, error) {
			if err := mteval.CheckReferences(refs); err != nil {
				return nil, err
			}
			return lengths{in: both}.prepared(sources, refs), nil
		}}, want: breaks(prepareSources, sourceLength)},
		{name: "reads references that it says it doesn't", s: lengths{in: alone, sources: func(sources []string, refs [][]string) (mteval.Prepared, error) {
			return lengths{in: both}.prepared(sources, refs), nil
		}}, want: breaks(prepareSources, sourceReferences)},
	}
}
