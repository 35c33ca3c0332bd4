package files

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEncoding(t *testing.T) {
	// Bytes as Python 3.11's str.encode gives them.
	for _, tt := range []struct{ names, hex, want string }{
		{"utf-8 UTF8 utf_8 utf-8-sig ascii", "c3a90a", "é"},
		{"latin-1 latin1 Latin_1 ISO-8859-1 iso8859-1 iso8859_1 l1 cp819", "e9a480980a", "é¤\u0080\u0098"},
		{"windows-1252 cp1252 CP-1252", "e980980a", "é€˜"},
		{"iso-8859-2 latin2", "b3f3640a", "łód"},
		{"iso-8859-15 latin9", "a40a", "€"},
		{"windows-1251 cp1251", "d2e5f1f20a", "Тест"},
		{"koi8-r KOI8_R", "f4c5d3d40a", "Тест"},
		{"cp866", "92a5e1e20a", "Тест"},
		{"cp437", "820a", "é"},
		{"gb18030", "c4e3bac381308a340a", "你好ç"},
		{"gbk GB2312 cp936", "c4e3bac30a", "你好"},
		{"big5 Big5", "a741a66e0a", "你好"},
		{"shift_jis Shift-JIS sjis cp932", "834183430a", "アイ"},
		{"euc-jp euc_jp", "a5a2a5a40a", "アイ"},
		{"iso-2022-jp", "1b2442252225241b28420a", "アイ"},
		{"euc-kr EUC_KR cp949", "b0a1b3aa0a", "가나"},
		{"utf-16", "fffee900" + "0a0d" + "0a00", "é\u0d0a"},
		{"utf-16", "feff00e9000a", "é"},
		{"utf-16", "e9003dd800de0a00", "é😀"},
		{"utf-16le utf_16_le", "e9000d000a00", "é"},
		{"utf-16be", "00e9000a", "é"},
	} {
		data, err := hex.DecodeString(tt.hex)
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.FieldsSeq(tt.names) {
			if !IsEncoding(name) {
				t.Errorf("%s is no encoding", name)
			}
			for _, packed := range []string{string(data), zip(t, string(data))} {
				got, err := ReadText(strings.NewReader(packed), "f", Options{Encoding: name})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if d := cmp.Diff([]string{tt.want}, got.Lines); d != "" {
					t.Errorf("%s (-want +got):\n%s", name, d)
				}
			}
		}
	}
	for _, name := range Encodings() {
		if got, err := ReadText(strings.NewReader(""), "f", Options{Encoding: name}); err != nil || len(got.Lines) > 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestEncodingErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"", "a\n\xff\xfe\n", "f:2: byte 1 (0xff) is not valid UTF-8"},
		{"", "\xff\xfea\x00\n\x00", "f:1: byte 1 (0xff) is not valid UTF-8: the text begins as UTF-16 does"},
		{"", "a\x00b\x00\n\x00", "f:1: every other byte is zero: the text looks like utf-16le or utf-16be"},
		{"", "\x00a\x00b\x00\n\x00c", "f:1: every other byte is zero: the text looks like utf-16le or utf-16be"},
		{"", "\xfe\xff\x00a\x00\n", "f:1: byte 1 (0xfe) is not valid UTF-8: the text begins as UTF-16 does"},
		{"utf-16", "\xff\xfea\x00\n\x00\x00\xd8a\x00\n\x00", "f:2: bytes that are not valid utf-16"},
		{"utf-16", "\xff\xfea\x00\n\x00b", "f:2: bytes that are not valid utf-16"},
		{"windows-1253", "a\nb\nc\xd2\n", "f:3: bytes that are not valid windows-1253"},
		{"shift_jis", "a\n\x83", "f:2: bytes that are not valid shift_jis"},
		{"euc-kr", "a\nb\xff\n", "f:2: bytes that are not valid euc-kr"},
	} {
		_, err := ReadText(strings.NewReader(tt.text), "f", Options{Encoding: tt.name})
		if err == nil || err.Error() != tt.want || !errors.Is(err, ErrEncoding) {
			t.Errorf("%s, %q: %v, want %s", tt.name, tt.text, err, tt.want)
		}
	}
	for _, name := range []string{"klingon", "utf-7", "latin", "windows", "cp", "-1"} {
		if _, err := ReadText(strings.NewReader("a"), "f", Options{Encoding: name}); IsEncoding(name) || err == nil || !strings.Contains(err.Error(), "no encoding") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever bytes there are, text comes out or an error with its line.
func FuzzEncoding(f *testing.F) {
	f.Add("utf-16", "\xff\xfea\x00")
	f.Add("shift_jis", "\x83A\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		got, err := ReadText(strings.NewReader(text), "f", Options{Encoding: name})
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "f:"):
			t.Fatal(err)
		case err == nil && strings.Contains(strings.ToValidUTF8(strings.Join(got.Lines, "\n"), "\ufffd"), "\ufffd") && !strings.Contains(text, "\ufffd"):
			t.Fatalf("%q as %s: %q", text, name, got.Lines)
		}
	})
}
