package mtme

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/mteval/mteval/metaeval"
)

// A Rating is what a rater marked in a system's output for a segment.
type Rating struct {
	System  string
	Segment int // from 0, an index into Sources
	// Rater is "" where the file doesn't say.
	Rater string
	// Rated is false where the output was not looked at. One that was, and has no Errors,
	// is without error.
	Rated  bool
	Errors []Error
}

// An Error is a part of a text that a rater marked.
type Error struct {
	// Start and End, which is not part of it, are code points of the output, or of the
	// source where InSource says so.
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Category string `json:"category"` // such as accuracy/mistranslation
	Severity string `json:"severity"` // minor, major or critical
	// Score is how bad it is by the file, such as 5, and 0 if it is no error.
	Score    float64 `json:"score"`
	InSource bool    `json:"is_source_error"`
}

// ReadRatings reads the errors that raters marked, in the order of the file.
func (p *Pair) ReadRatings(ctx context.Context, name string) ([]Rating, error) {
	if !slices.Contains(p.Ratings, name) {
		return nil, fmt.Errorf("mtme: %s %s: no ratings %q: there is %q", p.Set, p.LanguagePair, name, p.Ratings)
	}
	path := filepath.Join(p.dir, "human-scores", fmt.Sprintf("%s.%s.seg.rating", p.LanguagePair, name))
	var out []Rating
	begun := map[string]bool{}
	last := ""
	err := eachLine(ctx, path, func(line string, _ int) error {
		r, err := parseRating(line)
		if err != nil {
			return err
		}
		if p.Outputs[r.System] == nil {
			return fmt.Errorf("unknown system %q: it has no output in system-outputs", r.System)
		}
		if n := len(out); r.System == last {
			r.Segment = out[n-1].Segment + 1
		} else {
			if begun[r.System] {
				return fmt.Errorf("system %s again: the ratings of a system stand together, one for each segment", r.System)
			}
			if n > 0 && out[n-1].Segment+1 < len(p.Sources) {
				return fmt.Errorf("system %s begins: %d ratings of system %s for %d segments", r.System, out[n-1].Segment+1, last, len(p.Sources))
			}
		}
		if r.Segment == len(p.Sources) {
			return fmt.Errorf("a rating more of system %s than the %d segments", r.System, len(p.Sources))
		}
		begun[r.System], last = true, r.System
		out = append(out, r)
		return p.within(r)
	}, func(int) error {
		if n := len(out); n == 0 {
			return errors.New("no ratings: the file is empty")
		} else if got := out[n-1].Segment + 1; got < len(p.Sources) {
			return fmt.Errorf("the file ends: %d ratings of system %s for %d segments", got, last, len(p.Sources))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func parseRating(line string) (Rating, error) {
	f := bytes.Split([]byte(line), []byte("\t"))
	if len(f) < 2 || len(f) > 3 {
		return Rating{}, errors.New("not a system, a tab and a rating, and perhaps a tab and a rater")
	}
	r := Rating{System: string(f[0])}
	if len(f) == 3 {
		r.Rater = string(f[2])
	}
	if string(f[1]) == "None" {
		return r, nil
	}
	var rating struct {
		Errors *[]Error `json:"errors"`
	}
	d := json.NewDecoder(bytes.NewReader(f[1]))
	if err := d.Decode(&rating); err != nil {
		return Rating{}, fmt.Errorf("the rating is neither None nor JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Rating{}, errors.New("text after the rating")
	}
	if rating.Errors == nil {
		return Rating{}, errors.New(`the rating has no "errors": [] says that there is none`)
	}
	r.Rated, r.Errors = true, *rating.Errors
	return r, nil
}

// within is an error where a marked part is not in the text.
func (p *Pair) within(r Rating) error {
	for _, e := range r.Errors {
		text := p.Outputs[r.System][r.Segment]
		if e.InSource {
			text = p.Sources[r.Segment]
		}
		if n := utf8.RuneCountInString(text); e.Start < 0 || e.Start > e.End || e.End > n {
			return fmt.Errorf("an error from %d to %d in a text of %d characters", e.Start, e.End, n)
		}
	}
	return nil
}

// RatingScores makes scores of segments of ratings: minus the sum of the weights of an
// output's errors, the mean over its raters, none where no one rated it. A nil weight
// takes the Score that the file has, which is how WMT does it. SystemMeans of the result
// are scores of systems.
func (p *Pair) RatingScores(ratings []Rating, weight func(Error) (float64, error)) (*metaeval.Scores, error) {
	var systems []string
	for _, s := range p.Systems {
		if slices.ContainsFunc(ratings, func(r Rating) bool { return r.System == s }) {
			systems = append(systems, s)
		}
	}
	out := metaeval.NewScores(systems, p.Segments())
	n := make([]float64, len(out.Values))
	sums := make([]float64, len(out.Values))
	for _, r := range ratings {
		k := slices.Index(systems, r.System)
		if k < 0 || r.Segment < 0 || r.Segment >= len(p.Sources) {
			return nil, fmt.Errorf("mtme: a rating of system %q on segment %d, which is not in %s %s", r.System, r.Segment+1, p.Set, p.LanguagePair)
		}
		if !r.Rated {
			continue
		}
		at := k*len(p.Sources) + r.Segment
		n[at]++
		for _, e := range r.Errors {
			w := e.Score
			if weight != nil {
				var err error
				if w, err = weight(e); err != nil {
					return nil, fmt.Errorf("mtme: system %s, segment %d: %w", r.System, r.Segment+1, err)
				}
			}
			sums[at] -= w
		}
	}
	for at, n := range n {
		if n > 0 {
			out.Values[at] = sums[at] / n
		}
	}
	return out, nil
}

// GoogleWeights are the severity weights of Google's MQM (Freitag et al. 2021): 25 for a
// non-translation, 5 for other major errors, 0.1 for minor punctuation, 1 for other minor
// ones. What is only wrong in the source, and a creative
// reinterpretation, count nothing.
func GoogleWeights(e Error) (float64, error) {
	switch {
	case slices.Contains([]string{"source error", "source issue", "accuracy/creative reinterpretation"}, e.Category) || e.Severity == "neutral" || e.Severity == "no-error":
		return 0, nil
	case e.Severity == "major" && (e.Category == "non-translation" || e.Category == "non-translation!"):
		return 25, nil
	case e.Severity == "major" || e.Severity == "critical":
		return 5, nil
	case e.Severity == "minor" && e.Category == "fluency/punctuation":
		return .1, nil
	case e.Severity == "minor":
		return 1, nil
	}
	return 0, fmt.Errorf("unknown severity %q", e.Severity)
}
