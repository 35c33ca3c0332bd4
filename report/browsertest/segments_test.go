package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// An output is a line of --segments.
type output struct {
	Segment    int     `json:"segment"`
	System     string  `json:"system"`
	Base       float64 `json:"base"`
	F          float64 `json:"f"`
	Hypothesis []token `json:"hypothesis_tokens"`
	Reference  []token `json:"reference_tokens"`
}

type token struct {
	Token      string  `json:"token"`
	Difficulty float64 `json:"difficulty"`
	Similarity float64 `json:"similarity"`
	Alone      bool    `json:"alone"`
}

// texts are the sample: its segments are the lines.
type texts struct {
	sources, references []string
	systems             []string   // as the page has them
	outputs             [][]string // of each system
	scored              [][]output // of each segment, by system
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// sampleTexts are those of the page of rank.
func sampleTexts(t *testing.T) *texts {
	t.Helper()
	p := of(t, "rank")
	out := &texts{sources: lines(t, data+"src.en"), references: lines(t, data+"ref.de")}
	text, err := os.ReadFile(filepath.Join(place, "segments.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	out.scored = make([][]output, len(out.references))
	for line := range bytes.Lines(text) {
		var o output
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		out.scored[o.Segment-1] = append(out.scored[o.Segment-1], o)
	}
	var r ranking
	if err := json.Unmarshal(p.json, &r); err != nil {
		t.Fatal(err)
	}
	for i, s := range r.Systems {
		out.systems = append(out.systems, s.System)
		out.outputs = append(out.outputs, lines(t, data+"sys/"+s.System+".txt"))
		if out.scored[0][i].System != s.System {
			t.Fatalf("the segments have %s where the ranking has %s", out.scored[0][i].System, s.System)
		}
	}
	return out
}

// change is how often difficulty changes the order of two systems on a segment.
func (x *texts) change(segment int) float64 {
	sign := func(x float64) float64 {
		if math.Abs(x) <= 1e-9 {
			return 0
		}
		return math.Copysign(1, x)
	}
	sum := 0.0
	for i, a := range x.scored[segment-1] {
		for _, b := range x.scored[segment-1][:i] {
			sum += math.Abs(sign(a.Base-b.Base)-sign(a.F-b.F)) / 2
		}
	}
	return sum
}

// hard is the mean difficulty of a segment's tokens, as the page has it.
func (x *texts) hard(segment int) float64 {
	sum, tokens := 0.0, x.scored[segment-1][0].Reference
	for _, t := range tokens {
		sum += t.Difficulty
	}
	return math.Round(sum/float64(len(tokens))*1000) / 1000
}

// length is a reference's.
func (x *texts) length(segment int) float64 {
	return float64(len(strings.Fields(x.references[segment-1])))
}

// all are the segments as the page was given them.
func (x *texts) all() []int {
	out := make([]int, len(x.references))
	for i := range out {
		out[i] = i + 1
	}
	slices.SortStableFunc(out, by(x.change, -1))
	return out
}

func by(value func(int) float64, direction int) func(a, b int) int {
	return func(x, y int) int {
		switch a, b := value(x), value(y); {
		case a > b:
			return direction
		case a < b:
			return -direction
		}
		return 0
	}
}

// where keeps segments in their order.
func where(segments []int, keep func(segment int) bool) []int {
	var out []int
	for _, s := range segments {
		if keep(s) {
			out = append(out, s)
		}
	}
	return out
}

// found says whether a text is in a segment, whatever its case.
func (x *texts) found(segment int, text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(text)) }
	return has(x.sources[segment-1]) || has(x.references[segment-1]) || slices.ContainsFunc(x.outputs, func(o []string) bool { return has(o[segment-1]) })
}

// order is the numbers of the cards as they stand on the page.
func (b *browser) order() []int {
	b.t.Helper()
	return get[[]int](b, `Array.from(document.querySelectorAll("#seg-cards article.card"), c => Number(c.id.slice(1)))`)
}

// cards waits for those that there should be, and for the page to say how many.
func (b *browser) cards(what string, want []int, of int) {
	b.t.Helper()
	status := fmt.Sprintf("%d of %d segments", len(want), of)
	switch len(want) {
	case of:
		status = fmt.Sprintf("%d segments", of)
	case 0:
		status = fmt.Sprintf("No segment of %d is like that: Clear shows all", of)
	}
	var says string
	var got []int
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if says, got = b.text("#seg-status"), b.order(); says == status && slices.Equal(got, want) {
			return
		}
	}
	b.t.Errorf("%s: %q, and the segments are %v; want %q and %v", what, says, got, status, want)
}

