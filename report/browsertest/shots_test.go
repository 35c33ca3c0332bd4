package browsertest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	devtools "github.com/chromedp/cdproto/page"
)

var shots = flag.String("shots", "", "folder for pictures of the pages")

// Pictures of all pages of the sample, and of WMT19's ranking where it is, for people to look at.
func TestScreenshots(t *testing.T) {
	if *shots == "" {
		t.Skip("-shots DIR writes pictures")
	}
	if err := os.MkdirAll(*shots, 0o755); err != nil {
		t.Fatal(err)
	}
	b := start(t)
	pages := map[string]string{}
	for _, s := range sample {
		pages[s.name] = of(t, s.name).path
	}
	if len(wmt19Systems()) > 0 {
		pages["wmt19"] = wmt19Page(t).path
	}
	for name, path := range pages {
		for _, width := range []int64{1400, 1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				b.media(scheme, "screen")
				b.window(width, 900)
				b.open(path, "")
				to := func(part string) string {
					return filepath.Join(*shots, fmt.Sprintf("%s-%s-%d-%s.png", name, part, width, scheme))
				}
				b.picture(to("top"), 0, width, 4000)
				if !get[bool](b, `document.getElementById("segments") !== null`) {
					continue
				}
				b.window(width, 2000)
				b.open(path, "segments")
				top := get[float64](b, `document.getElementById("segments").getBoundingClientRect().top + scrollY`)
				b.picture(to("segments"), top, width, 2000)
				b.beside(0, 1)
				b.picture(to("pair"), top, width, 2000)
			}
		}
	}
}

// picture takes what is from top on, at most height.
func (b *browser) picture(path string, top float64, width int64, height float64) {
	b.t.Helper()
	end := get[float64](b, `(document.getElementById("seg-cards") ? document.documentElement.scrollHeight : document.body.getBoundingClientRect().bottom + scrollY)`)
	result := call(b, devtools.CaptureScreenshot, devtools.CaptureScreenshotParams{
		Clip:                  &devtools.Viewport{X: 0, Y: top, Width: float64(width), Height: min(height, end-top), Scale: 1},
		CaptureBeyondViewport: ptr(true),
	})
	if err := os.WriteFile(path, result.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }
