package files

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/sidefile"
)

// ErrEncoding is wrapped by errors of bytes that are none of a file's encoding.
var ErrEncoding = lines.ErrEncoding

// Encodings are the names that [Options].Encoding has first for each encoding. Others that the
// web or Python have for them are known, too (latin1, cp1252, shift-jis), in any case, and with
// -, _ or nothing between their parts.
func Encodings() []string {
	return []string{
		"utf-8", "utf-16", "utf-16le", "utf-16be", "ascii", "latin-1",
		"iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
		"iso-8859-9", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
		"windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254",
		"windows-1255", "windows-1256", "windows-1257", "windows-1258", "koi8-r", "koi8-u", "macintosh",
		"gb18030", "gbk", "big5", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr",
	}
}

// IsEncoding says whether a name is one of an encoding that is known.
func IsEncoding(name string) bool {
	_, ok := encodingOf(name)
	return ok
}

// encodingOf finds an encoding, nil for UTF-8.
func encodingOf(name string) (encoding.Encoding, bool) {
	switch key := key(name); key {
	case "", "utf8", "u8", "utf8sig", "ascii", "usascii": // ASCII is a part of UTF-8
		return nil, true
	case "utf16", "u16":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), true
	case "utf16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), true
	case "utf16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), true
	case "gb18030":
		return simplifiedchinese.GB18030, true
	case "gbk", "cp936", "gb2312", "euccn":
		return simplifiedchinese.GBK, true
	case "big5", "cp950":
		return traditionalchinese.Big5, true
	case "shiftjis", "sjis", "mskanji", "cp932", "windows31j":
		return japanese.ShiftJIS, true
	case "eucjp", "ujis":
		return japanese.EUCJP, true
	case "iso2022jp":
		return japanese.ISO2022JP, true
	case "euckr", "cp949", "uhc":
		return korean.EUCKR, true
	default:
		c := charmapOf(key)
		return c, c != nil
	}
}

// key is a name without what its spellings differ in.
func key(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// charmapOf finds an encoding of one byte a character by the key of its name, nil for none.
func charmapOf(name string) encoding.Encoding {
	switch name {
	case "latin1", "l1", "cp819":
		name = "iso88591"
	case "latin2", "l2":
		name = "iso88592"
	case "latin9", "l9":
		name = "iso885915"
	case "macroman":
		name = "macintosh"
	case "tis620":
		name = "windows874"
	}
	for _, e := range charmap.All {
		c, ok := e.(*charmap.Charmap)
		if !ok {
			continue
		}
		own := key(c.String())
		switch name {
		case own, // windows1252 and cp1252, cp437 of IBM Code Page 437
			strings.Replace(own, "windows", "cp", 1), strings.Replace(own, "ibmcodepage", "cp", 1):
			return c
		}
	}
	return nil
}

// decoded is a file's text as UTF-8, unpacked if it is gzip.
func decoded(r io.Reader, name string, anyway int64) io.Reader {
	e, ok := encodingOf(name)
	if !ok {
		return sidefile.Failing(fmt.Errorf("no encoding %q: have %s", name, strings.Join(Encodings(), ", ")))
	}
	if e == nil {
		return r
	}
	in, _, err := sidefile.Unpack(r, 1<<16, anyway)
	if err != nil {
		return sidefile.Failing(err)
	}
	return transform.NewReader(in, &strict{Transformer: e.NewDecoder().Transformer, name: name})
}

// strict is a decoder that ends with an error where others put U+FFFD.
type strict struct {
	transform.Transformer
	name string
}

func (s *strict) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = s.Transformer.Transform(dst, src, atEOF)
	if i := bytes.Index(dst[:nDst], []byte("\ufffd")); i >= 0 {
		return i, nSrc, &encodingError{s.name}
	}
	return nDst, nSrc, err
}

// An encodingError says that there are bytes that the encoding of a name has not.
type encodingError struct{ name string }

func (e *encodingError) Error() string        { return "bytes that are not valid " + e.name }
func (e *encodingError) Is(target error) bool { return target == ErrEncoding }
