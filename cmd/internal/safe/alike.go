package safe

import "github.com/mteval/mteval/internal/lookalike"

// Cells is Cell for the cells of a table. Where two names are shown alike and differ, NFC and
// NFD, it spells what is not NFC (é as e\u0301), so that the rows can be told apart.
func Cells(rows [][]string) func(string) string {
	const several = "\x00" // no name of a file
	of := make(map[string]string)
	twins := false
	for _, r := range rows {
		for _, c := range r {
			if lookalike.ASCII(c) {
				continue
			}
			form := lookalike.Form(c)
			if before, ok := of[form]; ok && before != c {
				of[form], twins = several, true
			} else {
				of[form] = c
			}
		}
	}
	if !twins {
		return Cell
	}
	return func(c string) string {
		if of[lookalike.Form(c)] == several {
			return lookalike.Spell(Cell(c))
		}
		return Cell(c)
	}
}
