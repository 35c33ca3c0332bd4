package torchfile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// call makes a value from a function's arguments. What it copies counts as instructions: a
// pickle can name the same arguments again and again.
type call func(m *machine, args tuple) (any, error)

// find returns what a name calls, and whether a pickle may say it at all. Nothing of
// Python's is called. Without a call a name stands for itself: a type of numbers or storages.
func find(name string) (f call, known bool) {
	switch name {
	case "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor_v3":
		return rebuildTensor, true
	case "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state", "torch.Size":
		return first, true
	case "torch._tensor._rebuild_from_type_v2":
		return rebuildFromType, true
	case "torch.Tensor", "torch.nn.parameter.Parameter":
		return nil, true
	case "torch.device":
		return device, true
	case "_codecs.encode":
		return encode, true
	case "collections.OrderedDict":
		return mapping, true
	case "builtins.set", "builtins.frozenset", "__builtin__.set", "__builtin__.frozenset":
		return set, true
	}
	if classes[name] {
		return namespace, true
	}
	_, known = storages[storageName(name)]
	return nil, known || dtypes[name] != ""
}

// storageName is the name of a type of storages without its module.
func storageName(name string) string {
	for _, module := range []string{"torch.cuda.", "torch.storage.", "torch."} {
		if rest, ok := strings.CutPrefix(name, module); ok {
			return rest
		}
	}
	return ""
}

// classes are those whose objects are read as what they hold: a dict.
var classes = map[string]bool{
	"argparse.Namespace": true,
	"pytorch_lightning.utilities.parsing.AttributeDict": true,
	"lightning.pytorch.utilities.parsing.AttributeDict": true,
	"lightning_fabric.utilities.data.AttributeDict":     true,
	"lightning.fabric.utilities.data.AttributeDict":     true,
}

// storages are the types of storages, with that of their numbers.
var storages = map[string]string{
	"DoubleStorage": "F64", "FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16",
	"LongStorage": "I64", "IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8",
	"ByteStorage": "U8", "BoolStorage": "BOOL", "ComplexFloatStorage": "C64", "ComplexDoubleStorage": "C128",
	"UntypedStorage": untyped, "_UntypedStorage": untyped,
}

// untyped is the dtype of a storage of bytes, whose tensors say what they are.
const untyped = "U8"

// dtypes are PyTorch's types of numbers.
var dtypes = map[string]string{
	"torch.float64": "F64", "torch.float32": "F32", "torch.float16": "F16", "torch.bfloat16": "BF16",
	"torch.int64": "I64", "torch.int32": "I32", "torch.int16": "I16", "torch.int8": "I8",
	"torch.uint64": "U64", "torch.uint32": "U32", "torch.uint16": "U16", "torch.uint8": "U8", "torch.bool": "BOOL",
	"torch.complex64": "C64", "torch.complex128": "C128",
	"torch.float8_e4m3fn": "F8_E4M3", "torch.float8_e5m2": "F8_E5M2",
}

// build does the instructions that name what is to be made, and make it.
func (m *machine) build(op byte) error {
	switch op {
	case 'c': // GLOBAL
		module, err := m.line()
		if err != nil {
			return err
		}
		name, err := m.line()
		if err != nil {
			return err
		}
		return m.global(module, name)
	case 0x93: // STACK_GLOBAL
		t, err := m.popTuple(2)
		if err != nil {
			return err
		}
		module, ok1 := t[0].(string)
		name, ok2 := t[1].(string)
		if !ok1 || !ok2 {
			return errors.New("a name is not a text")
		}
		return m.global(module, name)
	case 'Q': // BINPERSID
		v, err := m.pop()
		if err != nil {
			return err
		}
		s, err := m.openStorage(v)
		m.push(s)
		return err
	}
	t, err := m.popTuple(2)
	if err != nil {
		return err
	}
	v := t[0]
	switch op {
	case 'R', 0x81: // REDUCE, NEWOBJ
		v, err = m.call(t[0], t[1])
	case 'b': // BUILD
		err = m.setState(t[0], t[1])
	}
	m.push(v)
	return err
}

func (m *machine) global(module, name string) error {
	full := module + "." + name
	if _, known := find(full); !known {
		return fmt.Errorf("names %.200q, which is no part of a model's weights, and is refused", full)
	}
	m.push(global(full))
	return nil
}

