package browsertest

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Pages follow the reader's colours: dark on light, or light on dark.
func TestDark(t *testing.T) {
	each(t, func(t *testing.T, p *page) {
		b := start(t)
		b.open(p.path, "")
		for _, scheme := range []string{"light", "dark"} {
			b.media(scheme, "screen")
			ink := luminance(t, get[string](b, `getComputedStyle(document.querySelector("#answer .sentence")).color`))
			paper := luminance(t, get[string](b, `getComputedStyle(document.body).backgroundColor`))
			if dark := paper < ink; dark != (scheme == "dark") {
				t.Errorf("%s: the luminance of text is %.2f, that of its ground %.2f", scheme, ink, paper)
			}
			if contrast := (max(ink, paper) + .05) / (min(ink, paper) + .05); contrast < 7 {
				t.Errorf("%s: the contrast of the answer is %.1f", scheme, contrast)
			}
			// Fields and scroll bars are the browser's.
			if got := get[string](b, `getComputedStyle(document.documentElement).colorScheme`); got != "light dark" {
				t.Errorf("%s: the browser's own colours are %q", scheme, got)
			}
		}
	})
}

// luminance is that of a colour "rgb(0, 90, 156)" by WCAG.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n := regexp.MustCompile(`[0-9.]+`).FindAllString(colour, -1)
	if len(n) != 3 {
		t.Fatalf("a colour %q", colour)
	}
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		v, err := strconv.ParseFloat(n[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		if v /= 255; v <= .04045 {
			sum += weight * v / 12.92
		} else {
			sum += weight * math.Pow((v+.055)/1.055, 2.4)
		}
	}
	return sum
}

// A page does not scroll sideways, whatever the window.
func TestWidth(t *testing.T) {
	each(t, func(t *testing.T, p *page) {
		b := start(t)
		for _, width := range []int64{320, 390, 768, 1280, 1400} {
			b.window(width, 900)
			b.open(p.path, "")
			check := func(what string) {
				t.Helper()
				if wide := get[int64](b, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("%d pixels, %s: the page is %d wide: %s", width, what, wide, get[string](b, `Array.from(document.querySelectorAll("main *")).filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll")).map(e => e.tagName + "." + (e.getAttribute("class") || "") + "#" + e.id).slice(0, 5).join(" ")`))
				}
			}
			check("as it opens")
			b.openAll()
			check("with everything open")
			if get[bool](b, `document.getElementById("seg-a") !== null`) {
				b.beside(0, 1)
				check("side by side")
			}
		}
	})
}

// At 1,280 pixels the table of 22 systems and three metrics needs no scroll bar.
func TestWideTable(t *testing.T) {
	p := largePage(t)
	b := start(t)
	b.window(1280, 900)
	b.open(p.path, "")
	if rows := len(b.rows()); rows != largeSystems {
		t.Errorf("%d rows", rows)
	}
	for _, what := range []string{"as it is", "sorted", "with filters"} {
		switch what {
		case "sorted":
			b.click("#part1 thead th:nth-child(3) button")
		case "with filters":
			b.click("#part1 button.filter")
		}
		widths := get[[]int](b, `(() => { const s = document.querySelector("#part1 .scroll"); return [s.scrollWidth, s.clientWidth]; })()`)
		if widths[0] > widths[1] {
			t.Errorf("%s: the table is %d wide in a place of %d", what, widths[0], widths[1])
		}
	}
	// Its header and its first column stay in view where it scrolls.
	b.window(500, 400)
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#part1 .scroll").scrollTo(200, 200)`))
	if got := get[bool](b, `(() => {
		const s = document.querySelector("#part1 .scroll"), box = s.getBoundingClientRect();
		const head = s.querySelector("thead th:nth-child(4)").getBoundingClientRect(), first = s.querySelector("tbody tr:nth-child(12) > :first-child").getBoundingClientRect();
		return s.scrollLeft > 0 && s.scrollTop > 0 && Math.abs(head.top - box.top) < 2 && Math.abs(first.left - box.left) < 2;
	})()`); !got {
		t.Error("the header or the first column does not stay in view")
	}
}

