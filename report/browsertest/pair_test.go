package browsertest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// beside sets two systems side by side.
func (b *browser) beside(left, right int) {
	b.t.Helper()
	b.choose("seg-a", fmt.Sprint(left))
	b.choose("seg-b", fmt.Sprint(right))
	b.wait(`document.querySelector("#seg-cards .filled .pair")`)
}

// seen checks that a segment stands at the window's top, and nothing over it.
func (b *browser) seen(segment int) {
	b.t.Helper()
	if got := get[string](b, fmt.Sprintf(`(() => {
		const card = document.getElementById("s%d"), r = card.querySelector("h3").getBoundingClientRect();
		const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 1; // no room to scroll
		if (r.top < 0 || r.top > innerHeight / 4 && !end) { return "is at " + r.top; }
		const over = document.elementFromPoint(r.left + 5, (r.top + r.bottom) / 2);
		return card.contains(over) ? "" : "is behind " + over.outerHTML.slice(0, 80);
	})()`, segment)); got != "" {
		b.t.Errorf("segment %d %s", segment, got)
	}
}

// choose chooses a value of a select.
func (b *browser) choose(id, value string) {
	b.t.Helper()
	get[bool](b, fmt.Sprintf(`(() => { const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`, id, value))
}

func TestSideBySide(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	b.open(of(t, "rank").path, "")
	left, right := slices.Index(x.systems, "aspen"), slices.Index(x.systems, "birch")
	b.beside(left, right)
	all, n := x.all(), len(x.references)
	differ := where(all, func(s int) bool { return x.outputs[left][s-1] != x.outputs[right][s-1] })
	if len(differ) == n || len(differ) < 5 {
		t.Fatalf("they differ on %d of %d segments", len(differ), n)
	}
	b.cards("side by side", all, n)

	t.Run("cards", func(t *testing.T) {
		b := b.in(t)
		for _, s := range all {
			get[bool](b, fmt.Sprintf(`(document.getElementById("s%d").scrollIntoView(), true)`, s))
			b.wait(fmt.Sprintf(`document.querySelector("#s%d.filled")`, s))
			x.checkPair(b, s, left, right)
		}
		get[bool](b, `(scrollTo(0, 0), true)`)
	})

	t.Run("j and k", func(t *testing.T) {
		b := b.in(t)
		current := func() int {
			return get[int](b, `Number((document.querySelector(".card.current") || {id: "s0"}).id.slice(1))`)
		}
		get[bool](b, `(document.activeElement.blur(), true)`)
		for i, want := range differ[:4] {
			b.press("j")
			b.wait(fmt.Sprintf(`document.querySelector("#s%d.current")`, want))
			if got := get[string](b, `location.hash`); got != fmt.Sprintf("#s%d", want) {
				t.Errorf("j, %d times: the address is %s", i+1, got)
			}
			b.seen(want)
		}
		b.press("k")
		b.wait(fmt.Sprintf(`document.querySelector("#s%d.current")`, differ[2]))
		b.click("#seg-previous")
		b.wait(fmt.Sprintf(`document.querySelector("#s%d.current")`, differ[1]))
		b.click("#seg-next")
		b.wait(fmt.Sprintf(`document.querySelector("#s%d.current")`, differ[2]))

		// In a field a j is a letter, and keys can be let alone.
		b.write("seg-find", "j")
		b.cards("a text with j", where(all, func(s int) bool { return x.found(s, "j") }), n)
		b.write("seg-find", "")
		b.cards("no text", all, n)
		before := current()
		b.click("#seg-keys")
		b.press("j")
		if got := current(); got != before {
			t.Errorf("with keys off, j goes from %d to %d", before, got)
		}
		b.click("#seg-keys")
	})

	t.Run("order", func(t *testing.T) {
		b := b.in(t)
		lead := func(s int) float64 {
			o := x.scored[s-1]
			return float64(rounded(o[left].F) - rounded(o[right].F))
		}
		sorted := slices.Clone(all)
		slices.SortStableFunc(sorted, by(lead, -1))
		b.choose("seg-sort", "d0")
		b.cards("lead", sorted, n)
		b.click("#seg-direction")
		sorted = slices.Clone(all)
		slices.SortStableFunc(sorted, by(lead, 1))
		b.cards("lead, turned", sorted, n)
	})

	t.Run("leave", func(t *testing.T) {
		b := b.in(t)
		b.run(chromedp.Focus("#seg-next"))
		b.press(kb.Escape)
		b.wait(`!document.querySelector("#seg-cards .pair") && document.querySelector("#seg-cards .filled table.outputs")`)
		if got := get[string](b, `document.getElementById("seg-a").value + document.getElementById("seg-b").value`); got != "" {
			t.Errorf("the fields still have %q", got)
		}
		if strings.HasPrefix(get[string](b, `document.getElementById("seg-sort").value`), "d") {
			t.Error("segments are still sorted by a lead")
		}
	})
}

