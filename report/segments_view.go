package report

import _ "embed"

// This file stands in for the view of Segments.

//go:embed segments.html
var segmentsHTML string

type segmentsView struct {
	ID, Title string
}

func (s *Segments) view() (*segmentsView, error) {
	return &segmentsView{ID: "segments", Title: clean(s.Title)}, nil
}
