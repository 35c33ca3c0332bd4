package misuse

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A value is one that an argument can have. What has a state is made anew each time.
type value struct {
	name string
	make func() reflect.Value
}

func of(name string, x any) value {
	v := reflect.ValueOf(x)
	return value{name, func() reflect.Value { return v }}
}

// of is the value as one of a type.
func (v value) of(t reflect.Type) reflect.Value {
	out := reflect.New(t).Elem()
	if x := v.make(); x.IsValid() {
		out.Set(x)
	}
	return out
}

// A maker makes arguments of any type, and keeps what calls returned to be arguments too.
type maker struct {
	pool map[reflect.Type][]reflect.Value
	ctx  context.Context // ends soon
}

// made are the types of what was kept.
func (m *maker) made() []reflect.Type {
	return slices.SortedFunc(maps.Keys(m.pool), func(a, b reflect.Type) int { return cmp.Compare(a.String(), b.String()) })
}

// receivers are those of the values of which a method can be called: no nil pointers, and of a
// type that is not exported what a call returned.
func (m *maker) receivers(t reflect.Type, all []value) []value {
	if !ast.IsExported(t.Elem().Name()) {
		return m.pooled(t)
	}
	return all[1:]
}

// keep takes what a call returned, of types of the module, a few of each.
func (m *maker) keep(v reflect.Value) {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.IsNil() {
		return
	}
	t := v.Type()
	if ours(t) && len(m.pool[t]) < 4 {
		m.pool[t] = append(m.pool[t], v)
	}
}

// ours says whether a type is of the module, or of things that are.
func ours(t reflect.Type) bool {
	for t.Name() == "" && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, t.Kind()) {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), module)
}

var (
	contextType = reflect.TypeFor[context.Context]()
	readerType  = reflect.TypeFor[io.Reader]()
	writerType  = reflect.TypeFor[io.Writer]()
	errorType   = reflect.TypeFor[error]()
	durations   = reflect.TypeFor[time.Duration]()
)

// failing reads and writes nothing.
type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errors.New("it fails") }
func (failing) Write([]byte) (int, error) { return 0, errors.New("it fails") }

const nilContext = "a nil context"

