package browsertest

import (
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
