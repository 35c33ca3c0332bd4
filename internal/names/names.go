// Package names puts names, and lists of them, into messages.
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

// Of is the name of a value of an enumeration, as its String returns it: that in its place of
// the list, or "kind(value)" for a value without one.
func Of[T ~int | ~uint8](kind string, list []string, value T) string {
	if value < 0 || int(value) >= len(list) || list[value] == "" {
		return fmt.Sprintf("%s(%d)", kind, int(value))
	}
	return list[value]
}
