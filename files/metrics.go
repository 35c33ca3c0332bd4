package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/metaeval"
)

// MetricScores are a metric's scores as they stand in a file.
type MetricScores struct {
	// Name is "" in a table that is of one metric and does not say of which: such a file is
	// called as its metric, so [SystemName] has the name.
	Name   string
	Scores *metaeval.Scores
	// SystemsOnly says that Scores have one item, "", which stands for all of a system's
	// output.
	SystemsOnly bool
	// Direction is what the file says of the metric, or the rule of its form: see
	// [Directions].
	Direction Direction
}

// ReadMetrics reads scores of metrics, in one of these forms, which it tells by the first line. Tables
// have tabs between, or commas where a header has a column system or segment:
//
//   - A header that calls columns system (or sys, sys_id), segment (or segid, seg_id, sid,
//     seg, item), metric and score, in any order. Without segment the scores are of systems,
//     as mteval score --format tsv prints. Other columns are passed over.
//   - What mteval score --sentence-level prints as text: system, metric, segment and score, and P, R
//     and F of some metrics, without a header, the segments of each metric and system being
//     the numbers from 1.
//   - A header that calls a column system, and a column for each metric. Of what mteval rank
//     --format tsv prints (group, above_next, best) only the columns of metrics are taken.
//   - What mteval score and mteval rank write with --format json.
//   - A header that calls columns system and segment, and others, of which those are metrics that have
//     a number in the first row, or a score that is missing.
//   - A header with a column segment, or with a first one that has no name, and none called system: a row
//     for each segment, and a column for each system, of one metric. Where there is one such column
//     it is of one system, and called as the metric, or score.
//   - Two columns, system and score, as [ReadSystems] reads them. Where systems stand more than
//     once, each as often, these are their segments in order, as in mt-metrics-eval's .seg.score.
//   - A table of system, segment and score, as [ReadScores] reads it.
//   - What comet-score prints, and what it and comet-compare write with --to_json: a metric COMET.
//   - JSON lines with a prediction, and system_id and segment_id if they are there, as MetricX's
//     program writes: a metric MetricX.
//   - What metrics were sent to WMT's task as: metric, language pair, test set, in some years domain or
//     reference, system, segment and score, without a header, of one language pair.
//   - A score a line.
//
// Segments without names are called by their numbers, from 1, and so are comet-score's and MetricX's,
// which count from 0, unless o.Beside has other numbers. In a file that does not name its one
// system that is "": [OpenMetricFiles] calls it as the file.
//
// A score that is missing is NaN. In what mteval score (without a header, with a column signature, or
// with --sentence-level) and mteval rank print names have \t for a tab, say, and \\ for a backslash, which is
// undone; in other tables a backslash is one.
//
// The Direction is what a column lower_is_better says, true or false, in a table with a column for each
// metric METRIC_lower_is_better, or the field of that name in JSON; [HigherIsBetter] in a file called
// as mt-metrics-eval's (.seg.score, .sys.score) or sent to WMT's task, and in a table with WMT's
// columns SYS, SEGID and SCORE whose scores are below 0 on the whole, as error metrics' are there; and
// else [Unsaid].
func ReadMetrics(r io.Reader, name string, o Options) ([]MetricScores, error) {
	f, err := read(r, name, o, table(parseMetricFile))
	if err != nil {
		return nil, err
	}
	return f.scores, lineUp([]sheet{f.sheet()}, o)
}

// OpenMetrics is [ReadMetrics] of a file.
func OpenMetrics(ctx context.Context, path string, o Options) ([]MetricScores, error) {
	f, err := open(ctx, path, o, table(parseMetricFile))
	if err != nil {
		return nil, err
	}
	return f.scores, lineUp([]sheet{f.sheet()}, o)
}

// A metricFile is a file's scores, before its segments are lined up.
type metricFile struct {
	path      string
	scores    []MetricScores
	numbering numbering
}

func parseMetricFile(s *source) (metricFile, error) {
	scores, err := parseMetrics(s)
	if err != nil {
		return metricFile{}, err
	}
	return metricFile{s.name, scores, s.numbering}, s.checkCut(s.fixed)
}

