package registry

import (
	"fmt"

	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/internal/simd"
)

// checkDType refuses a type of numbers that --backend does not have, and says what bfloat16
// gains in pure Go on this processor.
func (f *Flags) checkDType() error {
	if f.BackendName == "libtorch" {
		return nil
	}
	switch f.dtype {
	case libtorch.Float16:
		return fmt.Errorf("--dtype %s is of --backend libtorch: transformer has %s and %s", f.dtype, libtorch.Float32, libtorch.BFloat16)
	case libtorch.BFloat16:
		switch simd.SpeedBF16() {
		case simd.Slow:
			f.once("--dtype %s: this program knows no instructions for it on this processor: it takes some three times as long as --dtype %s", f.dtype, libtorch.Float32)
		case simd.AsFloat32:
			f.once("--dtype %s: this processor is no faster with it: it saves memory, and no time", f.dtype)
		}
	}
	return nil
}
