package preference

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/jsonfile"
	"github.com/mteval/mteval/internal/sidefile"
)

// fileFormat is the version of files.
const fileFormat = "mteval calibration 1"

// maxFile bounds a file, in bytes: each set takes some hundred.
const maxFile = 1 << 24

// required are the fields without which a file would say 0 where it says nothing.
var required = map[string][]string{
	"terms":   {"metric", "shape", "weight"},
	"records": {"metric", "weight", "bands"},
	"bands":   {"from", "pairs", "agreed"},
	"sets":    {"name", "campaign", "systems", "segments", "pairs"},
}

// file is a calibration as it is written.
type file struct {
	Format string `json:"format"`
	*Calibration
}

//go:embed calibration.json
var embedded []byte

// Default returns the embedded calibration, of the combination that the package's comment
// tells, with records of BLEU, chrF, TER, METEOR (our lists), BERTScore (lexical) and
// difficulty-aware forms of it. It was fitted on sets of WMT17 to 21: see its Note. It is read
// anew for each caller, who may change it, and in a loop keeps it.
func Default() *Calibration {
	c, err := decode(embedded, "preference: the embedded calibration")
	if err != nil {
		panic(err) // a test reads it
	}
	return c
}

// Write writes the calibration as JSON, for Read.
func (c *Calibration) Write(w io.Writer) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("preference: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("{\n")
	lines := listWriter{b: &b}
	lines.field("format", fileFormat)
	lines.field("note", c.Note)
	lines.field("fitted", c.Fitted)
	writeList(&lines, "terms", c.Terms)
	if c.HeldOut != nil {
		lines.field("held_out", c.HeldOut)
	}
	writeList(&lines, "records", c.Records)
	writeList(&lines, "sets", c.Sets)
	b.WriteString("\n}\n")
	if lines.err != nil {
		return fmt.Errorf("preference: %w", lines.err)
	}
	if contract.Nil(w) {
		return fmt.Errorf("preference: %w", contract.ErrNoWriter)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// A listWriter writes the fields of an object, each on a line.
type listWriter struct {
	b   *bytes.Buffer
	n   int
	err error
}

func (w *listWriter) field(key string, value any) {
	w.key(key)
	w.value(value)
}

func (w *listWriter) key(key string) {
	if w.n++; w.n > 1 {
		w.b.WriteString(",\n")
	}
	w.value(key)
	w.b.WriteString(": ")
}

func (w *listWriter) value(v any) {
	e := json.NewEncoder(w.b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		w.err = err
		return
	}
	w.b.Truncate(w.b.Len() - 1) // the line's end
}

// writeList writes a field with an element a line.
func writeList[T any](w *listWriter, key string, list []T) {
	w.key(key)
	w.b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			w.b.WriteByte(',')
		}
		w.b.WriteByte('\n')
		w.value(v)
	}
	w.b.WriteByte(']')
}

// Open reads the file of a calibration, as Write makes it.
func Open(path string) (*Calibration, error) { return sidefile.Load(path, Read) }

// Read reads a calibration, as Write makes it. Errors begin with name, and the line where there
// is one.
func Read(r io.Reader, name string) (*Calibration, error) {
	data, err := sidefile.ReadAll(r, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return decode(sidefile.WithoutBOM(data), name)
}

func decode(data []byte, name string) (*Calibration, error) {
	f := jsonfile.File{Name: name, Data: data, What: "a calibration"}
	var kind struct {
		Format string `json:"format"`
	}
	if err := f.Peek(&kind); err != nil {
		return nil, err
	}
	if kind.Format != fileFormat {
		return nil, fmt.Errorf("%s: format %q, want %q", name, kind.Format, fileFormat)
	}
	out := file{Calibration: new(Calibration)}
	end, err := f.Decode(&out)
	if err != nil {
		return nil, err
	}
	if err := f.CheckFields(end, required); err != nil {
		return nil, err
	}
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out.Calibration, nil
}
