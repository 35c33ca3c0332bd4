// Package browsertest opens a page of mteval rank in a real browser, without a window. It
// is a module of its own so that mteval does not depend on what drives the browser.
//
// MTEVAL_CHROMIUM names the browser; without it chromium is looked for in PATH, and the
// test is skipped where there is none.
package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
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

type ranking struct {
	Systems []struct {
		System string             `json:"system"`
		Human  float64            `json:"human"`
		Scores map[string]float64 `json:"scores"`
		Ranks  map[string]int     `json:"ranks"`
	} `json:"systems"`
}

// rank makes the page of the sample data, and the same in JSON.
func rank(t *testing.T) (page string, r ranking, outputs []output) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "mteval")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/mteval").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	page = filepath.Join(dir, "page.html")
	segments := filepath.Join(dir, "segments.jsonl")
	const data = "../../examples/data/"
	args := []string{"rank", "-r", data + "ref.de", "--human", data + "human.tsv", "--format", "json", "--html", page, "--segments", segments}
	systems, err := filepath.Glob(data + "sys/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program, append(args, systems...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	lines, err := os.ReadFile(segments)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(lines) {
		var o output
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, o)
	}
	return page, r, outputs
}

// A browser, and what it complained of.
type browser struct {
	t   *testing.T
	ctx context.Context

	complaints *complaints
}

type complaints struct {
	mu  sync.Mutex
	all []string
}

func (c *complaints) add(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, fmt.Sprintf(format, args...))
}

// report fails the test if there are any.
func (c *complaints) report(t *testing.T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all {
		t.Error(s)
	}
}

// in is the browser for a subtest.
func (b *browser) in(t *testing.T) *browser { return &browser{t, b.ctx, b.complaints} }

