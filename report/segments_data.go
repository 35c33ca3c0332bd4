package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// segmentData is what a page holds of segments, for its script: blocks, each of which has a line
// for each segment and is compressed alone, as what is of one kind compresses well.
//
// heads and texts are JSON. In the others a number is a character (see digit), in the order of the
// texts: references, then outputs, each of which is followed by what it lacks. Where a segment has
// no tokens the lines are empty.
//
//   - heads: number, name, keys, scores of the outputs in units of their last decimal, words and
//     characters of the reference (or source), and the references that the outputs were matched
//     with, if it isn't always the first
//   - texts: source, references, outputs; U+0001 stands between tokens that no space parts
//   - odd: where the tokens are not what texts say, as JSON (see oddities), or nothing
//   - similarities
//   - difficulties: ! is that of the reference's token that it is matched with, or that it is
//   - links: 0 is no match, 1 the first token of the other side
//   - shares: of each output two numbers a and b, and for each token what its share is above
//     similarity × (a × difficulty + b); then the same of what the outputs lack, with two
//     numbers for each reference
type segmentData struct {
	heads, texts, odd, similarities, difficulties, links, shares block
}

func (d *segmentData) blocks() []*block {
	return []*block{&d.heads, &d.texts, &d.odd, &d.similarities, &d.difficulties, &d.links, &d.shares}
}

// A block is text, compressed as it is written.
type block struct {
	ID      string
	encoded strings.Builder
	base64  io.WriteCloser
	gzip    *gzip.Writer
}

func newSegmentData() *segmentData {
	d := new(segmentData)
	for i, name := range []string{"heads", "texts", "odd", "similarities", "difficulties", "links", "shares"} {
		b := d.blocks()[i]
		b.ID = "segment-" + name
		b.base64 = base64.NewEncoder(base64.StdEncoding, &b.encoded)
		b.gzip = gzip.NewWriter(b.base64) // the best takes three times as long, for a hundredth less
	}
	return d
}

// line adds a line. Memory can't be full, and nothing else is an error.
func (b *block) line(text string) {
	io.WriteString(b.gzip, text)
	io.WriteString(b.gzip, "\n")
}

// json adds a line of JSON.
func (b *block) json(v any) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // there is no number that JSON can't have
	}
	b.gzip.Write(line.Bytes())
}

// Text is all of it in base64, which no reader of HTML or XML takes for anything else.
func (b *block) Text() template.HTML {
	b.gzip.Close()
	b.base64.Close()
	return template.HTML(b.encoded.String())
}

// oddities of a segment's tokens.
type oddities struct {
	// Parts are the tokens of a text, by its place among references and outputs: the distance
	// from the one before in UTF-16's units, and the length, of each. Without them tokens are
	// what stands between spaces and U+0001.
	Parts map[int][]int `json:"p,omitempty"`
	// Names are the tokens' own texts, of all texts in their order; "" is what stands there.
	Names []string `json:"n,omitempty"`
	// Novel are tokens of outputs, counted over all texts, that are novel though the reference
	// has a token of that text, or are not though it has none.
	Novel []int `json:"a,omitempty"`
	// Missed are what outputs lack where it isn't just the tokens whose text they do not have.
	Missed map[int][]int `json:"m,omitempty"`
}

// A segmentLine is a segment on its way into the blocks.
type segmentLine struct {
	similarities, difficulties, links, shares strings.Builder
	odd                                       oddities
	texts, tokens                             int // so far
	named                                     bool
}

// add adds a segment, which has been checked.
func (d *segmentData) add(s *Segment, columns []ScoreColumn) {
	var l segmentLine
	refs, outputs := make([]string, len(s.References)), make([]string, len(s.Outputs))
	sides := make([]referenceSide, len(s.References))
	for k := range s.References {
		refs[k] = l.reference(&s.References[k], &sides[k])
	}
	for i := range s.Outputs {
		o := &s.Outputs[i]
		side := new(referenceSide)
		if o.Reference < len(sides) {
			side = &sides[o.Reference]
		}
		outputs[i] = l.output(i, o, side)
	}
	l.missedShares(s, sides)
	d.heads.json(head(s, columns))
	d.texts.json([]any{clean(s.Source), refs, outputs})
	if !l.named {
		l.odd.Names = nil
	}
	if l.tokens == 0 {
		l = segmentLine{}
	}
	if o := &l.odd; len(o.Parts) > 0 || o.Names != nil || o.Novel != nil || len(o.Missed) > 0 {
		d.odd.json(o)
	} else {
		d.odd.line("")
	}
	d.similarities.line(l.similarities.String())
	d.difficulties.line(l.difficulties.String())
	d.links.line(l.links.String())
	d.shares.line(l.shares.String())
}

