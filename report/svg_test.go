package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// confident is a plot as calibrate draws it.
func confident() *Lines {
	return &Lines{
		Title: "Right & confident", X: "confidence", Y: "share right",
		From: XY{.5, .5}, To: XY{1, 1},
		Lines: []Line{
			{Name: "calibrated", Points: []XY{{.5, .5}, {1, 1}}, Guide: true},
			{Name: nasty, Points: []XY{{.55, .6}, {.75, .7}, {.95, 1}}},
			{Name: "two", Points: []XY{{.75, .75}}},
			{Name: "none"},
			{Name: "all", Points: []XY{{.55, .58}, {.75, .72}, {.95, .96}}, Main: true},
		},
	}
}

func TestWriteSVG(t *testing.T) {
	var b bytes.Buffer
	if err := confident().WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "lines.svg")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if strings.Contains(b.String(), nasty) {
		t.Error("a name is not escaped")
	}
	root, err := parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	// The marks and the guide, by hand: the axes are from 31.5 (behind "0.5" and 10 pixels more) to
	// 720 − 28 − "calibrated" (70), and from 405 up to 25. The name of the first is too long, and below.
	const left, right, bottom, top = 31.5, 720 - 28 - 70, 405, 25
	at := func(x, y float64) string {
		return joined(place{left + (x-.5)/.5*(right-left), bottom - (y-.5)/.5*(bottom-top)})
	}
	marks := func(shape int, points ...XY) string {
		out := ""
		for _, p := range points {
			out += at(p.X, p.Y) + shapes[shape]
		}
		return out
	}
	var got []path
	for _, p := range root.all("path") {
		if class := p.attr["class"]; strings.HasPrefix(class, "mark") || class == "line guide" {
			got = append(got, path{class, p.attr["d"]})
		}
	}
	wantMarks := []path{
		{"line guide", joined(place{left, bottom}, place{right, top})},
		{"mark c1", marks(0, XY{.55, .6}, XY{.75, .7}, XY{.95, 1})},
		{"mark c1", joined(place{14, 405 + 24 + 15 + 4 + 8}) + shapes[0]},
		{"mark c2", marks(1, XY{.75, .75})},
		{"mark main", marks(0, XY{.55, .58}, XY{.75, .72}, XY{.95, .96})},
	}
	if d := cmp.Diff(wantMarks, got); d != "" {
		t.Errorf("marks (-want +got):\n%s", d)
	}
}

func TestWriteSVGErrors(t *testing.T) {
	for _, tt := range []struct {
		lines Lines
		want  string
	}{
		{Lines{Title: "empty"}, `report: "empty": nothing to draw`},
		{Lines{Lines: []Line{{Name: "n"}}, To: XY{1, 1}}, "nothing to draw"},
		{Lines{Lines: []Line{{Name: "n", Points: []XY{{1, math.NaN()}}}}}, "a number of n is NaN"},
		{Lines{Lines: []Line{{Name: "n", Points: []XY{{1, 1}}}}, To: XY{math.Inf(1), 1}}, "an end of the axes is +Inf"},
		{Lines{Lines: []Line{{Name: "n", Points: []XY{{1, 1}}}}, From: XY{1, 0}, To: XY{1, 1}}, "an axis without length"},
	} {
		var b bytes.Buffer
		if err := tt.lines.WriteSVG(&b); err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("%v, want %s: %s", err, tt.want, b.String())
		}
	}
}

// A point beyond From and To makes the axis longer.
func TestLinesBeyond(t *testing.T) {
	l := Lines{From: XY{0, 0}, To: XY{1, 1}, Lines: []Line{{Name: "n", Points: []XY{{-1, 0}, {1, 3}}}}}
	x, y, err := l.scales()
	if err != nil {
		t.Fatal(err)
	}
	x.to, y.from = 100, 300
	for _, tt := range []struct{ got, want float64 }{{x.at(-1), 0}, {x.at(0), 50}, {x.at(1), 100}, {y.at(0), 300}, {y.at(1), 200}, {y.at(3), 0}} {
		if tt.got != tt.want {
			t.Errorf("at %v, want %v", tt.got, tt.want)
		}
	}
}
