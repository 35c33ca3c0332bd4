// Command thirdparty ranks the systems of the sample data by BLEU, by a metric
// that is not the library's (package lengtherror), by BERTScore, and by
// difficulty-aware BERTScore, beside people's ranks, says how sure the metrics' agreement
// with people is, and which of them agree more: `mteval rank`, `mteval study` and
// `mteval meta`, written with the library.
package main

import (
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
	"github.com/mteval/mteval/examples/lengtherror"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: thirdparty examples/data")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, data string) error {
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
	scorers := []mteval.Scorer{bleuScorer, lengtherror.Scorer{}}
	if err := rank(ctx, w, d.refs, d.systems, d.human, scorers, bert); err != nil {
		return err
	}
	if err := studyAll(ctx, w, d.refs, d.systems, d.human, scorers, bert); err != nil {
		return err
	}
	return judge(ctx, w, d.refs, d.systems, d.people, append(scorers, bert))
}

// rank prints scores and ranks.
func rank(ctx context.Context, w io.Writer, refs [][]string, systems []mteval.System, human []ranking.Human, scorers []mteval.Scorer, base mteval.MatchScorer) error {
	// Metrics whose rows do not depend on the other systems.
	var metrics []ranking.FieldMetric
	for _, s := range scorers {
		table, err := mteval.Systems(ctx, s, refs, systems)
		if err != nil {
			return err
		}
		metrics = append(metrics, ranking.FromTable(table))
	}
	// BERTScore and its difficulty-aware form share the matching of tokens.
	matcher, err := base.PrepareMatch(ctx, refs)
	if err != nil {
		return err
	}
	matchings, err := mteval.MatchSystems(ctx, matcher, systems)
	if err != nil {
		return err
	}
	field, err := difficulty.NewField(base, matchings, difficulty.Paper(), difficulty.Function{})
	if err != nil {
		return err
	}
	metrics = append(metrics, ranking.FromTable(matchings.Table(base)), field)

	r, err := ranking.Rank(ctx, matchings.Systems, metrics, ranking.Options{Human: human})
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
func studyAll(ctx context.Context, w io.Writer, refs [][]string, systems []mteval.System, human []ranking.Human, scorers []mteval.Scorer, base mteval.MatchScorer) error {
	metrics := []study.Subject{{Scorer: base, Forms: []study.Form{{Name: "paper", Options: difficulty.Paper()}}}}
	for _, s := range scorers {
		metrics = append(metrics, study.Subject{Scorer: s})
	}
	r, err := study.Run(ctx, refs, systems, human, metrics, study.Options{})
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
func judge(ctx context.Context, w io.Writer, refs [][]string, systems []mteval.System, people meta.People, scorers []mteval.Scorer) error {
	var metrics []meta.Candidate
	for _, s := range scorers {
		table, err := mteval.Systems(ctx, s, refs, systems)
		if err != nil {
			return err
		}
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
	human   []ranking.Human // scores of systems
	people  meta.People     // scores of segments
}

func load(ctx context.Context, dir string) (*sample, error) {
	outputs, err := filepath.Glob(filepath.Join(dir, "sys", "*.txt"))
	if err != nil {
		return nil, err
	}
	texts, err := files.OpenCorpus(ctx, []string{filepath.Join(dir, "ref.de")}, outputs, files.CorpusOptions{})
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
	return &sample{refs: texts.Refs, systems: texts.Systems, human: ranking.HumanOf(ofSystems), people: meta.People{Scores: ofSegments}}, nil
}
