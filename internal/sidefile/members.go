package sidefile

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// magic begins gzip data.
const magic = "\x1f\x8b"

// IsGzip says whether what begins like this, with 2 bytes or more, is gzip data.
func IsGzip(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// IsZstd says whether what begins like this, with 4 bytes or more, is zstd data, whose first frame
// may also be one to be passed over (RFC 8878, section 3.1). Nothing here unpacks them.
func IsZstd(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) ||
		len(head) >= 4 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18"
}

// Gunzip unpacks gzip data of one member or several, and passes over zero bytes behind them.
func Gunzip(in *bufio.Reader) (io.Reader, error) {
	m, err := newMembers(in)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// members unpacks gzip data of one member or several, one after the other. Zero bytes behind
// the last, with which tapes and object stores pad, are passed over; other bytes are an error.
type members struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func newMembers(in *bufio.Reader) (*members, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, damaged(err)
	}
	z.Multistream(false)
	return &members{in, z}, nil
}

// damaged says what is wrong with gzip data, where it is that.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF): // in the head of a member
		err = io.ErrUnexpectedEOF
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
	default:
		return err
	}
	return fmt.Errorf("damaged gzip data: %w", err)
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		switch {
		case err == nil:
			return n, nil
		case !errors.Is(err, io.EOF):
			return n, damaged(err)
		case n > 0:
			return n, nil
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// maxPadding bounds the zero bytes behind gzip data.
const maxPadding = 64 << 20

// next goes to the next member, and returns io.EOF where there is none.
func (m *members) next() error {
	for zeros := 0; ; zeros++ {
		c, err := m.in.ReadByte()
		switch {
		case err != nil:
			return err
		case c == 0 && zeros < maxPadding:
			continue
		case c == 0:
			return fmt.Errorf("more than %d zero bytes behind the gzip data", maxPadding)
		case zeros > 0:
			return fmt.Errorf("gzip data with other data behind them, after %d zero bytes", zeros)
		}
		if err := m.in.UnreadByte(); err != nil {
			return err
		}
		if head, err := m.in.Peek(len(magic)); string(head) != magic {
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			return errors.New("gzip data with other data behind them")
		}
		if err := m.z.Reset(m.in); err != nil {
			return damaged(err)
		}
		m.z.Multistream(false)
		return nil
	}
}
