// Package browsertest opens the pages of mteval in a real browser, without a window. It is a
// module of its own so that mteval does not depend on what drives the browser.
//
// MTEVAL_CHROMIUM names the browser; without it chromium is looked for in PATH, and the tests
// are skipped where there is none. MTEVAL_AXE names axe-core's file (scripts/axe.sh fetches
// it), and only the tests that need it are skipped without it.
//
// go test -run Screenshots -shots DIR writes pictures of all pages.
package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	devtools "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// place is a folder that all tests share: the command, pages, and the browser's own.
var place string

func TestMain(m *testing.M) {
	var err error
	if place, err = os.MkdirTemp("", "mteval-browsertest"); err != nil {
		panic(err)
	}
	status := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	os.RemoveAll(place)
	os.Exit(status)
}

// chromium is the one that runs, a tab for each test.
var chromium struct {
	once sync.Once
	ctx  context.Context
	stop func()
	skip string
	err  error
}

func startChromium() {
	c := &chromium
	path := os.Getenv("MTEVAL_CHROMIUM")
	if path == "" {
		var err error
		if path, err = exec.LookPath("chromium"); err != nil {
			c.skip = "no browser: install chromium, or set MTEVAL_CHROMIUM"
			return
		}
	}
	ctx, release := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(place, "browser")), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.WindowSize(1280, 900),
		// A loaded machine takes its time.
		chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := chromedp.NewContext(ctx)
	c.ctx, c.err = ctx, chromedp.Do(ctx) // starts it
	c.stop = func() {
		chromedp.Cancel(ctx) // and waits for its end
		cancel()
		release()
	}
}

// A browser is a tab of one.
type browser struct {
	t          *testing.T
	ctx        context.Context
	complaints *complaints
}

// complaints are what a page complained of, and what it asked of the network.
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

// start opens a tab. The test fails if a page throws, writes to the console, or requests
// anything but itself.
func start(t *testing.T) *browser {
	t.Helper()
	chromium.once.Do(startChromium)
	if chromium.skip != "" {
		t.Skip(chromium.skip)
	}
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	ctx, cancel := chromedp.NewContext(chromium.ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(ctx, 4*time.Minute)
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
			if !strings.HasPrefix(e.Request.URL, "file:") || e.Type != network.ResourceTypeDocument {
				b.complaints.add("request of %s", e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call(b, devtools.BringToFront, cdp.Empty{}) // it is the one that has the focus, and the clipboard
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

// in is the tab for a subtest.
func (b *browser) in(t *testing.T) *browser { return &browser{t, b.ctx, b.complaints} }

// call gives the browser a command.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	result, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open opens a file, with a fragment or "", and waits until it can be used.
func (b *browser) open(path, fragment string) {
	b.t.Helper()
	b.run(chromedp.Navigate((&url.URL{Scheme: "file", Path: filepath.ToSlash(path), Fragment: fragment}).String()), chromedp.WaitReady("main"))
	b.settle()
}

// settle waits for the segments, if the page has any and scripts run.
func (b *browser) settle() {
	b.t.Helper()
	b.wait(`!document.getElementById("segments") || !document.documentElement.matches(".script") || "ready" in document.getElementById("segments").dataset`)
}

// wait waits until an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); !get[bool](b, "Boolean("+expression+")"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("not so within a minute: %s", expression)
		}
	}
}

// get is the value of an expression on the page.
func get[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await is what a promise on the page becomes.
func await[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// texts are what elements say.
func (b *browser) texts(selector string) []string {
	b.t.Helper()
	return get[[]string](b, fmt.Sprintf(`Array.from(document.querySelectorAll(%q), e => e.textContent.trim())`, selector))
}

// text is what one element says.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return get[string](b, fmt.Sprintf(`document.querySelector(%q).textContent.trim()`, selector))
}

// click clicks with a mouse, as soon as what the page has done is drawn. It scrolls only to what
// is not in the window.
func (b *browser) click(selector string) {
	b.t.Helper()
	at := await[[]float64](b, fmt.Sprintf(`(async () => {
		const e = document.querySelector(%q);
		const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		await drawn();
		let r = e.getBoundingClientRect();
		const seen = () => e.contains(document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2));
		if (!seen()) {
			e.scrollIntoView({block: "center"});
			await drawn();
			r = e.getBoundingClientRect();
		}
		return seen() ? [r.left + r.width / 2, r.top + r.height / 2] : [];
	})()`, selector))
	if len(at) == 0 {
		b.t.Fatalf("nobody can click on %s", selector)
	}
	b.run(chromedp.MouseClickXY(at[0], at[1]))
}

// press presses keys, one after the other.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.run(chromedp.KeyEvent(k))
	}
}

// tab goes to the next stop, or the one before.
func (b *browser) tab(back bool) {
	b.t.Helper()
	if back {
		b.run(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
		return
	}
	b.run(chromedp.KeyEvent(kb.Tab))
}

// window makes the window so large.
func (b *browser) window(width, height int64) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, height))
}

// media sets the reader's colours, light or dark, and the medium, screen or print.
func (b *browser) media(scheme, medium string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}
