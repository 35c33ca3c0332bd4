package meta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/report"
)

// metaParts is what package meta found on all there is, and on each domain or document.
type metaParts struct {
	all   *metaOutput
	names []string
	parts []*metaOutput
}

// judgeParts has package meta do it on each part, without tests.
func judgeParts(ctx context.Context, a *app.App, start time.Time, o *app.MetaOptions, t *judgedPair) (*metaParts, error) {
	ctx, done := a.WithProgress(ctx, start, o.Tree.By+"s")
	defer done()
	names := t.parts(o.Tree.By)
	all, err := judgePart(ctx, o, t, treePart{})
	if err != nil {
		return nil, err
	}
	all.sortTree()
	s := &metaParts{all: all}
	for i, name := range names {
		mteval.ReportProgress(ctx, i+1, len(names)+1)
		part, err := judgePart(ctx, o, t, treePart{o.Tree.By, name})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // such as too few outputs
			all.warnings = append(all.warnings, fmt.Sprintf("%s %s: left out: %v", o.Tree.By, name, err))
			continue
		}
		s.names, s.parts = append(s.names, name), append(s.parts, part)
	}
	if len(s.parts) == 0 {
		return nil, errors.New("--by " + o.Tree.By + ": there is agreement on none")
	}
	return s, nil
}

// judgePart has package meta do it on one.
func judgePart(ctx context.Context, o *app.MetaOptions, t *judgedPair, part treePart) (*metaOutput, error) {
	p, ms, err := t.at(o.Level, part)
	if err != nil {
		return nil, err
	}
	r, err := judge(mteval.WithProgress(ctx, nil), o, p, ms, false)
	if err != nil {
		return nil, err
	}
	plain := *o
	plain.Samples = 0
	return newMetaOutput(&plain, p, r)
}

// tables have a column for each part, of the level's main measures.
func (s *metaParts) tables() []app.MetaTable {
	var out []app.MetaTable
	for _, x := range s.all.Measures {
		if !s.all.main(x) {
			continue
		}
		t := app.MetaTable{Title: s.all.fullTitle(x.Key), Rows: [][]string{append([]string{"metric", "all"}, s.names...)}}
		for _, m := range s.all.Metrics {
			row := []string{metricLabel(m), valueText(m.Values[x.Key])}
			for _, p := range s.parts {
				row = append(row, p.valueOf(m.Name, x.Key))
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	return out
}

func valueText(v *meta.Value) string {
	if v == nil {
		return "undefined"
	}
	return app.Fixed(v.Value)
}

// valueOf is a metric's value, which may have none on a part.
func (s *metaOutput) valueOf(metric, key string) string {
	for _, m := range s.Metrics {
		if m.Name == metric {
			return valueText(m.Values[key])
		}
	}
	return "–"
}

// metaPartsJSON is the output of meta --by with --format json.
type metaPartsJSON struct {
	By string `json:"by"`
	JSON
	Parts []metaPartJSON `json:"parts"`
}

type metaPartJSON struct {
	Name string `json:"name"`
	JSON
}

func (s *metaParts) json(by string) metaPartsJSON {
	out := metaPartsJSON{By: by, JSON: s.all.json()}
	for i, p := range s.parts {
		out.Parts = append(out.Parts, metaPartJSON{s.names[i], p.json()})
	}
	return out
}

// tsv has the lines of all, and then those of each part, whose name comes first.
func (s *metaParts) tsv(b *strings.Builder, by string) {
	var lines strings.Builder
	s.all.tsv(&lines)
	for i, line := range strings.Split(strings.TrimSuffix(lines.String(), "\n"), "\n") {
		if i == 0 {
			b.WriteString(by + "\t" + line + "\n")
			continue
		}
		b.WriteString("\t" + line + "\n")
	}
	for k, p := range s.parts {
		for _, m := range p.Metrics {
			safe.TSV(b, append([]string{s.names[k]}, p.tsvRow(m)...))
		}
	}
}

func (s *metaParts) page() *report.Page {
	agreement := report.Section{Title: "Agreement"}
	for _, t := range s.tables() {
		agreement.Tables = append(agreement.Tables, app.PageTable(t.Title, t.Rows, "all"))
	}
	return &report.Page{
		Title:    "Metrics and people: " + s.all.options.Level + " level, by " + s.all.options.Tree.By,
		Answer:   report.Answer{Text: s.all.answer(), Details: s.all.details(), Bars: s.all.picture()},
		Sections: []report.Section{agreement},
		Made:     []report.Made{{Name: "agreement", Text: s.all.Signature.String()}},
	}
}

// writeParts says what there is to say, and writes the output.
func writeParts(ctx context.Context, a *app.App, o *app.MetaOptions, s *metaParts) error {
	noteMeta(a, s.all)
	if o.HTML != "" {
		if err := a.WritePage(ctx, s.page(), o.HTML); err != nil {
			return err
		}
	}
	var b strings.Builder
	switch o.Output {
	case "json":
		return safe.JSON(a.Stdout, s.json(o.Tree.By))
	case "tsv":
		s.tsv(&b, o.Tree.By)
	default:
		s.all.print(&b, s.tables())
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}
