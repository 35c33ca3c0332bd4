package wmtxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ParseXML reads WMT's XML of 2021 and later. It must be well-formed, in UTF-8, with one root.
// Documents, texts and segments are found at any depth, but not within another of their kind.
func ParseXML(data []byte) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errNotUTF8(data)
	}
	p := &xmlParser{in: xml.NewDecoder(bytes.NewReader(data)), file: new(File)}
	// It is UTF-8, whatever a declaration says: who reads a file may have made it so.
	p.in.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := p.in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.take(token)
		}
		if err != nil {
			return nil, p.fail(err)
		}
	}
	if !p.rooted {
		return nil, p.fail(errors.New("there is no tag"))
	}
	return p.file, nil
}

func errNotUTF8(data []byte) error {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return lineError(data, at, "not UTF-8")
}

// An xmlParser has the state between two tokens.
type xmlParser struct {
	in     *xml.Decoder
	file   *File
	open   []string // the names of the tags around, "" for those that say nothing
	rooted bool     // there was a root

	doc *Document
	txt *Text
	seg *Segment
	// body is the text of seg so far, closed once a tag or the like came within it.
	body   strings.Builder
	closed bool
}

func (p *xmlParser) fail(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: not well-formed XML: %s", syntax.Line, syntax.Msg)
	}
	line, _ := p.in.InputPos()
	return fmt.Errorf("line %d: %w", line, err)
}

func (p *xmlParser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		p.closed = true
		return p.start(t)
	case xml.EndElement:
		p.end()
	case xml.CharData:
		if len(p.open) == 0 && len(bytes.TrimSpace(t)) > 0 {
			return errors.New("not well-formed XML: text outside of all tags")
		}
		if p.seg != nil && !p.closed {
			p.body.Write(t)
		}
	case xml.Comment, xml.ProcInst:
		p.closed = true
	}
	return nil
}

func (p *xmlParser) start(t xml.StartElement) error {
	attr, err := attributes(t)
	if err != nil {
		return err
	}
	if len(p.open) == 0 && p.rooted {
		return fmt.Errorf("not well-formed XML: <%s> is a second root", t.Name.Local)
	}
	p.rooted = true
	name := t.Name.Local
	if t.Name.Space != "" {
		name = ""
	}
	line, _ := p.in.InputPos()
	switch {
	case name == "doc" && p.doc == nil:
		p.doc = &Document{Attr: attr, Line: line}
	case name == "doc":
		return errors.New("a <doc> within another")
	case p.doc == nil: // texts and segments are those of documents
		name = ""
	case name == string(Source) || name == string(Reference) || name == string(Output):
		if p.txt != nil {
			return fmt.Errorf("a <%s> within a <%s>", name, p.txt.Kind)
		}
		p.txt = &Text{Kind: Kind(name), Lang: attr["lang"]}
		switch p.txt.Kind {
		case Reference:
			p.txt.Name = attr["translator"]
		case Output:
			p.txt.Name = attr["system"]
		}
	case name == "seg" && p.txt != nil:
		if p.seg != nil {
			return errors.New("a <seg> within another")
		}
		p.seg, p.closed = &Segment{ID: attr["id"], Line: line}, false
		p.body.Reset()
	default:
		name = ""
	}
	p.open = append(p.open, name)
	return nil
}

func (p *xmlParser) end() {
	last := len(p.open) - 1
	switch p.open[last] {
	case "":
	case "doc":
		p.file.Documents = append(p.file.Documents, *p.doc)
		p.doc = nil
	case "seg":
		p.seg.Text = p.body.String()
		p.txt.Segments = append(p.txt.Segments, *p.seg)
		p.seg = nil
	default:
		p.doc.Texts = append(p.doc.Texts, *p.txt)
		p.txt = nil
	}
	p.open = p.open[:last]
}

// attributes are those without a name space, white space in them made spaces as XML has it.
func attributes(t xml.StartElement) (map[string]string, error) {
	out := make(map[string]string, len(t.Attr))
	seen := make(map[xml.Name]bool, len(t.Attr))
	for _, a := range t.Attr {
		if seen[a.Name] {
			return nil, fmt.Errorf("not well-formed XML: <%s> has the attribute %s twice", t.Name.Local, a.Name.Local)
		}
		seen[a.Name] = true
		if a.Name.Space == "" {
			out[a.Name.Local] = strings.Map(func(r rune) rune {
				if r == '\n' || r == '\t' || r == '\r' {
					return ' '
				}
				return r
			}, a.Value)
		}
	}
	return out, nil
}