// write puts a text into a field, as a reader types it.
func (b *browser) write(id, text string) {
	b.t.Helper()
	b.run(chromedp.Focus("#" + id))
	get[bool](b, fmt.Sprintf(`(document.getElementById(%q).select(), true)`, id))
	b.press(kb.Delete)
	if text != "" {
		b.run(chromedp.SendKeys("#"+id, text))
	}
}

func TestSegmentsSorted(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	b.open(of(t, "rank").path, "")
	all, n := x.all(), len(x.references)
	sorted := func(value func(int) float64, direction int) []int {
		out := slices.Clone(all)
		slices.SortStableFunc(out, by(value, direction))
		return out
	}
	place := func(s int) float64 { return float64(s) }
	b.cards("at first", all, n)
	turn := func(what, want string) {
		t.Helper()
		b.click("#seg-direction")
		if got := b.text("#seg-direction"); got != want {
			t.Errorf("%s: the direction is %q, want %q", what, got, want)
		}
	}
	b.choose("seg-sort", "k1")
	b.cards("difficulty", sorted(x.hard, -1), n)
	turn("difficulty", "smallest first")
	b.cards("difficulty, turned", sorted(x.hard, 1), n)
	b.choose("seg-sort", "place")
	b.cards("place", sorted(place, 1), n)
	turn("place", "largest first")
	b.cards("place, turned", sorted(place, -1), n)
	b.choose("seg-sort", "length")
	b.cards("length", sorted(x.length, -1), n)
	b.choose("seg-sort", "k0")
	b.cards("change", all, n)
}

func TestSegmentsFound(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	b.open(of(t, "rank").path, "")
	all, n := x.all(), len(x.references)
	for _, text := range []string{"der", "PROFESSOR", "1994,", "grandmother.", "Käfer", "die Konferenz", "(", "[a-z]", "nowhere at all"} {
		want := where(all, func(s int) bool { return x.found(s, text) })
		b.write("seg-find", text)
		b.cards(text, want, n)
		marks := get[[]string](b, `Array.from(document.querySelectorAll("#seg-cards mark.found"), m => m.textContent.toLowerCase())`)
		for _, m := range marks {
			if !strings.Contains(strings.ToLower(text), m) {
				t.Errorf("%s: %q is marked", text, m)
			}
		}
		if len(want) > 0 && len(marks) == 0 {
			t.Errorf("%s: nothing is marked", text)
		}
		b.write("seg-find", "")
		b.cards("no text", all, n)
	}
	b.write("seg-find", "der")
	b.cards("der", where(all, func(s int) bool { return x.found(s, "der") }), n)
	b.click("#seg-clear")
	b.cards("cleared", all, n)
	if got := get[string](b, `document.getElementById("seg-find").value`); got != "" {
		t.Errorf("cleared, the field has %q", got)
	}
	// What is found in an output shows it, though it is none of the first.
	const elder = "elder"
	b.write("seg-find", x.outputs[slices.Index(x.systems, elder)][3])
	b.cards("an output", []int{4}, n)
	if got := b.texts("#s4 tr.output .who"); !slices.Contains(got, elder) {
		t.Errorf("%q are shown", got)
	}
}

