package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	devtools "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// A violation is a rule of axe-core that a page breaks.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML           string `json:"html"`
		FailureSummary string `json:"failureSummary"`
	} `json:"nodes"`
}

func (v violation) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s: %s (%d times)", v.Impact, v.ID, v.Help, len(v.Nodes))
	for _, n := range v.Nodes[:min(3, len(v.Nodes))] {
		fmt.Fprintf(&s, "\n  %.300s\n  %s", n.HTML, n.FailureSummary)
	}
	return s.String()
}

// Nothing on a page keeps people from reading or using it that axe-core knows of.
func TestAccessibility(t *testing.T) {
	path := os.Getenv("MTEVAL_AXE")
	if path == "" {
		t.Skip("no axe-core: MTEVAL_AXE=$(scripts/axe.sh DIR) fetches and names it")
	}
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, p *page) {
		b := start(t)
		// axe-core is a script that the page's policy forbids.
		call(b, devtools.SetBypassCSP, devtools.SetBypassCSPParams{Enabled: true})
		for _, tt := range []struct {
			width  int64
			scheme string
			rules  string // of the dark: what colours change
		}{{1280, "light", `{}`}, {1280, "dark", `{runOnly: ["color-contrast", "link-in-text-block"]}`}, {390, "light", `{}`}, {390, "dark", `{runOnly: ["color-contrast", "link-in-text-block"]}`}} {
			t.Run(fmt.Sprintf("%d %s", tt.width, tt.scheme), func(t *testing.T) {
				b := b.in(t)
				b.window(tt.width, 900)
				b.media(tt.scheme, "screen")
				b.open(p.path, "")
				b.run(chromedp.Evaluate[chromedp.Void](string(script) + ";0"))
				b.axe("as it opens", tt.rules)
				b.openAll()
				b.axe("with everything open", tt.rules)
				if get[bool](b, `document.getElementById("seg-a") !== null`) {
					b.beside(0, 1)
					b.axe("side by side", tt.rules)
				}
			})
		}
	})
}

// axe looks at the page as it is. What is minor or moderate is told.
func (b *browser) axe(what, rules string) {
	b.t.Helper()
	r := await[struct {
		Passes     int         `json:"passes"`
		Violations []violation `json:"violations"`
	}](b, `axe.run(document, `+rules+`).then(r => ({passes: r.passes.length, violations: r.violations}))`)
	if r.Passes == 0 {
		b.t.Errorf("%s: axe-core looked at nothing", what)
	}
	for _, v := range r.Violations {
		if v.Impact == "critical" || v.Impact == "serious" {
			b.t.Errorf("%s: %s", what, v)
		} else {
			b.t.Logf("%s: %s", what, v)
		}
	}
}

// openAll opens what can be opened, and points at a token.
func (b *browser) openAll() {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](`
		document.querySelectorAll("details").forEach(d => { d.open = true; });
		document.querySelectorAll("button.filter").forEach(f => f.click());
		Array.from(document.querySelectorAll(".card .more")).slice(0, 3).forEach(m => m.click());
		document.querySelectorAll("#seg-cards .t").forEach((t, i) => { if (i === 0) { t.focus(); } });
	`))
}
