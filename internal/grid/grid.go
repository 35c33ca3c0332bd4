// Package grid collects what there is of systems and items, for tables that have a place for
// each system on each item.
package grid

import "fmt"

// Names numbers names in the order in which they come.
type Names struct {
	Names []string
	at    map[string]int
}

// Number is the place of a name, which is a new one if it has none.
func (n *Names) Number(name string) int {
	if k, ok := n.at[name]; ok {
		return k
	}
	if n.at == nil {
		n.at = make(map[string]int)
	}
	k := len(n.Names)
	n.at[name] = k
	n.Names = append(n.Names, name)
	return k
}

// A Grid has systems, items, and the places that were added.
type Grid struct {
	Systems, Items Names
	cells          []cell
}

type cell struct{ system, item int }

// Add adds a place.
func (g *Grid) Add(system, item string) {
	g.cells = append(g.cells, cell{g.Systems.Number(system), g.Items.Number(item)})
}

// At is the place in the table of the k-th that was added.
func (g *Grid) At(k int) int { return g.cells[k].system*len(g.Items.Names) + g.cells[k].item }

// Of returns the names of the k-th that was added.
func (g *Grid) Of(k int) (system, item string) {
	return g.Systems.Names[g.cells[k].system], g.Items.Names[g.cells[k].item]
}

// Check returns an error for a table that would be large and next to empty. It is what
// becomes of columns in the wrong order, and of a number for each line where the segment
// should stand.
func (g *Grid) Check() error {
	const large, full = 1 << 24, 100
	s, n := len(g.Systems.Names), len(g.Items.Names)
	if s > 0 && n > large/s && n/full > len(g.cells)/s {
		return fmt.Errorf("%d scores of %d systems on %d segments: a system should have scores on many of the segments, is a column taken for another?", len(g.cells), s, n)
	}
	return nil
}