// head is what segments are sorted and filtered by.
func head(s *Segment, columns []ScoreColumn) []any {
	scores := make([]any, 0, len(s.Outputs)*len(columns))
	references := make([]int, len(s.Outputs))
	for i := range s.Outputs {
		references[i] = s.Outputs[i].Reference
		for c, x := range s.Outputs[i].Scores {
			if math.IsNaN(x) {
				scores = append(scores, nil)
			} else {
				scores = append(scores, lastDecimals(x, columns[c].Decimals))
			}
		}
	}
	if !slices.ContainsFunc(references, func(k int) bool { return k != 0 }) {
		references = nil
	}
	measured := s.Source
	if len(s.References) > 0 {
		measured = s.References[0].Text
	}
	return []any{s.Number, clean(s.Name), s.Keys, scores, len(strings.Fields(measured)), utf8.RuneCountInString(measured), references}
}

// A referenceSide is what outputs have to know of a reference's tokens.
type referenceSide struct {
	names        []string
	has          map[string]bool
	difficulties []int
}

// reference adds a reference's tokens, and returns its text with signs between them.
func (l *segmentLine) reference(t *Text, side *referenceSide) string {
	text, names := l.text(t)
	side.names, side.has = names, make(map[string]bool, len(names))
	for j, tok := range t.Tokens {
		side.has[names[j]] = true
		side.difficulties = append(side.difficulties, thousandths(tok.Difficulty))
		l.difficulties.WriteRune(digit(thousandths(tok.Difficulty)))
		l.similarities.WriteRune(digit(thousandths(tok.Similarity)))
	}
	return text
}

// output adds an output's tokens and those that it lacks.
func (l *segmentLine) output(i int, o *Output, side *referenceSide) string {
	first := l.tokens
	text, names := l.text(&o.Text)
	has := make(map[string]bool, len(names))
	run := make([]Missed, len(o.Tokens)) // the numbers of a token are the same
	for j, tok := range o.Tokens {
		has[names[j]] = true
		if tok.Novel == side.has[names[j]] {
			l.odd.Novel = append(l.odd.Novel, first+j)
		}
		run[j] = Missed{tok.To, tok.Difficulty, tok.Similarity, tok.Share, tok.To}
	}
	l.numbers(run, side)
	l.residuals(run, fit(run))
	var predicted, missed []int
	for j, name := range side.names {
		if !has[name] {
			predicted = append(predicted, j)
		}
	}
	for _, m := range o.Missed {
		missed = append(missed, m.Index)
	}
	if !slices.Equal(predicted, missed) {
		if l.odd.Missed == nil {
			l.odd.Missed = make(map[int][]int)
		}
		l.odd.Missed[i] = append([]int{}, missed...)
	}
	l.numbers(o.Missed, side)
	return text
}

// numbers adds all but the shares.
func (l *segmentLine) numbers(run []Missed, side *referenceSide) {
	for _, t := range run {
		l.similarities.WriteRune(digit(thousandths(t.Similarity)))
		l.links.WriteRune(digit(min(max(t.To, -1), limit-1) + 1))
		if d := thousandths(t.Difficulty); t.Index >= 0 && t.Index < len(side.difficulties) && side.difficulties[t.Index] == d {
			l.difficulties.WriteByte('!')
		} else {
			l.difficulties.WriteRune(digit(d))
		}
	}
}

// missedShares adds the shares of what the outputs lack. What such a token adds follows from its
// reference, whichever output it is.
func (l *segmentLine) missedShares(s *Segment, sides []referenceSide) {
	if l.tokens == 0 {
		return
	}
	fits := make([][2]int, len(sides))
	for k := range sides {
		var all []Missed
		for i := range s.Outputs {
			if o := &s.Outputs[i]; o.Reference == k {
				all = append(all, o.Missed...)
			}
		}
		fits[k] = fit(all)
		l.shares.WriteRune(digit(fits[k][0]))
		l.shares.WriteRune(digit(fits[k][1]))
	}
	for i := range s.Outputs {
		if o := &s.Outputs[i]; len(o.Missed) > 0 {
			l.above(o.Missed, fits[o.Reference])
		}
	}
}

func (l *segmentLine) residuals(run []Missed, f [2]int) {
	l.shares.WriteRune(digit(f[0]))
	l.shares.WriteRune(digit(f[1]))
	l.above(run, f)
}

// above adds how far shares are above those of a fit.
func (l *segmentLine) above(run []Missed, f [2]int) {
	for _, t := range run {
		l.shares.WriteRune(digit(thousandths(t.Share) - fitted(&t, f)))
	}
}

// fitted is a share in thousandths, in whole numbers, as the script has it.
func fitted(t *Missed, f [2]int) int {
	return int(math.Floor(float64(thousandths(t.Similarity)*(f[0]*thousandths(t.Difficulty)+1000*f[1])+5_000_000) / 1e7))
}