// values are those that an argument of a type is given: first the zero value, or what comes
// nearest to it that a caller may pass, then one that makes sense.
func (m *maker) values(t reflect.Type, depth int) []value {
	zero := value{"zero", func() reflect.Value { return reflect.Zero(t) }}
	made := func(name string, f func() any) value {
		return value{name, func() reflect.Value { return reflect.ValueOf(f()) }}
	}
	switch t {
	case contextType:
		done, cancel := context.WithCancel(context.Background())
		cancel()
		return []value{
			{"ctx", func() reflect.Value { return reflect.ValueOf(m.ctx) }},
			{"ctx", func() reflect.Value { return reflect.ValueOf(m.ctx) }},
			of("cancelled", done), {nilContext, zero.make},
		}
	case readerType:
		return []value{
			zero, made("two lines", func() any { return strings.NewReader("a\tb\nc\td\n") }),
			made("nothing", func() any { return strings.NewReader("") }), of("failing", failing{}),
			of("a nil *bytes.Buffer", (*bytes.Buffer)(nil)),
			made("bytes", func() any { return bytes.NewReader([]byte{0xff, 0, '\n', 0x1f, 0x8b, 0, '{', '\n'}) }),
		}
	case writerType:
		return []value{zero, made("buffer", func() any { return new(bytes.Buffer) }), of("failing", failing{}), of("a nil *bytes.Buffer", (*bytes.Buffer)(nil))}
	case errorType:
		return []value{zero, of("error", errors.New("an error"))}
	case durations:
		return []value{zero, of("1ms", time.Millisecond), of("-1", time.Duration(-1)), of("large", time.Duration(math.MaxInt64))}
	}
	switch t.Kind() {
	case reflect.Bool:
		return []value{zero, {"true", func() reflect.Value { return reflect.ValueOf(true).Convert(t) }}}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		out := []value{zero}
		for _, n := range []int64{1, -1, 1 << 40, 1 << 33, 2, 7, math.MaxInt64, math.MinInt64} {
			v := reflect.New(t).Elem()
			if !v.OverflowInt(n) {
				v.SetInt(n)
				out = append(out, value{fmt.Sprint(n), func() reflect.Value { return v }})
			}
		}
		return out
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		out := []value{zero}
		for _, n := range []uint64{1, 1 << 40, 255, math.MaxUint64} {
			v := reflect.New(t).Elem()
			if !v.OverflowUint(n) {
				v.SetUint(n)
				out = append(out, value{fmt.Sprint(n), func() reflect.Value { return v }})
			}
		}
		return out
	case reflect.Float32, reflect.Float64:
		out := []value{zero}
		for _, x := range []float64{0.5, -1, 2, 1, math.NaN(), math.Inf(1), math.Inf(-1), 1 << 40, 1e300} {
			out = append(out, value{fmt.Sprint(x), func() reflect.Value { return reflect.ValueOf(x).Convert(t) }})
		}
		return out
	case reflect.String:
		out := []value{zero}
		for _, s := range []string{"a b", "\x00\xff", "1", "no/such/file", "."} {
			out = append(out, value{fmt.Sprintf("%q", s), func() reflect.Value { return reflect.ValueOf(s).Convert(t) }})
		}
		return out
	case reflect.Slice:
		return m.slices(t, zero, depth)
	case reflect.Array:
		return []value{zero, {"good", func() reflect.Value {
			a := reflect.New(t).Elem()
			for i := range t.Len() {
				a.Index(i).Set(m.good(t.Elem(), depth+1))
			}
			return a
		}}}
	case reflect.Map:
		out := []value{zero, {"good", func() reflect.Value {
			a := reflect.MakeMap(t)
			a.SetMapIndex(m.good(t.Key(), depth+1), m.good(t.Elem(), depth+1))
			return a
		}}, {"zero: zero", func() reflect.Value {
			a := reflect.MakeMap(t)
			a.SetMapIndex(reflect.Zero(t.Key()), reflect.Zero(t.Elem()))
			return a
		}}}
		return append(out, m.pooled(t)...)
	case reflect.Func:
		return []value{zero, {"good", func() reflect.Value { return m.function(t, true, depth) }}, {"of zeros", func() reflect.Value { return m.function(t, false, depth) }}}
	case reflect.Interface:
		out := []value{zero}
		pooled := m.pooled(t)
		if t.NumMethod() == 0 {
			pooled = []value{of("1", 1), of("string", "x")}
		}
		out = append(out, pooled...)
		for _, c := range types {
			p := reflect.PointerTo(c)
			if c.Kind() != reflect.Struct || t.NumMethod() == 0 || !p.Implements(t) {
				continue
			}
			out = append(out, value{"a nil *" + c.String(), func() reflect.Value { return reflect.Zero(p) }})
			if !panicking[c] && (c.NumField() == 0 || !c.Field(0).Anonymous) {
				out = append(out, value{"new(" + c.String() + ")", func() reflect.Value { return reflect.New(c) }})
			}
		}
		return out
	case reflect.Pointer:
		out := []value{zero}
		pooled := m.pooled(t)
		out = append(out, pooled...)
		for i, v := range m.values(t.Elem(), depth) {
			if i == 1 && len(pooled) > 0 && t.Elem().Kind() == reflect.Struct && hidden(t.Elem()) {
				continue
			}
			out = append(out, value{"&" + v.name, func() reflect.Value {
				p := reflect.New(t.Elem())
				p.Elem().Set(v.make())
				return p
			}})
		}
		if len(pooled) == 0 && len(out) > 2 {
			out[1], out[2] = out[2], out[1] // the good one
		}
		return out
	case reflect.Struct:
		return m.structs(t, zero, depth)
	}
	return []value{zero}
}

