package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTokensOfMetrics compares what is said of a text before anything is scored with what the
// metric says.
func TestTokensOfMetrics(t *testing.T) {
	l := testLimits
	all, closeAll, err := openMetrics(models(l, metricNames()...))
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	rng := rand.New(rand.NewPCG(8, 8))
	parts := []string{"a", "Ab", ".", ",", "1.5", "-", "&amp;", "&lt;", "<skipped>", "'s", " ", " ", " ", "\u3000", "\u00a0", "\n", "水", "é", "e\u0301", "\xff"}
	text := func() string {
		var b strings.Builder
		for range rng.IntN(3 * l.tokens) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		return b.String()
	}
	refused := 0
	for range 1000 {
		r := &request{hypotheses: []string{text(), "a"}, references: [][]string{{text()}, {"a", text()}}}
		for _, m := range all {
			if _, ok := splitters[m.name]; !ok {
				continue
			}
			_, err := score(t.Context(), []metric{m}, r)
			got := checkTokens([]metric{m}, r, l.tokens)
			if err != nil {
				refused++
			}
			if fmt.Sprint(got) != fmt.Sprint(err) {
				t.Fatalf("%+q: %v, the metric: %v", r, got, err)
			}
		}
	}
	if refused == 0 {
		t.Error("no text was too long")
	}
}

// hostile are texts of about n bytes that cost more than their length shows.
func hostile(n int) map[string]string {
	var words strings.Builder
	for i := 0; words.Len() < n; i++ {
		fmt.Fprintf(&words, "w%d ", i)
	}
	return map[string]string{
		"dots": strings.Repeat(".", n), "words": words.String(), "dots apart": strings.Repeat(". ", n/2),
		"one word": strings.Repeat("ab", n/2), "spaces": strings.Repeat(" ", n), "Chinese": strings.Repeat("水火", n/6),
		"marks": "a" + strings.Repeat("\u0301", n/2), "entities": strings.Repeat("&amp;", n/5),
	}
}

// TestHostileTexts sends each metric texts of a whole body, many at a time. What is over
// -max-tokens is refused as such, with its segment; memory goes with the bytes that were sent.
func TestHostileTexts(t *testing.T) {
	const (
		size     = 1 << 17
		together = 4
		// perByte is what a byte of a body may allocate, with what is sent and read. METEOR's
		// tokenizer and the lattice of COMET's take most. The vector of a token, which may be
		// one byte, takes 2048.
		perByte = 600
	)
	l := testLimits
	l.body, l.tokens, l.requests, l.scoring = size+1024, 2000, 2*together, 2
	l.time = 10 * time.Minute
	_, url, _ := start(t, l)
	for kind, text := range hostile(size) {
		for _, name := range metricNames() {
			long := map[string]any{"metrics": []string{name}, "sources": []string{"a", "a"}, "hypotheses": []string{"a", text}, "references": [][]string{{"a"}, {"b"}}}
			other := map[string]any{"metrics": []string{name}, "sources": []string{"a", "a"}, "hypotheses": []string{"a", "b"}, "references": [][]string{{"a"}, {"b", text}}}
			_, counted := splitters[name]
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var clients sync.WaitGroup
			for k := range together {
				var body strings.Builder
				e := json.NewEncoder(&body)
				e.SetEscapeHTML(false) // which would make more than a body of it
				if err := e.Encode([]map[string]any{long, other}[k%2]); err != nil {
					t.Fatal(err)
				}
				side := []string{"hypothesis", "reference"}[k%2]
				clients.Go(func() {
					code, f, err := ask(t.Context(), url, body.String())
					switch {
					case err != nil:
						t.Errorf("%s of %s: %v", name, kind, err)
					case code == http.StatusUnprocessableEntity && f.Segment == 2 && f.Side == side && strings.Contains(f.Error, "long"):
					case code != http.StatusOK:
						t.Errorf("%s of %s: %d, %+v", name, kind, code, f)
					case counted && (kind == "words" || kind == "dots apart"):
						t.Errorf("%s of %s: it was scored", name, kind)
					}
				})
			}
			clients.Wait()
			runtime.ReadMemStats(&after)
			if per := (after.TotalAlloc - before.TotalAlloc) / (together * size); per > perByte {
				t.Errorf("%s of %s: %d bytes were allocated for a byte of text, %d are enough", name, kind, per, perByte)
			}
		}
	}
}

// ask sends a request and returns the code and, of an answer without scores, what it says.
func ask(ctx context.Context, url, body string) (int, failure, error) {
	var f failure
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/score", strings.NewReader(body))
	if err != nil {
		return 0, f, err
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, f, err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = json.Unmarshal(answer, &f)
	}
	return r.StatusCode, f, err
}
