package numpyrand

import "sync"

// Coins are those that NumPy tosses by binomial(1, .5, size) after numpy.random.seed(seed). They
// are not safe for concurrent use.
//
// The first are made by MT19937. Then it is faster to add up earlier ones, by the recurrence
// that all bits of MT19937 follow: its characteristic polynomial φ of degree 19937. φ is
// irreducible, so every second bit follows it too; and as φ(t)⁶⁴ = φ(t⁶⁴) over two elements, so
// do words of 64 coins.
type Coins struct {
	twister *MT19937
	words   []uint64 // coins, lowest bit first
	at      int      // the first coin that is not tossed, a bit of words
}

// degree of φ, as many words as the recurrence goes back.
const degree = 19937

// step is how many words are added up at once: the shortest way back.
const step = 624 - 397

// NewCoins returns the coins after numpy.random.seed(seed).
func NewCoins(seed uint32) *Coins { return &Coins{twister: NewMT19937(seed)} }

// Toss tosses n coins, which are bits of dst, lowest first; the bits of its last word after them
// are 0.
func (c *Coins) Toss(dst []uint64, n int) {
	for i := 0; n > 0; i++ {
		left := min(64, n)
		dst[i] = c.next(left)
		n -= left
	}
}

// next tosses n coins, at most 64.
func (c *Coins) next(n int) uint64 {
	if c.at+n > 64*len(c.words) {
		c.grow()
	}
	w, bit := c.at/64, c.at%64
	out := c.words[w] >> bit
	if bit+n > 64 {
		out |= c.words[w+1] << (64 - bit)
	}
	c.at += n
	return out & (1<<n - 1)
}

// grow makes more words.
func (c *Coins) grow() {
	const room = 4 * degree
	if len(c.words) < degree {
		c.words = append(c.words, c.twister.word())
		return
	}
	if len(c.words)+step > room {
		n := copy(c.words, c.words[len(c.words)-degree:])
		c.at -= 64 * (len(c.words) - n)
		c.words = c.words[:n]
	} else if cap(c.words) < room {
		c.words = append(make([]uint64, 0, room), c.words...)
	}
	first := len(c.words) - degree
	c.words = c.words[:len(c.words)+step]
	add(c.words[len(c.words)-step:], c.words[first:], recurrence())
}

// add sets dst to the sum of what begins at each of the places in words.
func add(dst, words []uint64, places []int) {
	clear(dst)
	for ; len(places) >= 4; places = places[4:] {
		n := len(dst)
		p, q, r, s := words[places[0]:][:n], words[places[1]:][:n], words[places[2]:][:n], words[places[3]:][:n]
		for i := range dst {
			dst[i] ^= p[i] ^ q[i] ^ r[i] ^ s[i]
		}
	}
	for _, at := range places {
		for i := range dst {
			dst[i] ^= words[at+i]
		}
	}
}

// recurrence returns the powers of t in φ but for the highest, by its formula in the paper:
// with x = t⁶²⁴ + t³⁹⁷, y = t⁶²³ + t³⁹⁶ and the bits a₀ to a₃₁ of the twist,
//
//	φ = x·y³¹ + x·(a₀y³⁰ + a₁y²⁹ + … + a₃₀) + a₃₁
var recurrence = sync.OnceValue(func() []int {
	const a uint32 = 0x9908b0df
	odd := map[int]bool{} // powers with coefficient 1
	flip := func(power int) { odd[power] = !odd[power] }
	for k := range 32 { // x·yᵏ
		if k < 31 && a>>(30-k)&1 == 0 {
			continue
		}
		for j := range k + 1 {
			if j&^k == 0 { // the binomial coefficient k over j is odd (Lucas)
				flip(624 + 623*j + 396*(k-j))
				flip(397 + 623*j + 396*(k-j))
			}
		}
	}
	flip(0) // a₃₁
	var out []int
	for power := range degree {
		if odd[power] {
			out = append(out, power)
		}
	}
	return out
})
