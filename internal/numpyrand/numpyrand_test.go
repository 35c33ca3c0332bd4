package numpyrand

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Values of NumPy 2.4.6:
//
//	r = np.random.default_rng(seed)
//	r.choice(n, size=8), r.integers(2, size=40, dtype=bool), r.integers(2**63, size=1)
func TestNumPy(t *testing.T) {
	for _, tt := range numpy {
		g := New(tt.seed)
		got := make([]uint32, len(tt.choice))
		g.Fill(got, tt.n)
		if d := cmp.Diff(tt.choice, got); d != "" {
			t.Errorf("seed %d: choice (-NumPy +got):\n%s", tt.seed, d)
		}
		b := g.Bools()
		bools := ""
		for range len(tt.bools) {
			if b.Next() {
				bools += "1"
			} else {
				bools += "0"
			}
		}
		if bools != tt.bools {
			t.Errorf("seed %d: bools %s, want %s", tt.seed, bools, tt.bools)
		}
		if got := g.Uint64() >> 1; got != tt.last {
			t.Errorf("seed %d: then %d, want %d", tt.seed, got, tt.last)
		}
	}
}

var numpy = []struct {
	seed   uint64
	n      uint32
	choice []uint32
	bools  string
	last   uint64
}{
	{12345, 1997, []uint32{1396, 453, 1574, 632, 407, 1592, 1283, 1350}, "1011000011011110110100001011111100010110", 3069666675758614433},
	{0, 10, []uint32{8, 6, 5, 2, 3, 0, 0, 0}, "1101110010001010011110110011010000011110", 8418684267946577447},
	{1, 3000000000, []uint32{1535464873, 2851391088, 104557657, 2845948340, 935494355, 2607075741, 1269979346, 770976088}, "0011001001100010100000110001011001010100", 254187954446631217},
	{1099511627783, 5, []uint32{1, 4, 3, 1, 0, 0, 2, 3}, "0001011000001101110110010100011110101010", 4519410022812769395},
	{987654321, 2, []uint32{1, 0, 1, 0, 1, 0, 0, 0}, "1011011110111110000100001010101111011011", 2646553423178726864},
}

// Values of NumPy 2.4.6:
//
//	r = np.random.default_rng(seed)
//	r.random(before, dtype=np.float32), np.rint(r.random(41, dtype=np.float32)), r.integers(2**63)
func TestRounded(t *testing.T) {
	for _, tt := range []struct {
		seed   uint64
		before int
		want   string
		last   uint64
	}{
		{4, 0, "11111110010011101101010010011110111110010", 8695829090323764138},
		{12345, 1, "01001111010110001111011110000010100011010", 1474776615771680158},
	} {
		g := New(tt.seed)
		g.Rounded(make([]uint8, tt.before))
		bits := make([]uint8, len(tt.want))
		g.Rounded(bits)
		got := ""
		for _, b := range bits {
			got += string('0' + b)
		}
		if got != tt.want {
			t.Errorf("seed %d: %s, want %s", tt.seed, got, tt.want)
		}
		if got := g.Uint64() >> 1; got != tt.last {
			t.Errorf("seed %d: then %d, want %d", tt.seed, got, tt.last)
		}
	}
}

// A half is rounded to even, which is 0: of 32 bits NumPy takes the upper 24 for a float32.
func TestRoundedHalf(t *testing.T) {
	for v, want := range map[uint32]uint8{1<<31 - 1: 0, 1 << 31: 0, 1<<31 + 255: 0, 1<<31 + 256: 1} {
		g := &Generator{half: v, kept: true}
		got := []uint8{9}
		if g.Rounded(got); got[0] != want {
			t.Errorf("%#x: %d, want %d", v, got[0], want)
		}
	}
}
