package study

import (
	"context"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
)

// A field is that of a form, and keeps the rows of the choice of systems that it scored last.
type field struct {
	*difficulty.Field
	table *mteval.Table
}

// Scores are those of the rows.
func (f *field) Scores(ctx context.Context, systems, voters []int) ([]float64, error) {
	p, err := f.Poll(ctx, systems, voters)
	if err != nil {
		return nil, err
	}
	if f.table, err = p.Table(ctx); err != nil {
		return nil, err
	}
	return f.table.Scores(), nil
}

// metric finds the curves of a metric and of its forms.
func (r *run) metric(ctx context.Context, m Subject) error {
	table, fields, err := r.score(ctx, m)
	if err != nil {
		return err
	}
	name := table.Info.Name
	curves := []*Curve{{Metric: name, Signature: table.Info.Signature, Table: table}}
	metrics := []ranking.FieldMetric{ranking.FromTable(table)}
	for i, f := range fields {
		form := m.Forms[i] // a copy: the caller's can change
		curves = append(curves, &Curve{Metric: f.Info().Name, Form: &form})
		metrics = append(metrics, f)
	}
	ctx, done := r.stage(ctx, name+" samples")
	defer done()
	// What is done inside is told by K, each taking time in proportion to it.
	inside := mteval.WithProgress(ctx, func(int, int) {})
	samples, err := significance.BootstrapTables(inside, []*mteval.Table{table}, r.significance())
	if err != nil {
		return err
	}
	n := len(r.systems)
	for top, err := range ranking.Curve(inside, r.best, metrics) {
		if err != nil {
			return err
		}
		// A metric as it is does not depend on the K.
		at := []scores{{table, top.Scores[0], top.Correlations[0], samples[0][:top.K]}}
		if at, err = r.appendForms(inside, at, top, fields); err != nil {
			return err
		}
		if err := r.point(inside, curves, at); err != nil {
			return err
		}
		mteval.ReportProgress(ctx, top.K*(top.K+1)/2, n*(n+1)/2)
	}
	for i, f := range fields {
		s, err := f.Scorer(r.best.Systems)
		if err != nil {
			return err
		}
		curves[i+1].Signature = s.Info().Signature.Complete(r.refs)
	}
	r.result.Curves = append(r.result.Curves, curves...)
	return nil
}

// appendForms appends the scores of forms, which are on other rows for each K.
func (r *run) appendForms(ctx context.Context, dst []scores, top ranking.TopK, fields []*field) ([]scores, error) {
	tables := make([]*mteval.Table, len(fields))
	for i, f := range fields {
		tables[i] = f.table
	}
	samples, err := significance.BootstrapTables(ctx, tables, r.significance())
	if err != nil {
		return nil, err
	}
	for i, t := range tables {
		dst = append(dst, scores{t, top.Scores[i+1], top.Correlations[i+1], samples[i]})
	}
	return dst, nil
}

// score scores all systems by a metric, and makes the fields of its forms.
func (r *run) score(ctx context.Context, m Subject) (*mteval.Table, []*field, error) {
	name := m.Scorer.Info().Name
	if len(m.Forms) == 0 {
		ctx, done := r.stage(ctx, name)
		defer done()
		t, err := mteval.Systems(ctx, m.Scorer, r.refs, r.systems)
		return t, nil, err
	}
	base := m.Scorer.(mteval.MatchScorer)
	ms, err := r.match(ctx, base)
	if err != nil {
		return nil, nil, err
	}
	var fields []*field
	for _, f := range m.Forms {
		of, err := difficulty.NewField(base, ms, f.Options, difficulty.Function{})
		if err != nil {
			return nil, nil, err
		}
		fields = append(fields, &field{Field: of})
	}
	t := ms.Table(base)
	t.Info.Signature = t.Info.Signature.Complete(r.refs)
	return t, fields, nil
}

func (r *run) match(ctx context.Context, base mteval.MatchScorer) (*mteval.Matchings, error) {
	prepare, done := r.stage(ctx, "references")
	m, err := base.PrepareMatch(prepare, r.refs)
	done()
	if err != nil {
		return nil, err
	}
	ctx, done = r.stage(ctx, base.Info().Name)
	defer done()
	return mteval.MatchSystems(ctx, m, r.systems)
}
