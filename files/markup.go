package files

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/wmtxml"
)

// A stream is a text of a file, which may have several.
type stream struct {
	*Text
	of  string   // what the file calls the text, such as a system; "": nothing, or it has no other
	at  []int    // the lines that segments stand on; nil: each on its own
	ids []string // of SGML and XML: which segments of which documents these are
	// gone says which segments there are not; nil: none.
	gone []bool
}

// place is where a segment stands, file:line.
func (s *stream) place(segment int) string {
	if s.at != nil {
		return fmt.Sprintf("%s:%d", s.Name, s.at[segment])
	}
	return fmt.Sprintf("%s:%d", s.Name, segment+1)
}

// isMarkup says whether a text is SGML or XML of WMT's, and returns it as it stands in the file then. Of
// others it returns an error, as their tags are no text.
func (t *Text) isMarkup() (data []byte, yes bool, _ error) {
	first := firstRow(t)
	if !strings.HasPrefix(first, "<") {
		return nil, false, nil
	}
	begin := strings.ToLower(first[:min(len(first), 64)])
	// The first tag may stand behind comments and declarations of any length.
	if strings.HasPrefix(begin, "<!") || strings.HasPrefix(begin, "<?") || wmtxml.Is([]byte(first)) {
		data = []byte(strings.Join(t.Lines, "\n"))
	}
	if wmtxml.Is(data) {
		return data, true, nil
	}
	other := strings.HasPrefix(begin, "<?xml ") || strings.HasPrefix(begin, "<!doctype ")
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(t.Name), ".gz")) {
	case ".sgm", ".sgml", ".xml":
		other = true
	}
	if other {
		return nil, false, fmt.Errorf("%s: SGML or XML, and not as WMT's (srcset, refset, tstset, mteval, doc, seg or dataset comes first): give a file with a segment a line", t.Name)
	}
	return nil, false, nil
}

// parseStreams reads texts to be used as one kind: references, sources or outputs.
func parseStreams(want wmtxml.Kind) parser[[]*stream] {
	return func(s *source) ([]*stream, error) {
		t, err := parseLines(s)
		if err != nil {
			return nil, err
		}
		data, markup, err := t.isMarkup()
		if err != nil {
			return nil, err
		}
		if markup {
			return parseMarkup(s, data, want)
		}
		return []*stream{{Text: t}}, nil
	}
}

// parseMarkup reads the texts of a kind of SGML or XML of WMT's, or else the one text there is
// beside sources.
func parseMarkup(s *source, data []byte, want wmtxml.Kind) ([]*stream, error) {
	file, err := wmtxml.Parse(data)
	if err != nil {
		return nil, markupError(s.name, err)
	}
	if file.Open && s.note != nil {
		s.note(s.name, "the SGML has no end tag of its last set: is the file whole?")
	}
	m := &markup{name: s.name, File: file, judged: len(file.Names(wmtxml.Reference)) > 0 && !file.SGML}
	var out []*stream
	for _, label := range m.labels(want) {
		out = append(out, m.stream(label))
	}
	if len(out) == 0 {
		return nil, m.wrong(want)
	}
	if want == wmtxml.Reference {
		m.tell(s, out)
	}
	return out, nil
}

// markupError makes an error of line so and so one of a file.
func markupError(name string, err error) error {
	number, text, _ := strings.Cut(strings.TrimPrefix(err.Error(), "line "), ": ")
	if line, bad := strconv.Atoi(number); bad == nil {
		return &LineError{name, line, errors.New(text)}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// A label tells a text of a file.
type label struct {
	kind wmtxml.Kind
	name string
}

// words are a label for people.
func (l label) words() string {
	kind := map[wmtxml.Kind]string{wmtxml.Source: "source", wmtxml.Reference: "reference", wmtxml.Output: "system", wmtxml.Unknown: "text"}[l.kind]
	return strings.TrimSpace(kind + " " + l.name)
}

// markup is a file of SGML or XML.
type markup struct {
	name string
	*wmtxml.File
	// judged: segments without a reference are left out, as sacreBLEU does.
	judged bool
}

// labels are the texts of a kind, or else the one there is beside sources; none: there is no
// such text, or more than one that may be meant. Unknown is any kind.
func (m *markup) labels(want wmtxml.Kind) []label {
	of := func(kind wmtxml.Kind) (out []label) {
		for _, n := range m.Names(kind) {
			out = append(out, label{kind, n})
		}
		return out
	}
	if want != wmtxml.Unknown {
		if found := of(want); len(found) > 0 {
			return found
		}
	}
	all := append(append(of(wmtxml.Reference), of(wmtxml.Output)...), of(wmtxml.Unknown)...)
	if want == wmtxml.Source { // other texts are none
		all = of(wmtxml.Unknown)
	}
	if want == wmtxml.Unknown && len(all) == 0 {
		all = of(wmtxml.Source)
	}
	if len(all) > 1 {
		return nil
	}
	return all
}

// wrong says that a file has no text of a kind, or not one.
func (m *markup) wrong(want wmtxml.Kind) error {
	var have []string
	for _, kind := range []wmtxml.Kind{wmtxml.Source, wmtxml.Reference, wmtxml.Output, wmtxml.Unknown} {
		for _, n := range m.Names(kind) {
			have = append(have, label{kind, n}.words())
		}
	}
	what := map[wmtxml.Kind]string{wmtxml.Reference: "no references", wmtxml.Output: "no system's output", wmtxml.Source: "no source", wmtxml.Unknown: "not one text"}[want]
	if len(have) == 0 {
		return fmt.Errorf("%s: no text in this SGML or XML", m.name)
	}
	return fmt.Errorf("%s: %s in this SGML or XML, which has %s: give a file with a segment a line", m.name, what, names.Few(have))
}

// stream are the segments of a text, of each document in the order of its source, or of the text
// itself where it has none.
func (m *markup) stream(of label) *stream {
	s := &stream{Text: &Text{Name: m.name}, of: of.name, at: []int{}}
	for i := range m.Documents {
		d := &m.Documents[i]
		if _, ok := d.Attr["testsuite"]; ok && !m.SGML {
			continue // of another test, whose segments have no reference
		}
		own := segmentsOf(d, of)
		if len(own) == 0 && m.SGML {
			continue // of another text, as each document of SGML is of one
		}
		for _, id := range m.frame(d, of) {
			seg, ok := own[id]
			if !ok {
				seg.Line = d.Line
			}
			text := seg.Text
			if m.SGML { // of XML they are
				text = unescape(text)
			}
			s.Lines, s.at, s.gone = append(s.Lines, wmtxml.Clean(text)), append(s.at, seg.Line), append(s.gone, !ok)
			s.ids = append(s.ids, fmt.Sprintf("segment %s of document %s", cmp.Or(id.id, strconv.Itoa(id.number+1)), cmp.Or(d.Attr["docid"], d.Attr["id"])))
		}
	}
	return s
}

// unescape replaces entities, such as &amp; and &#233;. A & that begins none is text.
func unescape(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "&")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, rest, ok := strings.Cut(after, ";")
		if !ok || name == "" || strings.Trim(name, "#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			b.WriteByte('&')
			s = after
			continue
		}
		b.WriteString(html.UnescapeString("&" + name + ";"))
		s = rest
	}
}