func (f *metricFile) sheet() sheet {
	out := sheet{name: f.path, numbering: f.numbering}
	for _, m := range f.scores {
		if !m.SystemsOnly {
			out.lists = append(out.lists, &m.Scores.Items)
		}
	}
	return out
}

func parseMetrics(s *source) ([]MetricScores, error) {
	first, by := cut(nil, s.first), tabs
	if !strings.Contains(s.first, "\t") {
		fields := trimmed(strings.Split(s.first, ","))
		if headerOf(fields).find(systemNames...) >= 0 || isSegmentRows(fields) {
			first, by = fields, commas
		}
	}
	h := headerOf(first)
	if h.find(systemNames...) >= 0 && !slices.ContainsFunc(first, numeric) {
		if name := h.twice("metric", "score", directionColumn); name != "" {
			return nil, twoColumns(s, name)
		}
	}
	direction := h.find(directionColumn)
	switch system, segment, metric, score := h.find(systemNames...), h.find(segmentNames...), h.find("metric"), h.find("score"); {
	case system >= 0 && (metric >= 0 || direction >= 0 && score >= 0) && (segment >= 0 || score >= 0):
		if score < 0 {
			return nil, &LineError{s.name, s.at, fmt.Errorf("the header has a column metric and none called score: it has %s", strings.Join(first, ", "))}
		}
		t := &metricTable{system: system, metric: metric, segment: segment, score: score, direction: direction, header: true}
		t.sentences = isSentenceTable(first)
		t.escaped = segment < 0 && h.find("signature") >= 0 || t.sentences
		t.texts = s.textColumns(first)
		return parseMetricRows(s, by, t)
	case system >= 0 && segment < 0 && len(first) > 2:
		return parseMetricColumns(s, by, system, first)
	case system >= 0 && segment >= 0 && score < 0 && len(first) > 3:
		return parseSegmentColumns(s, by, system, segment, first)
	case system < 0 && (len(first) == 4 || len(first) == 7) && numeric(first[2]) && (numeric(first[3]) || missing(first[3])):
		s.numbering.form, s.fixed = counted, true
		return parseMetricRows(s, tabs, &metricTable{system: 0, metric: 1, segment: 2, score: 3, direction: -1, escaped: true})
	case isPredicted(s.first):
		return parseMetricX(s)
	case strings.HasPrefix(s.first, "{"):
		return parseCometJSON(s)
	case system < 0 && h.find("metric") < 0 && isSegmentRows(first):
		return parseSegmentRows(s, by)
	case system < 0 && wmtSegment(first) >= 0:
		return parseWMTMetrics(s)
	case isComet(first):
		return parseComet(s)
	case len(first) == 1 && (numeric(first[0]) || missing(first[0])):
		return parseNumbers(s)
	case len(first) == 2:
		return parseBlocks(s)
	}
	if len(first) == 1 && s.first != "" {
		return nil, &LineError{s.name, s.at, errors.New("this begins none of the scores that are read: a table with tabs (or with commas, and a header with a column system, or segment and a column for each system), a score a line, what comet-score prints or writes as JSON, MetricX's JSON lines, JSON of mteval score or rank")}
	}
	scores, err := parseScoresBy(s, by)
	if err != nil {
		return nil, err
	}
	out := MetricScores{Scores: scores}
	if isWMTTable(first) && isNegated(scores) {
		out.Direction = HigherIsBetter
	}
	return []MetricScores{out}, nil
}

// isSentenceTable says whether a header is that of mteval score --sentence-level --format tsv.
func isSentenceTable(header []string) bool {
	return len(header) > 4 && slices.Equal(header[:5], []string{"system", "metric", "segment", "score", directionColumn})
}

// twoColumns is the error for a name that stands twice in a header.
func twoColumns(s *source, name string) error {
	return &LineError{s.name, s.at, fmt.Errorf("two columns are called %s", name)}
}

// trimmed are fields without space and quotes around them.
func trimmed(fields []string) []string {
	for i, f := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(f), `"`)
	}
	return fields
}

