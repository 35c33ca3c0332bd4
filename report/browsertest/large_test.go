package browsertest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	largeSystems  = 22
	largeSegments = 1997
)

// rankLarge makes texts as large as WMT19's, which compressed are as large, too, and their page:
// references of words as rare as words are, and outputs that have others for some of them.
var rankLarge = sync.OnceValues(func() (*page, error) {
	random := rand.New(rand.NewPCG(19, 97))
	zipf := rand.NewZipf(random, 1.2, 8, 20000)
	words := make([]string, 20001)
	for i := range words {
		var w strings.Builder
		for range 1 + random.IntN(3) + i/4000 {
			w.WriteString([]string{"ba", "den", "fir", "go", "hal", "kü", "lem", "mo", "ner", "rich", "sta", "tun", "wei", "zer", "ver", "ge"}[random.IntN(16)])
		}
		words[i] = w.String()
	}
	var texts [largeSystems + 1]strings.Builder // the last is the reference
	for range largeSegments {
		n := 5 + random.IntN(35)
		reference := make([]string, n)
		for i := range reference {
			reference[i] = words[zipf.Uint64()]
		}
		fmt.Fprintln(&texts[largeSystems], strings.Join(reference, " ")+".")
		// What can stand for a word: systems choose among few, as they do.
		others := make([][4]string, n)
		for i := range others {
			for k := range others[i] {
				others[i][k] = words[zipf.Uint64()]
			}
		}
		hard := make([]int, n) // how many of a hundred miss a word
		for i := range hard {
			hard[i] = []int{0, 2, 15, 50}[random.IntN(4)]
		}
		for s := range largeSystems {
			var out []string
			for i, w := range reference {
				switch r := random.IntN(100) - s; {
				case r < hard[i]:
					w = others[i][min(random.IntN(4), random.IntN(4))]
				case r < hard[i]+2:
					continue
				}
				out = append(out, w)
			}
			fmt.Fprintln(&texts[s], strings.Join(out, " ")+".")
		}
	}
	p := &page{name: "large", path: filepath.Join(place, "large.html")}
	reference := filepath.Join(place, "large.ref")
	args := []string{"rank", "-r", reference, "--format", "json", "--html", p.path}
	for s := range texts {
		path := reference
		if s < largeSystems {
			// Names as long as WMT's.
			path = filepath.Join(place, fmt.Sprintf("Some-Company-WMT19-%s-level.%d", []string{"sentence", "document"}[s%2], 6700+s))
			args = append(args, path)
		}
		if err := os.WriteFile(path, []byte(texts[s].String()), 0o600); err != nil {
			return nil, err
		}
	}
	var err error
	p.json, err = mteval(args...)
	return p, err
})

func largePage(t *testing.T) *page {
	t.Helper()
	p, err := rankLarge()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The page of 22 systems and 1,997 segments, with all that it shows, has less than 5 MB.
func TestWeight(t *testing.T) {
	info, err := os.Stat(largePage(t).path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() >= 5e6 {
		t.Errorf("the page has %d bytes", info.Size())
	}
}
