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

	"github.com/mteval/mteval/internal/jsonline"
)

// A Rating is what a rater marked in a system's output for a segment.
type Rating struct {
	System  string
	Segment int // from 0, an index into Sources
	// Rater is the name of the ratings where the file doesn't say.
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

// ReadRatings reads the errors that raters marked, in the order of the file. Ratings of a
// system stand together, one for each segment, and may come again by other raters. Those of
// several files are those of each, one after the other.
func (p *Pair) ReadRatings(ctx context.Context, name string) ([]Rating, error) {
	if !slices.Contains(p.Ratings, name) {
		return nil, fmt.Errorf("mtme: %s %s: no ratings %q: there is %q", p.Set, p.LanguagePair, name, p.Ratings)
	}
	path := filepath.Join(p.dir, "human-scores", fmt.Sprintf("%s.%s.seg.rating", p.LanguagePair, name))
	r := &ratingReader{p: p, name: name, rated: map[ratingKey]bool{}}
	if err := eachLine(ctx, path, r.add, r.end); err != nil {
		return nil, err
	}
	return r.out, nil
}

// A ratingReader puts lines of a file of ratings to segments.
type ratingReader struct {
	p     *Pair
	name  string
	out   []Rating
	rated map[ratingKey]bool
}

// A ratingKey is what a rater can rate once.
type ratingKey struct {
	system  string
	segment int
	rater   string
}

func (r Rating) key() ratingKey { return ratingKey{r.System, r.Segment, r.Rater} }

func (r *ratingReader) add(line string, _ int) error {
	rating, err := parseRating(line)
	if err != nil {
		return err
	}
	if rating.Rater == "" {
		rating.Rater = r.name
	}
	if r.p.Outputs[rating.System] == nil {
		return fmt.Errorf("unknown system %q: it has no output in system-outputs", rating.System)
	}
	if n := len(r.out); n > 0 && r.out[n-1].Segment+1 < len(r.p.Sources) {
		last := r.out[n-1]
		if rating.System != last.System {
			return fmt.Errorf("system %s begins: system %s has ratings of %d of %d segments", rating.System, last.System, last.Segment+1, len(r.p.Sources))
		}
		rating.Segment = last.Segment + 1
	}
	if rating.Rated {
		if r.rated[rating.key()] {
			return fmt.Errorf("segment %d of system %s is rated again by %s: a rater rates an output once, and the third column names other raters",
				rating.Segment+1, rating.System, rating.Rater)
		}
		r.rated[rating.key()] = true
	}
	r.out = append(r.out, rating)
	return r.p.within(rating)
}

func (r *ratingReader) end(int) error {
	n := len(r.out)
	if n == 0 {
		return errors.New("no ratings: the file is empty")
	}
	if last := r.out[n-1]; last.Segment+1 < len(r.p.Sources) {
		return fmt.Errorf("the file ends: system %s has ratings of %d of %d segments", last.System, last.Segment+1, len(r.p.Sources))
	}
	return nil
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
	if err := jsonline.CheckKeys(string(f[1]), &rating); err != nil {
		return Rating{}, fmt.Errorf("the rating: %w", err)
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
