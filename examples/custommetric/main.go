// Command custommetric is a metric of one's own, LengthError in metric.go, and what it gets
// from the library: it is ranked, studied and judged beside BLEU and BERTScore on the sample
// data, as `mteval rank`, `mteval study` and `mteval meta` do it, and has a page (page.go).
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		log.Fatal("usage: custommetric examples/data [PAGE.html]")
	}
	var page bytes.Buffer
	if err := run(context.Background(), os.Stdout, &page, os.Args[1]); err != nil {
		log.Fatal(err)
	}
	if len(os.Args) == 3 {
		if err := os.WriteFile(os.Args[2], page.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

func run(ctx context.Context, w, page io.Writer, data string) error {
	d, err := load(ctx, data)
	if err != nil {
		return err
	}
	bleuScorer, err := bleu.New(bleu.Options{})
	if err != nil {
		return err
	}
	vectors, err := lexical.New(lexical.Options{})
	if err != nil {
		return err
	}
	defer vectors.Close()
	bert, err := bertscore.New(vectors, bertscore.Options{})
	if err != nil {
		return err
	}
	var tables []*mteval.Table // the rows of all systems, which everything below is made of
	for _, s := range []mteval.Scorer{bleuScorer, LengthError{}, bert} {
		table, err := mteval.Systems(ctx, s, d.refs, d.systems)
		if err != nil {
			return err
		}
		tables = append(tables, table)
	}
	if err := rank(ctx, w, tables, d.human); err != nil {
		return err
	}
	subjects := []study.Subject{
		{Scorer: bert, Forms: []study.Form{{Name: "paper", Options: difficulty.Paper()}}},
		{Scorer: LengthError{}},
	}
	if err := studyAll(ctx, w, d, subjects); err != nil {
		return err
	}
	if err := judge(ctx, w, tables, d.people); err != nil {
		return err
	}
	return writePage(ctx, page, tables[1], d)
}

// rank prints scores and ranks.
func rank(ctx context.Context, w io.Writer, tables []*mteval.Table, human []ranking.Human) error {
	var metrics []ranking.FieldMetric
	for _, table := range tables {
		metrics = append(metrics, ranking.FromTable(table))
	}
	r, err := ranking.Rank(ctx, tables[0].Systems, metrics, ranking.Options{Human: human})
	if err != nil {
		return err
	}
	for m, info := range r.Metrics {
		fmt.Fprintf(w, "%s:", info.Name)
		for _, s := range r.Systems {
			fmt.Fprintf(w, "  %s %.4f (%d)", s.Name, s.Scores[m], s.Ranks[m])
		}
		fmt.Fprintf(w, "  Kendall %+.2f\n", *r.Correlations[m].Kendall)
	}
	return nil
}

// studyAll prints how sure it is that metrics agree with people on the K best systems, and
// that the difficulty-aware form agrees more or less than its metric.
func studyAll(ctx context.Context, w io.Writer, d *sample, metrics []study.Subject) error {
	r, err := study.Run(ctx, d.refs, d.systems, d.human, metrics, study.Options{})
	if err != nil {
		return err
	}
	for _, c := range r.Curves {
		for _, p := range c.Points {
			a := p.Agreements[significance.Pearson]
			fmt.Fprintf(w, "%d best systems, %s: Pearson %+.2f, on other texts %+.2f to %+.2f", p.K, c.Name(), *a.Value, a.Segments.Low, a.Segments.High)
			if a.Difference != nil {
				fmt.Fprintf(w, ", by difficulty %+.2f, p = %.2f", a.Difference.Value, *a.Difference.P)
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}

// judge prints how far the metrics agree with people on segments, which of them differ, and
// what is to be said of the data.
func judge(ctx context.Context, w io.Writer, tables []*mteval.Table, people meta.People) error {
	var metrics []meta.Candidate
	for _, table := range tables {
		metrics = append(metrics, meta.Candidate{Metric: metaeval.TableSegments(table)})
	}
	r, err := meta.Segments(ctx, people, metrics, meta.SegmentOptions{})
	if err != nil {
		return err
	}
	for _, m := range r.Metrics {
		tau := m.Values["kendall_4c"]
		fmt.Fprintf(w, "%s on segments: tau %+.2f, on other segments %+.2f to %+.2f, cluster %d\n",
			m.Name, tau.Value, tau.Interval.Low, tau.Interval.High, tau.Cluster)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "warning:", warning.Text)
	}
	return nil
}

// A sample is the sample data.
type sample struct {
	refs    [][]string
	systems []mteval.System
	sources []string
	human   []ranking.Human // scores of systems
	people  meta.People     // scores of segments
}

func load(ctx context.Context, dir string) (*sample, error) {
	outputs, err := filepath.Glob(filepath.Join(dir, "sys", "*.txt"))
	if err != nil {
		return nil, err
	}
	texts, err := files.OpenCorpus(ctx, []string{filepath.Join(dir, "ref.de")}, outputs, files.CorpusOptions{Source: filepath.Join(dir, "src.en")})
	if err != nil {
		return nil, err
	}
	ofSystems, err := files.OpenSystems(ctx, filepath.Join(dir, "human.tsv"), nil, files.Options{})
	if err != nil {
		return nil, err
	}
	ofSegments, err := files.OpenScores(ctx, filepath.Join(dir, "human-segment.tsv"), files.Options{})
	if err != nil {
		return nil, err
	}
	return &sample{refs: texts.Refs, systems: texts.Systems, sources: texts.Sources, human: ranking.HumanOf(ofSystems), people: meta.People{Scores: ofSegments}}, nil
}
