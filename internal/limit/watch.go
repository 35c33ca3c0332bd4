package limit

import (
	"context"

	"github.com/mteval/mteval/tokenize"
)

// look is how many steps go by between two looks at the context: about a millisecond.
const look = 1 << 19

// A Watch looks at a context every so many steps of work, so that looking costs nothing
// for short texts.
type Watch struct {
	ctx  context.Context
	left int
}

// NewWatch returns a watch of ctx.
func NewWatch(ctx context.Context) Watch { return Watch{ctx, look} }

// Spend says that so many steps, of a nanosecond or two, are about to be done or were. At
// times it looks at the context, and returns its error.
func (w *Watch) Spend(steps int) error {
	if w.left -= steps; w.left >= 0 {
		return nil
	}
	w.left = look
	return w.ctx.Err()
}

// Each is tokenize.Each that looks at the context, and fails for more tokens than most, which
// is no limit if it is not positive; each is called for no more.
func Each(w *Watch, most int, buf []byte, t tokenize.Tokenizer, line string, each func(token []byte)) ([]byte, error) {
	const byteSteps, part = 4, 1 << 13
	if err := w.Spend(byteSteps * len(line)); err != nil {
		return buf, err
	}
	buf = t.Append(buf[:0], line)
	n := 0
	for at, looked := 0, 0; ; n++ {
		start, end, ok := tokenize.Next(buf, at)
		if !ok {
			return buf, Text(n, most)
		}
		if end-looked > part {
			if err := w.Spend(byteSteps * (end - looked)); err != nil {
				return buf, err
			}
			looked = end
		}
		if most <= 0 || n < most {
			each(buf[start:end])
		}
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
