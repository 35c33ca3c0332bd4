package browsertest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// ranking is what JSON has of rank.
type ranking struct {
	Systems []struct {
		System      string             `json:"system"`
		Human       float64            `json:"human"`
		Group       int                `json:"group"`
		Best        float64            `json:"best"`
		Scores      map[string]float64 `json:"scores"`
		Ranks       map[string]int     `json:"ranks"`
		Differences map[string]int     `json:"rank_differences"`
	} `json:"systems"`
}

// rows are the cells of the ranking that are shown.
func (b *browser) rows() [][]string {
	b.t.Helper()
	return get[[][]string](b, `Array.from(document.querySelector("#part1 table").tBodies[0].rows).filter(r => !r.hidden).map(r => Array.from(r.cells, c => c.textContent))`)
}

func TestTable(t *testing.T) {
	b := start(t)
	p := of(t, "rank")
	b.open(p.path, "")
	var r ranking
	if err := json.Unmarshal(p.json, &r); err != nil {
		t.Fatal(err)
	}
	header := b.texts("#part1 thead tr:first-child th")
	all := b.rows()

	t.Run("cells", func(t *testing.T) {
		percent := func(x float64) string {
			switch {
			case x < .005:
				return "<1%"
			case x > .995:
				return ">99%"
			}
			return fmt.Sprintf("%.0f%%", 100*x)
		}
		difference := func(d int) string {
			if d == 0 {
				return "="
			}
			return fmt.Sprintf("%+d", d)
		}
		for i, s := range r.Systems {
			want := map[string]string{"system": s.System, "human": strconv.FormatFloat(s.Human, 'f', -1, 64), "group": strconv.Itoa(s.Group), "best": percent(s.Best)}
			for name, score := range s.Scores {
				want[name] = fmt.Sprintf("%.4f", score)
				if name == "bleu" {
					want[name] = fmt.Sprintf("%.2f", score)
				}
			}
			for column, name := range header {
				if w, ok := want[name]; ok && all[i][column] != w {
					t.Errorf("row %d: %s is %q, want %q", i+1, name, all[i][column], w)
				}
				delete(want, name)
				if rank, ok := s.Ranks[name]; ok { // its rank and difference stand beside it
					if got := all[i][column+1]; got != strconv.Itoa(rank) {
						t.Errorf("row %d: rank %s by %s, want %d", i+1, got, name, rank)
					}
					if got := all[i][column+2]; got != difference(s.Differences[name]) {
						t.Errorf("row %d: difference %s by %s, want %d", i+1, got, name, s.Differences[name])
					}
				}
			}
			if len(want) > 0 {
				t.Errorf("no columns of %v", want)
			}
		}
	})

	t.Run("sort", func(t *testing.T) {
		for column, name := range header {
			for click, way := range []string{"down", "up", ""} {
				b := b.in(t)
				if column == 0 && click < 2 { // a text begins with A
					way = []string{"up", "down"}[click]
				}
				b.click(fmt.Sprintf("#part1 thead th:nth-child(%d) button", column+1))
				want := slices.Clone(all)
				if way != "" {
					slices.SortStableFunc(want, func(x, y []string) int { return byCell(x[column], y[column], way == "down") })
				}
				if got := b.rows(); !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s (column %d), click %d: %q, want %q", name, column+1, click+1, got, want)
				}
				sorted := get[[]string](b, `Array.from(document.querySelectorAll("#part1 thead th"), h => h.getAttribute("aria-sort") || "")`)
				for i, s := range sorted {
					if w := map[string]string{"down": "descending", "up": "ascending"}[way]; i == column && s != w || i != column && s != "" {
						t.Errorf("%s, click %d: aria-sort of column %d is %q", name, click+1, i+1, s)
					}
				}
			}
		}
		// The status says it, and a sorted header is reached and turned with the keyboard.
		b := b.in(t)
		b.run(chromedp.Focus("#part1 thead th:first-child button"))
		b.press(kb.Enter, kb.Enter)
		if got := b.text("#part1 [role=status]"); got != "sorted by system, Z to A" {
			t.Errorf("the status is %q", got)
		}
		if got := b.rows(); got[0][0] != "elder" {
			t.Errorf("the first is %q", got[0][0])
		}
		b.press(" ")
		if got := b.rows(); !slices.EqualFunc(got, all, slices.Equal) {
			t.Errorf("in the original order: %q", got)
		}
	})

	t.Run("filter", func(t *testing.T) {
		b := b.in(t)
		b.click("#part1 button.filter")
		names := func() string {
			var out []string
			for _, r := range b.rows() {
				out = append(out, r[0])
			}
			return strings.Join(out, " ")
		}
		field := func(name string) string {
			return fmt.Sprintf("#part1 .filters td:nth-child(%d) input", slices.Index(header, name)+1)
		}
		set := func(name, value string) {
			b.run(chromedp.Focus(field(name)))
			b.press(kb.Escape) // clears it
			b.run(chromedp.SendKeys(field(name), value))
		}
		// By the sample's numbers: bleu 48.76, 60.08, 37.36, 34.22 and 20.42.
		for _, tt := range []struct{ column, value, want string }{
			{"system", "E", "aspen cedar elder"},
			{"system", "", "aspen birch cedar dogwood elder"},
			{"bleu", ">37.36", "aspen birch"},
			{"bleu", ">=37.36", "aspen birch cedar"},
			{"bleu", "30..40", "cedar dogwood"},
			{"bleu", "<= 20.42", "elder"},
			{"bleu", "", "aspen birch cedar dogwood elder"},
			{"human", "<0", "dogwood elder"},
			{"human", "\u22120.633", "elder"},
			{"human", "", "aspen birch cedar dogwood elder"},
			{"best", ">50%", "birch"},
			{"best", "", "aspen birch cedar dogwood elder"},
		} {
			if set(tt.column, tt.value); names() != tt.want {
				t.Errorf("%s %s: %s, want %s", tt.column, tt.value, names(), tt.want)
			}
		}
		set("system", "r") // birch, cedar, elder
		set("bleu", ">30")
		b.click(fmt.Sprintf("#part1 thead th:nth-child(%d) button", slices.Index(header, "bleu")+1))
		if got := names(); got != "birch cedar" {
			t.Errorf("two filters and an order: %s", got)
		}
		if got := b.text("#part1 [role=status]"); got != "2 of 5 rows, sorted by bleu, largest first" {
			t.Errorf("the status is %q", got)
		}
		b.click("#part1 button.filter")
		if got := names(); got != "birch aspen cedar dogwood elder" {
			t.Errorf("without filters: %s", got)
		}
	})
}

// byCell compares cells as a reader would: "<1%" is below 1, ">99%" above 99, "=" is 0, and "–" is
// nothing, which comes last.
func byCell(x, y string, down bool) int {
	value := func(s string) (float64, bool) {
		s = strings.NewReplacer("\u2212", "-", "%", "", "*", "", "+", "").Replace(s)
		switch {
		case s == "=":
			return 0, true
		case strings.HasPrefix(s, "<"):
			v, err := strconv.ParseFloat(s[1:], 64)
			return math.Nextafter(v, math.Inf(-1)), err == nil
		case strings.HasPrefix(s, ">"):
			v, err := strconv.ParseFloat(s[1:], 64)
			return math.Nextafter(v, math.Inf(1)), err == nil
		}
		v, err := strconv.ParseFloat(s, 64)
		return v, err == nil
	}
	a, isA := value(x)
	b, isB := value(y)
	switch {
	case isA && isB:
		if down {
			a, b = b, a
		}
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	case isA:
		return -1
	case isB:
		return 1
	case x == "–" || y == "–":
		return strings.Count(x, "–") - strings.Count(y, "–")
	case down:
		return strings.Compare(y, x)
	}
	return strings.Compare(x, y)
}
