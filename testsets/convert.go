package testsets

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/wmtxml"
)

// A fieldText is a text that was made, by lines as they are written.
type fieldText struct {
	field string
	lines []string
}

// convert makes all texts of a part of its files in raw.
func (p *part) convert(ctx context.Context) ([]fieldText, error) {
	if p.set.kind == wmtXML {
		return p.convertXML()
	}
	fields, err := p.fields(ctx)
	if err != nil {
		return nil, err
	}
	var out []fieldText
	raw := files(p.set, p.pair)
	var source []string
	for i, field := range fields {
		if i >= len(raw) { // what the source says of documents
			out = append(out, fieldText{field, projected(source, field)})
			continue
		}
		file := raw[i]
		at := p.store.raw(p.set, file)
		text, err := read(ctx, at)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			source = text
		}
		switch {
		case p.set.kind == tsv:
			if text, err = column(text, p.pair.Files[i], field); err != nil {
				return nil, fmt.Errorf("%s:%w", at, err)
			}
		case p.set.kind == plainText, p.set.kind == addition && !strings.HasSuffix(file, ".sgm"):
			text = trimmed(text)
		default:
			text = segments(text)
		}
		out = append(out, fieldText{field, text})
	}
	return out, nil
}

// read reads the lines of a file in raw, unpacked if its name ends with .gz.
func read(ctx context.Context, file string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	data, err := sidefile.ReadFile(file, maxFile)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = sidefile.ReadAll(z, maxFile)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return split(data, file)
}

// split returns the lines of a file, of which only LF is an end.
func split(data []byte, file string) ([]string, error) {
	if len(data) == 0 {
		return nil, nil
	}
	text := strings.TrimSuffix(string(data), "\n")
	out := strings.Split(text, "\n")
	if !utf8.ValidString(text) {
		for i, line := range out {
			if !utf8.ValidString(line) {
				return nil, fmt.Errorf("%s:%d: not UTF-8", file, i+1)
			}
		}
	}
	return out, nil
}

// segmentTag is compiled when it is first asked for.
var segmentTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<seg.*?>(.*)</seg>`) })

// segments are the segments of SGML as sacreBLEU takes them: of lines that begin with "<seg ",
// what is between the tags, or the whole line where these are not on it.
func segments(text []string) []string {
	var out []string
	for _, line := range text {
		if strings.HasPrefix(line, "<seg ") {
			out = append(out, wmtxml.Clean(segmentTag().ReplaceAllString(line, "$1")))
		}
	}
	return out
}

// projected is for each segment the value that an attribute has in the last line before that
// begins with "<doc " and has it.
func projected(text []string, attribute string) []string {
	var out []string
	value := ""
	for _, line := range text {
		switch {
		case strings.HasPrefix(line, "<doc "):
			if _, rest, ok := strings.Cut(line, attribute+`="`); ok {
				if v, _, ok := strings.Cut(rest, `"`); ok {
					value = v
				}
			}
		case strings.HasPrefix(line, "<seg "):
			out = append(out, value)
		}
	}
	return out
}

// column is a column of a table. Errors say the line.
func column(text []string, file, field string) ([]string, error) {
	at := 1
	if field == "src" {
		at = 0
	}
	if number, _, ok := strings.Cut(file, ":"); ok {
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("1: %w", err) // a fault of the table's
		}
		at = n
	}
	out := make([]string, len(text))
	for i, line := range text {
		cells := strings.Split(line, "\t")
		if at >= len(cells) {
			return nil, fmt.Errorf("%d: %d columns, not the %d of this test set: remove the file, and it is unpacked anew", i+1, len(cells), at+1)
		}
		out[i] = cells[at]
	}
	return out, nil
}
