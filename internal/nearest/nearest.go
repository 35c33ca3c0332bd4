// Package nearest finds the name that somebody may have meant who typed another.
package nearest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Name is the one of the names that somebody who typed another may have meant, "" if none is
// near: one that it is the beginning of, or the one with the fewest typos in it, of which a
// word of 3 letters may have 1 but none of 3 or 4 in its first (csv is not tsv), one of 7 may have
// 2 and one of 12 may have 3. Of several it is the first of those that end most like it: what
// tells names apart is often there, such as the year of wmt24.
func Name(typed string, names []string) string {
	typed = strings.ToLower(typed)
	n := utf8.RuneCountInString(typed)
	if n < 2 {
		return ""
	}
	most := 0
	for _, length := range []int{3, 7, 12} {
		if n >= length {
			most++
		}
	}
	best, end := "", 0
	for _, name := range names {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, typed) {
			return name
		}
		if n < 5 && !strings.HasPrefix(lower, typed[:1]) {
			continue
		}
		d, e := typos(typed, lower, most), commonEnd(typed, lower)
		if d < most || d == most && (best == "" || e > end) {
			best, most, end = name, d, e
		}
	}
	return best
}

// commonEnd is how many bytes two words have in common at their ends.
func commonEnd(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// typos counts the letters that are wrong, missing, too many, or in each other's place (which
// package editdist has for two); more than most is most + 1.
func typos(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > most || len(y)-len(x) > most {
		return most + 1
	}
	var before, last, row []int
	for j := range len(y) + 1 {
		row = append(row, j)
	}
	for i := range x {
		before, last, row = last, row, append([]int(nil), i+1)
		for j := range y {
			d := min(last[j+1], row[j]) + 1
			if x[i] == y[j] {
				d = min(d, last[j])
			} else {
				d = min(d, last[j]+1)
			}
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, before[j-1]+1)
			}
			row = append(row, d)
		}
	}
	return min(row[len(y)], most+1)
}

// DidYouMean is what an error adds about a name that is not one of these: " (did you mean x?)",
// or nothing. The prefix, such as --, stands before names.
func DidYouMean(typed, prefix string, names []string) string {
	if n := Name(typed, names); n != "" {
		return fmt.Sprintf(" (did you mean %s%s?)", prefix, n)
	}
	return ""
}