// checkPair checks a card with two systems side by side.
func (x *texts) checkPair(b *browser, segment, left, right int) {
	b.t.Helper()
	card := fmt.Sprintf("#s%d ", segment)
	var rest [2][]string
	for k, i := range []int{left, right} {
		side := fmt.Sprintf("%s.side[data-system='%d'] ", card, i)
		text := x.outputs[i][segment-1]
		if got := b.text(side + ".who"); got != x.systems[i] {
			b.t.Errorf("segment %d: side %d is of %s", segment, k+1, got)
		}
		if got := get[string](b, fmt.Sprintf(`document.querySelector(%q).textContent`, side+".text")); got != text {
			b.t.Errorf("segment %d: %s has %q, want %q", segment, x.systems[i], got, text)
		}
		// What is not marked.
		rest[k] = pieces(get[string](b, fmt.Sprintf(`(() => { const t = document.querySelector(%q).cloneNode(true); t.querySelectorAll("mark.differs").forEach(m => m.replaceWith(" ")); return t.textContent; })()`, side+".text")))
		own, other := x.scored[segment-1][i], x.scored[segment-1][left+right-i]
		for column, score := range []func(output) float64{func(o output) float64 { return o.F }, func(o output) float64 { return o.Base }} {
			e := fmt.Sprintf("%s.score[data-score='%d']", side, column)
			if got, want := b.text(e+" b"), fmt.Sprintf("%.4f", score(own)); got != want {
				b.t.Errorf("segment %d: %s has %s, want %s", segment, x.systems[i], got, want)
			}
			preferred := get[bool](b, fmt.Sprintf(`document.querySelector(%q).matches(".preferred")`, e))
			if want := rounded(score(own)) > rounded(score(other)); preferred != want || want != strings.HasSuffix(b.text(e), "preferred") {
				b.t.Errorf("segment %d: %s is preferred: %v, want %v", segment, x.systems[i], preferred, want)
			}
		}
	}
	// The words that aren't marked are those of both sides, and as many as there can be.
	a, c := pieces(x.outputs[left][segment-1]), pieces(x.outputs[right][segment-1])
	if !slices.Equal(rest[0], rest[1]) || len(rest[0]) != longestCommon(a, c) {
		b.t.Errorf("segment %d: %q and %q are not marked, the longest that both have is of %d", segment, rest[0], rest[1], longestCommon(a, c))
	}
	if same := get[bool](b, fmt.Sprintf(`document.querySelector(%q) !== null`, card+".pair.same")); same != (x.outputs[left][segment-1] == x.outputs[right][segment-1]) {
		b.t.Errorf("segment %d: the same: %v", segment, same)
	}
}

// rounded is a score as the page shows it.
func rounded(x float64) int { return int(x*1e4 + .5) }

var piece = regexp.MustCompile(`[\p{L}\p{N}\p{M}]+(?:['’\-][\p{L}\p{N}\p{M}]+)*|\S`)

// pieces are words and signs, each its own.
func pieces(text string) []string { return piece.FindAllString(text, -1) }

// longestCommon is the length of the longest list that both have in this order.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
