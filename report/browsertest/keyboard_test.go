package browsertest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Everything is reached with Tab, in the order in which it stands, and shows that it is.
func TestKeyboard(t *testing.T) {
	each(t, func(t *testing.T, p *page) {
		b := start(t)
		b.open(p.path, "")
		if get[bool](b, `document.getElementById("seg-find") !== null`) {
			b.write("seg-find", "Holmqvist") // few cards, so that the way is short
			b.wait(`document.querySelectorAll("#seg-cards .card").length < 4 && !document.querySelector("#seg-cards .card:not(.filled)")`)
		}
		// The stops that there should be: what can be used, and each text's tokens as one.
		want := get[int](b, `(() => {
			window.stops = Array.from(document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")).filter(e => e.checkVisibility() && e.getClientRects().length > 0 && e.tabIndex >= 0 && !e.disabled);
			window.passed = [];
			const h = document.querySelector("h1"); // Tab goes on from here
			h.tabIndex = -1;
			h.focus();
			return window.stops.length;
		})()`)
		for range want + 5 {
			b.tab(false)
			if !get[bool](b, `(() => {
				const e = document.activeElement;
				if (e === document.body || window.passed.includes(e)) { return false; }
				window.passed.push(e);
				return true;
			})()`) {
				break
			}
			if got := get[string](b, `(() => {
				const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
				const ring = (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1) ? "" : "no ring";
				const seen = r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth ? "" : " out of the window";
				return ring + seen === "" ? "" : ring + seen + ": " + e.outerHTML.slice(0, 120);
			})()`); got != "" {
				t.Error(got)
			}
		}
		missed := get[[]string](b, `window.stops.filter(e => !window.passed.includes(e)).map(e => e.outerHTML.slice(0, 120))`)
		if len(missed) > 0 {
			t.Errorf("Tab does not reach %q", missed)
		}
		if !get[bool](b, `window.passed.every((e, i) => i === 0 || window.passed[i - 1].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)`) {
			t.Error("Tab does not follow the page's order")
		}
		if passed := get[int](b, `window.passed.length`); passed < want {
			t.Errorf("%d stops of %d", passed, want)
		}
	})
}

// A reader without a mouse sorts and filters a table, finds a segment, and sets two systems side
// by side.
func TestByKeys(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	b.open(of(t, "rank").path, "")
	// to goes on with Tab until it stands on what is looked for.
	to := func(selector string) {
		t.Helper()
		for range 200 {
			if b.tab(false); get[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
				return
			}
		}
		t.Fatalf("Tab does not come to %s", selector)
	}
	to("#part1 button.filter")
	b.press(kb.Enter)
	b.press("e", "d") // the first field has the focus
	if got := b.rows(); len(got) != 1 || got[0][0] != "cedar" {
		t.Errorf("filtered by ed: %q", got)
	}
	b.press(kb.Escape)
	if got := b.rows(); len(got) != len(x.systems) {
		t.Errorf("after Escape: %q", got)
	}

	to("#seg-find")
	b.run(chromedp.KeyEvent("Käfer"))
	b.press(kb.Enter)
	all, n := x.all(), len(x.references)
	b.cards("Käfer", where(all, func(s int) bool { return x.found(s, "Käfer") }), n)
	for range len("Käfer") {
		b.press(kb.Backspace)
	}
	b.cards("nothing", all, n)
	to("#seg-sort")
	b.press(kb.ArrowDown)
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, by(x.hard, -1))
	b.cards("by difficulty", sorted, n)
	to("#seg-a")
	b.press(kb.ArrowDown) // the first system
	to("#seg-b")
	b.press(kb.ArrowDown, kb.ArrowDown) // the second
	b.wait(`document.querySelector("#seg-cards .filled .pair")`)
	if got := b.texts("#seg-cards .card:first-child .side .who"); !slices.Equal(got, x.systems[:2]) {
		t.Errorf("%q are side by side", got)
	}
	to("#seg-next")
	b.press(kb.Enter)
	first := slices.IndexFunc(sorted, func(s int) bool { return x.outputs[0][s-1] != x.outputs[1][s-1] })
	b.wait(fmt.Sprintf(`document.querySelector("#s%d.current")`, sorted[first]))
	if got := get[string](b, `document.activeElement.id`); got != fmt.Sprintf("s%d", sorted[first]) {
		t.Errorf("the focus is on %s", got)
	}
	b.press(kb.Escape)
	b.wait(`!document.querySelector("#seg-cards .pair")`)
}
