// Package numpyrand gives the numbers of NumPy's default generator,
// numpy.random.default_rng(seed), so that samples drawn here are those that a Python
// program draws: PCG64 (O'Neill 2014, the XSL RR output function) seeded through
// SeedSequence, with Lemire's bounded integers (ACM TOMACS 29(1), 2019). It is not for
// cryptography.
package numpyrand

import "math/bits"

// A Generator is a stream of numbers. It is not safe for concurrent use.
type Generator struct {
	hi, lo       uint64 // the state
	incHi, incLo uint64
	half         uint32 // the upper half of the last 64 bits, if kept
	kept         bool
}

// New returns the generator default_rng(seed).
func New(seed uint64) *Generator {
	s := sequence(seed)
	g := &Generator{
		incHi: s[2]<<1 | s[3]>>63,
		incLo: s[3]<<1 | 1,
	}
	g.step()
	var carry uint64
	g.lo, carry = bits.Add64(g.lo, s[1], 0)
	g.hi, _ = bits.Add64(g.hi, s[0], carry)
	g.step()
	return g
}

// sequence is SeedSequence(seed).generate_state(4, uint64).
func sequence(seed uint64) [4]uint64 {
	constant := uint32(0x43b0d7e5)
	hashmix := func(v uint32) uint32 {
		v ^= constant
		constant *= 0x931e8875
		v *= constant
		return v ^ v>>16
	}
	entropy := [4]uint32{uint32(seed), uint32(seed >> 32)}
	var pool [4]uint32
	for i := range pool {
		pool[i] = hashmix(entropy[i])
	}
	for from := range pool {
		for to := range pool {
			if from != to {
				v := 0xca01f9dd*pool[to] - 0x4973f715*hashmix(pool[from])
				pool[to] = v ^ v>>16
			}
		}
	}
	constant = 0x8b51f9dd
	var words [8]uint32
	for i := range words {
		v := pool[i%4] ^ constant
		constant *= 0x58f38ded
		v *= constant
		words[i] = v ^ v>>16
	}
	var out [4]uint64
	for i := range out {
		out[i] = uint64(words[2*i+1])<<32 | uint64(words[2*i])
	}
	return out
}

// step multiplies the state by PCG's constant and adds the increment.
func (g *Generator) step() {
	const mulHi, mulLo = 0x2360ed051fc65da4, 0x4385df649fccf645
	hi, lo := bits.Mul64(g.lo, mulLo)
	hi += g.hi*mulLo + g.lo*mulHi
	var carry uint64
	g.lo, carry = bits.Add64(lo, g.incLo, 0)
	g.hi, _ = bits.Add64(hi, g.incHi, carry)
}

// Uint64 returns the next 64 bits.
func (g *Generator) Uint64() uint64 {
	g.step()
	return bits.RotateLeft64(g.hi^g.lo, -int(g.hi>>58))
}

// Uint32 returns the next 32 bits: the lower half of 64, then the upper half.
func (g *Generator) Uint32() uint32 {
	if g.kept {
		g.kept = false
		return g.half
	}
	v := g.Uint64()
	g.half, g.kept = uint32(v>>32), true
	return uint32(v)
}

// Rounded sets dst to what rint(random(dtype=float32)) gives, 1 for numbers above a half, else
// 0.
func (g *Generator) Rounded(dst []uint8) {
	// A number is the upper 24 of 32 bits.
	const least = 1<<31 + 1<<8 // of those above a half
	above := func(v uint32) uint8 { return uint8((uint64(v) + (1<<32 - least)) >> 32) }
	if g.kept && len(dst) > 0 {
		dst[0], dst = above(g.Uint32()), dst[1:]
	}
	for ; len(dst) >= 2; dst = dst[2:] {
		v := g.Uint64()
		dst[0], dst[1] = above(uint32(v)), above(uint32(v>>32))
	}
	if len(dst) > 0 {
		dst[0] = above(g.Uint32())
	}
}

// Fill sets dst to what integers(n) and choice(n) give, numbers from 0 to n−1. n is 1
// to 2³²−1.
func (g *Generator) Fill(dst []uint32, n uint32) {
	if n == 1 { // no bits are used up
		clear(dst)
		return
	}
	for i := range dst {
		m := uint64(g.Uint32()) * uint64(n)
		if uint32(m) < n {
			for least := -n % n; uint32(m) < least; {
				m = uint64(g.Uint32()) * uint64(n)
			}
		}
		dst[i] = uint32(m >> 32)
	}
}

// Bools is a stream of what integers(2, dtype=bool) gives in one call.
type Bools struct {
	g    *Generator
	buf  uint32
	left int
}

// Bools starts a stream of bools.
func (g *Generator) Bools() *Bools { return &Bools{g: g} }

// Next returns the next bool.
func (b *Bools) Next() bool {
	if b.left == 0 {
		b.buf, b.left = b.g.Uint32(), 32
	}
	v := b.buf&1 != 0
	b.buf >>= 1
	b.left--
	return v
}
