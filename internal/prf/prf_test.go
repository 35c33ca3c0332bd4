package prf

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		row  []float64
		beta float64
		want mteval.PRF
	}{
		{[]float64{2, 4, 2}, 1, mteval.PRF{P: .5, R: 1, F: 2. / 3}},
		{[]float64{2, 4, 2}, 2, mteval.PRF{P: .5, R: 1, F: 2.5 / 3}},
		{[]float64{0, 0, 2}, 1, mteval.PRF{}},
		{[]float64{0, 3, 0}, 1, mteval.PRF{}},
		{[]float64{0, 0, 0}, 1, mteval.PRF{}},
	} {
		if d := cmp.Diff(tt.want, Of(tt.row, tt.beta)); d != "" {
			t.Errorf("%v, beta %v (-want +got):\n%s", tt.row, tt.beta, d)
		}
	}
}
