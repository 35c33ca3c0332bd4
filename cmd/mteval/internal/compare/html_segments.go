package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/report"
)

// segments are those that decide between two systems by some metric, or nil where there are no
// texts of them.
func (s *compareOutput) segments() *report.Segments {
	if len(s.decisions) == 0 || !s.decisions[0].hasTexts() {
		return nil
	}
	a, b := s.decisions[0].A, s.decisions[0].B
	out := &report.Segments{Title: fmt.Sprintf("What decides between %s and %s", a, b), Systems: []string{a, b}}
	var scores []map[int]compare.Decided // of each metric, by line
	var lines []int
	names := make(map[int]string)
	for i := range s.decisions {
		d := &s.decisions[i]
		out.Scores = append(out.Scores, report.ScoreColumn{Name: d.metric, Decimals: 4, LowerIsBetter: d.lower})
		out.Keys = append(out.Keys, report.Key{Name: "how far apart by " + d.metric})
		of := make(map[int]compare.Decided, len(d.Segments))
		for _, x := range d.Segments {
			of[d.lines[x.Item]] = x
		}
		scores = append(scores, of)
		for _, x := range d.shown {
			line := d.lines[x.Item]
			if _, ok := names[line]; !ok {
				lines = append(lines, line)
			}
			if names[line] = ""; x.Item != strconv.Itoa(line+1) {
				names[line] = x.Item
			}
		}
	}
	apart := func(line int) float64 { return math.Abs(scores[0][line].Difference) }
	slices.SortStableFunc(lines, func(x, y int) int { return cmp.Compare(apart(y), apart(x)) })
	out.All = func(yield func(report.Segment) bool) {
		for _, line := range lines {
			if !yield(s.segment(line, names[line], scores)) {
				return
			}
		}
	}
	return out
}

func (s *compareOutput) segment(line int, name string, scores []map[int]compare.Decided) report.Segment {
	out := report.Segment{Number: line + 1, Name: name, Outputs: make([]report.Output, 2)}
	if s.texts.source != nil {
		out.Source = s.texts.source[line]
	}
	if s.texts.reference != nil {
		out.References = []report.Text{{Text: s.texts.reference[line]}}
	}
	for k, system := range []string{s.decisions[0].A, s.decisions[0].B} {
		if lines, ok := s.texts.outputs[system]; ok {
			out.Outputs[k].Text.Text = lines[line]
		}
	}
	for _, of := range scores {
		x, ok := of[line]
		if !ok {
			x.A, x.B = math.NaN(), math.NaN()
		}
		out.Keys = append(out.Keys, math.Round(math.Abs(x.Difference)*1e4)/1e4)
		for k, v := range []float64{x.A, x.B} {
			out.Outputs[k].Scores = append(out.Outputs[k].Scores, v)
		}
	}
	return out
}
