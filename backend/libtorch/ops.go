//go:build libtorch

package libtorch

// #include <stdlib.h>
// void at_set_num_threads(int);
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/sugarme/gotch/libtch"
)

// tensor is one of libtorch's. It lives in memory that Go does not see, until freed.
type tensor = libtch.Ctensor

// The codes of libtorch for types of numbers, and for no device.
const (
	int64s  = 4
	halfs   = 5
	floats  = 6
	bfloats = 15
	cpu     = -1
)

// ops does one thing after another on one thread. The first failure is kept, and what
// follows it does nothing. Results are freed at the end, or before by free.
//
// libtorch keeps its last error and whether gradients are on by thread, so that ops must
// stay on a goroutine that is locked to one.
type ops struct {
	err  error
	live []tensor
}

// onThread makes the goroutine's thread ready for ops: without gradients, and alone, as
// there are several that work side by side.
func onThread() {
	runtime.LockOSThread()
	libtch.AtGradSetEnabled(0)
	C.at_set_num_threads(1)
	lastError() // of whoever used the thread before
}

// lastError is the last failure on this thread, which is forgotten.
func lastError() error {
	p := unsafe.Pointer(libtch.GetAndResetLastErr())
	if p == nil {
		return nil
	}
	var text []byte
	for q := p; *(*byte)(q) != 0; q = unsafe.Add(q, 1) {
		text = append(text, *(*byte)(q))
	}
	C.free(p)
	// What follows the first line is where in libtorch it was.
	if i := slices.Index(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return fmt.Errorf("libtorch: %s", text)
}

// do runs one operation, which sets its result.
func (o *ops) do(op func(out *tensor)) tensor {
	if o.err != nil {
		return nil
	}
	var out [4]tensor // an operation on dimensions gives two
	op(&out[0])
	if o.err = lastError(); o.err != nil {
		return nil
	}
	return o.keep(out[0])
}

// stop makes a cancelled context the failure, unless there is one.
func (o *ops) stop(ctx context.Context) {
	if o.err == nil {
		o.err = ctx.Err()
	}
}

func (o *ops) keep(t tensor) tensor {
	if t != nil {
		o.live = append(o.live, t)
	}
	return t
}

// free frees results that are not needed any more.
func (o *ops) free(ts ...tensor) {
	for _, t := range ts {
		if o.release(t) {
			libtch.AtFree(t)
		}
	}
}

// release leaves a result to the caller, to free or to keep.
func (o *ops) release(t tensor) bool {
	for i := len(o.live) - 1; i >= 0; i-- {
		if o.live[i] == t {
			o.live = slices.Delete(o.live, i, i+1)
			return true
		}
	}
	return false
}

// end frees all results and returns the first failure.
func (o *ops) end() error {
	for _, t := range o.live {
		libtch.AtFree(t)
	}
	clear(o.live)
	err := o.err
	o.live, o.err = o.live[:0], nil
	return err
}

// number is a Go type that a tensor can be made of.
type number interface{ int64 | float32 }

func kindOf[T number]() (kind int, size uint) {
	var x T
	if _, ok := any(x).(int64); ok {
		return int64s, 8
	}
	return floats, 4
}

// put copies data to a device as numbers of a kind.
func put[T number](o *ops, device, kind int, data []T, shape ...int64) tensor {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	if o.err == nil && n != int64(len(data)) {
		o.err = fmt.Errorf("libtorch: %d numbers for the shape %v", len(data), shape)
	}
	if len(data) == 0 && o.err == nil {
		o.err = errors.New("libtorch: no numbers")
	}
	have, size := kindOf[T]()
	host := o.do(func(out *tensor) {
		*out = libtch.AtTensorOfData(unsafe.Pointer(&data[0]), shape, uint(len(shape)), size, have)
	})
	if device == cpu && kind == have {
		return host
	}
	t := o.to(host, device, kind)
	o.free(host)
	return t
}

// get copies a tensor of n float32s into dst.
func (o *ops) get(dst []float32, t tensor) {
	if o.err != nil || len(dst) == 0 {
		return
	}
	libtch.AtCopyData(t, unsafe.Pointer(&dst[0]), uint(len(dst)), 4)
	o.err = lastError()
}

func (o *ops) to(t tensor, device, kind int) tensor {
	return o.do(func(out *tensor) { libtch.AtgToDevice(out, t, int32(device), int32(kind), 0, 0) })
}

func (o *ops) rows(t, index tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgIndexSelect(out, t, 0, index) })
}

