package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

// A SegmentList shows segments of texts, token by token: how difficult each token is, as
// shade and, from ½ up, bold; how well it is matched, as the kind of line under it; and
// whether the other side lacks it, as a sign before it. Pointing at a token or going to
// it with the keyboard shows its numbers. Where all tokens are plain it is a list of texts.
//
// Its page has a script, to sort the segments and to go from token to token with the
// arrow keys. It is in the page, and the page allows no other. Without it the segments
// stand in the order given, and all else works.
type SegmentList struct {
	Title string
	// Keys say what the segments can be sorted by. They are given in the order of the
	// first.
	Keys     []Key
	Header   []string // of the columns of Row: name, cells, text
	Segments []Segment
}

// A Key is what segments are sorted by.
type Key struct {
	Name string
	// Ascending: the smallest first.
	Ascending bool
}

// A Segment has a value for each of the Browser's keys.
type Segment struct {
	Title string
	Keys  []float64
	Rows  []Row
}

// A Row is one text of a segment.
type Row struct {
	Name   string
	Cells  []string
	Tokens []Token
	// Missed are tokens of the reference that the text lacks.
	Missed []Token
}

// A Token of a Row.
type Token struct {
	// Before is what stands before it in the text, such as a space.
	Before string
	Text   string
	// Difficulty and Match are from 0 to 1; what lies outside is taken as the nearer.
	Difficulty, Match float64
	Mark              Mark
	// Note is what is shown when the token is pointed at.
	Note string
	// Plain text has nothing but Before and Text.
	Plain bool
}

// A Mark is a sign before a token.
type Mark int

const (
	NoMark Mark = iota
	Novel       // the reference lacks it
	Missed      // the hypothesis lacks it
)

var (
	//go:embed browser.js
	browserJS string

	browserStyle = func() template.HTML {
		var b strings.Builder
		template.Must(template.New("").Parse(browserHTML+`{{template "browser-style" .}}`)).Execute(&b, shades)
		return template.HTML(b.String())
	}()
)

// A shade of tokens: part of the colour of text, in per cent. At most 40, so that the text
// can be read.
type shade struct{ Class, Part int }

var shades = []shade{{1, 4}, {2, 8}, {3, 12}, {4, 16}, {5, 21}, {6, 26}, {7, 31}, {8, 36}, {9, 40}}

type browserView struct {
	ID, Title string
	Keys      []Key
	Header    []string
	Last      int // of the header
	Segments  []segmentView
	Marked    bool // some token is not plain, and the legend says what marks mean
}

type segmentView struct {
	ID, Title, Keys string
	Rows            []rowView
}

type rowView struct {
	Name           string
	Cells          []string
	Tokens, Missed []tokenView
}

type tokenView struct {
	Before, Text, Class, Note string
}

func (b *SegmentList) view(id string) (browserView, error) {
	v := browserView{ID: id, Title: clean(b.Title), Header: cleanAll(b.Header), Last: len(b.Header) - 1}
	for _, k := range b.Keys {
		v.Keys = append(v.Keys, Key{clean(k.Name), k.Ascending})
	}
	for i, s := range b.Segments {
		if len(s.Keys) != len(b.Keys) {
			return browserView{}, fmt.Errorf("%q: %d values for %d keys", s.Title, len(s.Keys), len(b.Keys))
		}
		if err := finite(fmt.Sprintf("a key of %q", s.Title), s.Keys...); err != nil {
			return browserView{}, err
		}
		sv := segmentView{ID: fmt.Sprintf("%s-%d", id, i+1), Title: clean(s.Title)}
		for k, x := range s.Keys {
			if k > 0 {
				sv.Keys += " "
			}
			sv.Keys += strconv.FormatFloat(x, 'g', -1, 64)
		}
		for _, r := range s.Rows {
			if len(r.Cells)+2 != len(b.Header) {
				return browserView{}, fmt.Errorf("%q: %d cells of %s, the header has %d with name and text", s.Title, len(r.Cells), r.Name, len(b.Header))
			}
			rv := rowView{Name: clean(r.Name), Cells: cleanAll(r.Cells)}
			for _, side := range []struct {
				to   *[]tokenView
				from []Token
			}{{&rv.Tokens, r.Tokens}, {&rv.Missed, r.Missed}} {
				for _, t := range side.from {
					if err := finite(fmt.Sprintf("%q: a number of %q", s.Title, t.Text), t.Difficulty, t.Match); err != nil {
						return browserView{}, err
					}
					*side.to = append(*side.to, t.view())
					v.Marked = v.Marked || !t.Plain
				}
			}
			sv.Rows = append(sv.Rows, rv)
		}
		v.Segments = append(v.Segments, sv)
	}
	return v, nil
}

func (t *Token) view() tokenView {
	v := tokenView{Before: clean(t.Before), Text: clean(t.Text)}
	if t.Plain {
		return v
	}
	v.Note = clean(t.Note)
	v.Class = fmt.Sprintf("t d%d", int(10*max(0, min(t.Difficulty, .99))))
	switch {
	case t.Match >= .9:
	case t.Match >= .7:
		v.Class += " m2"
	case t.Match >= .4:
		v.Class += " m1"
	default:
		v.Class += " m0"
	}
	switch t.Mark {
	case Novel:
		v.Class += " novel"
	case Missed:
		v.Class += " missed"
	}
	return v
}
