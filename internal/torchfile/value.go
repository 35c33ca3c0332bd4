package torchfile

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mteval/mteval/internal/tensors"
)

// Bounds of a value. A pickle can make one of a million levels, and a short one a value that
// has itself in it, or each of its parts twice.
const (
	maxDepth = 100
	// An instruction puts one value in one place; parts of a value that is in several places
	// are counted for each, which costs memory too. A checkpoint has next to none of those.
	fewValues = 1 << 14
	maxRepeat = 4 // values to an instruction, beyond the few
	// maxShared is how many times the bytes of their storages all tensors may have. Tied
	// weights have them twice, 24 layers that are one have them 24 times.
	maxShared = 32
)

// plain turns what the machine built into plain values.
type plain struct {
	values int
	most   int
	bytes  int64 // of the tensors
}

// value returns v as a plain value. A tensor gets the name.
func (p *plain) value(v any, name string, depth int) (any, error) {
	if p.values++; p.values > p.most {
		return nil, limitError(fmt.Sprintf("more than %d values, those counted again that are in several places", p.most))
	}
	if depth > maxDepth {
		return nil, limitError(fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	switch v := v.(type) {
	case global:
		return string(v), nil
	case tuple:
		return p.items(v, depth)
	case *list:
		return p.items(v.items, depth)
	case *dict:
		return p.entries(v, depth)
	case *view:
		t, err := tensors.View(name, v.dtype, v.shape, v.strides, v.offset, v.data)
		if err == nil && !t.Repeats() {
			p.bytes += int64(t.Size())
		}
		return t, err
	case *storage:
		return nil, errors.New("a storage without a tensor")
	}
	return v, nil
}

func (p *plain) items(items []any, depth int) ([]any, error) {
	out := make([]any, len(items))
	for i, v := range items {
		var err error
		if out[i], err = p.value(v, "", depth+1); err != nil {
			return nil, within(strconv.Itoa(i), err, depth)
		}
	}
	return out, nil
}

func (p *plain) entries(d *dict, depth int) (map[string]any, error) {
	out := make(map[string]any, len(d.keys))
	for i, k := range d.keys {
		name := keyText(k)
		if _, ok := out[name]; ok {
			return nil, fmt.Errorf("key %.100q is there as a text and as something else", name)
		}
		v, err := p.value(d.values[i], name, depth+1)
		if err != nil {
			return nil, within(name, err, depth)
		}
		out[name] = v
	}
	return out, nil
}

// A limitError is of the whole value, not of the part where it was met.
type limitError string

func (e limitError) Error() string { return string(e) }

// within says in what part of the value an error is, to the third level.
func within(name string, err error, depth int) error {
	if _, whole := err.(limitError); whole || depth > 2 {
		return err
	}
	return fmt.Errorf("%.200q: %w", name, err)
}

// keyText is the key of a dict as a text.
func keyText(key any) string {
	switch key := key.(type) {
	case string:
		return key
	case nil:
		return "None"
	}
	return fmt.Sprint(key)
}

// plainValue returns what the machine built as plain values.
func (m *machine) plainValue(v any) (any, error) {
	p := plain{most: fewValues + maxRepeat*m.steps}
	out, err := p.value(v, "", 0)
	if err != nil {
		return nil, err
	}
	there := int64(0)
	for _, s := range m.storages {
		there += int64(len(s.data))
	}
	if p.bytes/maxShared > there {
		return nil, fmt.Errorf("tensors of %d bytes share %d, and %d times as many are the most", p.bytes, there, maxShared)
	}
	return out, nil
}
