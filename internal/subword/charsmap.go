package subword

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A charsmap is the precompiled normalizer of SentencePiece: a double array in
// darts-clone's format whose values are places in text, where a replacement ends with a
// zero byte.
type charsmap struct {
	units []uint32
	text  []byte
	ascii [128]bool // is replaced
}

func newCharsmap(data []byte) (*charsmap, error) {
	if len(data) < 4 {
		return nil, errors.New("shorter than 4 bytes")
	}
	n := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if n%4 != 0 || n == 0 || uint64(n) > uint64(len(data)) {
		return nil, fmt.Errorf("a trie of %d bytes, where %d are left", n, len(data))
	}
	m := &charsmap{units: make([]uint32, n/4), text: data[n:]}
	if !utf8.Valid(m.text) {
		return nil, errors.New("replacements that are not UTF-8")
	}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	for c := range m.ascii {
		_, n := m.find([]byte{byte(c)}, false)
		m.ascii[c] = n > 0
	}
	return m, nil
}

// Bounds of SentencePiece: on how many prefixes of a text are looked at for the longest,
// and, here, on its bytes.
const (
	maxPrefixes = 32
	maxKey      = maxPiece
)

// begins says whether key, of ASCII characters, is in the map or begins what is.
func (m *charsmap) begins(key []byte) bool {
	at := uint32(0)
	u := m.units[0]
	for _, c := range key {
		if at ^= u>>10<<(u&(1<<9)>>6) ^ uint32(c); uint64(at) >= uint64(len(m.units)) {
			return false
		}
		if u = m.units[at]; u&(1<<31|0xff) != uint32(c) {
			return false
		}
	}
	return true
}

// find returns what the shortest prefix of key in the map is replaced by, or the longest,
// and its length; 0: there is none.
func (m *charsmap) find(key []byte, longest bool) (by []byte, n int) {
	at := uint32(0)
	follow := func(u uint32) { at ^= u >> 10 << (u & (1 << 9) >> 6) }
	follow(m.units[0])
	found := 0
	for i, c := range key {
		if c == 0 {
			break
		}
		at ^= uint32(c)
		if uint64(at) >= uint64(len(m.units)) {
			break
		}
		u := m.units[at]
		if u&(1<<31|0xff) != uint32(c) {
			break
		}
		follow(u)
		if u>>8&1 == 0 {
			continue
		}
		if uint64(at) >= uint64(len(m.units)) {
			break
		}
		v := m.units[at] & (1<<31 - 1)
		if uint64(v) > uint64(len(m.text)) {
			break
		}
		rest := m.text[v:]
		if len(rest) > 0 && !utf8.RuneStart(rest[0]) {
			break
		}
		by, n = rest, i+1
		if found++; !longest || found == maxPrefixes {
			break
		}
	}
	if i := bytes.IndexByte(by, 0); i >= 0 {
		by = by[:i]
	}
	return by, n
}

func (m *charsmap) normalize(s *scratch) {
	b, c := s.text.b, s.t.classes
	plain := true
	for _, x := range b {
		if x >= utf8.RuneSelf || m.ascii[x] {
			plain = false
			break
		}
	}
	if plain {
		return
	}
	out, modified := s.changes[:0], false
	// put replaces part, unless the map does not have it.
	put := func(part []byte) bool {
		by, n := m.find(part, false)
		if n == 0 {
			return false
		}
		modified = true
		if 4*(len(out)+len(by)-len(b)) > s.room {
			s.cut = true
			return true
		}
		before := len(out)
		for len(by) > 0 {
			r, n := utf8.DecodeRune(by)
			by = by[n:]
			out = append(out, change{r, 0})
		}
		switch diff := len(out) - before - utf8.RuneCount(part); {
		case diff > 0:
			for i := len(out) - diff; i < len(out); i++ {
				out[i].n = 1
			}
		case diff < 0 && len(out) > 0:
			out[len(out)-1].n += diff
		}
		return true
	}
	look := lookBytes
	for i := 0; i < len(b) && !s.cut; {
		if i >= look {
			look = s.look(i)
		}
		if b[i] < utf8.RuneSelf && (i+1 == len(b) || b[i+1] < utf8.RuneSelf && b[i] != '\r') {
			if !m.ascii[b[i]] || !put(b[i:i+1]) {
				out = append(out, change{rune(b[i]), 0})
			}
			i++
			continue
		}
		end := i + c.cluster(b[i:])
		if end-i < 6 && put(b[i:end]) {
			i = end
			continue
		}
		for i < end {
			r, n := utf8.DecodeRune(b[i:end])
			if !put(b[i : i+n]) {
				out = append(out, change{r, 0})
			}
			i += n
		}
	}
	s.changes = out
	if modified {
		s.transform()
	}
}

// cluster returns the length of the grapheme cluster that b begins with, exactly where
// that is less than 6 bytes, to which the map treats clusters as one. Clusters of more
// than one base (Hangul, flags, emoji that are joined) are longer: they may be cut.
func (t *classTable) cluster(b []byte) int {
	r, end := utf8.DecodeRune(b)
	class := t.of(r) & clusterMask
	for class == clusterPrepend && end < len(b) {
		next, n := utf8.DecodeRune(b[end:])
		c := t.of(next) & clusterMask
		if c == clusterControl {
			return end
		}
		class, end = c, end+n
	}
	if class == clusterControl {
		if r == '\r' && end < len(b) && b[end] == '\n' {
			end++
		}
		return end
	}
	for end < len(b) {
		next, n := utf8.DecodeRune(b[end:])
		if t.of(next)&clusterMask != clusterExtend {
			break
		}
		end += n
	}
	return end
}
