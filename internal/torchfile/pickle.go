package torchfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Bounds of a pickle. A checkpoint's has some 300 bytes and 25 instructions for a tensor.
const (
	maxPickle = 32 << 20 // bytes
	maxSteps  = 2 << 20  // instructions
	maxLine   = 4096     // bytes of an argument that ends with its line: a name, a number
	maxKey    = 1 << 10  // bytes of a key of a dict, and so of a tensor's name
	maxLong   = 255      // bytes of an integer
)

// What the machine builds, beside nil, bool, int64, *big.Int, float64, string and []byte:
type (
	// global is a name of Python's, such as "torch.float32".
	global string
	tuple  []any
	// list is a list, or a set.
	list struct{ items []any }
	// dict is a mapping in its order. A class of mappings, such as a namespace, is one too.
	dict struct {
		keys, values []any
		index        map[any]int
		attributes   bool // what BUILD brings are its entries
	}
	// storage is the numbers that tensors are views of.
	storage struct {
		key   string
		dtype string
		count int // numbers
		data  []byte
	}
	// view is a tensor that has no bytes yet.
	view struct {
		*storage
		dtype          string
		offset         int
		shape, strides []int
	}
)

// A machine runs pickles as Python's does, but that the only things which it makes are
// those above: it calls nothing but the few functions of its own in globals.go.
type machine struct {
	data  []byte
	at    int // of the next byte
	end   int // of what may be read
	start int // of the instruction
	steps int
	stack []any
	marks []int
	memo  map[uint32]any
	// storages are what has been named, by key.
	storages map[string]*storage
}

// fail is an error at the instruction.
func (m *machine) fail(format string, args ...any) error {
	return fmt.Errorf("byte %d: %w", m.start, fmt.Errorf(format, args...))
}

// take returns the next n bytes.
func (m *machine) take(n uint64) ([]byte, error) {
	if n > uint64(m.end-m.at) {
		if m.end < len(m.data) {
			return nil, fmt.Errorf("more than %d bytes", maxPickle)
		}
		return nil, errors.New("the data end within it")
	}
	b := m.data[m.at : m.at+int(n)]
	m.at += int(n)
	return b, nil
}

// number reads a little-endian number of n bytes, 8 at most.
func (m *machine) number(n uint64) (uint64, error) {
	b, err := m.take(n)
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:]), err
}

// counted reads bytes that follow their number, which has n bytes.
func (m *machine) counted(n uint64) ([]byte, error) {
	size, err := m.number(n)
	if err != nil {
		return nil, err
	}
	return m.take(size)
}

// line reads up to the end of the line.
func (m *machine) line() (string, error) {
	rest := m.data[m.at:min(m.end, m.at+maxLine)]
	n := bytes.IndexByte(rest, '\n')
	if n < 0 {
		return "", fmt.Errorf("a line of more than %d bytes, or that has no end", len(rest))
	}
	m.at += n + 1
	return string(rest[:n]), nil
}

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

// bottom is where what was put since the last mark begins.
func (m *machine) bottom() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

