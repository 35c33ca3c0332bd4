package limit

import (
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/tokenize"
)

// Each is tokenize.Each that looks at the context, and fails for more tokens than most, which
// is no limit if it is not positive, before it calls each for any.
func Each(w *pace.Pace, most int, buf []byte, t tokenize.Tokenizer, line string, each func(token []byte)) ([]byte, error) {
	buf, err := Tokens(w, most, buf, t, line)
	if err != nil {
		return buf, err
	}
	return buf, tokens(w, buf, each)
}

// Tokens sets buf to the line as t writes it, and fails for more tokens than most.
func Tokens(w *pace.Pace, most int, buf []byte, t tokenize.Tokenizer, line string) ([]byte, error) {
	if err := w.Done(byteSteps * len(line)); err != nil {
		return buf, err
	}
	buf = t.Append(buf[:0], line)
	if most > 0 && len(buf)/2 >= most { // a token takes two bytes, but for the last
		n := 0
		if err := tokens(w, buf, func([]byte) { n++ }); err != nil {
			return buf, err
		}
		if err := Text(n, most); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// byteSteps is what a byte of a text takes to tokenize.
const byteSteps = 4

// tokens calls each for the tokens of a text.
func tokens(w *pace.Pace, text []byte, each func(token []byte)) error {
	const part = 1 << 13
	for at, next := 0, part; ; {
		start, end, ok := tokenize.Next(text, at)
		if !ok {
			return nil
		}
		if end > next {
			if err := w.Done(byteSteps * (end - next + part)); err != nil {
				return err
			}
			next = end + part
		}
		each(text[start:end])
		at = end
	}
}

// Words is Text for the words of a line between white space.
func Words(line string, most int) error {
	if most <= 0 || len(line)/2 < most { // a word takes two bytes, but for the last
		return nil
	}
	n := 0
	inside := false
	for _, r := range line {
		space := tokenize.IsSpace(r)
		if !space && !inside {
			n++
		}
		inside = !space
	}
	return Text(n, most)
}
