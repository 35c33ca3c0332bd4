// Package wmtxml reads the files that WMT and IWSLT put segments into: SGML until 2020, which
// is rarely well-formed, and XML since.
//
// [Parse] takes either and tells them apart by the first tag:
//
//	SGML  <srcset|refset|tstset …> <doc …> <seg id="1">text</seg> …
//	XML   <dataset …> <doc …> <src …> <seg id="1">text</seg> … <ref …> … <hyp …> …
//
// Both become documents of texts of segments. A file of SGML has one text in each document, a
// file of XML a source, references and systems' outputs.
package wmtxml

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/mteval/mteval/tokenize"
)

// A Kind says what a text is.
type Kind string

// The kinds of texts, by WMT's names for them in XML.
const (
	Source    Kind = "src" // also srcset
	Reference Kind = "ref" // also refset
	Output    Kind = "hyp" // also tstset
	Unknown   Kind = ""    // SGML's documents that stand in no set
)

// A File is what a file holds.
type File struct {
	SGML      bool // not XML
	Open      bool // SGML ends before the end tag of a set
	Documents []Document
}

// A Document is a document of a file.
type Document struct {
	Attr  map[string]string // of its tag, such as docid or id, origlang, domain; names in lower case
	Texts []Text
	Line  int // of its tag, from 1
}

// A Text is a document in one of its forms.
type Text struct {
	Kind     Kind
	Name     string // of the translator or system, "" if the file has none
	Lang     string // of the text, "" if the file has none
	Segments []Segment
}

// A Segment is a segment of a text.
type Segment struct {
	ID string // as it stands in the file, "" if it has none
	// Text of XML is as the parser gives it, with its white space, up to the first tag or
	// comment within. Text of SGML is on one line, without white space at its ends; tags and
	// entities within it stay.
	Text string
	Line int // of its tag, from 1
}

// Is says whether data look like such a file rather than like plain text: the first that is
// not white space is a tag, a comment or a declaration, and one of the first tags is one that
// such files begin with. The beginning of a file is enough, with what comments and declarations
// there are before.
func Is(data []byte) bool { return known(first(data)) }

func known(tag string) bool { return sgmlTag(tag) || tag == "dataset" }

// sgmlTag says whether a file of SGML may begin with a tag.
func sgmlTag(tag string) bool {
	switch tag {
	case "mteval", "srcset", "refset", "tstset", "doc", "seg":
		return true
	}
	return false
}

// first is the name of the first tag, in lower case, behind a byte order mark, declarations and
// comments, "" if other text is first.
func first(data []byte) string {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for {
		data = bytes.TrimSpace(data)
		end := ""
		switch {
		case bytes.HasPrefix(data, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(data, []byte("<?")), bytes.HasPrefix(data, []byte("<!")):
			end = ">"
			if before, _, _ := bytes.Cut(data, []byte(">")); bytes.Contains(before, []byte("[")) { // with declarations in it
				end = "]>"
			}
		case bytes.HasPrefix(data, []byte("<")):
			name := data[1:min(len(data), 64)]
			if i := bytes.IndexFunc(name, func(r rune) bool { return r == '>' || r == '/' || tokenize.IsSpace(r) }); i >= 0 {
				name = name[:i]
			}
			return strings.ToLower(string(name))
		default:
			return ""
		}
		_, rest, ok := bytes.Cut(data, []byte(end))
		if !ok {
			return ""
		}
		data = rest
	}
}

// Parse reads SGML or XML of WMT's. Errors say the line; of SGML only a file without any
// segment is one.
func Parse(data []byte) (*File, error) {
	tag := first(data)
	switch {
	case sgmlTag(tag):
		return ParseSGML(data)
	case tag == "":
		return nil, errors.New("line 1: neither SGML nor XML: it does not begin with a tag")
	}
	return ParseXML(data)
}

// Names returns the names of the texts of a kind, each once, in the order of the file.
func (f *File) Names(kind Kind) []string {
	var out []string
	seen := make(map[string]bool)
	for _, d := range f.Documents {
		for _, t := range d.Texts {
			if t.Kind == kind && !seen[t.Name] {
				seen[t.Name] = true
				out = append(out, t.Name)
			}
		}
	}
	return out
}

// Clean is text without white space at its ends, and with one space for white space between.
func Clean(text string) string {
	return strings.Join(strings.FieldsFunc(text, tokenize.IsSpace), " ")
}

// lineError is an error at a place of data.
func lineError(data []byte, at int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:at], []byte("\n")), fmt.Errorf(format, args...))
}
