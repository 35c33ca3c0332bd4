package report

import (
	"math"
	"strconv"
	"strings"
)

// cellNumber is the number that a cell counts as: the one that it begins with. "53%" is 53,
// "<1%" lies just below 1 and ">99%" just above 99, "=" is 0, "−0.3" and "-0.3" are one, and
// so are "1,997" and "1997". ok is whether the cell begins with a number.
func cellNumber(s string) (v float64, ok bool) {
	s = strings.TrimSpace(s)
	if s == "=" {
		return 0, true
	}
	beside := 0.0
	if r := strings.TrimPrefix(s, "<"); r != s {
		beside, s = math.Inf(-1), strings.TrimLeft(r, " ")
	} else if r := strings.TrimPrefix(s, ">"); r != s {
		beside, s = math.Inf(1), strings.TrimLeft(r, " ")
	}
	sign := ""
	for _, p := range []struct{ text, sign string }{{"+", ""}, {"-", "-"}, {"−", "-"}, {"–", "-"}, {"±", ""}} {
		if r, found := strings.CutPrefix(s, p.text); found {
			sign, s = p.sign, r
			break
		}
	}
	v, err := strconv.ParseFloat(sign+digits(s), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, false
	}
	if beside != 0 {
		v = math.Nextafter(v, beside)
	}
	return v + 0, true // + 0 makes 0 of −0
}

// digits is the number without sign that a text begins with, as Go writes it; "" is none.
func digits(s string) string {
	var out []byte
	count := func(i int) (n int) {
		for i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '9' {
			n++
		}
		return n
	}
	i := count(0)
	out = append(out, s[:i]...)
	// Up to three digits before the first comma of thousands, and three behind each.
	thousands := 1 <= i && i <= 3 && s[0] != '0'
	for thousands && i < len(s) && s[i] == ',' && count(i+1) == 3 {
		out = append(out, s[i+1:i+4]...)
		i += 4
	}
	if i < len(s) && s[i] == '.' {
		n := count(i + 1)
		if len(out)+n == 0 {
			return ""
		}
		out = append(out, s[i:i+1+n]...)
		i += 1 + n
	}
	if len(out) == 0 {
		return ""
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if n := count(j); n > 0 {
			out = append(out, s[i:j+n]...)
		}
	}
	return string(out)
}

// none is whether a cell says that there is nothing.
func none(s string) bool {
	switch strings.TrimSpace(s) {
	case "", "-", "–", "—", "NaN":
		return true
	}
	return false
}

// plainNumber is whether the script reads the same number from the cell.
func plainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, part, point := strings.Cut(s, ".")
	return allDigits(whole) && (!point || allDigits(part))
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
