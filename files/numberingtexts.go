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

// at returns the texts of a line, by its place, that a text of a row is of; nil: there are none.
func (b *Segments) at(t *rowText, line int) []string {
	lines := b.Sources
	if t.kind == outputText {
		lines = b.Outputs[t.system]
	}
	switch {
	case t.kind == referenceText && line >= 0 && line < len(b.References):
		return b.References[line]
	case t.kind != referenceText && line >= 0 && line < len(lines):
		return lines[line : line+1]
	}
	return nil
}

// A textIndex says on which line a text stands first, from 1, among the sources, references or outputs of
// a system.
type textIndex map[textPlace]int

type textPlace struct {
	kind   textKind
	system string
	sum    uint64
}

func (b *Segments) index() textIndex {
	out := make(textIndex)
	add := func(kind textKind, system string, line int, text string) {
		p := textPlace{kind, system, textSum(text)}
		if out[p] == 0 {
			out[p] = line + 1
		}
	}
	for i, text := range b.Sources {
		add(sourceText, "", i, text)
	}
	for i, texts := range b.References {
		for _, text := range texts {
			add(referenceText, "", i, text)
		}
	}
	for system, texts := range b.Outputs {
		for i, text := range texts {
			add(outputText, system, i, text)
		}
	}
	return out
}

// line is where the text of a row stands first, 0 if nowhere.
func (x textIndex) line(t *rowText) int {
	p := textPlace{kind: t.kind, sum: t.sum}
	if t.kind == outputText {
		p.system = t.system
	}
	return x[p]
}

// byTexts tells the number of the first segment by the texts that rows have, of which those count
// that are some line. They tell nothing where they fit as well from 0 as from 1. It is an error where
// they fit neither, but for one in ten.
func (b *Segments) byTexts(n *numbering, s *ids) (first int, told bool, err error) {
	if len(n.texts) == 0 {
		return 0, false, nil
	}
	index, all := b.index(), 0
	var fits [2]int
	var wrong error
	for i := range n.texts {
		t := &n.texts[i]
		line := index.line(t)
		if line == 0 {
			continue
		}
		all++
		number, _ := strconv.Atoi(strings.TrimSuffix(t.item, ".0")) // as withoutPoint does
		some := false
		for from := range fits {
			may := from == 1 && !s.zero() || from == 0 && s.form != counted
			if may && slices.ContainsFunc(b.at(t, number-from), func(text string) bool { return textSum(text) == t.sum }) {
				fits[from]++
				some = true
			}
		}
		if !some && wrong == nil {
			wrong = b.otherText(s, t, line)
		}
	}
	switch {
	case all == 0:
		return 0, false, nil
	case max(fits[0], fits[1])*10 < all*9 && wrong == nil: // some fit from 0, and others from 1
		return 0, false, fmt.Errorf("%s: of %d texts that its rows and %s have, %d have the number of their line from 0, and %d from 1", s.name, all, b.Name, fits[0], fits[1])
	case max(fits[0], fits[1])*10 < all*9:
		return 0, false, wrong
	case fits[0] == fits[1]:
		return 0, false, nil
	case fits[0] > fits[1]:
		return 0, true, nil
	}
	return 1, true, nil
}

// otherText is the error for a row with the text of another line than that of its number.
func (b *Segments) otherText(s *ids, t *rowText, line int) error {
	err := fmt.Errorf("segment %s has the %s of line %d of %s: want scores of these texts, in their order or numbered from 0 or 1", t.item, t.kind, line, b.Name)
	if t.line == 0 {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return &LineError{s.name, t.line, err}
}
