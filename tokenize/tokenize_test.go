package tokenize

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/sacretest"
	"github.com/mteval/mteval/internal/shareddata"
)

// The values of testdata/sacrebleu.json are sacreBLEU's: see
// scripts/record_sacrebleu.py.
func TestSacreBLEU(t *testing.T) {
	var rec struct {
		Cases []map[string]string
		Lower [][2]string
	}
	shareddata.ReadJSON(t, "testdata/sacrebleu.json", &rec)
	if len(rec.Cases) == 0 || len(rec.Lower) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range rec.Cases {
		for _, tok := range all {
			want, ok := c[tok.Name()]
			if !ok {
				t.Fatalf("no value of %s for %q", tok.Name(), c["text"])
			}
			if got := String(tok, c["text"]); got != want {
				t.Errorf("%s of %q:\n got %q\nwant %q", tok.Name(), c["text"], got, want)
			}
		}
	}
	for _, c := range rec.Lower {
		if got := Lower(c[0]); got != c[1] {
			t.Errorf("Lower(%q) = %q, want %q", c[0], got, c[1])
		}
		if got := string(AppendLower([]byte("x"), c[0])); got != "x"+c[1] {
			t.Errorf("AppendLower of %q = %q, want %q", c[0], got, c[1])
		}
	}
}

func TestGoldenSacreBLEU(t *testing.T) {
	for _, tok := range all {
		for _, c := range sacretest.Golden(t, "tokenizer:"+tok.Name()) {
			var in, want struct{ Text string }
			sacretest.Decode(t, c.Input, &in)
			sacretest.Decode(t, c.Expected, &want)
			if got := String(tok, in.Text); got != want.Text {
				t.Errorf("%s: %s of %q:\n got %q\nwant %q", c.ID, tok.Name(), in.Text, got, want.Text)
			}
		}
	}
}

func TestTercom(t *testing.T) {
	type options struct {
		Normalized    bool
		NoPunct       bool `json:"no_punct"`
		Asian         bool `json:"asian_support"`
		CaseSensitive bool `json:"case_sensitive"`
	}
	check := func(id, text string, o options, want string) {
		t.Helper()
		if got := String(Tercom(o), text); got != want {
			t.Errorf("%s: %+v of %q:\n got %q\nwant %q", id, o, text, got, want)
		}
	}
	var rec struct {
		Cases []struct {
			Text, Expected string
			Options        options
		}
	}
	shareddata.ReadJSON(t, "testdata/tercom.json", &rec)
	if len(rec.Cases) < 600 {
		t.Errorf("%d cases", len(rec.Cases))
	}
	for _, c := range rec.Cases {
		check("recorded", c.Text, c.Options, c.Expected)
	}
	t.Run("golden", func(t *testing.T) {
		for _, c := range sacretest.Golden(t, "tokenizer:tercom") {
			var in, want struct{ Text string }
			var o options
			sacretest.Decode(t, c.Input, &in)
			sacretest.Decode(t, c.Options, &o)
			sacretest.Decode(t, c.Expected, &want)
			check(c.ID, in.Text, o, want.Text)
		}
	})
}

func TestByName(t *testing.T) {
	for _, tok := range all {
		got, err := ByName(tok.Name())
		if err != nil || got != tok {
			t.Errorf("ByName(%q) = %v, %v", tok.Name(), got, err)
		}
	}
	if _, err := ByName("13b"); err == nil || !strings.Contains(err.Error(), "13a") {
		t.Errorf("error %v should name the tokenizers there are", err)
	}
}

// What is no character is no white space.
func TestIsSpaceOfAnything(t *testing.T) {
	for _, r := range []rune{-1, -32, math.MinInt32, math.MaxInt32, utf8.MaxRune + 1} {
		if IsSpace(r) {
			t.Errorf("%#x is white space", r)
		}
	}
}

