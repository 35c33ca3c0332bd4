package cache

import (
	"slices"

	"github.com/mteval/mteval/backend"
)

// A call is what one of Embed works with. It is used again, so that a call for texts that
// are all kept allocates nothing.
type call struct {
	found   []*entry // of each text; nil: it is missing
	row     []int    // of each missing text, its place in missing
	missing []string // each once, in the order in which they come first
	cut     []bool   // which of missing are cut
	rows    []int    // Offsets of the batch of missing
	spelled []byte   // of a sequence, by an Encoder
}

// keptTexts is for how many texts the memory is kept for other calls: 3 MiB.
const keptTexts = 1 << 16

// newCall returns what to work with, until end.
func (c *Backend) newCall() *call {
	if t, ok := c.calls.Get().(*call); ok {
		return t
	}
	return new(call)
}

// end lets go of everything that a call held of texts.
func (c *Backend) end(t *call) {
	if cap(t.found) > keptTexts {
		return
	}
	clear(t.found)
	clear(t.missing)
	t.found, t.row, t.missing, t.cut, t.rows = t.found[:0], t.row[:0], t.missing[:0], t.cut[:0], t.rows[:0]
	c.calls.Put(t)
}

// distinct sets t.missing and t.row, for as many texts as missed that were not found.
func (t *call) distinct(texts []string, missed int) {
	const few = 8 // that are sooner compared than put into a map
	var place map[string]int
	if missed > few {
		place = make(map[string]int, missed)
	}
	for i, text := range texts {
		if t.found[i] != nil {
			t.row = append(t.row, -1)
			continue
		}
		k, ok := place[text]
		if place == nil {
			k = slices.Index(t.missing, text)
			ok = k >= 0
		}
		if !ok {
			k = len(t.missing)
			t.missing = append(t.missing, text)
			if place != nil {
				place[text] = k
			}
		}
		t.row = append(t.row, k)
	}
}

// fill finds the missing texts of which there is something in read, by their places. Only the
// others are missing from there on.
func (t *call) fill(read []*entry) {
	now := make([]int, len(read))
	left := 0
	for k, e := range read {
		if e == nil {
			now[k], t.missing[left] = left, t.missing[k]
			left++
		}
	}
	clear(t.missing[left:])
	t.missing = t.missing[:left]
	for i, k := range t.row {
		if k >= 0 {
			t.found[i], t.row[i] = read[k], now[k]
		}
	}
}

// take notes what dst, the batch of the missing texts, says of them.
func (t *call) take(dst *backend.Batch) {
	t.rows = append(t.rows, dst.Offsets...)
	for range t.missing {
		t.cut = append(t.cut, false)
	}
	for _, k := range dst.Truncated {
		t.cut[k] = true
	}
}

// spread gives every text its place in dst, which holds the missing ones, one after
// another, if there are any.
//
// Going from the last text to the first it needs no second batch. The rows that are
// still to be moved are of texts that come first before text i, each of which needs its
// space once more in front of it, so they all lie before where text i goes.
func (t *call) spread(dst *backend.Batch, dim int) {
	if len(t.missing) == 0 {
		dst.Tokens, dst.Data = dst.Tokens[:0], dst.Data[:0]
	}
	dst.Dim = dim
	dst.Truncated = dst.Truncated[:0]
	dst.Offsets = append(slices.Grow(dst.Offsets[:0], len(t.found)+1), 0)
	total := 0
	for i, e := range t.found {
		truncated := false
		if e != nil {
			total += len(e.tokens)
			truncated = e.truncated
		} else {
			k := t.row[i]
			total += t.rows[k+1] - t.rows[k]
			truncated = t.cut[k]
		}
		dst.Offsets = append(dst.Offsets, total)
		if truncated {
			dst.Truncated = append(dst.Truncated, i)
		}
	}
	dst.Tokens = resize(dst.Tokens, total)
	dst.Data = resize(dst.Data, total*dim)
	for i, e := range slices.Backward(t.found) {
		lo := dst.Offsets[i]
		if e != nil {
			copy(dst.Tokens[lo:], e.tokens)
			copy(dst.Data[lo*dim:], e.data)
			continue
		}
		from, to := t.rows[t.row[i]], t.rows[t.row[i]+1]
		copy(dst.Tokens[lo:], dst.Tokens[from:to])
		copy(dst.Data[lo*dim:], dst.Data[from*dim:to*dim])
	}
}

// resize returns s with length n, and its content.
func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	out := make([]T, n)
	copy(out, s)
	return out
}
