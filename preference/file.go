package preference

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

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

// Write writes the calibration as JSON, for Read: a field a line, and of a list an element a
// line.
func (c *Calibration) Write(w io.Writer) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("preference: %w", err)
	}
	lines := []string{field("format", fileFormat), field("note", c.Note), field("fitted", c.Fitted), listField("terms", c.Terms)}
	if c.HeldOut != nil {
		lines = append(lines, field("held_out", c.HeldOut))
	}
	lines = append(lines, listField("records", c.Records), listField("sets", c.Sets))
	if contract.Nil(w) {
		return fmt.Errorf("preference: %w", contract.ErrNoWriter)
	}
	_, err := io.WriteString(w, "{\n"+strings.Join(lines, ",\n")+"\n}\n")
	return err
}

func field(key string, value any) string { return line(key) + ": " + line(value) }

// listField is a field with an element a line.
func listField[T any](key string, list []T) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = "\n" + line(v)
	}
	return line(key) + ": [" + strings.Join(out, ",") + "]"
}

// line is a value as JSON. Check has refused those that JSON can't have.
func line(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("preference: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
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
