package sidefile

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMembers(t *testing.T) {
	pack := func(s string) string {
		return zip(t, func(w io.Writer) { _, _ = io.WriteString(w, s) }).String()
	}
	a, b, none := pack("one\n"), pack("two\n"), pack("")
	for _, tt := range []struct{ name, in, want, err string }{
		{"one", a, "one\n", ""},
		{"two", a + b, "one\ntwo\n", ""},
		{"empty ones", none + a + none + none + b + none, "one\ntwo\n", ""},
		{"many empty ones", strings.Repeat(none, 5000) + a, "one\n", ""},
		{"padded", a + b + strings.Repeat("\x00", 100_000), "one\ntwo\n", ""},
		{"empty and padded", none + "\x00", "", ""},
		{"text behind", a + "text", "one\n", "gzip data with other data behind them"},
		{"half a magic number behind", a + "\x1f", "one\n", "gzip data with other data behind them"},
		{"a member behind zeros", a + "\x00\x00\x00" + b, "one\n", "gzip data with other data behind them, after 3 zero bytes"},
		{"cut head", a + b[:6], "one\n", "damaged gzip data: unexpected EOF"},
		{"cut", a + b[:len(b)-9], "one\ntwo\n", "damaged gzip data: unexpected EOF"},
		{"wrong method", a + "\x1f\x8b\x07" + b[3:], "one\n", "damaged gzip data: gzip: invalid header"},
		{"wrong sum", a[:len(a)-8] + "sum!" + a[len(a)-4:], "one\n", "damaged gzip data: gzip: invalid checksum"},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in)), iotest.DataErrReader(strings.NewReader(tt.in))} {
			in, err := Text(r)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(in)
			}
			said := ""
			if err != nil {
				said = err.Error()
			}
			if said != tt.err || !strings.HasPrefix(tt.want, string(got)) || err == nil && string(got) != tt.want {
				t.Errorf("%s: %q, %v; want %q, %s", tt.name, got, err, tt.want, tt.err)
			}
		}
	}
}

// Zero bytes behind gzip data end somewhere.
func TestPaddingEnds(t *testing.T) {
	in, err := Text(io.MultiReader(zip(t, func(w io.Writer) { _, _ = io.WriteString(w, "a") }), zeros{}))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); string(got) != "a" || err == nil || !strings.Contains(err.Error(), "zero bytes behind the gzip data") {
		t.Errorf("%q, %v", got, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// What is wrong with the reader is not said of the gzip data.
func TestBrokenReader(t *testing.T) {
	broken := errors.New("broken")
	packed := zip(t, func(w io.Writer) { _, _ = io.WriteString(w, "a") }).String()
	for n := range len(packed) + 1 {
		in, err := Text(io.MultiReader(strings.NewReader(packed[:n]), iotest.ErrReader(broken)))
		if err == nil {
			_, err = io.ReadAll(in)
		}
		if !errors.Is(err, broken) || err.Error() != "broken" {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestUnpack(t *testing.T) {
	for text, want := range map[string]bool{"\ufeffa": true, "a": false, "\ufeff": true, "": false, "\xef\xbb": false} {
		in, bom, err := Unpack(strings.NewReader(text), 16, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); bom != want || err != nil || string(got) != strings.TrimPrefix(text, "\ufeff") {
			t.Errorf("%q: %q, %v, %v", text, got, bom, err)
		}
	}
}
