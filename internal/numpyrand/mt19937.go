package numpyrand

// MT19937 is NumPy's older generator, that of numpy.random.seed and random_sample: the
// Mersenne twister (Matsumoto and Nishimura, ACM TOMACS 8(1), 1998). It is not safe for
// concurrent use.
type MT19937 struct {
	// Two words of 32 bits in one, the first in the lower half: a number takes two.
	state [312]uint64
	at    int
}

// NewMT19937 returns the generator after numpy.random.seed(seed).
func NewMT19937(seed uint32) *MT19937 {
	g := &MT19937{}
	for i := range 2 * len(g.state) {
		g.state[i/2] |= uint64(seed) << (i % 2 * 32)
		seed = 1812433253*(seed^seed>>30) + uint32(i) + 1
	}
	g.at = len(g.state)
	return g
}

// Two words at once: masks that hold for each.
const (
	upperBits = 0x8000000080000000
	lowerBits = 0x7fffffff7fffffff
	lowestBit = 0x0000000100000001
)

// twisted returns the next two words of the state, of the present ones, the two that begin
// with the word after, and the two that lie 397 words on.
func twisted(present, after, on uint64) uint64 {
	y := present&upperBits | after&lowerBits
	return on ^ y>>1&lowerBits ^ (y&lowestBit)*0x9908b0df
}

// twist makes the next state.
func (g *MT19937) twist() {
	s := &g.state
	const on = 198 // the first of the pair that lies 397 words on is the upper half of this one
	present, first := s[0], s[on]
	for i := range len(s) - on - 1 {
		next, second := s[i+1], s[i+on+1]
		s[i] = twisted(present, present>>32|next<<32, first>>32|second<<32)
		present, first = next, second
	}
	const turn = 312 - on - 1 // from here on what lies on is new
	for i := turn; i < len(s)-1; i++ {
		next, second := s[i+1], s[i-turn]
		s[i] = twisted(present, present>>32|next<<32, first>>32|second<<32)
		present, first = next, second
	}
	last := len(s) - 1
	s[last] = twisted(present, present>>32|s[0]<<32, first>>32|s[last-turn]<<32)
	g.at = 0
}

func tempered(y uint32) uint32 {
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Float64 returns what random_sample() gives, 0 to below 1.
func (g *MT19937) Float64() float64 {
	if g.at == len(g.state) {
		g.twist()
	}
	s := g.state[g.at]
	g.at++
	a, b := tempered(uint32(s))>>5, tempered(uint32(s>>32))>>6
	return float64(uint64(a)<<26|uint64(b)) / (1 << 53)
}

// word tosses 64 coins, lowest bit first: what binomial(1, .5, 64) gives, 1 where
// random_sample() is above .5. (Here that is 1 where it is .5 exactly, too, of 2⁵³ numbers.)
func (g *MT19937) word() (out uint64) {
	for have := 0; have < 64; {
		if g.at == len(g.state) {
			g.twist()
		}
		part := g.state[g.at:min(len(g.state), g.at+64-have)]
		for _, s := range part {
			// The highest bit of the first word, tempered, is the sum of four bits.
			out = out>>1 | (s>>31^s>>27^s>>24^s>>16)<<63
		}
		g.at += len(part)
		have += len(part)
	}
	return out
}