func (m *machine) call(function, args any) (any, error) {
	name, _ := function.(global)
	t, ok := args.(tuple)
	f, _ := find(string(name))
	if !ok || f == nil {
		return nil, fmt.Errorf("%s can't be called with %s", kind(function), kind(args))
	}
	v, err := f(m, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// setState gives an object its attributes. Those of an OrderedDict say nothing of weights:
// the _metadata of a state_dict.
func (m *machine) setState(object, state any) error {
	d, ok1 := object.(*dict)
	s, ok2 := state.(*dict)
	if !ok1 || !ok2 {
		return fmt.Errorf("%s can't have attributes from %s", kind(object), kind(state))
	}
	if d.attributes {
		m.steps += 4 * len(s.keys)
		for i, k := range s.keys {
			if err := d.set(k, s.values[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// first is the first argument: of a parameter its tensor.
func first(_ *machine, args tuple) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("no argument")
	}
	return args[0], nil
}

// device is a device by its name, "cuda", and number.
func device(_ *machine, args tuple) (any, error) {
	if len(args) == 1 || len(args) == 2 {
		name, ok := args[0].(string)
		if !ok || len(args) == 1 {
			return args[0], nil
		}
		if number, ok := args[1].(int64); ok && len(name) < maxKey {
			return fmt.Sprintf("%s:%d", name, number), nil
		}
	}
	return nil, errors.New("not of a name and a number")
}

// encode is how protocol 2 writes bytes: as the text of the characters of their codes.
func encode(m *machine, args tuple) (any, error) {
	if len(args) == 2 && (args[1] == "latin1" || args[1] == "latin-1") {
		if text, ok := args[0].(string); ok {
			m.steps += len(text) / 64
			out := make([]byte, 0, len(text))
			for _, r := range text {
				if r > 255 {
					return nil, errors.New("a character that is no byte")
				}
				out = append(out, byte(r))
			}
			return out, nil
		}
	}
	return nil, errors.New("not of a text and latin1")
}

// mapping is an OrderedDict, which Python 2 wrote as a list of pairs.
func mapping(m *machine, args tuple) (any, error) {
	d := new(dict)
	if len(args) == 0 {
		return d, nil
	}
	pairs, ok := args[0].(*list)
	if !ok || len(args) > 1 {
		return nil, errors.New("not of one list of pairs")
	}
	m.steps += 4 * len(pairs.items)
	for _, item := range pairs.items {
		var pair []any
		switch p := item.(type) {
		case tuple:
			pair = p
		case *list:
			pair = p.items
		}
		if len(pair) != 2 {
			return nil, errors.New("not of one list of pairs")
		}
		if err := d.set(pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func namespace(_ *machine, args tuple) (any, error) {
	if len(args) > 0 {
		return nil, errors.New("with arguments")
	}
	return &dict{attributes: true}, nil
}

func set(m *machine, args tuple) (any, error) {
	if len(args) == 0 {
		return new(list), nil
	}
	items, ok := args[0].(*list)
	if !ok || len(args) > 1 {
		return nil, errors.New("not of one list")
	}
	m.steps += len(items.items)
	return &list{slices.Clone(items.items)}, nil
}

// openStorage returns the storage that a persistent id names: ("storage", its type, its
// key, where it was, how many numbers it has), and in the old form what it is part of.
func (m *machine) openStorage(id any) (*storage, error) {
	t, _ := id.(tuple)
	if len(t) != 5 && len(t) != 6 || t[0] != "storage" {
		return nil, errors.New("a persistent id that is no storage")
	}
	class, _ := t[1].(global)
	key, ok := t[2].(string)
	count, ok2 := t[4].(int64)
	if !ok || !ok2 || len(key) > maxKey || count < 0 || count > math.MaxInt/16 {
		return nil, errors.New("a storage without a key and a number of numbers")
	}
	dtype, ok := storages[storageName(string(class))]
	if !ok {
		return nil, fmt.Errorf("%s is no type of storages", kind(t[1]))
	}
	if len(t) == 6 && t[5] != nil {
		return nil, errors.New("a storage that is part of another, as PyTorch before 0.4 wrote them: save the file anew")
	}
	s := m.storages[key]
	if s == nil {
		s = &storage{key: key, dtype: dtype, count: int(count)}
		m.storages[key] = s
	}
	if s.dtype != dtype || s.count != int(count) {
		return nil, fmt.Errorf("storage %.40q is of %d numbers of %s here, and of %d of %s before", key, count, dtype, s.count, s.dtype)
	}
	return s, nil
}

// rebuildTensor makes a tensor of a storage, where in it the tensor begins, its shape and
// strides. What follows says how it was trained, and in the third form its type.
func rebuildTensor(_ *machine, args tuple) (any, error) {
	if len(args) < 4 {
		return nil, errors.New("fewer arguments than 4")
	}
	s, ok := args[0].(*storage)
	if !ok {
		return nil, fmt.Errorf("of %s, not of a storage", kind(args[0]))
	}
	offset, ok := args[1].(int64)
	if !ok || offset < 0 || int64(int(offset)) != offset {
		return nil, errors.New("its offset is no place")
	}
	v := &view{storage: s, dtype: s.dtype, offset: int(offset)}
	var err error
	if v.shape, err = sizes(args[2]); err != nil {
		return nil, fmt.Errorf("its shape: %w", err)
	}
	if v.strides, err = sizes(args[3]); err != nil {
		return nil, fmt.Errorf("its strides: %w", err)
	}
	for _, a := range args[4:] {
		switch a := a.(type) {
		case global:
			if v.dtype, ok = dtypes[string(a)]; !ok {
				return nil, fmt.Errorf("%s is no type of numbers", a)
			}
		case *dict:
			// Hooks that are not empty are functions, and what else can be here says
			// that the numbers are not what they seem: negated, conjugated.
			if len(a.keys) > 0 {
				return nil, fmt.Errorf("says %.40q of its numbers, which is not read", fmt.Sprint(a.keys[0]))
			}
		}
	}
	return v, nil
}

// rebuildFromType makes a tensor with attributes: the function, the type, the function's
// arguments, the attributes.
func rebuildFromType(m *machine, args tuple) (any, error) {
	if len(args) < 3 || !slices.Contains([]any{global("torch.Tensor"), global("torch.nn.parameter.Parameter")}, args[1]) {
		return nil, errors.New("not of a tensor")
	}
	if args[0] == global("torch._tensor._rebuild_from_type_v2") {
		return nil, errors.New("of itself")
	}
	return m.call(args[0], args[2])
}

// maxRank bounds the dimensions of a tensor.
const maxRank = 64

// sizes returns the numbers of a shape.
func sizes(v any) ([]int, error) {
	t, ok := v.(tuple)
	if !ok || len(t) > maxRank {
		return nil, errors.New("not a tuple of sizes")
	}
	out := make([]int, len(t))
	for i, x := range t {
		n, ok := x.(int64)
		if !ok || n < 0 || int64(int(n)) != n {
			return nil, errors.New("not a tuple of sizes")
		}
		out[i] = int(n)
	}
	return out, nil
}
