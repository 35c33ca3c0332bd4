package stream

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/mteval/mteval/tokenize"
)

// The variables of filters beside those of metrics. Tokens are those of BLEU's tokenizer 13a; of
// several references it is the one whose length is nearest to the hypothesis's, and of two the
// shorter, as in BLEU.
const (
	HypLen      = "hyp_len"       // tokens of the hypothesis
	RefLen      = "ref_len"       // tokens of the reference
	SrcLen      = "src_len"       // tokens of the source
	LenRatio    = "len_ratio"     // HypLen over RefLen
	HypSrcRatio = "hyp_src_ratio" // HypLen over SrcLen
	RefSrcRatio = "ref_src_ratio" // RefLen over SrcLen
)

// Variable is what the score of a metric of this name is called in a filter: the name, with a p
// for each + and _ for what else is no letter or digit. So chrf++ is chrfpp, and
// bertscore-lexical is bertscore_lexical.
func Variable(metric string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '+':
			return 'p'
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return '_'
	}, metric)
}

// Variables are the names that a filter may use, of metrics with these names, where references
// and sources are read or not.
func Variables(metrics []string, references, sources bool) []string {
	var out []string
	for _, m := range metrics {
		out = append(out, Variable(m))
	}
	out = append(out, HypLen)
	if references {
		out = append(out, RefLen, LenRatio)
	}
	if sources {
		out = append(out, SrcLen, HypSrcRatio)
	}
	if references && sources {
		out = append(out, RefSrcRatio)
	}
	return out
}

// A variable of the filter.
type variable struct {
	name   string
	metric int // −1: it is of lengths
}

// variables are all that there are here.
func (x *run) variables() ([]variable, error) {
	var out []variable
	for i, m := range x.metrics {
		v := variable{Variable(m.info.Name), i}
		for _, other := range out {
			if other.name == v.name {
				return nil, fmt.Errorf("stream: %s and %s are both %s in a filter", x.metrics[other.metric].info.Name, m.info.Name, v.name)
			}
		}
		out = append(out, v)
	}
	for _, name := range Variables(nil, len(x.o.Layout.References) > 0, x.o.Layout.Source != "") {
		out = append(out, variable{name, -1})
	}
	return out, nil
}

var tokenizer = tokenize.V13a

// lengths are the numbers of tokens of a line's texts, counted when they are first asked for.
type lengths struct {
	buf           []byte
	hyp, ref, src int // −1: not counted yet
}

func (l *lengths) reset() { l.hyp, l.ref, l.src = -1, -1, -1 }

func (l *lengths) count(text string) int {
	n := 0
	l.buf = tokenize.Each(l.buf[:0], tokenizer, text, func([]byte) { n++ })
	return n
}

func (l *lengths) hypothesis(t *texts) float64 {
	if l.hyp < 0 {
		l.hyp = l.count(t.hyp)
	}
	return float64(l.hyp)
}

func (l *lengths) reference(t *texts) float64 {
	if l.ref < 0 {
		hyp := int(l.hypothesis(t))
		for i, r := range t.refs {
			n := l.count(r)
			d, best := max(n-hyp, hyp-n), max(l.ref-hyp, hyp-l.ref)
			if i == 0 || d < best || d == best && n < l.ref {
				l.ref = n
			}
		}
	}
	return float64(l.ref)
}

func (l *lengths) source(t *texts) float64 {
	if l.src < 0 {
		l.src = l.count(t.src)
	}
	return float64(l.src)
}

// value is that of a variable that is of lengths.
func (l *lengths) value(name string, t *texts) float64 {
	switch name {
	case HypLen:
		return l.hypothesis(t)
	case RefLen:
		return l.reference(t)
	case SrcLen:
		return l.source(t)
	case LenRatio:
		return ratio(l.hypothesis(t), l.reference(t))
	case HypSrcRatio:
		return ratio(l.hypothesis(t), l.source(t))
	default:
		return ratio(l.reference(t), l.source(t))
	}
}

// ratio is a over b; infinite where b alone is 0, and 1 where both are.
func ratio(a, b float64) float64 {
	switch {
	case b != 0:
		return a / b
	case a != 0:
		return math.Inf(1)
	}
	return 1
}