// On paper there are no controls, and everything is open.
func TestPrint(t *testing.T) {
	each(t, func(t *testing.T, p *page) {
		b := start(t)
		b.open(p.path, "")
		folded := get[int](b, `document.querySelectorAll("details:not([open])").length`)

		// What print does: it announces itself, and takes the styles of paper.
		b.run(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("beforeprint"))`))
		b.media("dark", "print")
		const shown = `Array.from(document.querySelectorAll(%q)).filter(e => e.checkVisibility() && e.getClientRects().length > 0).map(e => e.outerHTML.slice(0, 80))`
		if got := get[[]string](b, fmt.Sprintf(shown, "button:not(th button), input, select, textarea, nav")); len(got) > 0 {
			t.Errorf("controls are printed: %q", got)
		}
		if got := get[int](b, `Array.from(document.querySelectorAll("details")).filter(d => d.checkVisibility() && !d.open).length`); got > 0 {
			t.Errorf("%d details are closed", got)
		}
		if got := get[[]int](b, `[".card", ".card .reference .text"].map(s => Array.from(document.querySelectorAll(s)).filter(c => c.checkVisibility() && c.textContent !== "").length)`); got[0] != got[1] || got[0] != get[int](b, `document.querySelectorAll(".card").length`) {
			t.Errorf("%d segments are printed, %d with a text", got[0], got[1])
		}
		if got := get[int](b, `Array.from(document.querySelectorAll("main table")).filter(t => t.scrollHeight > t.parentElement.clientHeight + 1 && getComputedStyle(t.parentElement).overflowY !== "visible").length`); got > 0 {
			t.Errorf("%d tables are cut", got)
		}
		ink := luminance(t, get[string](b, `getComputedStyle(document.querySelector("#answer .sentence")).color`))
		paper := luminance(t, get[string](b, `getComputedStyle(document.body).backgroundColor`))
		if ink > .05 || paper < .95 {
			t.Errorf("on paper the luminance of text is %.2f, that of its ground %.2f", ink, paper)
		}
		b.media("light", "screen")
		b.run(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("afterprint"))`))
		if got := get[int](b, `document.querySelectorAll("details:not([open])").length`); got != folded {
			t.Errorf("%d details are folded afterwards, %d before", got, folded)
		}

		// And print itself.
		pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
		if err != nil {
			t.Fatal(err)
		}
		sheets := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1))
		if !bytes.HasPrefix(pdf, []byte("%PDF-")) || sheets < 1 {
			t.Errorf("%d sheets of paper", sheets)
		}
		t.Logf("%d sheets of paper", sheets)
	})
}

// Of very many segments the first are printed, and how many that are.
func TestPrintMany(t *testing.T) {
	b := start(t)
	b.open(largePage(t).path, "")
	b.run(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("beforeprint"))`))
	b.media("light", "print")
	if got := get[int](b, `Array.from(document.querySelectorAll(".card")).filter(c => c.checkVisibility() && c.querySelector(".reference")).length`); got != 20 {
		t.Errorf("%d segments are printed", got)
	}
	if got, want := b.text("#seg-paper"), "These are the first 20 of 1,997 segments."; got != want || !get[bool](b, `document.getElementById("seg-paper").checkVisibility()`) {
		t.Errorf("the paper says %q, want %q", got, want)
	}
}

// Without a script all tables and pictures are there, and no control that does nothing.
func TestWithoutScript(t *testing.T) {
	each(t, func(t *testing.T, p *page) {
		b := start(t)
		b.open(p.path, "")
		const tables = `Array.from(document.querySelectorAll("main .scroll table"), t => Array.from(t.rows, r => Array.from(r.cells, c => c.textContent).join("|")).join("\n"))`
		with := get[[]string](b, tables)
		pictures := get[int](b, `document.querySelectorAll("figure svg").length`)
		call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		b.open(p.path, "")
		without := get[[]string](b, tables)
		if strings.Join(with, "\n\n") != strings.Join(without, "\n\n") || len(without) == 0 {
			t.Errorf("%d tables without a script, %d with one, or others", len(without), len(with))
		}
		if got := get[int](b, `document.querySelectorAll("figure svg").length`); got != pictures {
			t.Errorf("%d pictures without a script, %d with one", got, pictures)
		}
		if got := get[[]string](b, `Array.from(document.querySelectorAll("button, input, select")).filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 80))`); len(got) > 0 {
			t.Errorf("controls that do nothing are shown: %q", got)
		}
		if p.name == "rank" || p.name == "score" {
			if got := get[int](b, `Array.from(document.querySelectorAll("article.card.plain")).filter(c => c.checkVisibility()).length`); got != 20 {
				t.Errorf("%d segments stand there plain", got)
			}
		}
		b.window(390, 900)
		if wide := get[int](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("the page is %d wide in a window of 390", wide)
		}
	})
}
