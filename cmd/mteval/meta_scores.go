package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/metaeval"
)

// scored are a metric's scores as they were read.
type scored struct {
	name, path string
	scores     *metaeval.Scores
	// systemsOnly: the one item stands for all of a system's output.
	systemsOnly bool
	lower       bool
}

func (m *scored) metric(s *metaeval.Scores) metaeval.Metric {
	return metaeval.Metric{Name: m.name, Scores: s, LowerIsBetter: m.lower}
}

// Names of columns, as package human has them.
var (
	systemColumns  = []string{"system", "sys", "sys_id"}
	segmentColumns = []string{"segment", "segid", "seg_id", "sid", "seg", "item"}
)

func (a *app) readMetrics(ctx context.Context, paths []string, level string) ([]scored, error) {
	var out []scored
	from := make(map[string]string)
	for _, p := range paths {
		ms, err := a.readScores(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if before, ok := from[m.name]; ok {
				return nil, fmt.Errorf("%s and %s both have scores of a metric %s: give it another name", before, p, m.name)
			}
			if m.systemsOnly && level == "segment" {
				return nil, fmt.Errorf("%s has scores of systems: --level segment needs those of segments", p)
			}
			from[m.name] = p
		}
		out = append(out, ms...)
	}
	return out, nil
}

// readScores reads what a file of scores has, which it tells by the first line.
func (a *app) readScores(ctx context.Context, path string) ([]scored, error) {
	f, err := a.read(ctx, path)
	if err != nil {
		return nil, err
	}
	first := fields(firstLine(f.Lines))
	header := make([]string, len(first))
	for i, c := range first {
		header[i] = strings.ToLower(c)
	}
	name := lines.SystemName(path)
	switch system, segment := find(header, systemColumns...), find(header, segmentColumns...); {
	case system >= 0 && segment >= 0 && find(header, "metric") >= 0:
		score := find(header, "score")
		if score < 0 {
			return nil, fmt.Errorf("%s: the header has a column metric and none called score: it has %s", path, strings.Join(first, ", "))
		}
		return parseMetrics(f, columns{system, find(header, "metric"), segment, score}, true)
	case system >= 0 && segment < 0 && len(first) > 2:
		return parseSystems(f, system, first)
	case system < 0 && (len(first) == 4 || len(first) == 7) && numeric(first[2]) && numeric(first[3]):
		return parseMetrics(f, columns{0, 1, 2, 3}, false)
	case readOnce(path):
		return nil, fmt.Errorf("--scores %s: it has no name for a metric: give it a header and a column metric", path)
	case len(first) == 2:
		hs, err := a.readHuman(ctx, path, nil)
		if err != nil {
			return nil, err
		}
		return []scored{{name: name, path: path, scores: systemScores(hs), systemsOnly: true}}, nil
	}
	s, err := await(ctx, func() (*metaeval.Scores, error) { return human.ReadScores(path) })
	if err != nil {
		return nil, err
	}
	return []scored{{name: name, path: path, scores: s}}, nil
}

// fields are the cells of a line, without space around them.
func fields(line string) []string {
	cells := strings.Split(line, "\t")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells
}

// find is the place of the first of the names that the header has, or −1.
func find(header []string, names ...string) int {
	for _, n := range names {
		if i := slices.Index(header, n); i >= 0 {
			return i
		}
	}
	return -1
}

func numeric(s string) bool {
	_, err := lines.ParseNumber(s)
	return err == nil || strings.EqualFold(s, "nan")
}

// score reads a cell, NaN where it is missing, as package human does.
func score(cell string) (float64, error) {
	switch strings.ToLower(cell) {
	case "", "na", "nan", "none":
		return math.NaN(), nil
	}
	return finite(cell)
}

// numbering numbers names as they come.
type numbering struct {
	names []string
	at    map[string]int
}

func (n *numbering) of(name string) int {
	k, ok := n.at[name]
	if !ok {
		if n.at == nil {
			n.at = make(map[string]int)
		}
		k = len(n.names)
		n.at[name] = k
		n.names = append(n.names, name)
	}
	return k
}

// columns are where a table has what.
type columns struct{ system, metric, segment, score int }

