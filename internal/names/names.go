// Package names puts lists of names into messages.
package names

import (
	"fmt"
	"strings"
)

// Few lists names with commas between, but not too many of them.
func Few(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
