package subword

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A message reads the fields of a protocol buffer, one after the other. It copies nothing.
type message struct {
	b []byte
	// What next read: the number of the field, how it is written, and its value: a number,
	// or bytes.
	field int
	kind  wireKind
	n     uint64
	data  []byte
	err   error
}

type wireKind uint8

// How a field is written. Groups (3 and 4), which are long out of use, are refused.
const (
	wireVarint  wireKind = 0
	wireFixed64 wireKind = 1
	wireBytes   wireKind = 2
	wireFixed32 wireKind = 5
)

var (
	errCut    = errors.New("the file ends within a field")
	errVarint = errors.New("a number of more than 64 bits")
)

func (m *message) varint() uint64 {
	v, n := binary.Uvarint(m.b)
	switch {
	case n == 0:
		m.err = errCut
		return 0
	case n < 0:
		m.err = errVarint
		return 0
	}
	m.b = m.b[n:]
	return v
}

// take returns the next n bytes.
func (m *message) take(n uint64) []byte {
	if uint64(len(m.b)) < n {
		m.err = errCut
		return nil
	}
	b := m.b[:n]
	m.b = m.b[n:]
	return b
}

// next reads a field. It returns false at the end and after an error.
func (m *message) next() bool {
	if len(m.b) == 0 || m.err != nil {
		return false
	}
	tag := m.varint()
	if m.err == nil && (tag>>3 == 0 || tag > math.MaxUint32) {
		m.err = fmt.Errorf("a field has the number %d", tag>>3)
	}
	if m.err != nil {
		return false
	}
	m.field, m.kind = int(tag>>3), wireKind(tag&7)
	switch m.kind {
	case wireVarint:
		m.n = m.varint()
	case wireFixed32:
		if b := m.take(4); m.err == nil {
			m.n = uint64(binary.LittleEndian.Uint32(b))
		}
	case wireFixed64:
		if b := m.take(8); m.err == nil {
			m.n = binary.LittleEndian.Uint64(b)
		}
	case wireBytes:
		if n := m.varint(); m.err == nil {
			m.data = m.take(n)
		}
	default:
		m.err = fmt.Errorf("field %d is of the kind %d, which is none", m.field, m.kind)
	}
	return m.err == nil
}

// is says that the field is this one, and notes an error if it is written in another way.
func (m *message) is(field int, kind wireKind) bool {
	if m.field != field || m.err != nil {
		return false
	}
	if m.kind != kind {
		m.err = fmt.Errorf("field %d is of the kind %d and not %d", field, m.kind, kind)
		return false
	}
	return true
}
