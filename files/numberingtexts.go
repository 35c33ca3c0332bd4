package files

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// textKind says what a text is.
type textKind uint8

const (
	sourceText textKind = iota
	referenceText
	outputText
)

func (k textKind) String() string { return [...]string{"source", "reference", "output"}[k] }

// textColumnNames are what columns of texts are called.
var textColumnNames = [...][]string{
	sourceText:    {"source", "src"},
	referenceText: {"reference", "ref"},
	outputText:    {"hypothesis", "hyp", "output", "mt", "tgt", "target", "translation"},
}

// A rowText is a text in a row of scores.
type rowText struct {
	kind         textKind
	system, item string
	sum          uint64
	line         int
}

var textSeed = maphash.MakeSeed()

// textSum stands for a text, without the space around it.
func textSum(text string) uint64 { return maphash.String(textSeed, strings.TrimSpace(text)) }

// addText notes the text of a row, unless there is none, or nothing to compare it with.
func (s *source) addText(kind textKind, system, item, text string, line int) {
	if s.beside == nil || !s.beside.hasTexts() || blank(text) {
		return
	}
	s.numbering.texts = append(s.numbering.texts, rowText{kind, system, item, textSum(text), line})
}

// addJSONText is addText of a value that may be no text.
func (s *source) addJSONText(kind textKind, system, item string, raw json.RawMessage, line int) {
	var text string
	if len(raw) > 0 && json.Unmarshal(raw, &text) == nil {
		s.addText(kind, system, item, text, line)
	}
}

// textColumns are columns of texts in a table.
type textColumns struct {
	source *source
	at     []int
	kinds  []textKind
}

// textColumns finds them by the header.
func (s *source) textColumns(fields []string) textColumns {
	out := textColumns{source: s}
	h := headerOf(fields)
	for kind, names := range textColumnNames {
		if at := h.find(names...); at >= 0 {
			out.at, out.kinds = append(out.at, at), append(out.kinds, textKind(kind))
		}
	}
	return out
}

// add notes the texts of a row.
func (t *textColumns) add(r *row, system, item string) {
	for k, at := range t.at {
		t.source.addText(t.kinds[k], system, item, r.fields[at], r.line)
	}
}

func (b *Segments) hasTexts() bool {
	return len(b.Sources) > 0 || len(b.References) > 0 || len(b.Outputs) > 0
}

// lines are those that a text of a row may be one of: of each reference there are some.
func (b *Segments) lines(t *rowText) [][]string {
	switch {
	case t.kind == sourceText && len(b.Sources) > 0:
		return [][]string{b.Sources}
	case t.kind == referenceText:
		return b.References
	case t.kind == outputText && len(b.Outputs[t.system]) > 0:
		return [][]string{b.Outputs[t.system]}
	}
	return nil
}

// byTexts tells the number of the first segment by the texts that rows have, of which those count
// that are some line. They tell nothing where they fit as well from 0 as from 1. It is an error where most of
// them fit neither.
func (b *Segments) byTexts(n *numbering, s *ids) (first int, told bool, err error) {
	known := make(map[*string]map[uint64]int)
	var all int
	var fits [2]int
	var wrong error
	for i := range n.texts {
		t := &n.texts[i]
		at, _ := strconv.Atoi(t.item)
		line, fit := 0, [2]bool{}
		for _, lines := range b.lines(t) {
			if len(lines) == 0 {
				continue
			}
			of := known[&lines[0]]
			if of == nil {
				of = make(map[uint64]int, len(lines))
				for i, text := range slices.Backward(lines) {
					of[textSum(text)] = i + 1
				}
				known[&lines[0]] = of
			}
			line = max(line, of[t.sum])
			for from := range fit {
				if k := at - from; k >= 0 && k < len(lines) && textSum(lines[k]) == t.sum {
					fit[from] = true
				}
			}
		}
		if line == 0 {
			continue
		}
		all++
		for from, ok := range fit {
			if ok && (from == 1 || s.form != counted) && (from == 0 || !s.zero()) {
				fits[from]++
			}
		}
		if !fit[0] && !fit[1] && wrong == nil {
			wrong = b.otherText(s, t, line)
		}
	}
	const most = 10 // one in so many may be another
	switch {
	case all == 0 || fits[0] == fits[1] && fits[0] > 0:
		return 0, false, nil
	case max(fits[0], fits[1])*most < all*(most-1):
		if wrong == nil {
			wrong = fmt.Errorf("%s: of %d texts in its rows that %s has, too, %d are of the segment numbered so from 0, and %d from 1", s.name, all, b.Name, fits[0], fits[1])
		}
		return 0, false, wrong
	case fits[0] > fits[1]:
		return 0, true, nil
	}
	return 1, true, nil
}

// otherText is the error for a row with the text of another line than its number's.
func (b *Segments) otherText(s *ids, t *rowText, line int) error {
	err := fmt.Errorf("segment %s has the %s of line %d of %s: want scores of these texts, in their order, or numbered from 0 or 1", t.item, t.kind, line, b.Name)
	if t.line == 0 {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return &LineError{s.name, t.line, err}
}