// segmentID tells a segment of a document: its ID, or its number where there is none.
type segmentID struct {
	id     string
	number int
}

// idsOf are those of a text's segments.
func idsOf(t *wmtxml.Text) []segmentID {
	var out []segmentID
	seen := make(map[string]bool)
	for i, s := range t.Segments {
		if s.ID == "" || seen[s.ID] {
			out = append(out, segmentID{"", i})
			continue
		}
		seen[s.ID] = true
		out = append(out, segmentID{s.ID, 0})
	}
	return out
}

// segmentsOf are the segments of a text in a document.
func segmentsOf(d *wmtxml.Document, of label) map[segmentID]wmtxml.Segment {
	out := make(map[segmentID]wmtxml.Segment)
	for i := range d.Texts {
		if t := &d.Texts[i]; t.Kind == of.kind && t.Name == of.name {
			for k, id := range idsOf(t) {
				out[id] = t.Segments[k]
			}
		}
	}
	return out
}

// frame are the segments of a document that a text of it should have.
func (m *markup) frame(d *wmtxml.Document, of label) []segmentID {
	var out []segmentID
	some := make(map[segmentID]bool) // with a reference
	for i := range d.Texts {
		t := &d.Texts[i]
		ids := idsOf(t)
		switch {
		case t.Kind == wmtxml.Source, out == nil && t.Kind == of.kind && t.Name == of.name:
			out = ids
		}
		if t.Kind == wmtxml.Reference {
			for k, id := range ids {
				some[id] = some[id] || t.Segments[k].Text != ""
			}
		}
	}
	if !m.judged {
		return out
	}
	var judged []segmentID
	for _, id := range out {
		if some[id] {
			judged = append(judged, id)
		}
	}
	return judged
}

// tell says which of several references there are.
func (m *markup) tell(s *source, refs []*stream) {
	if len(refs) < 2 || s.note == nil {
		return
	}
	var all []string
	for _, r := range refs {
		all = append(all, r.of)
	}
	s.note(s.name, fmt.Sprintf("%d references: %s", len(refs), names.Few(all)))
}

// sameOrder returns an error if the segments are those of another text in another order, or some of
// these beside others.
func (s *stream) sameOrder(as *stream) error {
	if s.ids == nil || as.ids == nil || slices.Equal(s.ids, as.ids) {
		return nil
	}
	i := 0
	for s.ids[i] == as.ids[i] {
		i++
	}
	// Where documents have no names, or others, numbers of segments alone tell nothing.
	named := !strings.HasSuffix(s.ids[i], " ") && !strings.HasSuffix(as.ids[i], " ")
	some := named && (slices.Contains(as.ids, s.ids[i]) || slices.Contains(s.ids, as.ids[i]))
	if !some && !slices.Equal(slices.Sorted(slices.Values(s.ids)), slices.Sorted(slices.Values(as.ids))) {
		return nil
	}
	return &LineError{s.Name, s.at[i], fmt.Errorf("%s, where %s has %s: both must have the same, in one order", s.ids[i], as.Name, as.ids[i])}
}

// whole returns an error if a segment of an output is missing.
func (s *stream) whole() error {
	for i, gone := range s.gone {
		if gone {
			return &LineError{s.Name, s.at[i], fmt.Errorf("the document has no segment %d of %s", i+1, s.of)}
		}
	}
	return nil
}

// parseText reads a text of a segment a line, or the only one of SGML or XML.
func parseText(s *source) (*Text, error) {
	all, err := parseStreams(wmtxml.Unknown)(s)
	if err != nil {
		return nil, err
	}
	return all[0].Text, all[0].whole()
}
