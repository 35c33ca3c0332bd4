package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval"
)

func (a *app) scoreCommand() *cobra.Command {
	var (
		refs, metrics []string
		sentences     bool
		output        string
		flags         metricFlags
	)
	c := &cobra.Command{
		Use:   "score -r REF [-r REF2 …] HYP…",
		Short: "Score systems' outputs against references",
		Long: `Score prints the score of each HYP by each metric. Files have one segment a line
and as many lines as REF; they may be compressed with gzip, and - is standard
input. Several -r are several references of each segment.

With --sentence-level it prints a line for each segment, tab-separated: system,
metric, segment, score, and P, R and F where the metric has them. BLEU then has
effective order, as in sacreBLEU.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			flags.parsed(c.Flags())
			flags.effective = sentences
			if err := checkFormat(output); err != nil {
				return err
			}
			return a.score(c.Context(), refs, args, metrics, sentences, output, &flags)
		},
	}
	fs := c.Flags()
	fs.StringArrayVarP(&refs, "reference", "r", nil, "reference file (repeat for several references)")
	fs.StringSliceVarP(&metrics, "metrics", "m", []string{"bleu"}, "metrics: "+strings.Join(metricNames, ", "))
	fs.BoolVar(&sentences, "sentence-level", false, "print the score of every segment")
	fs.StringVar(&output, "format", "text", "output format: text, json")
	flags.add(fs)
	return c
}

func checkFormat(f string) error {
	if f != "text" && f != "json" {
		return fmt.Errorf("no format %q: have text, json", f)
	}
	return nil
}

// scoreJSON is the output of score --format json.
type scoreJSON struct {
	Results []resultJSON `json:"results"`
}

type resultJSON struct {
	System    string        `json:"system"`
	Metric    string        `json:"metric"`
	Score     float64       `json:"score"`
	Signature string        `json:"signature"`
	Segments  []segmentJSON `json:"segments,omitempty"`
}

type segmentJSON struct {
	Score float64  `json:"score"`
	P     *float64 `json:"p,omitempty"`
	R     *float64 `json:"r,omitempty"`
	F     *float64 `json:"f,omitempty"`
}

func (a *app) score(ctx context.Context, refPaths, hypPaths, metrics []string, sentences bool, output string, flags *metricFlags) error {
	start := time.Now()
	metrics = unique(metrics)
	if len(metrics) == 0 {
		return errors.New("no metric: name one with -m")
	}
	var open openBackend
	defer open.close()
	var scorers []mteval.Scorer
	for _, name := range metrics {
		s, err := flags.scorer(name, &open)
		if err != nil {
			return err
		}
		scorers = append(scorers, s)
	}
	refs, systems, err := a.readCorpus(refPaths, hypPaths)
	if err != nil {
		return err
	}
	tables := make([]*mteval.Table, len(scorers))
	for m, s := range scorers {
		ctx, done := a.withProgress(ctx, start, metrics[m])
		tables[m], err = mteval.Systems(ctx, s, refs, systems)
		done()
		if err != nil {
			return fmt.Errorf("%s: %w", metrics[m], err)
		}
	}

	var out scoreJSON
	for k, sys := range systems {
		for m, t := range tables {
			r := resultJSON{System: sys.Name, Metric: metrics[m], Score: t.Scores()[k], Signature: t.Info.Signature.String()}
			prf, hasPRF := scorers[m].(mteval.PRFScorer)
			for i := 0; sentences && i < t.Len(); i++ {
				s := segmentJSON{Score: t.SegmentScore(k, i)}
				if hasPRF {
					v := prf.PRF(t.Row(k, i))
					s.P, s.R, s.F = &v.P, &v.R, &v.F
				}
				r.Segments = append(r.Segments, s)
			}
			out.Results = append(out.Results, r)
		}
	}
	if output == "json" {
		return writeJSON(a.stdout, out)
	}
	var b strings.Builder
	if sentences {
		for _, r := range out.Results {
			for i, s := range r.Segments {
				fields := []string{r.System, r.Metric, strconv.Itoa(i + 1), number(s.Score)}
				if s.P != nil {
					fields = append(fields, number(*s.P), number(*s.R), number(*s.F))
				}
				b.WriteString(strings.Join(fields, "\t") + "\n")
			}
		}
	} else {
		rows := [][]string{append([]string{"system"}, metrics...)}
		for k, sys := range systems {
			row := []string{sys.Name}
			for m, t := range tables {
				row = append(row, format(t.Info, out.Results[k*len(tables)+m].Score))
			}
			rows = append(rows, row)
		}
		grid(&b, rows)
		b.WriteByte('\n')
		for m, t := range tables {
			fmt.Fprintf(&b, "%s: %s\n", metrics[m], t.Info.Signature)
		}
	}
	_, err = io.WriteString(a.stdout, b.String())
	return err
}

// number writes a segment's score, so that it can be read back exactly enough for
// any use and still be read.
func number(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