func start(t *testing.T) *browser {
	t.Helper()
	path := os.Getenv("MTEVAL_CHROMIUM")
	if path == "" {
		var err error
		if path, err = exec.LookPath("chromium"); err != nil {
			t.Skip("no browser: install chromium, or set MTEVAL_CHROMIUM")
		}
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.WindowSize(1200, 900),
		// A loaded machine takes its time.
		chromedp.WSURLReadTimeout(2*time.Minute))
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatal(err)
	}
	t.Cleanup(func() { chromedp.Cancel(ctx) }) // and waits for its end
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t, limited, new(complaints)}
	t.Cleanup(func() { b.complaints.report(t) })
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.complaints.add("exception: %+v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			b.complaints.add("console: %s %v", e.Type, e.Args)
		case *log.EventEntryAdded:
			b.complaints.add("log: %s: %s", e.Entry.Level, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "file:") {
				b.complaints.add("request of %s", e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

// call gives the browser a command.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open opens a file.
func (b *browser) open(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate((&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()), chromedp.WaitReady("main"))
}

// get is the value of an expression on the page.
func get[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// order is the numbers of the segments as they stand on the page.
func (b *browser) order() []int {
	return get[[]int](b, `Array.from(document.querySelectorAll(".segments li"), li => Number(li.dataset.keys.split(" ")[2]))`)
}

// sorted returns the numbers of the segments by a value, equal ones as they stood.
func sorted(before []int, less func(a, b int) int) []int {
	out := slices.Clone(before)
	slices.SortStableFunc(out, less)
	return out
}

func TestPage(t *testing.T) {
	b := start(t)
	page, r, outputs := rank(t)
	b.open(page)
	n := len(r.Systems)
	of := func(segment int) []output { return outputs[(segment-1)*n : segment*n] }

	// What difficulty changes, from the scores of the segments.
	change := func(segment int) float64 {
		sign := func(x float64) float64 {
			if math.Abs(x) <= 1e-9 {
				return 0
			}
			return math.Copysign(1, x)
		}
		sum := 0.0
		for i, x := range of(segment) {
			for _, y := range of(segment)[:i] {
				sum += math.Abs(sign(x.Base-y.Base)-sign(x.F-y.F)) / 2
			}
		}
		return sum
	}
	hard := func(segment int) float64 {
		sum, tokens := 0.0, of(segment)[0].Reference
		for _, x := range tokens {
			sum += x.Difficulty
		}
		return math.Round(sum/float64(len(tokens))*1e6) / 1e6
	}
	by := func(value func(int) float64, direction int) func(a, b int) int {
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
	all := make([]int, len(outputs)/n)
	for i := range all {
		all[i] = i + 1
	}

	t.Run("ranking", func(t *testing.T) {
		b := b.in(t)
		got := get[[][]string](b, `Array.from(document.querySelector("table tbody").rows, r => Array.from(r.cells, c => c.textContent))`)
		for i, s := range r.Systems {
			want := []string{s.System, strconv.FormatFloat(s.Human, 'f', -1, 64), strconv.Itoa(i + 1),
				fmt.Sprintf("%.2f", s.Scores["bleu"]), strconv.Itoa(s.Ranks["bleu"])}
			row := got[i]
			have := append(slices.Clone(row[:3]), row[6], row[7], row[9], row[10], row[12], row[13])
			want = append(want, fmt.Sprintf("%.4f", s.Scores["bertscore-lexical"]), strconv.Itoa(s.Ranks["bertscore-lexical"]),
				fmt.Sprintf("%.4f", s.Scores["bertscore-lexical+da"]), strconv.Itoa(s.Ranks["bertscore-lexical+da"]))
			if !slices.Equal(have, want) {
				t.Errorf("row %d is %q, want %q", i+1, have, want)
			}
		}
	})

	t.Run("sort", func(t *testing.T) {
		b := b.in(t)
		want := sorted(all, by(change, -1))
		check := func(what string, button int, status string) {
			t.Helper()
			if got := b.order(); !slices.Equal(got, want) {
				t.Errorf("%s: the segments are %v, want %v", what, got, want)
			}
			pressed := get[[]string](b, `Array.from(document.querySelectorAll(".sort button"), b => b.getAttribute("aria-pressed"))`)
			for i, p := range pressed {
				if (p == "true") != (i == button) {
					t.Errorf("%s: button %d is pressed: %s", what, i+1, p)
				}
			}
			if got := get[string](b, `document.querySelector("[role=status]").textContent`); got != status {
				t.Errorf("%s: the page says %q, want %q", what, got, status)
			}
		}
		button := func(i int) string { return fmt.Sprintf(".sort button:nth-of-type(%d)", i+1) }
		check("at first", 0, "Sorted by change of order, the largest first.")

		b.run(chromedp.Click(button(1)))
		want = sorted(want, by(hard, -1))
		check("a click", 1, "Sorted by difficulty, the largest first.")

		b.run(chromedp.Click(button(1)))
		want = sorted(want, by(hard, 1))
		check("a second click", 1, "Sorted by difficulty, the smallest first.")

		// From there with the keyboard alone.
		b.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(" "))
		want = all
		check("tab and space", 2, "Sorted by place in the text, the smallest first.")
		b.run(chromedp.KeyEvent(kb.Enter))
		want = slices.Clone(all)
		slices.Reverse(want)
		check("enter", 2, "Sorted by place in the text, the largest first.")
		b.run(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)), chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)), chromedp.KeyEvent(kb.Enter))
		want = sorted(want, by(change, -1))
		check("shift, tab and enter", 0, "Sorted by change of order, the largest first.")
	})

	t.Run("segment", func(t *testing.T) {
		b := b.in(t)
		segment := b.order()[0]
		// The first summary is the next but two after the first button.
		b.run(chromedp.Focus(".sort button"))
		for range 3 {
			b.run(chromedp.KeyEvent(kb.Tab))
		}
		if got := get[string](b, `document.activeElement.textContent`); !strings.HasPrefix(got, fmt.Sprintf("Segment %d: ", segment)) {
			t.Fatalf("the focus is on %q", got)
		}
		if get[bool](b, `document.activeElement.parentElement.open`) {
			t.Error("a segment is open from the start")
		}
		b.run(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(".segments li:first-child table"))

		rows := get[[][]string](b, `Array.from(document.querySelector(".segments li table tbody").rows, r => Array.from(r.cells, c => c.textContent))`)
		if len(rows) != n+1 {
			t.Fatalf("%d rows", len(rows))
		}
		for i, o := range of(segment) {
			row := rows[i+1]
			if row[0] != o.System || row[1] != fmt.Sprintf("%.4f", o.Base) || row[3] != fmt.Sprintf("%.4f", o.F) {
				t.Errorf("the row of %s is %q", o.System, row)
			}
		}

		// The numbers of tokens: with the keyboard, from the reference's first on.
		note := `getComputedStyle(%s, "::after").content`
		shown := func(element string) string { return get[string](b, fmt.Sprintf(note, element)) }
		says := func(what, got string, x token) {
			t.Helper()
			want := fmt.Sprintf("%s: difficulty %.3f, ", x.Token, x.Difficulty)
			if !strings.HasPrefix(got, strconv.Quote(want)[:len(want)+1]) {
				t.Errorf("%s: the page says %s, want %q", what, got, want)
			}
		}
		b.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab)) // over what scrolls
		first := of(segment)[0]
		says("tab", shown("document.activeElement"), first.Reference[0])
		b.run(chromedp.KeyEvent(kb.ArrowRight))
		says("right", shown("document.activeElement"), first.Reference[1])
		b.run(chromedp.KeyEvent(kb.Tab))
		says("next text", shown("document.activeElement"), first.Hypothesis[0])
		b.run(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
		says("back", shown("document.activeElement"), first.Reference[1])
		b.run(chromedp.KeyEvent(kb.End))
		says("end", shown("document.activeElement"), first.Reference[len(first.Reference)-1])
		b.run(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowLeft))
		says("home", shown("document.activeElement"), first.Reference[0])
		b.run(chromedp.KeyEvent(kb.Escape))
		if get[bool](b, `document.activeElement.matches(".t")`) {
			t.Error("escape does not leave a token")
		}

		// And with a mouse.
		const novel = `document.querySelector(".segments li tr:nth-child(2) .t.novel")`
		at := get[[]float64](b, `(function () { const t = `+novel+`; t.scrollIntoView({block: "center"}); const r = t.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
		if got := shown(novel); got != "none" {
			t.Errorf("numbers are shown before anything points at them: %s", got)
		}
		b.run(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
		i := slices.IndexFunc(first.Hypothesis, func(x token) bool { return x.Alone })
		got := shown(novel)
		says("mouse", got, first.Hypothesis[i])
		if !strings.Contains(got, fmt.Sprintf("similarity %.3f", first.Hypothesis[i].Similarity)) || !strings.Contains(got, "novel") {
			t.Errorf("the page says %s", got)
		}

		// Novel and missed tokens have signs, and as many as there are.
		for class, want := range map[string]string{"novel": "+", "missed": "−"} {
			got := get[[]string](b, fmt.Sprintf(`Array.from(document.querySelectorAll(".segments li:first-child tr:nth-child(2) .t.%s"), t => getComputedStyle(t, "::before").content)`, class))
			tokens := first.Hypothesis
			if class == "missed" {
				tokens = first.Reference
			}
			alone := 0
			for _, x := range tokens {
				if x.Alone {
					alone++
				}
			}
			if len(got) != alone || slices.ContainsFunc(got, func(s string) bool { return !strings.Contains(s, want) }) {
				t.Errorf("%d %s tokens on the page, %d in the segments; signs %q", len(got), class, alone, got)
			}
		}
	})

	// In the dark the text is light, and a narrow window does not scroll sideways.
	t.Run("dark and narrow", func(t *testing.T) {
		b := b.in(t)
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		b.run(chromedp.EmulateViewport(360, 640))
		colour := get[string](b, `getComputedStyle(document.body).color`)
		if colour != "rgb(255, 255, 255)" {
			t.Errorf("the text is %s", colour)
		}
		if wide := get[int](b, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("the page is %d wide in a window of 360", wide)
		}
	})
}

// Without a script all is there, in the page's order.
func TestWithoutScript(t *testing.T) {
	b := start(t)
	page, _, outputs := rank(t)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.open(page)
	if n := len(b.order()); n == 0 || len(outputs)%n != 0 {
		t.Errorf("%d segments", n)
	}
	b.run(chromedp.Focus(".segments summary"), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(".segments li:first-child table"))
	b.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab))
	if got := get[string](b, `getComputedStyle(document.activeElement, "::after").content`); !strings.Contains(got, "difficulty") {
		t.Errorf("a token says %s", got)
	}
	if get[string](b, `getComputedStyle(document.querySelector(".sort")).display`) != "none" {
		t.Error("buttons that do nothing are shown")
	}
}
