package escape

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A long message keeps its beginning and its end, and no character is cut.
func TestShort(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("é", 500)} {
		if got := Short(s); got != s {
			t.Errorf("%q: %q", s, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat(rapid.StringN(1, 4, -1).Draw(t, "text"), rapid.IntRange(1000, 3000).Draw(t, "times"))
		got := Short(s)
		before, behind, cut := strings.Cut(got, " … ")
		if !utf8.ValidString(got) || len(got) > 1005 || cut && (!strings.HasPrefix(s, before) || !strings.HasSuffix(s, behind)) && !strings.Contains(s, " … ") {
			t.Errorf("%d bytes: %q", len(s), got)
		}
	})
	if got := Short(strings.Repeat("\xff", 5000)); len(got) > 1005 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"online-B.0": "online-B.0", "Übersetzer 日本語 a|b": "Übersetzer 日本語 a|b", `a\b`: `a\b`, "\ufffd": "\ufffd",
		"a\tb\nc\rd": `a\tb\nc\rd`, "\x1b[31m\x7f\x00": `\u001b[31m\u007f\u0000`, "\u009b31m\u0085": `\u009b31m\u0085`,
		"\u202egnp": `\u202egnp`, "\u2066\u2069\u2028\u2029": `\u2066\u2069\u2028\u2029`, "a\xffb\xed\xa0\x80": `a\xffb\xed\xa0\x80`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got := Cell("a\\t\t"); got != `a\\t\t` {
		t.Errorf("Cell: %s", got)
	}
}

// What Cell writes is one line without a tab, tells names apart, and is read again.
func TestCell(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]byte("a\\\t\n\r\x1b\xc2\x85\xe2\x80\xaext")), 0, 12).Draw(t, "bytes"))
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		x, y := Cell(a), Cell(b)
		if (a == b) != (x == y) {
			t.Fatalf("%q and %q become %q and %q", a, b, x, y)
		}
		if FromCell(x) != a {
			t.Fatalf("%q becomes %q, and that %q", a, x, FromCell(x))
		}
		if !utf8.ValidString(x) || strings.ContainsFunc(x, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }) {
			t.Fatalf("%q becomes %q", a, x)
		}
	})
}

// What Cell does not write stays.
func TestFromCell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "online-B.0": "online-B.0", `a\\b`: `a\b`, `\t\n\r\u001b\u202e\xff`: "\t\n\r\x1b\u202e\xff", `\\t`: `\t`,
		`a\b`: `a\b`, `\`: `\`, `a\`: `a\`, `\u12`: `\u12`, `\u0041`: `\u0041`, `\u001B`: `\u001B`, `\x41`: `\x41`, `\xzz`: `\xzz`, `\u+01b`: `\u+01b`,
		`a\\b\c`: `a\\b\c`, `\xc3\xa4`: `\xc3\xa4`, "a\\\\\t": "a\\\\\t",
	} {
		if got := FromCell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzFromCell(f *testing.F) {
	f.Add(`a\\b\t\u001b\xff`)
	f.Fuzz(func(t *testing.T, s string) {
		if got := FromCell(s); got != s && Cell(got) != s {
			t.Errorf("%q is read as %q, which is written as %q", s, got, Cell(got))
		}
		if got := FromCell(Cell(s)); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
	})
}
