package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// colour is one of sRGB, each part from 0 to 1.
type colour [3]float64

// luminance is the relative luminance of WCAG 2.
func (c colour) luminance() float64 {
	sum := 0.0
	for i, part := range []float64{.2126, .7152, .0722} {
		v := c[i]
		if v <= .04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+.055)/1.055, 2.4)
		}
		sum += part * v
	}
	return sum
}

// contrast is the contrast ratio of WCAG 2.
func contrast(a, b colour) float64 {
	x, y := a.luminance()+.05, b.luminance()+.05
	return max(x, y) / min(x, y)
}

// over is the colour of c with an opacity over another.
func (c colour) over(below colour, opacity float64) colour {
	for i := range c {
		c[i] = opacity*c[i] + (1-opacity)*below[i]
	}
	return c
}

var (
	variable = regexp.MustCompile(`--(\w+): (?:#([0-9a-f]{3,6})|(\d+) (\d+) (\d+));`)
	opacity  = regexp.MustCompile(`rgb\(var\(--(\w+)\) / (\d+)%\)`)
)

// palettes are the colours of the styles in the light, in the dark and on paper.
func palettes(t *testing.T) map[string]map[string]colour {
	t.Helper()
	light, rest, _ := strings.Cut(styleCSS, "@media (prefers-color-scheme: dark)")
	dark, printed, _ := strings.Cut(rest, "@media print")
	out := make(map[string]map[string]colour)
	var before map[string]colour
	for _, p := range []struct{ name, css string }{{"light", light}, {"dark", dark}, {"print", printed}} {
		colours := make(map[string]colour)
		for name, c := range before {
			colours[name] = c
		}
		if before == nil {
			before = colours
		}
		for _, m := range variable.FindAllStringSubmatch(p.css, -1) {
			hex := m[2]
			if len(hex) == 3 {
				hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
			}
			var c colour
			for i := range c {
				v, err := strconv.ParseUint(m[3+i]+"0", 10, 64)
				v /= 10
				if hex != "" {
					v, err = strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
				}
				if err != nil {
					t.Fatal(err)
				}
				c[i] = float64(v) / 255
			}
			colours[m[1]] = c
		}
		out[p.name] = colours
	}
	return out
}

// The contrast of black and white, of the grey that WCAG's authors name as just enough on white,
// and of a colour with itself.
func TestContrastRatio(t *testing.T) {
	white, grey := colour{1, 1, 1}, float64(0x76)/255
	for _, tt := range []struct {
		a, b colour
		want float64
	}{{colour{}, white, 21}, {colour{grey, grey, grey}, white, 4.54}, {white, white, 1}} {
		if got := contrast(tt.a, tt.b); math.Abs(got-tt.want) > .005 {
			t.Errorf("%v on %v: %.3f, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// Text has WCAG's AA on all that it stands on, and what is drawn has 3:1.
func TestContrast(t *testing.T) {
	for name, c := range palettes(t) {
		if len(c) < 15 {
			t.Fatalf("%s: %d colours", name, len(c))
		}
		for _, text := range []string{"ink", "soft", "accent", "warm", "c1", "c2", "c3", "c4", "c5", "c6"} {
			for _, ground := range []string{"paper", "panel"} {
				if got := contrast(c[text], c[ground]); got < 4.5 {
					t.Errorf("%s: --%s has %.2f:1 on --%s", name, text, got, ground)
				}
			}
		}
		if got := contrast(c["ink"], c["bar"]); got < 4.5 {
			t.Errorf("%s: text has %.2f:1 on a bar", name, got)
		}
		shades := opacity.FindAllStringSubmatch(matrixCSS, -1)
		if len(shades) != 10 {
			t.Fatalf("%d shades", len(shades))
		}
		for _, m := range shades {
			part, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			if got := contrast(c["ink"], c[m[1]].over(c["paper"], float64(part)/100)); got < 4.5 {
				t.Errorf("%s: text has %.2f:1 on %s", name, got, m[0])
			}
		}
	}
}

// Colours have one place, and styles are XML.
func TestStyles(t *testing.T) {
	for name, css := range map[string]string{"table.css": tableCSS, "matrix.css": matrixCSS, "plots.css": plotsCSS, "segments.css": segmentsCSS} {
		if m := regexp.MustCompile(`#[0-9a-f]{3,8}\b|rgb\(\d|Canvas`).FindString(css); m != "" {
			t.Errorf("%s has the colour %s", name, m)
		}
	}
	for name, text := range map[string]string{"style.css": styleCSS, "table.css": tableCSS, "matrix.css": matrixCSS, "plots.css": plotsCSS, "segments.css": segmentsCSS, "start.js": startJS, "table.js": tableJS, "made.js": madeJS, "segments.js": segmentsJS} {
		for _, s := range []string{"]]>", "</style", "</script", "<!--"} {
			if strings.Contains(text, s) {
				t.Errorf("%s has %q", name, s)
			}
		}
	}
}
