package metaeval

import (
	"cmp"
	"slices"
)

const (
	// fewValues is how many distinct values of x, and of y, are counted in a table.
	fewValues = 512
	slotBits  = 12 // several times as many slots, so that few share one
	slots     = 1 << slotBits
	// Below this many values clearing the table costs more than sorting.
	contingencyFrom = 1 << 14
)

// coder numbers distinct keys in the order in which they are seen, by hashing.
type coder struct {
	keys  [slots]uint64 // 0 is free: no finite number has this key
	codes [slots]uint16
	seen  []uint64
}

// code returns the number of a key, false where there are too many.
func (c *coder) code(key uint64) (int, bool) {
	// The highest bits of the product, as the lowest of whole numbers' keys are all 0.
	for at := key * 0x9e3779b97f4a7c15 >> (64 - slotBits); ; at = (at + 1) % slots {
		switch c.keys[at] {
		case key:
			return int(c.codes[at]), true
		case 0:
			n := len(c.seen)
			if n == fewValues {
				return 0, false
			}
			c.keys[at], c.codes[at] = key, uint16(n)
			c.seen = append(c.seen, key)
			return n, true
		}
	}
}

// ascending returns the numbers of the keys from the smallest key to the largest.
func (c *coder) ascending() []int {
	out := make([]int, len(c.seen))
	for i := range out {
		out[i] = i
	}
	slices.SortFunc(out, func(i, j int) int { return cmp.Compare(c.seen[i], c.seen[j]) })
	return out
}

// countTable is countOrders for few distinct values, as judgements have, from a table
// of how often each x meets each y. It is not ok where there are too many of them, and
// then says whether x seems to have fewer than y.
func countTable(x, y []float64) (c orders, ok, fewerX bool) {
	var xs, ys coder
	table := make([][fewValues]uint32, fewValues)
	for i := range x {
		a, few := xs.code(orderedKey(x[i]))
		b, fewY := ys.code(orderedKey(y[i]))
		if !few || !fewY {
			return orders{}, false, len(xs.seen) < len(ys.seen)
		}
		table[a][b]++
	}
	c.n = int64(len(x))
	byY := ys.ascending()
	column := make([]int64, len(byY)) // sums over the x so far
	for _, a := range xs.ascending() {
		row := int64(0)
		greater := int64(0) // pairs so far of a lesser x and a greater y
		for k, b := range slices.Backward(byY) {
			n := int64(table[a][b])
			c.discordant += n * greater
			c.both += n * (n - 1) / 2
			greater += column[k]
			column[k] += n
			row += n
		}
		c.x.add(row)
	}
	for _, n := range column {
		c.y.add(n)
	}
	return c, true, false
}
