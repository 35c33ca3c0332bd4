package browsertest

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

const wmt19 = "../../../shared/data/wmt19-en-de/"

// wmt19Systems are the outputs of WMT19's English to German, where they lie beside the checkout.
func wmt19Systems() []string {
	paths, _ := filepath.Glob(wmt19 + "sys/*")
	return paths
}

var rankWMT19 = sync.OnceValues(func() (*page, error) {
	p := &page{name: "wmt19", path: filepath.Join(place, "wmt19.html")}
	out, err := mteval(slices.Concat([]string{"rank", "-r", wmt19 + "ref.de", "--source", wmt19 + "src.en", "--human", wmt19 + "human-system.tsv", "--format", "json", "--html", p.path}, wmt19Systems())...)
	p.json = out
	return p, err
})

func wmt19Page(t *testing.T) *page {
	t.Helper()
	p, err := rankWMT19()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// How long a reader waits for the page of WMT19's 22 systems and 1,997 segments, and its weight:
// told, not tested, as machines differ.
func TestSpeed(t *testing.T) {
	if len(wmt19Systems()) == 0 {
		t.Skip("no WMT19 at " + wmt19)
	}
	p := wmt19Page(t)
	info, err := os.Stat(p.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.2f MB", float64(info.Size())/1e6)
	var ready, shown, long []float64
	for range 5 {
		t.Run("load", func(t *testing.T) {
			b := start(t)
			b.open(p.path, "")
			ready = append(ready, get[float64](b, `performance.getEntriesByName("segments-ready")[0].startTime`))
			shown = append(shown, get[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
			long = append(long, longest(b))
		})
	}
	median := func(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
	t.Logf("medians of 5: something is shown after %.0f ms, segments can be used after %.0f ms; the longest task takes %.0f ms", median(shown), median(ready), median(long))

	b := start(t)
	b.open(p.path, "")
	for _, tt := range []struct{ what, act, status string }{
		{"find a word", `const f = document.getElementById("seg-find"); f.value = "Regierung"; f.form.requestSubmit();`, `/of 1,997/`},
		{"find no more", `const f = document.getElementById("seg-find"); f.value = ""; f.form.requestSubmit();`, `/^1,997/`},
		{"filter by length", `const f = document.getElementById("seg-length-min"); f.value = "30"; f.form.requestSubmit();`, `/of 1,997/`},
		{"clear", `document.getElementById("seg-clear").click();`, `/^1,997/`},
		{"sort by difficulty", `const f = document.getElementById("seg-sort"); f.value = "k1"; f.dispatchEvent(new Event("change"));`, `/^1,997/`},
		{"set two side by side", `for (const [id, v] of [["seg-a", "1"], ["seg-b", "2"]]) { const f = document.getElementById(id); f.value = v; f.dispatchEvent(new Event("change")); }`, `/^1,997/`},
	} {
		// From what the reader does until the page says the outcome and has drawn it.
		took := await[float64](b, `new Promise(done => {
			const from = performance.now(), status = document.getElementById("seg-status");
			status.textContent = "";
			new MutationObserver((_, o) => {
				if (`+tt.status+`.test(status.textContent)) {
					o.disconnect();
					requestAnimationFrame(() => setTimeout(() => done(performance.now() - from), 0));
				}
			}).observe(status, {childList: true, characterData: true, subtree: true});
			`+tt.act+`
		})`)
		t.Logf("%s: %.0f ms", tt.what, took)
	}
	// Down all of it, a window at a time.
	t.Logf("a step of scrolling: %.0f ms in the middle, at most %.0f ms", await[float64](b, scroll+`.then(s => s[s.length >> 1])`), await[float64](b, scroll+`.then(s => s[s.length - 1])`))
}

const scroll = `(async () => {
	const steps = [];
	const frame = () => new Promise(requestAnimationFrame);
	for (let i = 0; i < 100; i++) {
		const from = performance.now();
		scrollBy(0, innerHeight);
		await frame();
		await frame();
		steps.push(performance.now() - from);
	}
	return steps.sort((a, b) => a - b);
})()`

// longest is the longest task that the page had so far.
func longest(b *browser) float64 {
	return await[float64](b, `new Promise(done => {
		let most = 0;
		new PerformanceObserver(l => { l.getEntries().forEach(e => { most = Math.max(most, e.duration); }); }).observe({type: "longtask", buffered: true});
		setTimeout(() => done(most), 300);
	})`)
}
