package files

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// A Text is a file of one segment a line.
type Text struct {
	Name  string // of the file
	Lines []string
}

// ReadText reads a text. Lines end with LF and nothing else: a CR before the LF is dropped,
// and other characters that may count as line ends, such as U+2028, U+0085 and a CR within
// the line, are text. An LF at the end of the file ends the last line and starts none.
//
// A file that begins with a tag of WMT's SGML (srcset, refset, tstset, doc, mteval, seg) or XML
// (dataset) is read as that, whatever it is called: its segments are the lines, and entities the
// characters that they stand for (package testsets keeps those of SGML, as sacreBLEU does). It must have one
// text beside the source. Other SGML and XML is an error, which the beginning (<?xml, <!DOCTYPE) or
// the name tells: .sgm, .sgml or .xml, and the first character a <.
func ReadText(r io.Reader, name string, o Options) (*Text, error) { return read(r, name, o, parseText) }

// OpenText is [ReadText] of a file.
func OpenText(ctx context.Context, path string, o Options) (*Text, error) {
	return open(ctx, path, o, parseText)
}

// parseLines reads a text of a segment a line.
func parseLines(s *source) (*Text, error) {
	// In parts, so that a text that is too large does not also leave behind shorter ones.
	var parts [][]string
	var part []string
	for {
		line, _, err := s.next()
		if errors.Is(err, io.EOF) {
			if parts != nil {
				part = slices.Concat(append(parts, part)...)
			}
			return &Text{s.name, part}, nil
		}
		if err != nil {
			return nil, err
		}
		if n := cap(part); len(part) == n {
			if n > 0 {
				parts = append(parts, part)
			}
			part = make([]string, 0, min(max(2*n, 64), 1<<16))
		}
		part = append(part, line)
	}
}

// SystemName is the name of the system whose outputs are in a file, or of the metric whose
// scores are: the file's name without .gz and without a last extension that is not all digits,
// so that "online-B.0.txt.gz" and "online-B.0" are both online-B.0.
func SystemName(path string) string {
	name := filepath.Base(path)
	if n := strings.TrimSuffix(name, ".gz"); n != "" {
		name = n
	}
	if ext := filepath.Ext(name); len(ext) > 1 && ext != name && strings.Trim(ext[1:], "0123456789") != "" {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}
