// Package lookalike finds names that are shown alike and are not equal, as é is one character (NFC) or
// e with an accent (NFD). Systems and disks differ in which of them they write.
package lookalike

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Form is equal for names that are shown alike.
func Form(name string) string { return norm.NFC.String(name) }

// Twin is the first of some names that is shown as a name is and differs from it, false if there is
// none.
func Twin(name string, among []string) (string, bool) {
	if ASCII(name) {
		return "", false
	}
	form := Form(name)
	i := slices.IndexFunc(among, func(n string) bool { return n != name && Form(n) == form })
	if i < 0 {
		return "", false
	}
	return among[i], true
}

// ASCII says whether a name is of ASCII alone, and so shown as no other.
func ASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// Spell writes characters of a name that NFC would write otherwise as \u and their number, so that
// it differs from a twin: café as cafe\u0301.
func Spell(name string) string {
	if norm.NFC.IsNormalString(name) {
		return name
	}
	var b strings.Builder
	for len(name) > 0 {
		n := norm.NFC.NextBoundaryInString(name, true)
		if n <= 0 {
			n = len(name)
		}
		part := name[:n]
		if name = name[n:]; norm.NFC.IsNormalString(part) {
			b.WriteString(part)
			continue
		}
		for _, r := range part {
			switch {
			case r < utf8.RuneSelf:
				b.WriteRune(r)
			case r <= 0xffff:
				fmt.Fprintf(&b, `\u%04x`, r)
			default:
				fmt.Fprintf(&b, `\U%08x`, r)
			}
		}
	}
	return b.String()
}