func (o *ops) linear(x tensor, l linear) tensor {
	return o.do(func(out *tensor) { libtch.AtgLinear(out, x, l.weight, l.bias) })
}

func (o *ops) layerNorm(x tensor, n norm, hidden int, eps float32) tensor {
	return o.do(func(out *tensor) {
		libtch.AtgLayerNorm(out, x, []int64{int64(hidden)}, 1, n.weight, n.bias, float64(eps), 1)
	})
}

func (o *ops) gelu(x tensor, approximate string) tensor {
	return o.do(func(out *tensor) { libtch.AtgGelu(out, x, approximate) })
}

func (o *ops) view(x tensor, shape ...int64) tensor {
	return o.do(func(out *tensor) { libtch.AtgReshape(out, x, shape, len(shape)) })
}

func (o *ops) permute(x tensor, dims ...int64) tensor {
	return o.do(func(out *tensor) { libtch.AtgPermute(out, x, dims, len(dims)) })
}

func (o *ops) contiguous(x tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgContiguous(out, x) })
}

func (o *ops) expand(x tensor, shape []int64) tensor {
	return o.do(func(out *tensor) { libtch.AtgExpand(out, x, shape, len(shape), 0) })
}

func (o *ops) narrow(x tensor, dim, start, length int64) tensor {
	return o.do(func(out *tensor) { libtch.AtgNarrow(out, x, dim, start, length) })
}

func (o *ops) at(x tensor, dim, index int64) tensor {
	return o.do(func(out *tensor) { libtch.AtgSelect(out, x, dim, index) })
}

func (o *ops) attention(q, k, v, mask tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgScaledDotProductAttention(out, q, k, v, mask, 0, 0, 1, 0) })
}

func (o *ops) add(x, y tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgAdd(out, x, y) })
}

func (o *ops) mul(x, y tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgMul(out, x, y) })
}

// sum adds up the last dimension, in float32.
func (o *ops) sum(x tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgSumDimIntlist(out, x, []int64{-1}, 1, 0, floats) })
}

func (o *ops) bmm(x, y tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgBmm(out, x, y) })
}

func (o *ops) div(x, y tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgDiv(out, x, y) })
}

func (o *ops) max(x, y tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgMaximum(out, x, y) })
}

func (o *ops) cat(ts ...tensor) tensor {
	return o.do(func(out *tensor) { libtch.AtgCat(out, ts, len(ts), 0) })
}

// amax is the largest along a dimension.
func (o *ops) amax(x tensor, dim int64) tensor {
	return o.do(func(out *tensor) { libtch.AtgAmax(out, x, []int64{dim}, 1, 0) })
}

// argmax is where the largest is.
func (o *ops) argmax(x tensor, dim int64) tensor {
	return o.do(func(out *tensor) { libtch.AtgArgmax(out, x, dim, 0, 0) })
}

// unit scales vectors along the last dimension to length 1; tiny is the least length.
func (o *ops) unit(x, tiny tensor) tensor {
	squares := o.do(func(out *tensor) { libtch.AtgSquare(out, x) })
	sum := o.do(func(out *tensor) { libtch.AtgSumDimIntlist(out, squares, []int64{-1}, 1, 1, floats) })
	root := o.do(func(out *tensor) { libtch.AtgSqrt(out, sum) })
	length := o.max(root, tiny)
	y := o.div(x, length)
	o.free(squares, sum, root, length)
	return y
}