func TestSegmentsFiltered(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	b.open(of(t, "rank").path, "")
	all, n := x.all(), len(x.references)
	b.click("#seg-ranges summary")
	set := func(name string, value float64) { b.write("seg-"+name, strconv.FormatFloat(value, 'f', -1, 64)) }
	// Limits in the middle of what there is.
	change, hard, length := x.change(all[n/3]), x.hard(all[n/2]), x.length(all[n/2])
	set("k0-min", change)
	b.cards("change", where(all, func(s int) bool { return x.change(s) >= change }), n)
	set("k1-max", hard)
	b.cards("change and difficulty", where(all, func(s int) bool { return x.change(s) >= change && x.hard(s) <= hard }), n)
	b.write("seg-k0-min", "")
	b.cards("difficulty", where(all, func(s int) bool { return x.hard(s) <= hard }), n)
	set("length-min", length)
	b.cards("difficulty and length", where(all, func(s int) bool { return x.hard(s) <= hard && x.length(s) >= length }), n)
	b.write("seg-find", "der")
	b.cards("difficulty, length and a text", where(all, func(s int) bool { return x.hard(s) <= hard && x.length(s) >= length && x.found(s, "der") }), n)
	b.click("#seg-clear")
	b.cards("cleared", all, n)

	// Systems: their outputs are shown, and searched.
	b.click("#seg-systems summary")
	b.click("#seg-systems-none")
	cedar := slices.Index(x.systems, "cedar")
	b.click(fmt.Sprintf("#seg-systems input[value='%d']", cedar))
	b.wait(`document.querySelector("#seg-cards .filled")`)
	for _, got := range b.texts("#seg-cards tr.output .who") {
		if got != "cedar" {
			t.Errorf("%s is shown", got)
		}
	}
	b.write("seg-find", "nannte")
	has := func(s int) bool {
		return strings.Contains(x.references[s-1], "nannte") || strings.Contains(x.outputs[cedar][s-1], "nannte")
	}
	b.cards("a text in one system", where(all, has), n)
	b.click("#seg-clear")
	b.cards("cleared", all, n)
	if got := len(b.texts("#seg-cards .card:first-child tr.output")); got != 3 {
		t.Errorf("cleared, the first card has %d outputs", got)
	}

	// The system that is chosen stands first.
	b.choose("seg-system", strconv.Itoa(cedar))
	for _, card := range all[:2] {
		if got := b.texts(fmt.Sprintf("#s%d tr.output .who", card)); got[0] != "cedar" {
			t.Errorf("segment %d begins with %s", card, got[0])
		}
	}
}

