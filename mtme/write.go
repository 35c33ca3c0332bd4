package mtme

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/metaeval"
)

// WriteMetric writes a metric's scores into the tree, of which more must be better, for
// all Systems but perhaps the reference that it used, and for each of Items as [Pair.Metric]
// gives them. It replaces a file that is there, whole or not at all.
func (p *Pair) WriteMetric(ctx context.Context, f MetricFile, s *metaeval.Scores) error {
	if err := p.checkMetric(f, s); err != nil {
		return err
	}
	text, err := metricText(f, s)
	if err != nil {
		return err
	}
	path := p.MetricPath(f)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("mtme: %w", err)
	}
	if err := outfile.Write(ctx, path, text); err != nil {
		return fmt.Errorf("mtme: %w", err)
	}
	if !slices.Contains(p.MetricScores, f) {
		p.MetricScores = append(p.MetricScores, f)
		slices.SortFunc(p.MetricScores, func(a, b MetricFile) int { return strings.Compare(a.file(), b.file()) })
	}
	return nil
}

// MetricPath returns where the file of a metric's scores is in the tree, or would be.
func (p *Pair) MetricPath(f MetricFile) string {
	return filepath.Join(p.dir, "metric-scores", p.LanguagePair, f.file())
}

// checkMetric is an error where scores are not those of a metric's file.
func (p *Pair) checkMetric(f MetricFile, s *metaeval.Scores) error {
	if f.Metric == "" || strings.ContainsAny(f.Metric, "/\\\t\r\n\x00") || strings.HasPrefix(f.Metric, ".") {
		return fmt.Errorf("mtme: a metric can't be called %q: its name becomes one of a file", f.Metric)
	}
	if !p.known(f.Reference) {
		return fmt.Errorf("mtme: %s %s: no reference %q; a metric that uses none has %q", p.Set, p.LanguagePair, f.Reference, NoReference)
	}
	if err := s.Check(); err != nil {
		return err
	}
	if f.Level < Segment || f.Level > Domain {
		return fmt.Errorf("mtme: unknown level %d", int(f.Level))
	}
	if strings.Contains(f.Reference, "-") {
		return fmt.Errorf("mtme: %s: no reference can be called %q, with a - in it: what is after the last - in the name of the file is the reference", f.Metric, f.Reference)
	}
	if !slices.Equal(s.Items, p.items(f.Level)) {
		return fmt.Errorf("mtme: %s: scores of other items than those of %s %s at level %s, or in another order", f.Metric, p.Set, p.LanguagePair, f.Level)
	}
	for _, name := range p.judgedBy(f) {
		if !slices.Contains(s.Systems, name) {
			return fmt.Errorf("mtme: %s: no scores of system %s", f.Metric, name)
		}
	}
	for _, name := range s.Systems {
		if p.Outputs[name] == nil {
			return fmt.Errorf("mtme: %s: unknown system %q", f.Metric, name)
		}
	}
	return nil
}

func metricText(f MetricFile, s *metaeval.Scores) ([]byte, error) {
	var out bytes.Buffer
	for k, name := range s.Systems {
		for i, item := range s.Items {
			v := s.At(k, i)
			if math.IsNaN(v) {
				return nil, fmt.Errorf("mtme: %s: no score of system %s on item %q", f.Metric, name, item)
			}
			if f.Level == Domain {
				out.WriteString(item + "\t")
			}
			out.WriteString(name + "\t" + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
		}
	}
	return out.Bytes(), nil
}
