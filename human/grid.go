package human

import "fmt"

// names numbers names in the order in which they come.
type names struct {
	names []string
	at    map[string]int
}

func (n *names) number(name string) int {
	if k, ok := n.at[name]; ok {
		return k
	}
	if n.at == nil {
		n.at = make(map[string]int)
	}
	k := len(n.names)
	n.at[name] = k
	n.names = append(n.names, name)
	return k
}

// A grid collects what there is of systems and items, for tables that have a place for
// each system on each item.
type grid struct {
	systems, items names
	cells          []cell
}

type cell struct{ system, item int }

func (g *grid) add(system, item string) {
	g.cells = append(g.cells, cell{g.systems.number(system), g.items.number(item)})
}

// at is the place in the table of the k-th that was added.
func (g *grid) at(k int) int { return g.cells[k].system*len(g.items.names) + g.cells[k].item }

// check returns an error for a table that would be large and next to empty. It is what
// becomes of columns in the wrong order, and of a number for each line where the segment
// should stand.
func (g *grid) check() error {
	const large, full = 1 << 24, 100
	s, n := len(g.systems.names), len(g.items.names)
	if s > 0 && n > large/s && n/full > len(g.cells)/s {
		return fmt.Errorf("%d scores of %d systems on %d segments: a system should have scores on many of the segments, is a column taken for another?", len(g.cells), s, n)
	}
	return nil
}
