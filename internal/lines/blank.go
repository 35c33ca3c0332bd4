package lines

import (
	"slices"
	"strings"
)

// SkipBlank leaves out references that are blank, in the memory of texts, but for one where there
// is no other: it is then empty.
func SkipBlank(texts []string) []string {
	if len(texts) < 2 {
		return texts
	}
	kept := slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(kept) == 0 {
		kept = append(kept, "")
	}
	return kept
}
