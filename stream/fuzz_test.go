package stream

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// Whatever is a JSON object has its fields read as Go reads them, and gets a field more.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"h":"a","r":["b","c"]}`, ` { "r" : "\u0061\ud83d\ude00" , "h":"\\\"" ,"x":{"h":[1,{}]}} `, `{"h":"\ud800"}`, `[]`, `{"\u0068":"a", "r":[],"h":1e5}`, `{"r":[ "a" , null ,[]]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") || !utf8.ValidString(line) {
			return
		}
		l := Layout{Hypothesis: "h", References: []string{"r"}}
		o := newObjects(l, []string{"score"}, -1)
		if o.place(line) != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%q has a place: %v", line, err)
		}
		var got texts
		if err := o.read(line, &got); err == nil {
			var hyp string
			var refs []string
			if err := json.Unmarshal(want["h"], &hyp); err != nil || hyp != got.hyp {
				t.Errorf("%q: %q, want %q, %v", line, got.hyp, hyp, err)
			}
			if json.Unmarshal(want["r"], &refs) != nil {
				refs = make([]string, 1)
				if err := json.Unmarshal(want["r"], &refs[0]); err != nil {
					t.Errorf("%q: %v", line, err)
				}
			}
			if d := cmp.Diff(refs, got.refs); d != "" {
				t.Errorf("%q: %s", line, d)
			}
		}
		for _, scores := range [][]float64{nil, {1.5}} {
			out := string(o.write(nil, line, scores))
			var more map[string]json.RawMessage
			if err := json.Unmarshal([]byte(out), &more); err != nil {
				t.Fatalf("%q becomes %q: %v", line, out, err)
			}
			added := more["score"]
			if delete(more, "score"); string(added) != map[bool]string{true: "null", false: "1.5"}[scores == nil] || !cmp.Equal(want, more) {
				t.Errorf("%q becomes %q", line, out)
			}
			// All that was there is there, in its order.
			at := strings.LastIndex(out, `"score":`)
			before := strings.TrimSuffix(out[:at], ",")
			if behind := strings.TrimPrefix(out[at:], `"score":`+string(added)); before+behind != line {
				t.Errorf("%q becomes %q", line, out)
			}
		}
	})
}

// Whatever is a table comes out as it was, with a column more.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"h\tr\na\tb\n", "h\tr\r\na\tb\r\nc\td\r", "\ufeffr\tx\th\n\n\t\t\n", "h\tr\n\xff\t\n", "h\tr\na", "r\th"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		o := shareOptions()
		o.OnError, o.Layout.Format, o.MaxLine, o.blockLines = Skip, TSV, 64, 3
		got, totals, err := runText(t, o, in)
		if strings.HasPrefix(in, "\x1f\x8b") {
			return
		}
		if err != nil {
			if got != "" && !strings.Contains(err.Error(), errBroken.Error()) && !errors.Is(err, ErrNoScores) {
				t.Errorf("%q: %v after %q", in, err, got)
			}
			return
		}
		var lines []string
		for line := range strings.SplitAfterSeq(got, "\n") {
			body, end := strings.TrimSuffix(line, "\n"), ""
			if body != line {
				end = "\n"
			}
			if body == "" {
				continue
			}
			body, cr := cutCR(body)
			lines = append(lines, body[:strings.LastIndexByte(body, '\t')]+cr+end)
		}
		if n := int64(len(lines)); n != totals.Written+1 || totals.Written+totals.Errors != totals.Lines {
			t.Errorf("%q: %d lines, of %+v", in, n, totals)
		}
		// They are some of the input's, in their order.
		all := strings.SplitAfter(in, "\n")
		for _, line := range lines {
			for len(all) > 0 && all[0] != line {
				all = all[1:]
			}
			if len(all) == 0 {
				t.Fatalf("%q: %q is no line there: %q", in, line, got)
			}
			all = all[1:]
		}
	})
}
