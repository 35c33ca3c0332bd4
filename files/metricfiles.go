package files

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/metaeval"
)

// OpenMetricFiles reads scores of metrics from several files, in any of the forms of
// [ReadMetrics]. Arguments are as [Outputs] takes them. A file that does not say of which metric
// its scores are is called as its metric, and one that does not say of which system, as its
// system. Scores of one metric may be in several files, of other systems each. Scores that say
// neither are of a metric "score". If of one of the files less of the metric is better, and of
// another more, as far as their Directions or its name tell, that is an error.
//
// Numbers of segments mean the same in all of them, and in o.Beside: a note says what was changed.
func OpenMetricFiles(ctx context.Context, args []string, o Options) ([]MetricScores, error) {
	inputs, err := metricInputs(args)
	if err != nil {
		return nil, err
	}
	var read []metricFile
	var sheets []sheet
	for _, in := range inputs {
		f, err := open(ctx, in.Path, o, table(parseMetricFile))
		if err != nil {
			return nil, err
		}
		read, sheets = append(read, f), append(sheets, f.sheet())
	}
	if err := lineUp(sheets, o); err != nil {
		return nil, err
	}
	var out []MetricScores
	from, at := make(map[string]string), make(map[string]int)
	for i, in := range inputs {
		for _, m := range read[i].scores {
			if err := m.called(in); err != nil {
				return nil, err
			}
			k, known := at[m.Name]
			if !known {
				at[m.Name], from[m.Name] = len(out), in.Path
				out = append(out, m)
				continue
			}
			if err := out[k].join(m, from[m.Name], in.Path); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// metricInputs are the files that arguments name. Two may have one name, if their scores have not.
func metricInputs(args []string) ([]Output, error) {
	var out []Output
	var unnamed []int
	var paths []string
	for i, arg := range args {
		one, err := Outputs([]string{arg})
		if err != nil {
			return nil, err
		}
		if out = append(out, one...); one[0].Path == arg {
			unnamed, paths = append(unnamed, i), append(paths, arg)
		}
	}
	for k, name := range SystemNames(paths) {
		out[unnamed[k]].Name = name
	}
	return out, nil
}

// called gives names to what has none.
func (m *MetricScores) called(in Output) error {
	name := strings.TrimSuffix(in.Name, ".seg") // of mt-metrics-eval's .seg.score
	if i := slices.Index(m.Scores.Systems, ""); i >= 0 {
		if sidefile.Once(in.Path) {
			return fmt.Errorf("%s: it does not say of which system the scores are: give it a header and columns system, segment and score", in.Path)
		}
		m.Scores.Systems = slices.Clone(m.Scores.Systems)
		m.Scores.Systems[i] = name
		if m.Name == "" {
			m.Name = "score"
		}
	}
	if m.Name == "" {
		if sidefile.Once(in.Path) {
			return fmt.Errorf("%s: it has no name for a metric: give it a header and a column metric", in.Path)
		}
		m.Name = name
	}
	return nil
}

// join adds the systems of other, which was read later.
func (m *MetricScores) join(other MetricScores, before, path string) error {
	had := make(map[string]bool)
	for _, s := range m.Scores.Systems {
		had[s] = true
	}
	for _, s := range other.Scores.Systems {
		if had[s] {
			return fmt.Errorf("%s and %s both have scores of a metric %s for the system %s: give one of them another name, as NAME=FILE, or leave it out", before, path, m.Name, s)
		}
	}
	if m.SystemsOnly != other.SystemsOnly {
		return fmt.Errorf("%s and %s both have scores of a metric %s, one of segments and one of whole systems", before, path, m.Name)
	}
	if x, y := m.told(), other.told(); x != y && x != Unsaid && y != Unsaid {
		return fmt.Errorf("%s has scores of a metric %s of which %s, and %s of one of the same name of which %s: call one of them otherwise", before, m.Name, x, path, y)
	}
	if m.Direction == Unsaid {
		m.Direction = other.Direction
	}
	a, b := len(m.Scores.Items), len(other.Scores.Items)
	if a != b && areNumbered(m.Scores.Items) && areNumbered(other.Scores.Items) {
		return fmt.Errorf("%s has scores of %d segments, %s of %d: files of one metric must be of the same segments", before, a, path, b)
	}
	at := make(map[string]int, a)
	items := slices.Clone(m.Scores.Items)
	for i, item := range items {
		at[item] = i
	}
	for _, item := range other.Scores.Items {
		if _, ok := at[item]; !ok {
			at[item] = len(items)
			items = append(items, item)
		}
	}
	joined := metaeval.NewScores(slices.Concat(m.Scores.Systems, other.Scores.Systems), items)
	for k := range m.Scores.Systems {
		copy(joined.Values[k*len(items):], m.Scores.Values[k*a:(k+1)*a])
	}
	for k := range other.Scores.Systems {
		for i, item := range other.Scores.Items {
			if v := other.Scores.At(k, i); !math.IsNaN(v) {
				joined.Set(len(m.Scores.Systems)+k, at[item], v)
			}
		}
	}
	m.Scores = joined
	return nil
}

// areNumbered says whether items are the numbers from 1.
func areNumbered(items []string) bool {
	for i, item := range items {
		if item != strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}
