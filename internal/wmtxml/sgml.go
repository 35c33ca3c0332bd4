package wmtxml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval/tokenize"
)

// ParseSGML reads SGML of WMT's, NIST's and IWSLT's, as it is found: end tags may be missing,
// attributes be in any order and quotes, names in upper case, and "&" and "<" stand for
// themselves. Only the tags of sets, documents and segments count. A segment ends with its end
// tag, or before the next tag of one of these. One that has lines is put on one.
//
// A file without any segment is an error, and so is one that is not UTF-8.
func ParseSGML(data []byte) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errNotUTF8(data)
	}
	p := &sgmlParser{data: string(data), file: &File{SGML: true}, line: 1}
	for p.next() {
		if p.vain > maxVain*len(p.data) {
			return nil, fmt.Errorf("line %d: too many tags that do not end", p.line)
		}
	}
	p.cutSegment(len(p.data))
	p.file.Open = p.open
	if p.found == 0 {
		return nil, errors.New("line 1: no segment (<seg …>) in this SGML")
	}
	return p.file, nil
}

// An sgmlParser has the state between two tags.
type sgmlParser struct {
	data string
	at   int // what is read
	line int // at, from 1
	file *File
	// set is the text that the documents of the set around have, without segments.
	set   Text
	inDoc bool
	seg   *Segment
	from  int // where its text begins
	found int // segments
	open  bool
	// bare says that no comment ends behind here.
	bare bool
	// vain is how many bytes were read of tags that do not end, some of them often: each < within
	// may begin another.
	vain int
}

// maxVain bounds what is read in vain, as a multiple of the file.
const maxVain = 16

// next takes the next tag that counts, and says whether there was one.
func (p *sgmlParser) next() bool {
	for {
		i := strings.IndexByte(p.data[p.at:], '<')
		if i < 0 {
			return false
		}
		p.skip(p.at + i)
		if p.seg == nil && !p.bare && strings.HasPrefix(p.data[p.at:], "<!--") {
			if end := strings.Index(p.data[p.at:], "-->"); end >= 0 {
				p.skip(p.at + end)
				continue
			}
			p.bare = true
		}
		name, attr, end := tag(p.data[p.at:])
		if end > 0 {
			p.take(name, attr, p.at+end)
			return true
		}
		p.skip(p.at + 1)
		if p.vain -= end; p.vain > maxVain*len(p.data) {
			return true
		}
	}
}

// skip goes on to a place.
func (p *sgmlParser) skip(to int) {
	p.line += strings.Count(p.data[p.at:to], "\n")
	p.at = to
}

// take does what a tag says that ends before a place.
func (p *sgmlParser) take(name string, attr map[string]string, end int) {
	if name == "/seg" {
		p.endSegment(p.at)
	} else {
		p.cutSegment(p.at)
	}
	line := p.line
	p.skip(end)
	switch name {
	case "srcset", "refset", "tstset":
		p.open = true
	case "/srcset", "/refset", "/tstset":
		p.open = false
	}
	switch name {
	case "srcset":
		p.begin(Text{Kind: Source, Lang: attr["srclang"]})
	case "refset":
		p.begin(Text{Kind: Reference, Name: cmp.Or(attr["sysid"], attr["refid"]), Lang: attr["trglang"]})
	case "tstset":
		p.begin(Text{Kind: Output, Name: attr["sysid"], Lang: attr["trglang"]})
	case "/srcset", "/refset", "/tstset":
		p.begin(Text{})
	case "doc":
		t := p.set
		t.Name = cmp.Or(attr["sysid"], t.Name)
		p.file.Documents = append(p.file.Documents, Document{Attr: attr, Texts: []Text{t}, Line: line})
		p.inDoc = true
	case "/doc":
		p.inDoc = false
	case "seg":
		if !p.inDoc { // of no document
			p.file.Documents = append(p.file.Documents, Document{Texts: []Text{p.set}, Line: line})
			p.inDoc = true
		}
		p.seg, p.from = &Segment{ID: attr["id"], Line: line}, end
	}
}

func (p *sgmlParser) begin(set Text) { p.set, p.inDoc = set, false }

// cutSegment ends a segment without an end tag, before the tags around it.
func (p *sgmlParser) cutSegment(at int) {
	if p.seg == nil {
		return
	}
	text := p.data[p.from:at]
	for {
		cut := strings.TrimRightFunc(text, tokenize.IsSpace)
		for _, around := range []string{"<p>", "</p>", "<hl>", "</hl>"} {
			if n := len(cut) - len(around); n >= 0 && strings.EqualFold(cut[n:], around) {
				cut = cut[:n]
			}
		}
		if len(cut) == len(text) {
			break
		}
		text = cut
	}
	p.endSegment(p.from + len(text))
}

// endSegment ends the segment there is, if any, at a place.
func (p *sgmlParser) endSegment(at int) {
	if p.seg == nil {
		return
	}
	p.seg.Text = Clean(p.data[p.from:at])
	d := &p.file.Documents[len(p.file.Documents)-1]
	d.Texts[0].Segments = append(d.Texts[0].Segments, *p.seg)
	p.seg = nil
	p.found++
}

// tag reads a tag that counts, at the beginning of text: its name in lower case, its attributes,
// and how long it is, or, negative, how far it was read to find that there is none.
func tag(text string) (name string, attr map[string]string, length int) {
	i := 1
	for i < len(text) && i < 10 && (text[i] == '/' && i == 1 || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z') {
		i++
	}
	name = strings.ToLower(text[1:i])
	switch strings.TrimPrefix(name, "/") {
	case "mteval", "srcset", "refset", "tstset", "doc", "seg":
	default:
		return "", nil, -i
	}
	if i < len(text) && text[i] != '>' && text[i] != '/' && !space(text[i]) {
		return "", nil, -i // a longer name
	}
	attr = make(map[string]string)
	for {
		for i < len(text) && (space(text[i]) || text[i] == '/') {
			i++
		}
		switch {
		case i == len(text):
			return "", nil, -i
		case text[i] == '>':
			return name, attr, i + 1
		case text[i] == '<': // it does not end
			return "", nil, -i
		}
		key, value, n := attribute(text[i:])
		if _, ok := attr[key]; !ok {
			attr[key] = value
		}
		i += n
	}
}

const blank = " \t\n\v\f\r"

// space says whether a byte is white space that may stand in a tag.
func space(b byte) bool { return strings.IndexByte(blank, b) >= 0 }

// ends says whether an attribute's name, or value without quotes, ends before a character.
func ends(r rune) bool { return r == '>' || r == '<' || r < utf8.RuneSelf && space(byte(r)) }

// attribute reads name="value" at the beginning of text, and how long that is.
func attribute(text string) (name, value string, length int) {
	i := strings.IndexFunc(text, func(r rune) bool { return r == '=' || ends(r) })
	if i < 0 {
		return strings.ToLower(text), "", len(text)
	}
	name = strings.ToLower(text[:i])
	rest := strings.TrimLeft(text[i:], blank)
	if !strings.HasPrefix(rest, "=") {
		return name, "", i
	}
	rest = strings.TrimLeft(rest[1:], blank)
	at := len(text) - len(rest)
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			return name, rest[1 : 1+end], at + end + 2
		}
	}
	end := strings.IndexFunc(rest, ends)
	if end < 0 {
		end = len(rest)
	}
	if rest[end:] != "" && rest[end] == '>' { // of <seg id=1/>
		return name, strings.TrimSuffix(rest[:end], "/"), at + end
	}
	return name, rest[:end], at + end
}
