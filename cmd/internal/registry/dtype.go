package registry

import (
	"fmt"

	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/internal/simd"
)

// checkDType refuses a type of numbers that the backend does not have, and says what bfloat16
// gains in pure Go on this processor.
func (f *Flags) checkDType(s *spec) error {
	if s.model.backend == "libtorch" {
		return nil
	}
	switch s.model.dtype {
	case libtorch.Float16:
		return fmt.Errorf("%s: %s is of backend=libtorch: transformer has %s and %s", s.option("dtype"), s.model.dtype, libtorch.Float32, libtorch.BFloat16)
	case libtorch.BFloat16:
		switch simd.SpeedBF16() {
		case simd.Slow:
			f.once("dtype=%s: this program knows no instructions for it on this processor: it takes some three times as long as %s", s.model.dtype, libtorch.Float32)
		case simd.AsFloat32:
			f.once("dtype=%s: this processor is no faster with it: it saves memory, and no time", s.model.dtype)
		}
	}
	return nil
}
