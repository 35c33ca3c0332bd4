package files

import (
	"context"
	"errors"
	"io"
	"path/filepath"
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
func ReadText(r io.Reader, name string, o Options) (*Text, error) { return read(r, name, o, parseText) }

// OpenText is [ReadText] of a file.
func OpenText(ctx context.Context, path string, o Options) (*Text, error) {
	return open(ctx, path, o, parseText)
}

func parseText(s *source) (*Text, error) {
	t := &Text{Name: s.name}
	for {
		line, _, err := s.next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.Lines = append(t.Lines, line)
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
