// Package libtorch runs the models of package transformer on libtorch, PyTorch's C++
// library, through gotch: on the CPU or a CUDA device, in float32, float16 or bfloat16. It
// reads the same folders with the same tokenizers, and in float32 gives the same vectors,
// to rounding.
//
// It needs cgo, libtorch and the build tag libtorch; scripts/libtorch.sh sets a machine up:
//
//	scripts/libtorch.sh DIR && . DIR/env.sh && go build -tags libtorch ./cmd/mteval
//
// Without the tag the package is there, and Open says this.
//
// The backend is a backend.Matcher: bertscore's matching runs on the device, and of the
// vectors only the best similarities leave it.
//
// Of gotch, v0.9.1, it uses package libtch, which is libtorch's C interface. Package ts
// above that was measured too slow and too leaky for a loop: each result allocates 100 KB
// of Go memory, takes a lock and costs about 25 µs, and loses about 30 bytes of C memory.
package libtorch

import (
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/transformer"
)

// DType is the type of the numbers that a model is run with.
type DType = transformer.DType

// The types. Float16 and BFloat16 are for GPUs; on a CPU they are slower than Float32.
// Vectors are float32 once they leave the last layer, and are matched as such.
const (
	Float32  DType = "fp32"
	Float16  DType = "fp16"
	BFloat16 DType = "bf16"
)

// Options of Open. The zero value is the CPU, in float32, with all processors.
type Options struct {
	// Options are those of the model. Their Workers bound the tokenizer's goroutines
	// and, on the CPU, the threads.
	transformer.Options
	// Device is "cpu", the same as "", or "cuda:0", "cuda:1" and so on; "cuda" is
	// "cuda:0".
	Device string
	// DType is the type of numbers; "" is that of Options, and else Float32.
	DType DType
	// BatchTokens bounds the tokens of a batch, padding included; 0 is 512 on the CPU
	// and 16,384 on a GPU. A single text is never divided.
	BatchTokens int
}

// Backend is a model on a device. It is a backend.Matcher, safe for concurrent use: calls
// share the device's worker threads. A text's vectors depend on the others in its batch by
// rounding only, about 1e-6 in float32, since libtorch chooses its kernels by the shape.
//
// What libtorch reports, a device that has not enough memory say, comes back as an error
// of the call, and the backend can be used further. Only Open makes one: a method of another
// panics.
type Backend struct{ backend.Matcher }

// Open opens a model's folder and puts the weights on the device. Without the build tag
// libtorch it is an error.
func Open(dir string, o Options) (*Backend, error) {
	m, err := open(dir, o)
	if err != nil {
		return nil, err
	}
	return &Backend{m}, nil
}

// Encoder is a model on a device as backend.Encoder, for comet. A sequence's vector depends on
// the others in its batch by rounding, as Backend's do. Only OpenEncoder makes one: a method of
// another panics.
type Encoder struct{ backend.Encoder }

// OpenEncoder opens a model with all its layers and puts the weights on the device. Of the
// Options' own Options it takes Workers. Without the build tag libtorch it is an error.
func OpenEncoder(f backend.EncoderFiles, o Options) (*Encoder, error) {
	e, err := openEncoder(f, o)
	if err != nil {
		return nil, err
	}
	return &Encoder{e}, nil
}
