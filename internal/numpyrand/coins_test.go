package numpyrand

import "testing"

// Coins are numbers above .5, however many are tossed at once.
func TestCoins(t *testing.T) {
	for _, tt := range mt19937 {
		g := NewCoins(tt.seed)
		word := []uint64{0}
		got := ""
		for _, n := range []int{1, 20, 19} {
			g.Toss(word, n)
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
	}
}

// Coins that are made by the recurrence are those of the generator. 8,000,000 are so many that
// words are moved.
func TestCoinsGoOn(t *testing.T) {
	coins, one := NewCoins(7), NewMT19937(7)
	words := make([]uint64, 8)
	n := 0
	for tossed := 0; tossed < 8_000_000; tossed += n {
		n = (n*31 + 17) % 500
		coins.Toss(words, n)
		for i := range n {
			if got, want := words[i/64]>>(i%64)&1 == 1, one.Float64() > .5; got != want {
				t.Fatalf("coin %d is %v", tossed+i, got)
			}
		}
	}
}

func BenchmarkCoins(b *testing.B) {
	g := NewCoins(7)
	dst := make([]uint64, 3)
	for b.Loop() {
		for range 100 {
			g.Toss(dst, 169)
		}
	}
}
