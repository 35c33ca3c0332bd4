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

// Coins are numbers above .5, however many are tossed at once.
func TestMT19937Coins(t *testing.T) {
	for _, tt := range mt19937 {
		g := NewMT19937(tt.seed)
		word := []uint64{0}
		got := ""
		for _, n := range []int{1, 20, 19} {
			g.Coins(word, n)
			for i := range n {
				got += string(rune('0' + word[0]>>i&1))
			}
			if word[0]>>n != 0 {
				t.Errorf("%d coins: bits after them: %b", n, word[0])
			}
		}
		if got != tt.coins {
			t.Errorf("seed %d: %s, want %s", tt.seed, got, tt.coins)
		}
		many, one := NewMT19937(tt.seed), NewMT19937(tt.seed)
		words := make([]uint64, 32)
		many.Coins(words, 2000)
		for i := range 2000 {
			if got, want := words[i/64]>>(i%64)&1 == 1, one.Float64() > .5; got != want {
				t.Fatalf("seed %d: coin %d is %v", tt.seed, i, got)
			}
		}
		if got, want := many.Float64(), one.Float64(); got != want {
			t.Errorf("seed %d: after 2,000 coins %v, want %v", tt.seed, got, want)
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

func BenchmarkCoins(b *testing.B) {
	g := NewMT19937(7)
	dst := make([]uint64, 3)
	for b.Loop() {
		for range 100 {
			g.Coins(dst, 169)
		}
	}
}