// pop takes the last value, which must not be from before a mark.
func (m *machine) pop() (any, error) {
	if len(m.stack) <= m.bottom() {
		return nil, errors.New("there is no value that it could take")
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// popMark takes the values since the last mark, which it takes too. They are good until the
// next push.
func (m *machine) popMark() ([]any, error) {
	if len(m.marks) == 0 {
		return nil, errors.New("there is no mark")
	}
	at := m.bottom()
	values := m.stack[at:]
	m.stack, m.marks = m.stack[:at], m.marks[:len(m.marks)-1]
	return values, nil
}

// popTuple takes the last n values.
func (m *machine) popTuple(n int) (tuple, error) {
	at := len(m.stack) - n
	if at < m.bottom() {
		return nil, fmt.Errorf("there are no %d values that it could take", n)
	}
	t := append(tuple(nil), m.stack[at:]...)
	m.stack = m.stack[:at]
	return t, nil
}

// load runs the pickle that begins at m.at, and returns its value.
func (m *machine) load() (any, error) {
	m.stack, m.marks, m.memo = nil, nil, make(map[uint32]any)
	m.end = min(len(m.data), m.at+maxPickle)
	for {
		m.start = m.at
		if m.steps++; m.steps > maxSteps {
			return nil, m.fail("more than %d instructions", maxSteps)
		}
		b, err := m.take(1)
		if err != nil {
			return nil, m.fail("%w", err)
		}
		op := b[0]
		if op == '.' { // STOP
			v, err := m.pop()
			if err == nil && len(m.stack)+len(m.marks) > 0 {
				err = errors.New("more values than one are left")
			}
			if err != nil {
				return nil, m.fail("STOP: %w", err)
			}
			return v, nil
		}
		if err := m.step(op); err != nil {
			return nil, m.fail("instruction %#02x: %w", op, err)
		}
	}
}

// step does one instruction. They are those of Python's pickle, protocols 0 to 5, by the
// letters that its source gives them. Those that are not here call what the file names, or
// take what is outside it.
func (m *machine) step(op byte) error {
	switch op {
	case 0x80: // PROTO
		v, err := m.number(1)
		if err == nil && v > 5 {
			err = fmt.Errorf("protocol %d, and 5 is the last known", v)
		}
		return err
	case 0x95: // FRAME, which tells a reader how much to fetch
		_, err := m.take(8)
		return err
	case '(': // MARK
		m.marks = append(m.marks, len(m.stack))
		return nil
	case '0': // POP
		if len(m.stack) == m.bottom() && len(m.marks) > 0 {
			m.marks = m.marks[:len(m.marks)-1]
			return nil
		}
		_, err := m.pop()
		return err
	case '1': // POP_MARK
		_, err := m.popMark()
		return err
	case '2': // DUP
		v, err := m.pop()
		m.push(v)
		m.push(v)
		return err
	case 'p', 'q', 'r', 0x94, 'g', 'h', 'j':
		return m.remember(op)
	case 'c', 0x93, 'R', 0x81, 'b', 'Q':
		return m.build(op)
	case 'P', 'i', 'o', 0x82, 0x83, 0x84, 0x92, 0x97, 0x98:
		return errors.New("makes an object that is no part of a model's weights, and is refused")
	}
	if done, err := m.collect(op); done || err != nil {
		return err
	}
	v, ok, err := m.scalar(op)
	if err == nil && !ok {
		err = errors.New("is not known")
	}
	m.push(v)
	return err
}

// remember does what puts values into the memo, and takes them from it.
func (m *machine) remember(op byte) error {
	var n uint64
	var err error
	switch op {
	case 'p', 'g': // PUT, GET
		var line string
		if line, err = m.line(); err == nil {
			n, err = strconv.ParseUint(line, 10, 32)
		}
	case 'q', 'h': // BINPUT, BINGET
		n, err = m.number(1)
	case 'r', 'j': // LONG_BINPUT, LONG_BINGET
		n, err = m.number(4)
	case 0x94: // MEMOIZE
		n = uint64(len(m.memo))
	}
	if err != nil {
		return err
	}
	switch op {
	case 'g', 'h', 'j':
		v, ok := m.memo[uint32(n)]
		if !ok {
			return fmt.Errorf("no value was remembered as %d", n)
		}
		m.push(v)
		return nil
	}
	v, err := m.pop()
	m.push(v)
	m.memo[uint32(n)] = v
	return err
}

// scalar reads a value that has no others in it.
func (m *machine) scalar(op byte) (v any, known bool, err error) {
	switch op {
	case 'N': // NONE
		return nil, true, nil
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		return op == 0x88, true, nil
	case 'J': // BININT
		n, err := m.number(4)
		return int64(int32(n)), true, err
	case 'K': // BININT1
		n, err := m.number(1)
		return int64(n), true, err
	case 'M': // BININT2
		n, err := m.number(2)
		return int64(n), true, err
	case 0x8a, 0x8b: // LONG1, LONG4
		size := uint64(1)
		if op == 0x8b {
			size = 4
		}
		b, err := m.counted(size)
		if err == nil && len(b) > maxLong {
			err = fmt.Errorf("an integer of %d bytes", len(b))
		}
		return long(b), true, err
	case 'I', 'L': // INT, LONG
		line, err := m.line()
		if err != nil {
			return nil, true, err
		}
		v, err := integer(op, line)
		return v, true, err
	case 'F': // FLOAT
		line, err := m.line()
		if err != nil {
			return nil, true, err
		}
		f, err := strconv.ParseFloat(line, 64)
		return f, true, err
	case 'G': // BINFLOAT, the one number in big-endian order
		b, err := m.take(8)
		if err != nil {
			return nil, true, err
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), true, nil
	}
	return m.text(op)
}

// text reads texts and bytes, which follow their size. Strings of Python 2 are texts here.
func (m *machine) text(op byte) (v any, known bool, err error) {
	switch op {
	case 'S', 'V': // STRING, UNICODE, of protocol 0, with escapes
		line, err := m.line()
		if err == nil && strings.Contains(line, `\`) {
			err = errors.New("text with escapes is not read: save the file with protocol 2")
		}
		if op == 'S' {
			line = strings.Trim(line, `'"`)
		}
		return line, true, err
	}
	size, raw := uint64(0), false
	switch op {
	case 0x8c, 'U': // SHORT_BINUNICODE, SHORT_BINSTRING
		size = 1
	case 'X', 'T': // BINUNICODE, BINSTRING
		size = 4
	case 0x8d: // BINUNICODE8
		size = 8
	case 'C': // SHORT_BINBYTES
		size, raw = 1, true
	case 'B': // BINBYTES
		size, raw = 4, true
	case 0x8e, 0x96: // BINBYTES8, BYTEARRAY8
		size, raw = 8, true
	default:
		return nil, false, nil
	}
	b, err := m.counted(size)
	if raw {
		return b, true, err
	}
	return string(b), true, err
}

// long reads an integer in two's complement, the least byte first.
func long(b []byte) any {
	if len(b) <= 8 {
		var wide [8]byte
		if len(b) > 0 && b[len(b)-1] >= 0x80 {
			wide = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
		}
		copy(wide[:], b)
		return int64(binary.LittleEndian.Uint64(wide[:]))
	}
	reversed := make([]byte, len(b))
	for i, x := range b {
		reversed[len(b)-1-i] = x
	}
	v := new(big.Int).SetBytes(reversed)
	if reversed[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

// integer reads an integer as text, which is a truth value where it is written 00 or 01.
func integer(op byte, line string) (any, error) {
	if op == 'I' && (line == "00" || line == "01") {
		return line == "01", nil
	}
	if op == 'L' {
		line = strings.TrimSuffix(line, "L")
	}
	if v, err := strconv.ParseInt(line, 10, 64); err == nil {
		return v, nil
	}
	if len(line) <= 2*maxLong {
		if v, ok := new(big.Int).SetString(line, 10); ok {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%.40q is no integer", line)
}

// collect does what makes and fills tuples, lists, sets and dicts, and says whether the
// instruction is one of these.
func (m *machine) collect(op byte) (bool, error) {
	switch op {
	case ')': // EMPTY_TUPLE
		m.push(tuple(nil))
	case ']', 0x8f: // EMPTY_LIST, EMPTY_SET
		m.push(new(list))
	case '}': // EMPTY_DICT
		m.push(new(dict))
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		t, err := m.popTuple(int(op) - 0x84)
		m.push(t)
		return true, err
	case 't', 'l', 0x91: // TUPLE, LIST, FROZENSET
		values, err := m.popMark()
		t := append(tuple(nil), values...)
		if op == 't' {
			m.push(t)
		} else {
			m.push(&list{t})
		}
		return true, err
	case 'd': // DICT
		values, err := m.popMark()
		if err != nil {
			return true, err
		}
		d := new(dict)
		err = d.setAll(values)
		m.push(d)
		return true, err
	case 'a', 's', 'e', 'u', 0x90:
		return true, m.insert(op)
	default:
		return false, nil
	}
	return true, nil
}

// insert does what puts one item, or all since the last mark, into what is before.
func (m *machine) insert(op byte) error {
	var values []any
	var err error
	switch op {
	case 'a': // APPEND
		values, err = m.popTuple(1)
	case 's': // SETITEM
		values, err = m.popTuple(2)
	default: // APPENDS, SETITEMS, ADDITEMS
		values, err = m.popMark()
	}
	if err != nil {
		return err
	}
	return m.fill(op != 's' && op != 'u', values)
}

// fill puts values into the list, or the keys and values into the dict, that is the last
// on the stack.
func (m *machine) fill(isList bool, values []any) error {
	v, err := m.pop()
	if err != nil {
		return err
	}
	switch into := v.(type) {
	case *list:
		if isList {
			into.items = append(into.items, values...)
			m.push(v)
			return nil
		}
	case *dict:
		if !isList {
			err := into.setAll(values)
			m.push(v)
			return err
		}
	}
	return fmt.Errorf("%s does not take items", kind(v))
}

// setAll sets keys and values that follow each other.
func (d *dict) setAll(values []any) error {
	if len(values)%2 != 0 {
		return errors.New("a key without a value")
	}
	for i := 0; i < len(values); i += 2 {
		if err := d.set(values[i], values[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// set sets an entry. No file that a program wrote has a key twice.
func (d *dict) set(key, value any) error {
	switch key := key.(type) {
	case string: // a long one that many dicts have would take as long as all of them
		if len(key) > maxKey {
			return fmt.Errorf("a key of %d bytes, and %d are the most", len(key), maxKey)
		}
	case nil, bool, int64, float64, global:
	default:
		return fmt.Errorf("%s is the key of a dict, which is not read", kind(key))
	}
	if _, ok := d.index[key]; ok {
		return fmt.Errorf("key %.100q is there twice", fmt.Sprint(key))
	}
	if d.index == nil {
		d.index = make(map[any]int)
	}
	d.index[key] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
	return nil
}

// kind names the kind of a value in messages.
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a truth value"
	case int64, *big.Int:
		return "an integer"
	case float64:
		return "a number"
	case string:
		return "a text"
	case []byte:
		return "bytes"
	case global:
		return string(v)
	case tuple:
		return "a tuple"
	case *list:
		return "a list"
	case *dict:
		return "a dict"
	case *storage:
		return "a storage"
	case *view:
		return "a tensor"
	}
	return fmt.Sprintf("%T", v)
}
