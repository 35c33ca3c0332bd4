package show

import (
	"slices"
	"strings"
)

// Wide is a table for people with the rows of base, and behind each the values that another table
// has for the same names, side by side for each value of its column by: scores of systems by
// metric, say. The keys that both have say which rows belong together. Of several values the first
// is titled with the value of by, and the others with their own titles. Where base is nil, rows are
// those of the other table, by its other columns of names.
func Wide(base, of *Table, by string) *Table {
	at := of.column(by)
	var shared, values []int // columns of of
	for i, c := range of.Columns {
		switch name := c.Kind == Name && c.Title != ""; {
		case i == at:
		case base == nil && name, base != nil && base.column(c.Key) >= 0:
			shared = append(shared, i)
		case c.Title != "":
			values = append(values, i)
		}
	}
	if base == nil {
		base = of.rowsOf(shared)
	}
	out := &Table{Title: of.Title, For: ForPeople, Columns: slices.Clone(base.Columns)}
	rows := make(map[string][]any)
	var across []string // values of by
	for _, row := range of.rows {
		v := of.name(row, at)
		if !slices.Contains(across, v) {
			across = append(across, v)
		}
		rows[of.names(row, shared)+v] = row
	}
	for _, v := range across {
		for k, i := range values {
			c := of.Columns[i]
			if c.Key = ""; k == 0 {
				c.Title = v
			}
			out.Columns = append(out.Columns, c)
		}
	}
	same := of.columnsOf(base, shared)
	for _, row := range base.rows {
		names, all := base.names(row, same), slices.Clone(row)
		for _, v := range across {
			found := rows[names+v]
			for _, i := range values {
				if found == nil {
					all = append(all, nil)
				} else {
					all = append(all, found[i])
				}
			}
		}
		out.rows = append(out.rows, all)
	}
	return out
}

// column is the place of a key, −1 where there is none.
func (t *Table) column(key string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return key != "" && c.Key == key })
}

// columnsOf are the places in another table of columns of this one.
func (t *Table) columnsOf(other *Table, columns []int) []int {
	var out []int
	for _, i := range columns {
		out = append(out, other.column(t.Columns[i].Key))
	}
	return out
}

func (t *Table) name(row []any, at int) string { return t.Columns[at].people(row[at]) }

// names are those that tell rows apart.
func (t *Table) names(row []any, columns []int) string {
	var b strings.Builder
	for _, i := range columns {
		b.WriteString(t.name(row, i) + "\x00")
	}
	return b.String()
}

// rowsOf has these columns of a table, each row once.
func (t *Table) rowsOf(columns []int) *Table {
	out := new(Table)
	for _, i := range columns {
		out.Columns = append(out.Columns, t.Columns[i])
	}
	seen := make(map[string]bool)
	for _, row := range t.rows {
		if names := t.names(row, columns); !seen[names] {
			seen[names] = true
			var some []any
			for _, i := range columns {
				some = append(some, row[i])
			}
			out.rows = append(out.rows, some)
		}
	}
	return out
}