// A metricTable is a table of several metrics, with a row for each score.
type metricTable struct {
	system, score int // columns
	// Columns that there may be, or −1: without segments the item is "", without metrics their name.
	segment, metric, direction int
	// header: the first row is one. Else the table is what mteval score --sentence-level
	// prints.
	header bool
	// sentences: the header is that of mteval score --sentence-level --format tsv.
	sentences bool
	// escaped: mteval score wrote the names.
	escaped bool

	texts                   textColumns
	width                   int // of the first row
	metrics, systems, items grid.Names
	cells                   []metricCell
	said                    []said // by metric
}

// A metricCell is a score.
type metricCell struct {
	metric, system, item, line int
	score                      float64
}

func parseMetricRows(s *source, by separator, t *metricTable) ([]MetricScores, error) {
	if err := rows(s, by, t.row); err != nil {
		return nil, err
	}
	if len(t.cells) == 0 {
		return nil, s.empty()
	}
	if t.sentences && s.end.empty && s.in.Open() {
		return nil, &LineError{s.name, s.end.line, errors.New("the file ends within this line")}
	}
	out, err := t.scores(s.name)
	if t.sentences && areNumbered(t.items.Names) {
		s.numbering.form, s.fixed = counted, true
	}
	return out, err
}

// scores are those of each metric.
func (t *metricTable) scores(file string) ([]MetricScores, error) {
	if err := t.check(file); err != nil {
		return nil, err
	}
	systems, items := len(t.systems.Names), len(t.items.Names)
	out := make([]MetricScores, len(t.metrics.Names))
	line := make([]int, len(out)*systems*items)
	for k, name := range t.metrics.Names {
		out[k] = MetricScores{Name: name, Scores: metaeval.NewScores(t.systems.Names, t.items.Names), SystemsOnly: t.segment < 0, Direction: t.said[k].direction}
	}
	for _, c := range t.cells {
		at := &line[(c.metric*systems+c.system)*items+c.item]
		if *at > 0 {
			return nil, &LineError{file, c.line, t.second(c, *at)}
		}
		*at = c.line
		out[c.metric].Scores.Set(c.system, c.item, c.score)
	}
	return out, nil
}

// second is the error for a second score of the same.
func (t *metricTable) second(c metricCell, before int) error {
	metric, system := t.metrics.Names[c.metric], t.systems.Names[c.system]
	if t.segment < 0 {
		return fmt.Errorf("a second score of %s for system %s, which has one on line %d: for scores of segments there must be a column segment", metric, system, before)
	}
	return fmt.Errorf("a second score of %s for system %s on segment %s, which has one on line %d", metric, system, t.items.Names[c.item], before)
}

// name is what a field says, as it was before it was written.
func (t *metricTable) name(field string) string {
	if t.escaped {
		return escape.FromCell(field)
	}
	return field
}

func (t *metricTable) row(r *row) error {
	if t.width == 0 {
		if t.width = len(r.fields); t.header {
			return nil
		}
	}
	// Only some metrics have P, R and F.
	if n := len(r.fields); n != t.width && (t.header || n != 4 && n != 7) {
		return r.errorf("%d columns, the line before has %d", n, t.width)
	}
	if err := r.named(t.system); err != nil {
		return err
	}
	name, item := "", ""
	if t.metric >= 0 {
		if err := r.named(t.metric); err != nil {
			return err
		}
		name = t.name(r.fields[t.metric])
	}
	if t.segment >= 0 {
		if err := r.named(t.segment); err != nil {
			return err
		}
		item = r.fields[t.segment]
	}
	v, err := r.score(t.score, "score")
	if err != nil {
		return err
	}
	t.texts.add(r, t.name(r.fields[t.system]), item)
	t.add(name, t.name(r.fields[t.system]), item, r.line, v)
	return t.said[t.cells[len(t.cells)-1].metric].take(r, t.direction)
}

// add adds a score.
func (t *metricTable) add(metric, system, item string, line int, score float64) {
	c := metricCell{t.metrics.Number(metric), t.systems.Number(system), t.items.Number(item), line, score}
	if t.cells = append(t.cells, c); c.metric == len(t.said) {
		t.said = append(t.said, said{})
	}
}