// fit finds a and b, in ten-thousandths, with which shares are next to similarity × (a ×
// difficulty + b), as they are where a score is a mean that tokens have weights in. It is least
// squares; with 0 and 0 what is left of the shares is all of them, which is never wrong.
func fit(run []Missed) [2]int {
	var xx, xy, yy, xs, ys int
	for _, t := range run {
		d, y, s := thousandths(t.Difficulty), thousandths(t.Similarity), thousandths(t.Share)
		x := d * y / 1000
		xx, xy, yy, xs, ys = xx+x*x, xy+x*y, yy+y*y, xs+x*s, ys+y*s
	}
	// The products are rounded by themselves, so that every machine has the same.
	cross := func(a, b, c, d int) float64 { return float64(float64(a)*float64(b)) - float64(float64(c)*float64(d)) }
	both := cross(xx, yy, xy, xy)
	var a, b float64
	switch {
	case both > 1e-6*float64(xx)*float64(yy):
		a, b = cross(xs, yy, ys, xy)/both, cross(ys, xx, xs, xy)/both
	case yy > 0:
		b = float64(ys) / float64(yy)
	}
	f := [2]int{int(math.Round(1e4 * max(0, min(a, 1.5)))), int(math.Round(1e4 * max(0, min(b, 1.5))))}
	for i := range run {
		if r := thousandths(run[i].Share) - fitted(&run[i], f); r < -limit || r > limit {
			return [2]int{}
		}
	}
	return f
}

// limit is the largest number that a character stands for. Surrogates are above.
const limit = 20_000

// digit is the character for a number from −limit to limit.
func digit(n int) rune {
	if n < 0 {
		n = limit - n
	}
	return rune('0' + n)
}

// thousandths is a number as it is shown, up to ±20.
func thousandths(x float64) int {
	const most = limit / 1000
	return int(lastDecimals(max(-most, min(x, most)), 3))
}

// lastDecimals is a number in units of its last decimal, rounded as strconv does.
func lastDecimals(x float64, decimals int) float64 {
	y := x * math.Pow10(decimals)
	if f := math.Abs(y - math.Trunc(y)); f > .499999 && f < .500001 || math.Abs(y) > 1e9 {
		// Near the middle the product is not exact enough.
		y, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
		y *= math.Pow10(decimals)
	}
	return math.Round(y) + 0 // makes 0 of −0
}

// text adds a text's tokens, and returns it with signs between those that no space parts, and the
// tokens' texts.
func (l *segmentLine) text(t *Text) (string, []string) {
	defer func() { l.texts, l.tokens = l.texts+1, l.tokens+len(t.Tokens) }()
	names := make([]string, len(t.Tokens))
	at := 0
	for j, tok := range t.Tokens {
		stands := clean(t.Text[tok.Start:tok.End])
		if names[j] = clean(tok.Text); names[j] == "" {
			names[j] = stands
		}
		name := names[j]
		if tok.placed(&at) && name == stands {
			name = ""
		}
		l.named = l.named || name != ""
		l.odd.Names = append(l.odd.Names, name)
	}
	if text, ok := t.marked(); ok {
		return text, names
	}
	text, parts := t.parts()
	if l.odd.Parts == nil {
		l.odd.Parts = make(map[int][]int)
	}
	l.odd.Parts[l.texts] = parts
	return text, names
}

// marked is the text with U+0001 between tokens that no space parts, if the tokens are then what
// stands between these and spaces.
func (t *Text) marked() (string, bool) {
	var b strings.Builder
	at := 0
	for j, tok := range t.Tokens {
		if tok.Start < at || tok.End <= tok.Start || strings.Contains(t.Text[tok.Start:tok.End], " ") {
			return "", false
		}
		gap := t.Text[at:tok.Start]
		if strings.Trim(gap, " ") != "" {
			return "", false
		}
		if b.WriteString(gap); gap == "" && j > 0 {
			b.WriteByte(1)
		}
		b.WriteString(clean(t.Text[tok.Start:tok.End]))
		at = tok.End
	}
	rest := t.Text[at:]
	if strings.Trim(rest, " ") != "" {
		return "", false
	}
	return b.String() + rest, true
}

// parts is the text, and where its tokens stand.
func (t *Text) parts() (string, []int) {
	var b strings.Builder
	parts := []int{}
	at := 0
	for _, tok := range t.Tokens {
		before := at
		if !tok.placed(&at) {
			parts = append(parts, 0, 0)
			continue
		}
		gap, token := clean(t.Text[before:tok.Start]), clean(t.Text[tok.Start:tok.End])
		parts = append(parts, units(gap), units(token))
		b.WriteString(gap)
		b.WriteString(token)
	}
	return b.String() + clean(t.Text[at:]), parts
}

// placed says whether a token has a place of its own in a text of which all before at is taken, and
// takes that.
func (t *Token) placed(at *int) bool {
	if t.Start < *at || t.End <= t.Start {
		return false
	}
	*at = t.End
	return true
}

// units are the code units of UTF-16, in which the script counts.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
