package distributed

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Record](), encodeRecord, decodeRecord)
	beam.RegisterCoder(reflect.TypeFor[Bad](), encodeBad, decodeBad)
}

// A Position says where a record comes from.
type Position struct {
	// File that it was read from, "" if it was not.
	File string `json:"file,omitempty"`
	// Offset of its line in the file, in bytes from 0; in a compressed file in what is unpacked.
	Offset int64 `json:"offset"`
	// ID is the record's own name, "" if it has none.
	ID string `json:"id,omitempty"`
}

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Offset, q.Offset), cmp.Compare(p.ID, q.ID))
}

// A Record is the output of a system for a segment.
type Record struct {
	Position
	System string // "" is a system, too
	// Segment is the same in the records of all systems that translate it, and no other's.
	Segment    string
	Hypothesis string
	References []string
	Source     *string // nil: there is none
}

// Bad is a record that has no scores, or a line that is no record.
type Bad struct {
	Position
	System  string `json:"system,omitempty"`
	Segment string `json:"segment,omitempty"`
	Reason  string `json:"reason"`
}

func (r *Record) bad(format string, args ...any) Bad {
	return Bad{r.Position, r.System, r.Segment, fmt.Sprintf(format, args...)}
}

// errCoded is of bytes that no encoder wrote.
var errCoded = errors.New("distributed: these bytes are not what was encoded")

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// A decoder reads what was appended. After an error all that it reads is zero.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) number() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.err = nil, errCoded
		return 0
	}
	d.b = d.b[n:]
	return x
}

// count reads how many things follow, of at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.number()
	if n > uint64(len(d.b)/size) {
		d.b, d.err = nil, errCoded
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.count(1)
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) float() float64 {
	if len(d.b) < 8 {
		d.b, d.err = nil, errCoded
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return x
}

func (d *decoder) floats() []float64 {
	out := make([]float64, d.count(8))
	for i := range out {
		out[i] = d.float()
	}
	return out
}

// end returns an error if not all was read, or too much.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		return errCoded
	}
	return d.err
}

func appendFloats(b []byte, x []float64) []byte {
	b = binary.AppendUvarint(b, uint64(len(x)))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func appendPosition(b []byte, p *Position) []byte {
	b = binary.AppendUvarint(appendText(b, p.File), uint64(p.Offset))
	return appendText(b, p.ID)
}

func (d *decoder) position() Position {
	return Position{File: d.text(), Offset: int64(d.number()), ID: d.text()}
}

func encodeRecord(r Record) []byte {
	n := 64 + len(r.File) + len(r.ID) + len(r.System) + len(r.Segment) + len(r.Hypothesis)
	for _, t := range r.References {
		n += len(t) + 4
	}
	b := appendPosition(make([]byte, 0, n), &r.Position)
	b = appendText(appendText(appendText(b, r.System), r.Segment), r.Hypothesis)
	b = binary.AppendUvarint(b, uint64(len(r.References)))
	for _, t := range r.References {
		b = appendText(b, t)
	}
	if r.Source == nil {
		return append(b, 0)
	}
	return appendText(append(b, 1), *r.Source)
}

func decodeRecord(b []byte) (Record, error) {
	d := decoder{b: b}
	r := Record{Position: d.position(), System: d.text(), Segment: d.text(), Hypothesis: d.text()}
	r.References = make([]string, d.count(1))
	for i := range r.References {
		r.References[i] = d.text()
	}
	if d.number() == 1 {
		source := d.text()
		r.Source = &source
	}
	return r, d.end()
}

func encodeBad(x Bad) []byte {
	return appendText(appendText(appendText(appendPosition(nil, &x.Position), x.System), x.Segment), x.Reason)
}

func decodeBad(b []byte) (Bad, error) {
	d := decoder{b: b}
	return Bad{d.position(), d.text(), d.text(), d.text()}, d.end()
}