// unescaped is a line as 13a reads it.
func unescaped(line string) string { return string(unescape([]byte(line), 0)) }

// A tokenizer appends, and drops or invents nothing but white space and what it
// says it replaces.
func TestProperties(t *testing.T) {
	strip := func(s string) string {
		return strings.Map(func(r rune) rune {
			if IsSpace(r) {
				return -1
			}
			return r
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-c0-9.,\-&; é。€٣]{0,30}`)).Draw(t, "line")
		prefix := []byte("kept ")
		for _, tok := range all {
			want := strip(line)
			if tok == V13a {
				want = strip(unescaped(line))
			}
			out := tok.Append(prefix[:len(prefix):len(prefix)], line)
			if string(out[:len(prefix)]) != string(prefix) {
				t.Fatalf("%s overwrote what was in dst", tok.Name())
			}
			if got := strip(string(out[len(prefix):])); got != want {
				t.Fatalf("%s of %q: text %q, want %q", tok.Name(), line, got, want)
			}
		}
	})
}

// western in one go is the four substitutions, one after the other.
func TestWestern(t *testing.T) {
	substitutions := []struct {
		pattern *regexp.Regexp
		with    string
	}{
		{regexp.MustCompile("([\\{-\\~\\[-\\` -\\&\\(-\\+\\:-\\@\\/])"), " $1 "},
		{regexp.MustCompile(`([^0-9])([\.,])`), "$1 $2 "},
		{regexp.MustCompile(`([\.,])([^0-9])`), " $1 $2"},
		{regexp.MustCompile(`([0-9])(-)`), "$1 $2 "},
	}
	fields := func(line string) string { return strings.Join(strings.FieldsFunc(line, IsSpace), " ") }
	apply := func(line string) string {
		for _, s := range substitutions {
			line = s.pattern.ReplaceAllString(line, s.with)
		}
		return fields(line)
	}
	lines := rapid.OneOf(rapid.StringMatching(`[a0.,\-; 漢é]{0,12}`), rapid.StringMatching(`[0.,]{0,8}`), rapid.StringMatching(`[!-~ \t\x{1f}\x{3000}\x{2009}漢]{0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		line := strings.NewReplacer("<", "", "&", "", "\n", "").Replace(lines.Draw(t, "line"))
		if got, want := String(V13a, line), apply(" "+line+" "); got != want {
			t.Fatalf("13a of %q: %q, want %q", line, got, want)
		}
		var spaced strings.Builder
		for _, r := range Trim(line) {
			if isChinese(r) {
				spaced.WriteString(" " + string(r) + " ")
			} else {
				spaced.WriteRune(r)
			}
		}
		if got, want := String(Zh, line), apply(spaced.String()); got != want {
			t.Fatalf("zh of %q: %q, want %q", line, got, want)
		}
	})
}

// What replacements in place make is what they make one after the other, and its tokens are
// those of a line that had none to make.
func TestUnescape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SampledFrom([]string{"&", "amp;", "lt;", "gt;", "quot;", "&amp;", "<", "skipped>", "<skipped>", "-", "\n", "-\n", "a", "0", ".", ",", " ", "漢"})
		line := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
		want := line
		for _, r := range [][2]string{{"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}} {
			want = strings.ReplaceAll(want, r[0], r[1])
		}
		if got := unescaped(line); got != want {
			t.Fatalf("%q: %q, want %q", line, got, want)
		}
		if got, want := string(V13a.Append([]byte("x"), line)), "x"+string(western(nil, want, true, nil)); got != want {
			t.Fatalf("13a of %q: %q, want %q", line, got, want)
		}
	})
}

func TestNoAllocations(t *testing.T) {
	lines := []string{
		"“Das kostet 3,50 €”, sagte er – im Jahr 2019, d. h. früher (bzw. später).",
		"&lt;b&gt; AT&amp;T &QUOT;\n-<skipped> -\nx",
		"İ ΟΔΟΣ ΣΑΣ. A\xffB 漢字、かな。",
	}
	for _, tok := range append([]Tokenizer{Tercom{}, Tercom{Normalized: true, NoPunct: true, Asian: true}}, all...) {
		for _, line := range lines {
			buf := tok.Append(nil, line) // no more room than it made
			if n := testing.AllocsPerRun(100, func() { buf = tok.Append(buf[:0], line) }); n != 0 {
				t.Errorf("%s of %q: %v allocations", tok.Name(), line, n)
			}
		}
	}
}

func TestSpans(t *testing.T) {
	tests := []struct {
		tok  Tokenizer
		line string
		want []string // token=the text of its span
	}{
		{V13a, "Hello, world!", []string{"Hello=Hello", ",=,", "world=world", "!=!"}},
		{V13a, "  AT&amp;T &lt;b&gt; ", []string{"AT=AT", "&=&amp;", "T=T", "<=&lt;", "b=b", ">=&gt;"}},
		{V13a, "a&amp;lt;b", []string{"a=a", "<=&amp;lt;", "b=b"}},
		{V13a, "x<skipped>y z", []string{"xy=x<skipped>y", "z=z"}},
		{V13a, "", nil},
		{Intl, "Où? 3,5", []string{"Où=Où", "?=?", "3,5=3,5"}},
		{Char, "a é", []string{"a=a", "é=é"}},
		{None, " a\u3000b ", []string{"a=a", "b=b"}},
		{Tercom{}, "A b, C", []string{"a=", "b,=", "c="}},
		{Tercom{NoPunct: true, CaseSensitive: true}, "A, b", []string{"A=A", "b="}},
		{None, "a\xffb \xff", []string{"a\xffb=a\xffb", "\xff=\xff"}},
		{V13a, "\u0085\xc2 0", []string{"\xc2=\xc2", "0=0"}},
		{Intl, "\u2028\xe2 \xe2\x80!\u00a0x", []string{"\xe2=\xe2", "\xe2\x80=\xe2\x80", "!=!", "x=x"}},
		{Char, "\u00a0\xc2\x00", []string{"\xc2=\xc2", "\x00=\x00"}},
		{Zh, "\u3000\xe3 \xed\xa0\x80中", []string{"\xe3=\xe3", "\xed\xa0\x80=\xed\xa0\x80", "中=中"}},
	}
	for _, tt := range tests {
		var got []string
		for _, s := range AppendSpans(nil, tt.tok, tt.line) {
			got = append(got, s.Text+"="+tt.line[s.Start:s.End])
		}
		if strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%s of %q: %q, want %q", tt.tok.Name(), tt.line, got, tt.want)
		}
	}
}

func TestLowerSpans(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"Über DEN", "über=Über den=DEN"},
		{"İİ X", "i̇i̇=İİ x=X"},
		{"\u2126 \u212aA b", "ω=\u2126 ka=\u212aA b=b"},
		{"ΑΣ.Β ΑΣ", "ασ.β=ΑΣ.Β ας=ΑΣ"},
		{"A\xffB", "a\xffb=A\xffB"},
		{"", ""},
	} {
		var got []string
		for _, s := range AppendLowerSpans(nil, None, tt.line) {
			got = append(got, s.Text+"="+tt.line[s.Start:s.End])
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

// checkSpans: spans have the texts of the tokens, all of them found, in order and within
// the line, and hold these texts but where 13a's entities and cleaning change it.
func checkSpans(t interface{ Fatalf(string, ...any) }, tok Tokenizer, line string) {
	out := tok.Append(nil, line)
	at, end := 0, 0
	for _, s := range AppendSpans(nil, tok, line) {
		lo, hi, ok := Next(out, at)
		if !ok || string(out[lo:hi]) != s.Text {
			t.Fatalf("%s of %q: span %q, token %q", tok.Name(), line, s.Text, out[lo:hi])
		}
		at = hi
		if s.Start < end || s.End <= s.Start || s.End > len(line) {
			t.Fatalf("%s of %q: span %d:%d after %d", tok.Name(), line, s.Start, s.End, end)
		}
		if from := line[s.Start:s.End]; from != s.Text && !(tok == V13a && needsUnescape(from) && unescaped(from) == s.Text) {
			t.Fatalf("%s of %q: span %q of %q", tok.Name(), line, s.Text, from)
		}
		end = s.End
	}
	if _, _, ok := Next(out, at); ok {
		t.Fatalf("%s of %q: a token has no span", tok.Name(), line)
	}
}

// checkLowerSpans is checkSpans of the line in lower case, with places in the line.
func checkLowerSpans(t interface{ Fatalf(string, ...any) }, tok Tokenizer, line string) {
	want := AppendSpans(nil, tok, Lower(line))
	got := AppendLowerSpans(nil, tok, line)
	if len(got) != len(want) {
		t.Fatalf("%s of %q: %d spans, want %d", tok.Name(), line, len(got), len(want))
	}
	start := 0
	for i, s := range got {
		// An İ becomes two characters, which are two tokens of Char in one place.
		if s.Text != want[i].Text || s.Start < start || s.End <= s.Start || s.End > len(line) {
			t.Fatalf("%s of %q: span %q %d:%d after %d", tok.Name(), line, s.Text, s.Start, s.End, start)
		}
		if from := line[s.Start:s.End]; !strings.ContainsAny(from, "İΣ&<\n") && Lower(from) != s.Text {
			t.Fatalf("%s of %q: span %q of %q", tok.Name(), line, s.Text, from)
		}
		start = s.Start
	}
}

// attacks are lines with bytes that are not UTF-8, and characters that some take for
// white space and others not.
var attacks = func() []string {
	parts := []string{
		"\x00", "\xc2", "\xe2", "\xe2\x80", "\xf0\x9f\x98", "\x80", "\x85", "\xa8", "\xff", "\xc0\xa0", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"\u00a0", "\u0085", "\u2028", "\u3000", "\u1680", "\ufffd", "\ufeff", "\u200b", "\x1c", "\r", "\n", "-\n", " ", "0", "a", ".", "-", "İ", "Σ", "中", "&lt;", "<skipped>", "😀",
	}
	var out []string
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range []string{"", " ", "0", a} {
				out = append(out, a+b+c+" 0", "x"+c+a+b)
			}
		}
	}
	return out
}()

func TestSpansOfAnyBytes(t *testing.T) {
	for _, line := range attacks {
		for _, tok := range all {
			checkSpans(t, tok, line)
			checkLowerSpans(t, tok, line)
		}
	}
}

func FuzzTokenizers(f *testing.F) {
	for _, s := range []string{"", "a.,1", "&amp;quot;<skipped>", "<skip<skipped>ped>", "\xff\xfe", "1.\u0661,٣", "a\x1c-\nb", "\u0085\xc2 0", "\xe2\u2028İ\xe2Σ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, tok := range append([]Tokenizer{Tercom{Normalized: true, Asian: true}}, all...) {
			out := tok.Append(nil, line)
			if utf8.ValidString(line) && !utf8.Valid(out) {
				t.Fatalf("%s made %q of %q", tok.Name(), out, line)
			}
			if _, ok := tok.(Tercom); !ok {
				checkSpans(t, tok, line)
				checkLowerSpans(t, tok, line)
			}
		}
	})
}

func BenchmarkTokenizers(b *testing.B) {
	line := "„Das kostet 3,50 €“, sagte er im Jahr 2019 – früher, d. h. vor der Reform, waren es 12.000 Mark (bzw. weniger)."
	for _, tok := range all {
		b.Run(tok.Name(), func(b *testing.B) {
			var buf []byte
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				buf = tok.Append(buf[:0], line)
			}
		})
	}
}
