package vocab

import "unicode/utf8"

// invalidByte and above are the symbols of bytes that are not UTF-8.
const invalidByte = utf8.MaxRune + 2

// Character returns the first character of a text, its symbol, and its width in bytes. A
// symbol is the code point plus one, as none is 0; a byte that is not UTF-8 has one of its
// own, beyond all code points.
func Character(text string) (r rune, symbol uint32, width int) {
	r, width = utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && width == 1 {
		return r, invalidByte + uint32(text[0]), 1
	}
	return r, uint32(r) + 1, width
}

// Text is the text of a character's symbol.
func Text(symbol uint32) string {
	if symbol >= invalidByte {
		return string([]byte{byte(symbol - invalidByte)})
	}
	return string(rune(symbol - 1))
}
