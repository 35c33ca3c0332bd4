package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
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

// A markedElement is one that is drawn.
type markedElement struct {
	Name, Class, X, Y string
}

// elements are those of an image that have a place.
func elements(t *testing.T, svg []byte) []markedElement {
	t.Helper()
	var out []markedElement
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		e := markedElement{Name: start.Name.Local}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "class":
				e.Class = a.Value
			case "x1", "cx":
				e.X = a.Value
			case "y1", "cy":
				e.Y = a.Value
			}
		}
		if e.X != "" {
			out = append(out, e)
		}
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
	// The first mark of each line, and the guide, by hand: the plot is from 70 to 640 − 30 −
	// the longest name (at most 200 wide), and from 376 up to 8.
	right := 640 - 30 - min(max(textWidth(nasty), textWidth("calibrated")), 200)
	var marks []markedElement
	var guides int
	for _, e := range elements(t, b.Bytes()) {
		if e.Name == "circle" {
			marks = append(marks, e)
		}
		if e == (markedElement{"line", "leader", "70", "376"}) {
			guides++
		}
	}
	at := func(class string, x, y float64) markedElement {
		return markedElement{"circle", class, px(70 + (x-.5)/.5*(right-70)), px(376 - (y-.5)/.5*368)}
	}
	wantMarks := []markedElement{
		at("hue0", .55, .6), at("hue0", .75, .7), at("hue0", .95, 1), at("hue1", .75, .75),
		at("", .55, .58), at("", .75, .72), at("", .95, .96),
	}
	if d := cmp.Diff(wantMarks, marks); d != "" {
		t.Errorf("marks (-want +got):\n%s", d)
	}
	if guides != 1 {
		t.Errorf("%d guides", guides)
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
	x, y, err := l.scales(0, 100, 0, 300)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want float64 }{{x.at(-1), 0}, {x.at(0), 50}, {x.at(1), 100}, {y.at(0), 300}, {y.at(1), 200}, {y.at(3), 0}} {
		if tt.got != tt.want {
			t.Errorf("at %v, want %v", tt.got, tt.want)
		}
	}
}