// hidden says whether a struct has fields that are not exported.
func hidden(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// good is a value that makes sense.
func (m *maker) good(t reflect.Type, depth int) reflect.Value {
	all := m.values(t, depth)
	return all[min(1, len(all)-1)].of(t)
}

// pooled are the values of a type that calls returned.
func (m *maker) pooled(t reflect.Type) []value {
	var out []value
	if t.Kind() != reflect.Interface {
		for i, v := range m.pool[t] {
			out = append(out, value{fmt.Sprintf("a %v made before (%d)", t, i), func() reflect.Value { return v }})
		}
		return out
	}
	for _, at := range m.made() {
		if at.Implements(t) {
			for i, v := range m.pool[at] {
				out = append(out, value{fmt.Sprintf("a %v made before (%d)", at, i), func() reflect.Value { return v }})
			}
		}
	}
	return out
}

func (m *maker) slices(t reflect.Type, zero value, depth int) []value {
	of := func(n int, at func(i int) reflect.Value) reflect.Value {
		s := reflect.MakeSlice(t, n, n)
		for i := range n {
			s.Index(i).Set(at(i))
		}
		return s
	}
	out := []value{zero, {"two", func() reflect.Value {
		return of(2, func(i int) reflect.Value {
			if t.Elem().Kind() == reflect.String && i > 0 {
				return reflect.ValueOf("c").Convert(t.Elem())
			}
			return m.good(t.Elem(), depth+1)
		})
	}}, {"none", func() reflect.Value { return of(0, nil) }},
		{"a zero", func() reflect.Value { return of(1, func(int) reflect.Value { return reflect.Zero(t.Elem()) }) }},
		{"three zeros", func() reflect.Value { return of(3, func(int) reflect.Value { return reflect.Zero(t.Elem()) }) }}}
	if depth < 3 {
		for _, v := range m.values(t.Elem(), depth+1) {
			out = append(out, value{"two of " + v.name, func() reflect.Value { return of(2, func(int) reflect.Value { return v.make() }) }})
		}
	}
	return append(out, m.pooled(t)...)
}

// structs varies one field at a time, the others zero or good.
func (m *maker) structs(t reflect.Type, zero value, depth int) []value {
	good := func(except int, v value) reflect.Value {
		s := reflect.New(t).Elem()
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && i != except && depth < 4 {
				s.Field(i).Set(m.good(f.Type, depth+1))
			}
		}
		if except >= 0 {
			s.Field(except).Set(v.make())
		}
		return s
	}
	out := []value{zero, {"good", func() reflect.Value { return good(-1, value{}) }}}
	if depth >= 2 {
		return append(out, m.pooled(t)...)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		for k, v := range m.values(f.Type, depth+1) {
			if k > 0 {
				out = append(out, value{fmt.Sprintf("{%s: %s}", f.Name, v.name), func() reflect.Value {
					s := reflect.New(t).Elem()
					s.Field(i).Set(v.make())
					return s
				}})
			}
			out = append(out, value{fmt.Sprintf("good but {%s: %s}", f.Name, v.name), func() reflect.Value { return good(i, v) }})
		}
	}
	return append(out, m.pooled(t)...)
}

// function returns one that calls a function that it is given once, and returns good values
// or zeros.
func (m *maker) function(t reflect.Type, good bool, depth int) reflect.Value {
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		for _, a := range args {
			if good && a.Kind() == reflect.Func && !a.IsNil() && a.Type().NumOut() == 1 && !a.Type().IsVariadic() {
				var in []reflect.Value
				for i := range a.Type().NumIn() {
					in = append(in, reflect.Zero(a.Type().In(i)))
				}
				a.Call(in)
			}
		}
		var out []reflect.Value
		for i := range t.NumOut() {
			o := t.Out(i)
			v := reflect.New(o).Elem()
			if good && o != errorType && depth < 3 {
				v.Set(m.good(o, depth+1))
			}
			out = append(out, v)
		}
		return out
	})
}
