package lines

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zip(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead(t *testing.T) {
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
	} {
		for _, packed := range []bool{false, true} {
			content := tt.content
			if packed {
				content = zip(t, content)
			}
			f, err := Read(write(t, "f.txt", content))
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if d := cmp.Diff(tt.want, f.Lines, cmpopts.EquateEmpty()); d != "" || f.BOM != tt.bom {
				t.Errorf("%s: BOM %v, lines (-want +got):\n%s", tt.name, f.BOM, d)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	packed := zip(t, strings.Repeat("a line of text that does not repeat itself\n", 3))
	for _, tt := range []struct{ name, content, want string }{
		{"bad", "ok\n\xff\xfe bad\n", ":2: byte 1 (0xff) is not valid UTF-8"},
		{"cut", "ok\nabc\xc3", ":2: byte 4 (0xc3) is not valid UTF-8"},
		{"surrogate", "\xed\xa0\x80\n", ":1: byte 1 (0xed)"},
		{"cut.gz", packed[:len(packed)-6], "unexpected EOF (damaged gzip data after line"},
		{"head.gz", packed[:4], "unexpected EOF"},
	} {
		path := write(t, tt.name, tt.content)
		_, err := Read(path)
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	_, err := Read("no/such/file")
	if err == nil || err.Error() != "no/such/file: no such file or directory" {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("no error for a folder")
	}
}

func TestReadMost(t *testing.T) {
	for name, content := range map[string]string{"plain": "one\ntwo\n", "packed": zip(t, "one\ntwo\n")} {
		path := write(t, name, content)
		if f, err := ReadMost(path, 8); err != nil || len(f.Lines) != 2 {
			t.Errorf("%s: %v, %v", name, f, err)
		}
		if _, err := ReadMost(path, 7); err == nil || err.Error() != path+": more than 7 bytes, the most that are read of such a file" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSystemName(t *testing.T) {
	for in, want := range map[string]string{
		"sys/Facebook_FAIR.6862.txt": "Facebook_FAIR.6862",
		"online-B.0":                 "online-B.0",
		"online-B.0.txt.gz":          "online-B.0",
		"x.gz":                       "x",
		"x.1.gz":                     "x.1",
		"a/b.c/out.de":               "out",
		".hidden":                    ".hidden",
		"dot.":                       "dot.",
		"plain":                      "plain",
		".gz":                        ".gz",
	} {
		if got := SystemName(in); got != want {
			t.Errorf("SystemName(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("a\r\nb"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse("f", bytes.NewReader(data), 1<<30)
		if err != nil {
			return
		}
		for _, l := range file.Lines {
			if strings.Contains(l, "\n") {
				t.Fatalf("line %q", l)
			}
		}
	})
}
