package simd

import "testing"

// loops are a set of loops: use turns them on, and all others off.
type loops struct {
	name string
	has  bool
	use  func()
}

// eachSet runs f with each set of loops that can run here.
func eachSet(t *testing.T, f func(t *testing.T)) {
	for _, s := range sets() {
		t.Run(s.name, func(t *testing.T) {
			if !s.has {
				t.Skip("the processor has no " + s.name)
			}
			defer usual()
			s.use()
			f(t)
		})
	}
}

// with returns what do leaves in a slice like x with the loops s.
func with(s loops, x []float32, do func(x []float32)) []float32 {
	defer usual()
	s.use()
	y := append([]float32(nil), x...)
	do(y)
	return y
}
