package meta

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/mtme"
)

// readRatings makes people's scores of the errors that they marked.
func (t *judgedPair) readRatings(ctx context.Context, o *app.MetaOptions) error {
	files, err := t.ratingFiles(o.Tree.Ratings)
	if err != nil {
		return err
	}
	for _, name := range files {
		ratings, err := t.pair.ReadRatings(ctx, name)
		if err != nil {
			return err
		}
		t.marks = append(t.marks, ratings...)
	}
	t.kind = app.List(files)
	weight := mtme.FileWeights
	if o.Tree.Weights == "google" {
		weight = mtme.GoogleWeights
		t.kind += ", Google's weights"
	}
	t.systemKind = t.kind
	t.people.segments, err = t.pair.RatingScores(t.marks, weight)
	return err
}

// ratingFiles are the names of those that --ratings names, of which * stands for any letters.
func (t *judgedPair) ratingFiles(given []string) ([]string, error) {
	of := func(p string) []string {
		return slices.DeleteFunc(slices.Clone(t.pair.Ratings), func(name string) bool { return !app.Matches(p, name) })
	}
	patterns, err := app.SplitNames("ratings", given, func(p string) bool { return len(of(p)) > 0 })
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range patterns {
		names := of(p)
		if len(names) == 0 {
			return nil, fmt.Errorf("--ratings %s: %s %s has no such: it has %s", p, t.pair.Set, t.pair.LanguagePair, app.List(t.pair.Ratings))
		}
		out = append(out, names...)
	}
	return app.Unique(out), nil
}

// marksOf says what people marked in the outputs of a system.
type marksOf struct {
	mtme.RatingSummary
	score float64 // mean of its outputs'
}

// markTable counts the errors of the systems that are compared, on the part that is, best
// first.
func (p *people) markTable(systems []string) ([]marksOf, error) {
	if p.tree == nil || p.tree.marks == nil {
		return nil, nil
	}
	t := p.tree
	marks := slices.DeleteFunc(slices.Clone(t.marks), func(r mtme.Rating) bool {
		return !slices.Contains(systems, r.System) || p.part.kind != "" && t.partOf(p.part.kind, r.Segment) != p.part.name
	})
	summaries, err := t.pair.SummarizeRatings(marks)
	if err != nil {
		return nil, err
	}
	scores, err := p.Scores.Select(systems, p.Scores.Items)
	if err != nil {
		return nil, err
	}
	means := scores.SystemMeans()
	var out []marksOf
	for _, s := range summaries {
		out = append(out, marksOf{s, means[slices.Index(systems, s.System)]})
	}
	slices.SortStableFunc(out, func(a, b marksOf) int { return cmp.Compare(b.score, a.score) })
	return out, nil
}

// severities are those of errors that have a column.
var severities = []string{"minor", "major", "critical"}

func (s *metaOutput) marksTables() []app.MetaTable {
	if s.marks == nil {
		return nil
	}
	t := app.MetaTable{Title: "Errors that people marked", Rows: [][]string{append([]string{"system", "score", "outputs", "without error"}, severities...)}}
	for _, m := range s.marks {
		row := []string{m.System, app.Fixed(m.score), strconv.Itoa(m.Rated), percent(int64(m.ErrorFree), int64(m.Rated))}
		for _, severity := range severities {
			row = append(row, strconv.Itoa(m.Errors[severity]))
		}
		t.Rows = append(t.Rows, row)
	}
	return []app.MetaTable{t}
}

// marksJSON is a system's errors in the output of --format json.
type marksJSON struct {
	System    string         `json:"system"`
	Score     float64        `json:"score"`
	Rated     int            `json:"rated"` // outputs
	ErrorFree int            `json:"error_free"`
	Errors    map[string]int `json:"errors"` // by severity
}
