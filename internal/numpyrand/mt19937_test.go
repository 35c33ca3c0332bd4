package numpyrand

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMT19937(t *testing.T) {
	for _, tt := range mt19937 {
		g := NewMT19937(tt.seed)
		var got []float64
		for range 4 {
			got = append(got, g.Float64())
		}
		for range 1000 {
			g.Float64()
		}
		got = append(got, g.Float64())
		if d := cmp.Diff(tt.floats, got); d != "" {
			t.Errorf("seed %d: (-NumPy +got):\n%s", tt.seed, d)
		}
	}
}

// Values of NumPy 2.4.6:
//
//	np.random.seed(seed); x = np.random.random_sample(1005); x[:4], x[1004]
//	np.random.seed(seed); np.random.binomial(1, .5, 40)
var mt19937 = []struct {
	seed   uint32
	floats []float64
	coins  string
}{
	{0, []float64{0.5488135039273248, 0.7151893663724195, 0.6027633760716439, 0.5448831829968969, 0.0439754320240906}, "1111010110111100011111010101100101011111"},
	{7, []float64{0.07630828937395717, 0.7799187922401146, 0.4384092314408935, 0.7234651778309412, 0.2839720705188804}, "0101111000110001001011011011100000011010"},
	{1001, []float64{0.30623217954880544, 0.26506356560750577, 0.19606006315115143, 0.43052147656704765, 0.04267679807936409}, "0000000011100100001011010111010110011001"},
	{4294967295, []float64{0.0976320289940138, 0.9123828453026218, 0.78903530185164, 0.7800035981134678, 0.5978346694852332}, "0111011011100011100101110111001011000100"},
}
