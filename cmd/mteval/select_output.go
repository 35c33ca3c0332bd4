package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
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
	i := l.chosen[rank]
	out := selectedJSON{Segment: l.in.segments[i], Utility: l.utilities[i] + 0, Rank: rank + 1}
	if l.in.documents != nil {
		out.Document = l.in.documents[i]
	}
	if l.lengths != nil {
		out.Words = &l.lengths[i]
	}
	return out
}

type selectJSON struct {
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

func (l *selectList) json() selectJSON {
	out := selectJSON{
		Method: l.method.text, Segments: len(l.in.segments), Systems: append([]string{}, systemNames(l.in.work.systems)...),
		LeftOut: leftOutJSON{l.before, l.blank, l.repeated}, Metrics: append([]signedPart{}, l.in.signed...), LowerIsBetter: l.in.directions(), Signature: l.signature().String(),
	}
	for _, u := range l.utilities {
		out.Utilities = append(out.Utilities, u+0)
	}
	for rank := range l.chosen {
		out.Chosen = append(out.Chosen, l.selected(rank))
	}
	return out
}

// text writes a table of numbers.
func (l *selectList) text(b *strings.Builder) {
	rows := [][]string{{"segment", "rank", "utility"}}
	if l.lengths != nil {
		rows[0] = append(rows[0], "words")
	}
	if l.in.documents != nil {
		rows[0] = append(rows[0], "document")
	}
	for rank := range l.chosen {
		s := l.selected(rank)
		row := []string{s.Segment, strconv.Itoa(s.Rank), strconv.FormatFloat(s.Utility, 'g', 5, 64)}
		if s.Words != nil {
			row = append(row, strconv.Itoa(*s.Words))
		}
		if l.in.documents != nil {
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
	for rank, i := range l.chosen {
		s := l.selected(rank)
		item := itemJSON{ID: s.Segment, Document: s.Document, Words: s.Words, Utility: s.Utility, Rank: s.Rank, Targets: map[string]string{}}
		if l.in.sources != nil {
			item.Source = &l.in.sources[i]
		}
		if refs := l.in.work.corpus.Refs; refs != nil {
			item.Ref = &refs[i][0]
			if len(refs[i]) > 1 {
				item.Refs = refs[i]
			}
		}
		if l.in.options.rows != "outputs" {
			for _, sys := range l.in.work.systems {
				item.Targets[sys.Name] = sys.Hyps[i]
			}
			if err := safe.JSON(w, item); err != nil {
				return err
			}
			continue
		}
		for _, sys := range l.in.work.systems {
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
	for rank, i := range l.chosen {
		before, after := l.cells(rank)
		systems := l.in.work.systems
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
	if l.in.documents != nil {
		before = append(before, "document")
	}
	if l.in.sources != nil {
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
	if l.lengths != nil {
		after = append(after, "words")
	}
	after = append(after, "utility", "rank")
	if l.in.options.rows == "outputs" {
		return slices.Concat(before, []string{"system", "output"}, after), nil
	}
	systems := systemNames(l.in.work.systems)
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
	for _, refs := range in.work.corpus.Refs {
		n = max(n, len(refs))
	}
	return n
}

// cells are those of a row before and behind the outputs.
func (l *selectList) cells(rank int) (before, after []string) {
	i, s := l.chosen[rank], l.selected(rank)
	before = []string{s.Segment}
	if l.in.documents != nil {
		before = append(before, s.Document)
	}
	if l.in.sources != nil {
		before = append(before, l.in.sources[i])
	}
	for k := range l.in.references() {
		text := ""
		if k < len(l.in.work.corpus.Refs[i]) {
			text = l.in.work.corpus.Refs[i][k]
		}
		before = append(before, text)
	}
	if s.Words != nil {
		after = append(after, strconv.Itoa(*s.Words))
	}
	return before, append(after, decimal.Format(s.Utility), strconv.Itoa(s.Rank))
}
