package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzRequest holds what is accepted against encoding/json's reading of it into anything,
// and half characters against what that makes of them: U+FFFD.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		`{"hypotheses":["a"],"references":[["b","c"]],"sources":["d"],"metrics":["bleu"]}`,
		`{"hypotheses":["\ud83d\ude00"]}`, `{"hypotheses":["\ude00\ud83d"]}`, `{"hypotheses":["\\ud83d"]}`,
		`{"hypotheses":["\ud83d\ud83d\ude00"]}`, `{"hypotheses":["\ud83d\\ude00"]}`, `{"hypotheses":["\ufffd"]}`,
		`{"hypotheses":[null]}`, `{"hypotheses":[]}`, `{"hypotheses":["",""],"references":[[],null]}`, `null`, `{} {}`,
	} {
		f.Add([]byte(body))
	}
	l := limits{segments: 3, references: 2}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := parseRequest(body, l)
		if err != nil {
			var known *statusError
			if !errors.As(err, &known) {
				t.Errorf("an error without a code: %v", err)
			}
			return
		}
		text := strings.ToLower(string(body))
		if !utf8.Valid(body) || !strings.Contains(text, `\ufffd`) && !strings.Contains(text, "\ufffd") && strings.Contains(strings.Join(r.hypotheses, ""), "\ufffd") {
			t.Errorf("half a character was read: %q", r.hypotheses)
		}
		if n := len(r.hypotheses); n < 1 || n > l.segments || r.sources != nil && len(r.sources) != n || r.references != nil && len(r.references) != n {
			t.Errorf("accepted: %+v", r)
		}
		// Written and read again it is the same.
		again, err := json.Marshal(map[string]any{"metrics": r.metrics, "hypotheses": r.hypotheses, "sources": r.sources, "references": r.references})
		if err != nil {
			t.Fatal(err)
		}
		second, err := parseRequest(again, l)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if d := cmp.Diff(r, second, cmp.AllowUnexported(request{})); d != "" {
			t.Errorf("(-first +second):\n%s", d)
		}
	})
}

func TestLoneSurrogate(t *testing.T) {
	for text, want := range map[string]int{
		`"a"`: -1, `"\n\u00e9"`: -1, `"\ud83d\ude00"`: -1, `"\uD83D\uDE00"`: -1, `"\\ud83d"`: -1,
		`"\ud83d"`: 1, `"\ude00"`: 1, `"\ud83d\ud83d\ude00"`: 1, `"\ud83d \ude00"`: 1, `"\\\ud83d"`: 3,
		`"\ud83d\ude00\ude00"`: 13, `"\u`: -1, `\`: -1,
	} {
		if got := loneSurrogate([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
