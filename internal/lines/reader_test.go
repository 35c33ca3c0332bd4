package lines

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func zip(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// all reads all lines.
func all(in *Reader) ([]string, error) {
	var out []string
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, line)
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("ä long line. ", 20000)
	for _, tt := range []struct {
		name, content string
		want          []string
		bom           bool
	}{
		{"plain", "one\ntwo\n", []string{"one", "two"}, false},
		{"no LF at the end", "one\ntwo", []string{"one", "two"}, false},
		{"empty", "", nil, false},
		{"blank line", "\n", []string{""}, false},
		{"blank line at the end", "one\n\n", []string{"one", ""}, false},
		{"CRLF", "one\r\ntwo\r\n", []string{"one", "two"}, false},
		{"CR inside", "one\rtwo\nthree\r", []string{"one\rtwo", "three\r"}, false},
		{"Unicode line ends", "a\u2028b\u2029c\u0085d\ve\ff\x1cg\n", []string{"a\u2028b\u2029c\u0085d\ve\ff\x1cg"}, false},
		{"BOM", "\ufeffone\n\ufefftwo\n", []string{"one", "\ufefftwo"}, true},
		{"replacement character", "\ufffd\n", []string{"\ufffd"}, false},
		{"long lines", long + "\na\r\n" + long, []string{long, "a", long}, false},
		{"zero bytes", "\x00\x00\n", []string{"\x00\x00"}, false},
	} {
		for _, content := range []string{tt.content, zip(t, tt.content), zip(t, tt.content) + "\x00\x00\x00"} {
			in := NewReader(strings.NewReader(content), Limits{})
			got, err := all(in)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" || in.BOM != tt.bom || in.Line() != len(tt.want) {
				t.Errorf("%s: BOM %v, %d lines (-want +got):\n%s", tt.name, in.BOM, in.Line(), d)
			}
		}
	}
}

// A line that was returned stays what it is while others are read.
func TestLinesStay(t *testing.T) {
	var want []string
	for i := range 3000 {
		want = append(want, strings.Repeat(string(rune('a'+i%26)), i%777))
	}
	want = append(want, strings.Repeat("z", 200_000), "end")
	got, err := all(NewReader(iotest.OneByteReader(strings.NewReader(strings.Join(want, "\n"))), Limits{}))
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%.500s", err, d)
	}
}

func TestReaderErrors(t *testing.T) {
	packed := zip(t, strings.Repeat("a line of text that does not repeat itself\n", 3))
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		in   io.Reader
		line int
		want string
	}{
		{"bad", strings.NewReader("ok\n\xff\xfe bad\n"), 2, "byte 1 (0xff) is not valid UTF-8"},
		{"cut", strings.NewReader("ok\nabc\xc3"), 2, "byte 4 (0xc3) is not valid UTF-8"},
		{"surrogate", strings.NewReader("\xed\xa0\x80\n"), 1, "byte 1 (0xed) is not valid UTF-8"},
		{"cut gzip", strings.NewReader(packed[:len(packed)-6]), 4, "damaged gzip data: unexpected EOF"},
		{"head of gzip", strings.NewReader(packed[:4]), 1, "damaged gzip data: unexpected EOF"},
		{"checksum", strings.NewReader(packed[:len(packed)-5] + "x" + packed[len(packed)-4:]), 4, "damaged gzip data: gzip: invalid checksum"},
		{"broken at once", iotest.ErrReader(broken), 1, "broken"},
		{"broken", io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(broken)), 3, "broken"},
	} {
		in := NewReader(tt.in, Limits{})
		_, err := all(in)
		if err == nil || err.Error() != tt.want || in.Line() != tt.line {
			t.Errorf("%s: line %d, error %v, want %d, %s", tt.name, in.Line(), err, tt.line, tt.want)
		}
		if _, again := in.Next(); !errors.Is(again, err) {
			t.Errorf("%s: then %v", tt.name, again)
		}
	}
}

// An endless reader has the same bytes again and again.
type endless struct {
	text string
	n    int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, strings.Repeat(e.text, len(p)/len(e.text)+1)[e.n%len(e.text):])
	e.n += n
	return n, nil
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     func() io.Reader
		limits Limits
		line   int    // of the error
		want   string // "": none
		most   int    // bytes that may be read, 0: any number
	}{
		{"just a line", text("abc\nabcd\nabc"), Limits{Line: 4}, 0, "", 0},
		{"a line too long", text("abc\nabcde\nabc"), Limits{Line: 4}, 2, "a line of more than 4 bytes", 0},
		{"a last line too long", text("abc\nabcde"), Limits{Line: 4}, 2, "a line of more than 4 bytes", 0},
		{"just the text", text("abc\nabcd\n"), Limits{Text: 7 + 2*LineCost}, 0, "", 0},
		{"too much text", text("abc\nabcd\n"), Limits{Text: 6 + 2*LineCost}, 2, "more than 38 bytes of text", 0},
		{"zeros", func() io.Reader { return &endless{text: "\x00"} }, Limits{Line: 1 << 20}, 1, "a line of more than 1048576 bytes", 2 << 20},
		{"short lines", func() io.Reader { return &endless{text: "y\n"} }, Limits{Text: 17000}, 1001, "more than 17000 bytes of text", 1 << 17},
		{"empty lines", func() io.Reader { return &endless{text: "\n"} }, Limits{Text: 16000}, 1001, "more than 16000 bytes of text", 1 << 17},
	} {
		read := tt.in()
		in := NewReader(read, tt.limits)
		_, err := all(in)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (!errors.Is(err, ErrTooLarge) || err.Error() != "too large to be read: "+tt.want || in.Line() != tt.line):
			t.Errorf("%s: line %d, error %v, want %d, %s", tt.name, in.Line(), err, tt.line, tt.want)
		}
		if e, ok := read.(*endless); ok && e.n > tt.most {
			t.Errorf("%s: %d bytes read", tt.name, e.n)
		}
	}
}

func text(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }

func TestStandardLimits(t *testing.T) {
	for limits, want := range map[Limits]Limits{
		{}:                       {MaxLine, MaxText},
		{Line: -1, Text: -1}:     {MaxLine, MaxText},
		{Line: 10}:               {10, MaxText},
		{Line: 1 << 30}:          {1 << 30, 1 << 34},
		{Line: 1 << 30, Text: 5}: {5, 5},
		{Line: math.MaxInt64}:    {math.MaxInt64, math.MaxInt64},
	} {
		if got := limits.withDefaults(); got != want {
			t.Errorf("%v: %v, want %v", limits, got, want)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("a\r\nb"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := all(NewReader(bytes.NewReader(data), Limits{Text: 1 << 24}))
		for _, l := range got {
			if strings.Contains(l, "\n") {
				t.Fatalf("line %q", l)
			}
		}
		if len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b || bytes.HasPrefix(data, []byte("\ufeff")) || err != nil {
			return
		}
		want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		if len(data) == 0 {
			want = nil
		}
		for i, l := range want {
			if i < len(want)-1 || strings.HasSuffix(string(data), "\n") {
				want[i] = strings.TrimSuffix(l, "\r")
			}
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%q (-want +got):\n%s", data, d)
		}
	})
}
