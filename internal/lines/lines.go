// Package lines reads text files of one segment a line.
package lines

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/sidefile"
)

// A File is what was read from a file.
type File struct {
	Path  string
	Lines []string
	BOM   bool // a byte order mark was removed
}

// Read reads a file, plain or gzip (told by its first bytes), "-" for standard
// input. Lines end with LF and nothing else: a CR before the LF is dropped, and
// other characters that may count as line ends, such as U+2028, U+0085 and a CR
// within the line, are text. An LF at the end of the file ends the last line and
// starts none. Errors name the file, and the line where there is one.
func Read(path string) (*File, error) { return ReadMost(path, math.MaxInt64-1) }

// ReadMost is Read of a file with no more than most bytes of text. A longer one is an error.
func ReadMost(path string, most int64) (*File, error) {
	in := io.NopCloser(os.Stdin)
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, plain(path, err)
		}
		in = f
	}
	defer in.Close()
	return parse(path, in, most)
}

// parse reads what stands in the file at path.
func parse(path string, in io.Reader, most int64) (*File, error) {
	r := bufio.NewReader(in)
	var text io.Reader = r
	if head, _ := r.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		text = z
	}
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(io.LimitReader(text, most+1)); err != nil {
		err = plain(path, err)
		if text != r {
			err = fmt.Errorf("%w (damaged gzip data after line %d)", err, bytes.Count(buf.Bytes(), []byte("\n")))
		}
		return nil, err
	}
	if int64(buf.Len()) > most {
		return nil, fmt.Errorf("%s: more than %d bytes, the most that are read of such a file", path, most)
	}
	f := &File{Path: path}
	all := buf.String()
	if rest, ok := strings.CutPrefix(all, "\ufeff"); ok {
		all, f.BOM = rest, true
	}
	f.Lines = make([]string, 0, strings.Count(all, "\n")+1)
	for len(all) > 0 {
		line, rest, ended := strings.Cut(all, "\n")
		if err := Valid(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(f.Lines)+1, err)
		}
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		f.Lines = append(f.Lines, line)
		all = rest
	}
	return f, nil
}

// plain words an error of the file system without its operation.
func plain(path string, err error) error { return fmt.Errorf("%s: %w", path, sidefile.Plain(err)) }

// Valid returns an error that tells the first byte of a line that is not UTF-8, if any.
func Valid(line string) error {
	if utf8.ValidString(line) {
		return nil
	}
	at := invalid(line)
	return fmt.Errorf("byte %d (0x%02x) is not valid UTF-8", at+1, line[at])
}

// invalid is the place of the first byte that is not UTF-8.
func invalid(line string) int {
	for i, r := range line {
		if r == utf8.RuneError {
			if _, w := utf8.DecodeRuneInString(line[i:]); w == 1 {
				return i
			}
		}
	}
	return len(line)
}

// SystemName is the name of the system whose outputs are in a file: the file's
// name without .gz and without a last extension that is not all digits, so that
// "online-B.0.txt.gz" and "online-B.0" are both online-B.0.
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
