package choose

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/names"
)

// selectedJSON has what the list says of a chosen segment, in json.
type selectedJSON struct {
	Segment  string  `json:"segment"`
	Document string  `json:"document,omitempty"`
	Words    *int    `json:"words,omitempty"`
	Utility  float64 `json:"utility"`
	Rank     int     `json:"rank"`
}

func (l *selectList) selected(rank int) selectedJSON {
	i := l.Segments[rank]
	out := selectedJSON{Segment: l.in.Segments[i], Utility: l.Utilities[i] + 0, Rank: rank + 1}
	if l.in.Documents != nil {
		out.Document = l.in.Documents[i]
	}
	if l.in.Lengths != nil {
		out.Words = &l.in.Lengths[i]
	}
	return out
}

// JSON is what --format json prints of a list.
type JSON struct {
	Method    string         `json:"method"`
	Segments  int            `json:"segments"`
	Systems   []string       `json:"systems"`
	Chosen    []selectedJSON `json:"chosen"`
	Utilities []float64      `json:"utilities"` // of all segments
	LeftOut   leftOutJSON    `json:"left_out"`
	Metrics   []signedPart   `json:"metrics"`
	// LowerIsBetter is of the metrics of --scores.
	LowerIsBetter map[string]bool `json:"lower_is_better,omitempty"`
	Signature     string          `json:"signature"`
}

type leftOutJSON struct {
	Before   int `json:"chosen_before"`
	Blank    int `json:"without_output"`
	Repeated int `json:"repeated"`
}

func (l *selectList) json() JSON {
	out := JSON{
		Method: l.method.Text, Segments: len(l.in.Segments), Systems: append([]string{}, app.SystemNames(l.in.Systems)...),
		LeftOut: leftOutJSON(l.LeftOut), Metrics: append([]signedPart{}, l.in.signed...), LowerIsBetter: l.in.directions(), Signature: l.signature().String(),
	}
	for _, u := range l.Utilities {
		out.Utilities = append(out.Utilities, u+0)
	}
	for rank := range l.Segments {
		out.Chosen = append(out.Chosen, l.selected(rank))
	}
	return out
}

// text writes a table of numbers.
func (l *selectList) text(b *strings.Builder) {
	rows := [][]string{{"segment", "rank", "utility"}}
	if l.in.Lengths != nil {
		rows[0] = append(rows[0], "words")
	}
	if l.in.Documents != nil {
		rows[0] = append(rows[0], "document")
	}
	for rank := range l.Segments {
		s := l.selected(rank)
		row := []string{s.Segment, strconv.Itoa(s.Rank), strconv.FormatFloat(s.Utility, 'g', 5, 64)}
		if s.Words != nil {
			row = append(row, strconv.Itoa(*s.Words))
		}
		if l.in.Documents != nil {
			row = append(row, s.Document)
		}
		rows = append(rows, row)
	}
	safe.Grid(b, rows)
}

// itemJSON is a line of JSON lines, with the names of Pearmut's items.
type itemJSON struct {
	ID       string   `json:"item_id"`
	Document string   `json:"document,omitempty"`
	Source   *string  `json:"src,omitempty"`
	Ref      *string  `json:"ref,omitempty"`
	Refs     []string `json:"refs,omitempty"` // all, if they are several
	// Targets are the outputs by system.
	Targets map[string]string `json:"tgt"`
	Words   *int              `json:"words,omitempty"`
	Utility float64           `json:"utility"`
	Rank    int               `json:"rank"`
}

func (l *selectList) jsonLines(w io.Writer) error {
	for rank, i := range l.Segments {
		s := l.selected(rank)
		item := itemJSON{ID: s.Segment, Document: s.Document, Words: s.Words, Utility: s.Utility, Rank: s.Rank, Targets: map[string]string{}}
		if l.in.Sources != nil {
			item.Source = &l.in.Sources[i]
		}
		if refs := l.in.References; refs != nil {
			item.Ref = &refs[i][0]
			if len(refs[i]) > 1 {
				item.Refs = refs[i]
			}
		}
		if l.in.options.rows != "outputs" {
			for _, sys := range l.in.Systems {
				item.Targets[sys.Name] = sys.Hyps[i]
			}
			if err := safe.JSON(w, item); err != nil {
				return err
			}
			continue
		}
		for _, sys := range l.in.Systems {
			item.Targets = map[string]string{sys.Name: sys.Hyps[i]}
			if err := safe.JSON(w, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// table writes a row for each segment, or for each output.
func (l *selectList) table(write func(cells []string) error) error {
	header, err := l.header()
	if err != nil {
		return err
	}
	if err := write(header); err != nil {
		return err
	}
	for rank, i := range l.Segments {
		before, after := l.cells(rank)
		systems := l.in.Systems
		if l.in.options.rows == "outputs" {
			for _, s := range systems {
				if err := write(slices.Concat(before, []string{s.Name, s.Hyps[i]}, after)); err != nil {
					return err
				}
			}
			continue
		}
		var outputs []string
		for _, s := range systems {
			outputs = append(outputs, s.Hyps[i])
		}
		if err := write(slices.Concat(before, outputs, after)); err != nil {
			return err
		}
	}
	return nil
}

// header is that of table.
func (l *selectList) header() ([]string, error) {
	before := []string{"segment"}
	if l.in.Documents != nil {
		before = append(before, "document")
	}
	if l.in.Sources != nil {
		before = append(before, "source")
	}
	for k := range l.in.references() {
		name := "reference"
		if k > 0 {
			name += strconv.Itoa(k + 1)
		}
		before = append(before, name)
	}
	var after []string
	if l.in.Lengths != nil {
		after = append(after, "words")
	}
	after = append(after, "utility", "rank")
	if l.in.options.rows == "outputs" {
		return slices.Concat(before, []string{"system", "output"}, after), nil
	}
	systems := app.SystemNames(l.in.Systems)
	for _, name := range systems {
		if slices.Contains(before, name) || slices.Contains(after, name) {
			return nil, fmt.Errorf("a system is called %s, as another column is: call it otherwise with NAME=FILE, or take --rows outputs or jsonl (columns: %s)", name, names.Few(slices.Concat(before, after)))
		}
	}
	return slices.Concat(before, systems, after), nil
}

// references is the most that a segment has.
func (in *selectInput) references() int {
	n := 0
	for _, refs := range in.References {
		n = max(n, len(refs))
	}
	return n
}

// cells are those of a row before and behind the outputs.
func (l *selectList) cells(rank int) (before, after []string) {
	i, s := l.Segments[rank], l.selected(rank)
	before = []string{s.Segment}
	if l.in.Documents != nil {
		before = append(before, s.Document)
	}
	if l.in.Sources != nil {
		before = append(before, l.in.Sources[i])
	}
	for k := range l.in.references() {
		text := ""
		if k < len(l.in.References[i]) {
			text = l.in.References[i][k]
		}
		before = append(before, text)
	}
	if s.Words != nil {
		after = append(after, strconv.Itoa(*s.Words))
	}
	return before, append(after, decimal.Format(s.Utility), strconv.Itoa(s.Rank))
}