func TestCard(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	b.open(of(t, "rank").path, "")
	segment := x.all()[0]
	card := fmt.Sprintf("#s%d ", segment)
	outputs := x.scored[segment-1]

	if got, want := b.text(card+".row.source .text"), x.sources[segment-1]; got != want {
		t.Errorf("the source is %q, want %q", got, want)
	}
	if got, want := b.text(card+".row.reference .text"), x.references[segment-1]; got != want {
		t.Errorf("the reference is %q, want %q", got, want)
	}
	if got, want := b.text(card+".keys [data-key=k0]"), "change of order "+strconv.FormatFloat(x.change(segment), 'f', -1, 64); got != want {
		t.Errorf("the card says %q, want %q", got, want)
	}

	// The outputs, the best first: three, and all.
	for column, score := range []func(output) float64{func(o output) float64 { return o.F }, func(o output) float64 { return o.Base }} {
		b.choose("seg-by", strconv.Itoa(column))
		order := make([]int, len(outputs))
		for i := range order {
			order[i] = i
		}
		round := func(i int) float64 { return math.Round(score(outputs[i])*1e4) / 1e4 }
		slices.SortStableFunc(order, by(round, -1))
		rows := func() []string {
			return get[[]string](b, fmt.Sprintf(`Array.from(document.querySelectorAll(%q), r => [r.dataset.system, r.querySelector("[data-score='%d']").textContent, r.querySelector(".words").textContent].join("|"))`, card+"tr.output", column))
		}
		var want []string
		for _, i := range order {
			rank := 1
			for j := range outputs {
				if round(j) > round(i) {
					rank++
				}
			}
			want = append(want, fmt.Sprintf("%d|%.4f #%d|%s", i, round(i), rank, x.outputs[i][segment-1]))
		}
		if got := rows(); !slices.Equal(got, want[:3]) {
			t.Errorf("the outputs are %q, want %q", got, want[:3])
		}
		b.click(card + "button.more")
		if got := rows(); !slices.Equal(got, want) {
			t.Errorf("all outputs are %q, want %q", got, want)
		}
		if got := get[string](b, `document.activeElement.textContent + document.activeElement.getAttribute("aria-expanded")`); got != "Fewer outputstrue" {
			t.Errorf("the focus is on %q", got)
		}
		b.press(kb.Enter)
		if got := rows(); !slices.Equal(got, want[:3]) {
			t.Errorf("fewer outputs are %q, want %q", got, want[:3])
		}
	}

	// Novel and missed tokens have signs, and are as many as there are.
	b.click(card + "button.more")
	for i, o := range outputs {
		for class, side := range map[string][]token{"novel": o.Hypothesis, "missed": o.Reference} {
			var want []string
			for _, x := range side {
				if x.Alone {
					want = append(want, x.Token)
				}
			}
			got := get[[]string](b, fmt.Sprintf(`Array.from(document.querySelectorAll("%s tr[data-system='%d'] .t.%s"), t => t.textContent + getComputedStyle(t, "::before").content)`, card, i, class))
			sign := map[string]string{"novel": "+", "missed": "\u2212"}[class]
			for k, g := range got {
				if !strings.Contains(g, sign) {
					t.Errorf("%s: %q has no sign", class, g)
				}
				got[k] = g[:strings.Index(g, `"`)]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of %s: %q, want %q", class, x.systems[i], got, want)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	b.open(of(t, "rank").path, "")
	segment := x.all()[0]
	card := fmt.Sprintf("#s%d ", segment)
	best := slices.MaxFunc(x.scored[segment-1], func(a, b output) int { return by(func(i int) float64 { return []float64{a.F, b.F}[i] }, 1)(0, 1) })
	says := func(what string, x token, also string) {
		t.Helper()
		got := b.text("#seg-note")
		if want := fmt.Sprintf("%s: difficulty %.3f, ", x.Token, x.Difficulty); !strings.HasPrefix(got, want) || !strings.Contains(got, also) {
			t.Errorf("%s: the page says %q, want %q and %q", what, got, want, also)
		}
	}
	reference := best.Reference
	last := len(reference) - 1

	// With the keyboard, from the reference's first on.
	b.run(chromedp.Focus(card + "a.address"))
	b.tab(false)
	says("tab", reference[0], "missed by ")
	b.press(kb.ArrowRight)
	says("right", reference[1], "missed by ")
	b.tab(false)
	says("next text", best.Hypothesis[0], "share ")
	b.tab(true)
	says("back", reference[1], "missed by ")
	b.press(kb.End)
	says("end", reference[last], "missed by ")
	b.press(kb.ArrowRight)
	says("right of the end", reference[last], "missed by ")
	b.press(kb.Home, kb.ArrowLeft)
	says("home", reference[0], "missed by ")
	b.press(kb.Escape)
	if get[bool](b, `document.activeElement.matches(".t")`) || b.text("#seg-note") != "" {
		t.Error("escape does not leave a token")
	}

	// And with a mouse.
	const novel = `document.querySelector("#seg-cards .card tr.output .t.novel")`
	where := get[[]float64](b, `(() => { const t = `+novel+`; t.scrollIntoView({block: "center"}); const r = t.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, Number(t.closest(".card").id.slice(1)), Number(t.closest("tr").dataset.system)]; })()`)
	b.run(chromedp.MouseEvent("mouseMoved", where[0], where[1]))
	o := x.scored[int(where[2])-1][int(where[3])]
	i := slices.IndexFunc(o.Hypothesis, func(x token) bool { return x.Alone })
	says("mouse", o.Hypothesis[i], fmt.Sprintf("similarity %.3f", o.Hypothesis[i].Similarity))
	says("mouse", o.Hypothesis[i], ", novel")
	b.run(chromedp.MouseEvent("mouseMoved", 2, 2))
	if got := b.text("#seg-note"); got != "" {
		t.Errorf("after the mouse has left, the page says %q", got)
	}
}

// A segment has an address, which opens it whatever is filtered.
func TestAddress(t *testing.T) {
	b := start(t)
	x := sampleTexts(t)
	n := len(x.references)
	at := func(what string, segment int) {
		t.Helper()
		b.wait(fmt.Sprintf(`document.querySelector("#s%d.current.filled")`, segment))
		if got := get[string](b, `Array.from(document.querySelectorAll(".card.current"), c => c.id).join()`); got != fmt.Sprintf("s%d", segment) {
			t.Errorf("%s: the current segment is %s", what, got)
		}
		b.seen(segment)
		if got := b.text(fmt.Sprintf("#s%d .row.reference .text", segment)); got != x.references[segment-1] {
			t.Errorf("%s: segment %d is %q", what, segment, got)
		}
	}
	b.open(of(t, "rank").path, "s26")
	at("as the page opens", 26)

	b.write("seg-find", "nowhere at all")
	b.cards("nothing", nil, n)
	get[bool](b, `(location.hash = "#s40", true)`)
	at("after a filter", 40)
	b.cards("the filter is gone", x.all(), n)

	b.run(chromedp.NavigateBack())
	at("back", 26)
	b.run(chromedp.NavigateForward())
	at("forward", 40)

	// A card's heading is a link to it.
	b.click("#s41 a.address")
	at("a link", 41)
	if got := get[string](b, `location.hash`); got != "#s41" {
		t.Errorf("the address is %s", got)
	}
	b.open(of(t, "rank").path, "s4000") // there is none
	b.cards("no such segment", x.all(), n)
}
