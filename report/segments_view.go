package report

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

//go:embed segments.html
var segmentsHTML string

// plainSegments is how many segments a reader without script sees.
const plainSegments = 20

type segmentsView struct {
	ID, Title string
	Text      []string
	Systems   []string
	Scores    []ScoreColumn
	Keys      []Key
	Count     int
	// What there is to say of tokens.
	Tokens, Novel, References, Words bool
	Plain                            []plainSegment
	Blocks                           []*block
}

// A plainSegment is one for a reader without script.
type plainSegment struct {
	Number     int
	Title      string
	Keys       []string
	Source     string
	References []string
	Outputs    []plainOutput
}

type plainOutput struct {
	Name   string
	Scores []string
	Text   string
}

// view writes the segments down, one after the other.
func (s *Segments) view() (*segmentsView, error) {
	v := &segmentsView{ID: "segments", Title: clean(s.Title), Text: cleanAll(s.Text), Systems: cleanAll(s.Systems)}
	for _, c := range s.Scores {
		if c.Decimals < 0 || c.Decimals > 15 {
			return nil, fmt.Errorf("%d decimals of %s: want 0 to 15", c.Decimals, c.Name)
		}
		v.Scores = append(v.Scores, ScoreColumn{clean(c.Name), c.Decimals, c.LowerIsBetter})
	}
	for _, k := range s.Keys {
		v.Keys = append(v.Keys, Key{clean(k.Name), k.Ascending})
	}
	data := newSegmentData()
	data.heads.json(map[string]any{"systems": v.Systems, "scores": v.scoreInfo(), "keys": v.keyInfo()})
	seen := make(map[int]bool)
	if s.All != nil {
		for segment := range s.All {
			if err := s.check(&segment, seen); err != nil {
				return nil, fmt.Errorf("segment %d: %w", segment.Number, err)
			}
			v.count(&segment)
			data.add(&segment, v.Scores)
		}
	}
	v.Blocks = data.blocks()
	return v, nil
}

// scoreInfo is what the script knows of the columns.
func (v *segmentsView) scoreInfo() []any {
	out := []any{}
	for _, c := range v.Scores {
		out = append(out, map[string]any{"name": c.Name, "decimals": c.Decimals, "lower": c.LowerIsBetter})
	}
	return out
}

func (v *segmentsView) keyInfo() []any {
	out := []any{}
	for _, k := range v.Keys {
		out = append(out, map[string]any{"name": k.Name, "ascending": k.Ascending})
	}
	return out
}

// check returns what is wrong with a segment.
func (s *Segments) check(segment *Segment, seen map[int]bool) error {
	switch {
	case segment.Number < 1:
		return errors.New("the number is not from 1 up")
	case seen[segment.Number]:
		return errors.New("another has this number")
	case len(segment.Keys) != len(s.Keys):
		return fmt.Errorf("%d numbers for %d keys", len(segment.Keys), len(s.Keys))
	case len(segment.Outputs) != len(s.Systems):
		return fmt.Errorf("%d outputs of %d systems", len(segment.Outputs), len(s.Systems))
	}
	seen[segment.Number] = true
	if err := finite("a key", segment.Keys...); err != nil {
		return err
	}
	for k := range segment.References {
		if err := segment.References[k].check(); err != nil {
			return fmt.Errorf("reference %d: %w", k+1, err)
		}
	}
	for i := range segment.Outputs {
		if err := segment.Outputs[i].check(len(s.Scores), segment.References); err != nil {
			return fmt.Errorf("output of %s: %w", s.Systems[i], err)
		}
	}
	return nil
}

func (o *Output) check(scores int, refs []Text) error {
	if len(o.Scores) != scores {
		return fmt.Errorf("%d scores for %d columns", len(o.Scores), scores)
	}
	for _, x := range o.Scores {
		if math.Abs(x) > 1e15 { // NaN is none
			return fmt.Errorf("a score is %v", x)
		}
	}
	if o.Reference < 0 || o.Reference > max(0, len(refs)-1) {
		return fmt.Errorf("reference %d of %d", o.Reference, len(refs))
	}
	if err := o.Text.check(); err != nil {
		return err
	}
	tokens := 0
	if len(refs) > 0 {
		tokens = len(refs[o.Reference].Tokens)
	}
	for _, m := range o.Missed {
		if m.Index < 0 || m.Index >= tokens {
			return fmt.Errorf("it misses token %d of a reference that has %d", m.Index, tokens)
		}
		if err := finite("a number of a token", m.Difficulty, m.Similarity, m.Share); err != nil {
			return err
		}
	}
	return nil
}

func (t *Text) check() error {
	for _, tok := range t.Tokens {
		if tok.Start < 0 || tok.End < tok.Start || tok.End > len(t.Text) || !boundary(t.Text, tok.Start) || !boundary(t.Text, tok.End) {
			return fmt.Errorf("token %d–%d does not lie within the %d bytes of a text, between characters", tok.Start, tok.End, len(t.Text))
		}
		if err := finite("a number of a token", tok.Difficulty, tok.Similarity, tok.Share); err != nil {
			return err
		}
	}
	return nil
}

// boundary says whether a character begins at a byte, or the text ends there.
func boundary(text string, at int) bool {
	return at == len(text) || utf8.RuneStart(text[at]) || !utf8.ValidString(text)
}

// count adds to what is said of all segments.
func (v *segmentsView) count(s *Segment) {
	v.Count++
	tokens := false
	for k := range s.References {
		v.References = true
		tokens = tokens || len(s.References[k].Tokens) > 0
	}
	for i := range s.Outputs {
		tokens = tokens || len(s.Outputs[i].Tokens) > 0
	}
	v.Tokens = v.Tokens || tokens
	v.Words = v.Words || !tokens && len(s.References) > 0
	if v.Count > plainSegments {
		return
	}
	p := plainSegment{Number: s.Number, Title: segmentTitle(s), Source: clean(s.Source)}
	for k, x := range s.Keys {
		p.Keys = append(p.Keys, v.Keys[k].Name+" "+strconv.FormatFloat(x, 'f', -1, 64))
	}
	for _, r := range s.References {
		p.References = append(p.References, clean(r.Text))
	}
	for i := range s.Outputs {
		o := plainOutput{Name: v.Systems[i], Text: clean(s.Outputs[i].Text.Text)}
		for c, x := range s.Outputs[i].Scores {
			text := "–"
			if !math.IsNaN(x) {
				text = strconv.FormatFloat(x+0, 'f', v.Scores[c].Decimals, 64)
			}
			o.Scores = append(o.Scores, text)
		}
		p.Outputs = append(p.Outputs, o)
	}
	v.Plain = append(v.Plain, p)
}

func segmentTitle(s *Segment) string {
	if s.Name != "" {
		return clean("Segment " + s.Name)
	}
	return "Segment " + strconv.Itoa(s.Number)
}

// Many says whether there are enough systems for a list of them to fold.
func (v *segmentsView) Many() bool { return len(v.Systems) > 3 }
