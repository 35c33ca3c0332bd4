package metaeval

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A keyed value is sorted by its key.
type keyed struct{ key, value uint64 }

// orderedKey is a number that sorts as x does. The two zeros share one.
func orderedKey(x float64) uint64 {
	b := math.Float64bits(x + 0) // −0 + 0 is 0
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// sortKeyed sorts v by key, with tmp of v's length as scratch, and returns the one of
// the two that holds the result, and the other. Where equal keys come by value, they
// stay so.
//
// It sorts by radix, and by only the 30 highest bits in which keys differ; those that
// differ further down, few unless values are crowded, are then sorted by comparing.
func sortKeyed(v, tmp []keyed) (sorted, other []keyed) {
	if len(v) < 256 { // the tables of the radix sort cost more than they save
		slices.SortFunc(v, compareKeyed)
		return v, tmp
	}
	differ := uint64(0)
	for _, e := range v {
		differ |= e.key ^ v[0].key
	}
	const digit, digits, mask = 10, 3, 1<<10 - 1
	shift := max(0, bits.Len64(differ)-digit*digits)
	var counts [digits][mask + 1]uint32
	for _, e := range v {
		k := e.key >> shift
		counts[0][k&mask]++
		counts[1][k>>digit&mask]++
		counts[2][k>>(2*digit)&mask]++
	}
	for d := range counts {
		if differ>>(shift+d*digit)&mask == 0 {
			continue
		}
		at := &counts[d]
		sum := uint32(0)
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, e := range v {
			p := &at[e.key>>(shift+d*digit)&mask]
			tmp[*p] = e
			*p++
		}
		v, tmp = tmp, v
	}
	if differ&(1<<shift-1) == 0 {
		return v, tmp
	}
	for lo := 0; lo < len(v); {
		hi := lo + 1
		for hi < len(v) && v[hi].key>>shift == v[lo].key>>shift {
			hi++
		}
		if hi-lo > 1 {
			slices.SortFunc(v[lo:hi], compareKeyed)
		}
		lo = hi
	}
	return v, tmp
}

func compareKeyed(a, b keyed) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.value, b.value)
}