// parseMetrics reads a table of several metrics. One without a header must be what mteval
// score --sentence-level prints: each metric's scores of each system on segments 1 to n.
func parseMetrics(f *lines.File, c columns, header bool) ([]scored, error) {
	type cell struct {
		metric, system, item, line int
		score                      float64
	}
	var metrics, systems, items numbering
	var cells []cell
	width := 0
	for i, l := range f.Lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		row := fields(l)
		if width == 0 {
			if width = len(row); header {
				continue
			}
		}
		// Only some metrics have P, R and F.
		if len(row) != width && (header || len(row) != 4 && len(row) != 7) {
			return nil, fmt.Errorf("%s:%d: %d columns, the line before has %d", f.Path, i+1, len(row), width)
		}
		for _, at := range []int{c.metric, c.system, c.segment} {
			if row[at] == "" {
				return nil, fmt.Errorf("%s:%d: column %d is empty", f.Path, i+1, at+1)
			}
		}
		v, err := score(row[c.score])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: the score is %q, %w", f.Path, i+1, row[c.score], err)
		}
		cells = append(cells, cell{metrics.of(row[c.metric]), systems.of(row[c.system]), items.of(row[c.segment]), i + 1, v})
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("%s: no scores in it", f.Path)
	}
	const large = 1 << 24
	m, s, n := len(metrics.names), len(systems.names), len(items.names)
	if size := float64(m) * float64(s) * float64(n); size > large && size > 100*float64(len(cells)) {
		return nil, fmt.Errorf("%s: %d scores of %d metrics and %d systems on %d segments: is a column taken for another?", f.Path, len(cells), m, s, n)
	}
	if !header {
		whole := len(cells) == m*s*n
		for i, name := range items.names {
			whole = whole && name == strconv.Itoa(i+1)
		}
		if !whole {
			return nil, fmt.Errorf("%s: %d columns and no header, and not what mteval score --sentence-level prints: give it a header that says which are system, segment, score, and metric if there are several", f.Path, width)
		}
	}
	out := make([]scored, m)
	line := make([]int, m*s*n)
	for k, name := range metrics.names {
		out[k] = scored{name: name, path: f.Path, scores: metaeval.NewScores(systems.names, items.names)}
	}
	for _, c := range cells {
		at := &line[(c.metric*s+c.system)*n+c.item]
		if *at > 0 {
			return nil, fmt.Errorf("%s:%d: a second score of %s for system %s on segment %s, which has one on line %d",
				f.Path, c.line, metrics.names[c.metric], systems.names[c.system], items.names[c.item], *at)
		}
		*at = c.line
		out[c.metric].scores.Set(c.system, c.item, c.score)
	}
	return out, nil
}

// parseSystems reads a table with a row for each system and a column for each metric.
func parseSystems(f *lines.File, system int, header []string) ([]scored, error) {
	var names []string
	values := make([][]float64, len(header))
	line := make(map[string]int)
	started := false
	for i, l := range f.Lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if !started {
			started = true
			continue
		}
		row := fields(l)
		if len(row) != len(header) {
			return nil, fmt.Errorf("%s:%d: %d columns, the header has %d", f.Path, i+1, len(row), len(header))
		}
		name := row[system]
		if before, ok := line[name]; ok {
			return nil, fmt.Errorf("%s:%d: a second row of system %s, which has one on line %d", f.Path, i+1, name, before)
		}
		line[name] = i + 1
		names = append(names, name)
		for c, cell := range row {
			if c == system {
				continue
			}
			v, err := score(cell)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: the %s of %s is %q, %w", f.Path, i+1, header[c], name, cell, err)
			}
			values[c] = append(values[c], v)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no scores in it", f.Path)
	}
	var out []scored
	for c, name := range header {
		if c == system {
			continue
		}
		if name == "" {
			return nil, fmt.Errorf("%s: column %d has no name", f.Path, c+1)
		}
		s := metaeval.NewScores(names, []string{""})
		copy(s.Values, values[c])
		out = append(out, scored{name: name, path: f.Path, scores: s, systemsOnly: true})
	}
	return out, nil
}
