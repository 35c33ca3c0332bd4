package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mteval/mteval/mtme"
)

// readRatings makes people's scores of the errors that they marked.
func (t *judgedPair) readRatings(ctx context.Context, o *metaOptions) error {
	is := func(name string) bool { return slices.Contains(t.pair.Ratings, name) }
	files, err := splitNames("ratings", o.tree.ratings, is)
	if err != nil {
		return err
	}
	files = unique(files)
	for _, name := range files {
		if !is(name) {
			return fmt.Errorf("--ratings %s: %s %s has no such: it has %s", name, t.pair.Set, t.pair.LanguagePair, list(t.pair.Ratings))
		}
		ratings, err := t.pair.ReadRatings(ctx, name)
		if err != nil {
			return err
		}
		t.marks = append(t.marks, ratings...)
	}
	t.kind = list(files)
	t.systemKind = t.kind
	var weight func(mtme.Error) (float64, error)
	if o.tree.weights == "google" {
		weight = mtme.GoogleWeights
		t.kind += ", Google's weights"
	}
	t.people.segments, err = t.pair.RatingScores(t.marks, weight)
	return err
}

// marksOf says what people marked in the outputs of a system.
type marksOf struct {
	system                              string
	score                               float64 // mean of its outputs'
	rated, free, minor, major, critical int     // ratings, those without errors, and errors
}

// markTable counts the errors of the systems that are compared, on the part that is.
func (p *people) markTable(systems []string) []marksOf {
	if p.tree == nil || p.tree.marks == nil {
		return nil
	}
	t := p.tree
	at := make(map[string]int)
	out := make([]marksOf, len(systems))
	means := p.Scores.SystemMeans()
	for i, name := range systems {
		at[name] = i
		out[i] = marksOf{system: name, score: math.NaN()}
		if k := slices.Index(p.Scores.Systems, name); k >= 0 {
			out[i].score = means[k]
		}
	}
	for _, r := range t.marks {
		k, ok := at[r.System]
		if !ok || !r.Rated || p.part.kind != "" && t.partOf(p.part.kind, r.Segment) != p.part.name {
			continue
		}
		m := &out[k]
		m.rated++
		if len(r.Errors) == 0 {
			m.free++
		}
		for _, e := range r.Errors {
			switch e.Severity {
			case "minor":
				m.minor++
			case "major":
				m.major++
			case "critical":
				m.critical++
			}
		}
	}
	slices.SortStableFunc(out, func(a, b marksOf) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return out
}

func (s *metaOutput) marksTables() []metaTable {
	marks := s.people.markTable(s.Systems)
	if marks == nil {
		return nil
	}
	t := metaTable{title: "Errors that people marked", rows: [][]string{{"system", "score", "ratings", "without error", "minor", "major", "critical"}}}
	for _, m := range marks {
		t.rows = append(t.rows, []string{m.system, fixed(m.score), strconv.Itoa(m.rated), percent(int64(m.free), int64(m.rated)),
			strconv.Itoa(m.minor), strconv.Itoa(m.major), strconv.Itoa(m.critical)})
	}
	return []metaTable{t}
}

// marksJSON is a system's errors in the output of --format json.
type marksJSON struct {
	System    string  `json:"system"`
	Score     float64 `json:"score"`
	Ratings   int     `json:"ratings"`
	ErrorFree int     `json:"error_free"`
	Minor     int     `json:"minor"`
	Major     int     `json:"major"`
	Critical  int     `json:"critical"`
}
