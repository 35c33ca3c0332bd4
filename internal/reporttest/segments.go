// Package reporttest reads what package report packs into a page, for tests. It is written from
// the description of the form alone.
package reporttest

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Segments are those of a page. Similarities, difficulties and shares are in thousandths.
type Segments struct {
	Systems []string
	Scores  []struct {
		Name     string
		Decimals int
		Lower    bool
	}
	Keys []struct {
		Name      string
		Ascending bool
	}
	All []Segment
}

type Segment struct {
	Number            int
	Name              string
	Keys              []float64
	Words, Characters int // of the reference, or source
	Source            string
	References        []Text
	Outputs           []Output
}

type Text struct {
	Text   string
	Tokens []Token
}

// A Token stands at Start to End of the text's UTF-16.
type Token struct {
	Start, End                    int
	Name                          string
	Difficulty, Similarity, Share int
	To                            int
	Novel                         bool
}

type Output struct {
	Text
	Scores    []float64 // NaN is none
	Reference int
	Missed    []Missed
}

type Missed struct{ Index, Difficulty, Similarity, Share, To int }

var blocks = []string{"heads", "texts", "odd", "similarities", "difficulties", "links", "shares"}

// Blocks are a page's blocks of data as text, by their names.
func Blocks(page []byte) (map[string]string, error) {
	out := make(map[string]string)
	for _, name := range blocks {
		m := regexp.MustCompile(`<script type="application/octet-stream" id="segment-` + name + `">([^<]*)</script>`).FindSubmatch(page)
		if m == nil {
			return nil, fmt.Errorf("the page has no segment-%s", name)
		}
		packed, err := base64.StdEncoding.DecodeString(string(m[1]))
		if err != nil {
			return nil, err
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		out[name] = string(text)
	}
	return out, nil
}

// Plain is a page with its data readable, as it is compared with golden files: how it is packed is
// another with each version of Go.
func Plain(page []byte) ([]byte, error) {
	b, err := Blocks(page)
	if err != nil {
		return page, err
	}
	for _, name := range blocks {
		page = regexp.MustCompile(`(?s)(id="segment-`+name+`">)[^<]*`).ReplaceAllFunc(page, func(m []byte) []byte {
			head, _, _ := bytes.Cut(m, []byte(">"))
			return []byte(string(head) + ">\n" + b[name])
		})
	}
	return page, nil
}

// Read reads a page's segments.
func Read(page []byte) (*Segments, error) {
	b, err := Blocks(page)
	if err != nil {
		return nil, err
	}
	lines := make(map[string][]string)
	for name, text := range b {
		if text == "" {
			continue
		}
		if !strings.HasSuffix(text, "\n") {
			return nil, fmt.Errorf("%s ends within a line", name)
		}
		lines[name] = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	var out Segments
	if err := json.Unmarshal([]byte(lines["heads"][0]), &out); err != nil {
		return nil, err
	}
	heads := lines["heads"][1:]
	for i := range heads {
		line := map[string]string{"heads": heads[i]}
		for _, name := range blocks[1:] {
			if len(lines[name]) != len(heads) {
				return nil, fmt.Errorf("%d lines of %s, %d of heads", len(lines[name]), name, len(heads))
			}
			line[name] = lines[name][i]
		}
		s, err := out.segment(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out.All = append(out.All, *s)
	}
	return &out, nil
}

// numbers are a line of characters that each stand for one.
type numbers struct{ left []rune }

func (n *numbers) next() int {
	if len(n.left) == 0 {
		panic("a line is too short")
	}
	v := int(n.left[0]) - '0'
	n.left = n.left[1:]
	if v > 20_000 {
		return 20_000 - v
	}
	return v
}

func (n *numbers) same() bool {
	if len(n.left) > 0 && n.left[0] == '!' {
		n.left = n.left[1:]
		return true
	}
	return false
}

type odd struct {
	P map[string][]int
	N []string
	A []int
	M map[string][]int
}

type reader struct {
	odd                                       odd
	has                                       bool
	similarities, difficulties, links, shares numbers
	texts, tokens                             int
}

func (all *Segments) segment(line map[string]string) (s *Segment, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	s = new(Segment)
	var scores []*float64
	var references []int
	if err := json.Unmarshal([]byte(line["heads"]), &[]any{&s.Number, &s.Name, &s.Keys, &scores, &s.Words, &s.Characters, &references}); err != nil {
		return nil, err
	}
	var refs, outputs []string
	if err := json.Unmarshal([]byte(line["texts"]), &[]any{&s.Source, &refs, &outputs}); err != nil {
		return nil, err
	}
	r := reader{has: line["similarities"] != ""}
	if line["odd"] != "" {
		if err := json.Unmarshal([]byte(line["odd"]), &r.odd); err != nil {
			return nil, err
		}
	}
	for name, n := range map[string]*numbers{"similarities": &r.similarities, "difficulties": &r.difficulties, "links": &r.links, "shares": &r.shares} {
		n.left = []rune(line[name])
	}
	for _, marked := range refs {
		t := r.text(marked)
		for j := range t.Tokens {
			t.Tokens[j].Difficulty, t.Tokens[j].Similarity = r.difficulties.next(), r.similarities.next()
		}
		s.References = append(s.References, t)
	}
	for i, marked := range outputs {
		k := 0
		if references != nil {
			k = references[i]
		}
		s.Outputs = append(s.Outputs, r.output(i, marked, s.References, k))
		for c := range all.Scores {
			x := math.NaN()
			if v := scores[i*len(all.Scores)+c]; v != nil {
				x = *v / math.Pow10(all.Scores[c].Decimals)
			}
			s.Outputs[i].Scores = append(s.Outputs[i].Scores, x)
		}
	}
	if r.has {
		r.missedShares(s)
	}
	for name, n := range map[string]*numbers{"similarities": &r.similarities, "difficulties": &r.difficulties, "links": &r.links, "shares": &r.shares} {
		if len(n.left) > 0 {
			return nil, fmt.Errorf("%d characters of %s are left", len(n.left), name)
		}
	}
	return s, nil
}

// text splits a text at spaces and U+0001, or as it is told to.
func (r *reader) text(marked string) Text {
	place := strconv.Itoa(r.texts)
	r.texts++
	out := Text{Text: strings.ReplaceAll(marked, "\x01", "")}
	if !r.has {
		return out
	}
	units := utf16.Encode([]rune(out.Text))
	add := func(start, end int) {
		t := Token{Start: start, End: end, Name: string(utf16.Decode(units[start:end]))}
		if r.odd.N != nil && r.odd.N[r.tokens] != "" {
			t.Name = r.odd.N[r.tokens]
		}
		r.tokens++
		out.Tokens = append(out.Tokens, t)
	}
	if parts, ok := r.odd.P[place]; ok {
		at := 0
		for i := 0; i < len(parts); i += 2 {
			at += parts[i] + parts[i+1]
			add(at-parts[i+1], at)
		}
		return out
	}
	at, start := 0, -1
	end := func() {
		if start >= 0 {
			add(start, at)
		}
		start = -1
	}
	for _, c := range marked {
		switch {
		case c == 1:
			end()
			continue
		case c == ' ':
			end()
		case start < 0:
			start = at
		}
		at += utf16.RuneLen(c)
	}
	end()
	return out
}

func (r *reader) output(i int, marked string, refs []Text, k int) Output {
	first := r.tokens
	out := Output{Text: r.text(marked), Reference: k}
	if !r.has {
		return out
	}
	var ref Text
	if k < len(refs) {
		ref = refs[k]
	}
	difficulty := func(j int) int {
		if r.difficulties.same() {
			return ref.Tokens[j].Difficulty
		}
		return r.difficulties.next()
	}
	named := func(tokens []Token, name string) bool {
		return slices.ContainsFunc(tokens, func(t Token) bool { return t.Name == name })
	}
	for j := range out.Tokens {
		t := &out.Tokens[j]
		t.Similarity, t.To = r.similarities.next(), r.links.next()-1
		t.Difficulty = difficulty(t.To)
		t.Novel = named(ref.Tokens, t.Name) == slices.Contains(r.odd.A, first+j)
	}
	a, b := r.shares.next(), r.shares.next()
	for j := range out.Tokens {
		t := &out.Tokens[j]
		t.Share = r.shares.next() + fitted(t.Similarity, t.Difficulty, a, b)
	}
	missed, ok := r.odd.M[strconv.Itoa(i)]
	if !ok {
		for j, t := range ref.Tokens {
			if !named(out.Tokens, t.Name) {
				missed = append(missed, j)
			}
		}
	}
	for _, j := range missed {
		m := Missed{Index: j, Similarity: r.similarities.next(), To: r.links.next() - 1}
		m.Difficulty = difficulty(j)
		out.Missed = append(out.Missed, m)
	}
	return out
}

func (r *reader) missedShares(s *Segment) {
	fits := make([][2]int, len(s.References))
	for k := range fits {
		fits[k] = [2]int{r.shares.next(), r.shares.next()}
	}
	for i := range s.Outputs {
		for j := range s.Outputs[i].Missed {
			m, f := &s.Outputs[i].Missed[j], fits[s.Outputs[i].Reference]
			m.Share = r.shares.next() + fitted(m.Similarity, m.Difficulty, f[0], f[1])
		}
	}
}

// fitted is similarity × (a × difficulty + b), a and b in ten-thousandths.
func fitted(similarity, difficulty, a, b int) int {
	n, d := similarity*(a*difficulty+1000*b)+5_000_000, 10_000_000
	if n < 0 {
		return -((-n + d - 1) / d)
	}
	return n / d
}
