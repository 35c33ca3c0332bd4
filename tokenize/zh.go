package tokenize

// zh sets Chinese characters apart and splits the rest as 13a does, without its
// entities.
type zh struct{}

func (zh) Name() string { return "zh" }

func (zh) Append(dst []byte, line string) []byte {
	return western(dst, Trim(line), false, isChinese)
}

// isChinese says whether sacreBLEU takes a character for a Chinese one. The ranges
// from U+2001 and from U+2F81 are its: it writes U+20000 and U+2F800 in a way that
// Python reads as U+2000 and U+2F80 with a zero after it. So dashes, quotation marks
// and other general punctuation stand apart, and rare characters above U+FFFF do not.
func isChinese(r rune) bool {
	if r < 0x2001 {
		return false
	}
	switch {
	case r <= 0x2a6d,
		r >= 0x2e80 && r <= 0x2eff, r >= 0x2f00 && r <= 0x2fdf, r >= 0x2ff0 && r <= 0x2fff,
		r >= 0x3000 && r <= 0x303f, r >= 0x3100 && r <= 0x312f, r >= 0x31a0 && r <= 0x31bf,
		r >= 0x31c0 && r <= 0x31ef, r >= 0x3200 && r <= 0x33ff, r >= 0x3400 && r <= 0x4db5,
		r >= 0x4e00 && r <= 0x9fbb, r >= 0xf900 && r <= 0xfa2d, r >= 0xfa30 && r <= 0xfa6a,
		r >= 0xfa70 && r <= 0xfad9, r >= 0xfe10 && r <= 0xfe1f, r >= 0xfe30 && r <= 0xfe4f,
		r >= 0xff00 && r <= 0xffef:
		return true
	}
	return false
}