// check returns an error for a table that would be large and next to empty, and for one
// without a header that is not what it has to be.
func (t *metricTable) check(name string) error {
	const large = 1 << 24
	m, s, n := len(t.metrics.Names), len(t.systems.Names), len(t.items.Names)
	if size := float64(m) * float64(s) * float64(n); size > large && size > 100*float64(len(t.cells)) {
		return fmt.Errorf("%s: %d scores of %d metrics and %d systems on %d segments: is a column taken for another?", name, len(t.cells), m, s, n)
	}
	whole := len(t.cells) == m*s*n
	switch numbered := areNumbered(t.items.Names); {
	case whole && numbered || t.header && !t.sentences:
	case t.sentences && numbered:
		return fmt.Errorf("%s: it has %d scores of %d metrics and %d systems on %d segments, and not all: is the file cut short?", name, len(t.cells), m, s, n)
	case !t.header:
		return fmt.Errorf("%s: %d columns and no header, and not what mteval score --sentence-level prints: give it a header that says which are system, segment, score, and metric if there are several", name, t.width)
	}
	return nil
}

// parseMetricColumns reads a table with a row for each system and a column for each metric.
func parseMetricColumns(s *source, by separator, system int, header []string) ([]MetricScores, error) {
	for c, name := range header {
		if name == "" {
			return nil, &LineError{s.name, s.at, fmt.Errorf("column %d has no name", c+1)}
		}
	}
	t := &metricColumns{header: header, taken: make([]bool, len(header)), values: make([][]float64, len(header)), at: make(map[string]int)}
	t.directions = directionColumns(header)
	t.said = make([]said, len(header))
	t.take(system)
	seen := make(map[string]bool, len(header))
	for c, name := range header {
		if t.taken[c] && seen[name] {
			return nil, twoColumns(s, name)
		}
		seen[name] = true
	}
	if err := rows(s, by, t.row); err != nil {
		return nil, err
	}
	if len(t.names) == 0 {
		return nil, s.empty()
	}
	var out []MetricScores
	for c, name := range header {
		if t.taken[c] {
			scores := &metaeval.Scores{Systems: t.names, Items: []string{""}, Values: t.values[c]}
			out = append(out, MetricScores{Name: t.name(name), Scores: scores, SystemsOnly: true, Direction: t.said[c].direction})
		}
	}
	return out, nil
}

// metricColumns is a table with a column for each metric, as far as it is read.
type metricColumns struct {
	system     int // its column
	header     []string
	taken      []bool // columns that are of metrics
	ranked     bool   // mteval rank wrote it
	directions directionsAt

	started bool           // with the header
	names   []string       // of systems
	at      map[string]int // their lines
	values  [][]float64    // of each column
	said    []said
}

// take says which columns are of metrics: all but that of systems, or in the table of mteval rank
// those that have their rank beside them.
func (t *metricColumns) take(system int) {
	t.system = system
	has := func(name string) bool { return slices.Contains(t.header, name) }
	t.ranked = has("group") && has("above_next") && has("best")
	for c, name := range t.header {
		t.taken[c] = c != system && !t.directions.are[c] && (!t.ranked || name != "human" && has(name+"_rank"))
	}
}

// name is what a field says, as it was before it was written.
func (t *metricColumns) name(field string) string {
	if t.ranked {
		return escape.FromCell(field)
	}
	return field
}

func (t *metricColumns) row(r *row) error {
	if !t.started {
		t.started = true
		return nil
	}
	if len(r.fields) != len(t.header) {
		return r.errorf("%d columns, the header has %d", len(r.fields), len(t.header))
	}
	name := r.fields[t.system]
	if before, ok := t.at[name]; ok {
		return r.errorf("a second row of system %s, which has one on line %d: for scores of segments there must be a column segment", name, before)
	}
	t.at[name] = r.line
	t.names = append(t.names, t.name(name))
	for c := range r.fields {
		if !t.taken[c] {
			continue
		}
		v, err := r.score(c, t.header[c]+" of "+name)
		if err != nil {
			return err
		}
		t.values[c] = append(t.values[c], v)
		if err := t.said[c].take(r, t.directions.of[c]); err != nil {
			return err
		}
	}
	return nil
}
