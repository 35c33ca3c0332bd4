package subword

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// The classes of a character, as Hugging Face tokenizers has them. The tables in
// tables.go are pinned, so that a result does not change with the Go release.
const (
	gptMask   = 3 // what ByteLevel's expression tells apart: one of the next three, or 0
	gptLetter = 1
	gptNumber = 2
	gptSpace  = 3 // all white space

	isPunct = 4
	isOther = 8 // control, format, private or unassigned
	isMn    = 16
	isMark  = 32
	isWord  = 64
	isCased = 128 // differs from its lower case

	clusterMask    = 768
	clusterControl = 256
	clusterExtend  = 512
	clusterPrepend = 768
)

// classTable holds the classes of all characters, in pages of 256.
type classTable struct {
	ascii [128]uint16
	pages [0x1100]uint16
	data  [][256]uint16
	inert [0x1100][4]uint64 // a bit a character: normalization leaves it alone
}

var classes = sync.OnceValue(func() *classTable {
	t := new(classTable)
	known := make(map[[256]uint16]uint16)
	run, inert := 0, 0
	for p := range t.pages {
		var page [256]uint16
		for i := range page {
			c := uint32(p<<8 | i)
			for run+1 < len(classRuns) && classRuns[run+1]>>10 <= c {
				run++
			}
			page[i] = uint16(classRuns[run] & 1023)
			for inert < len(inertRuns) && uint32(inertRuns[inert][1]) < c {
				inert++
			}
			if inert < len(inertRuns) && uint32(inertRuns[inert][0]) <= c {
				t.inert[p][i>>6] |= 1 << (i & 63)
			}
		}
		n, ok := known[page]
		if !ok {
			n = uint16(len(t.data))
			known[page] = n
			t.data = append(t.data, page)
		}
		t.pages[p] = n
	}
	copy(t.ascii[:], t.data[t.pages[0]][:128])
	return t
})

func (t *classTable) of(r rune) uint16 { return t.data[t.pages[r>>8]][r&255] }

func (t *classTable) isInert(r rune) bool { return t.inert[r>>8][r>>6&3]>>(r&63)&1 != 0 }

// A lowerRun says that lo, lo+step, … hi have the lower case that is delta away.
type lowerRun struct {
	lo, hi, step, delta rune
}

// lower returns the lower case of r. That of İ has two characters, of which this is the
// first and U+0307 the second.
func lower(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if r == dottedI {
		return 'i'
	}
	i, found := slices.BinarySearchFunc(lowerRuns[:], r, func(l lowerRun, r rune) int { return int(l.hi - r) })
	if !found && i == len(lowerRuns) {
		return r
	}
	if l := lowerRuns[i]; l.lo <= r && (r-l.lo)%l.step == 0 {
		return r + l.delta
	}
	return r
}

const (
	dottedI  = 'İ'
	dotAbove = '\u0307'
)

// isChinese says whether BertNormalizer puts spaces around r.
func isChinese(r rune) bool {
	return r >= 0x3400 && (r <= 0x4DBF || 0x4E00 <= r && r <= 0x9FFF || 0xF900 <= r && r <= 0xFAFF ||
		0x20000 <= r && r <= 0x2A6DF || 0x2A700 <= r && r <= 0x2B73F || 0x2B740 <= r && r <= 0x2B81F ||
		0x2B920 <= r && r <= 0x2CEAF || 0x2F800 <= r && r <= 0x2FA1F)
}
