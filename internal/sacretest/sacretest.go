// Package sacretest reads recorded values of sacreBLEU, for the tests of the metrics
// that it has.
package sacretest

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

// A Case is a score that sacreBLEU gave.
type Case struct {
	ID       string
	Level    string // corpus, sentence, or from_stats: Input is then of the metric
	Hyps     []string
	Refs     [][]string // by segment
	Input    json.RawMessage
	Options  json.RawMessage // as sacreBLEU's constructor names them
	Expected json.RawMessage
	Values   Values
}

// Values are what every metric has.
type Values struct {
	Score     float64
	Signature string
	Short     string `json:"signature_short"`
	Str       string
	Rows      [][]float64 // of the segments; recorded by this project only
}

// Decode decodes the options or the expected values into v.
func Decode(t testing.TB, data json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

// Recorded returns the cases of a file that scripts/record_sacrebleu.py wrote.
func Recorded(t testing.TB, path string) []Case {
	t.Helper()
	var rec struct {
		Corpora map[string]struct {
			Hyps []string
			Refs [][]string
		}
		Cases []struct {
			Corpus   string
			Options  json.RawMessage
			Expected json.RawMessage
		}
	}
	shareddata.ReadJSON(t, path, &rec)
	var out []Case
	for _, c := range rec.Cases {
		corpus := rec.Corpora[c.Corpus]
		refs, err := mteval.Segments(corpus.Refs...)
		if err != nil {
			t.Fatal(err)
		}
		k := Case{ID: c.Corpus + " " + string(c.Options), Level: "corpus", Hyps: corpus.Hyps, Refs: refs, Options: c.Options, Expected: c.Expected}
		Decode(t, c.Expected, &k.Values)
		out = append(out, k)
	}
	if len(out) == 0 {
		t.Fatalf("%s: no cases", path)
	}
	return out
}

// Golden returns the cases of a metric in ../shared/golden/sacrebleu/cases.json, and
// skips the test where that is absent.
func Golden(t testing.TB, metric string) []Case {
	t.Helper()
	var rec struct {
		Cases []struct {
			ID, Metric, Level        string
			Input, Options, Expected json.RawMessage
		}
	}
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "sacrebleu", "cases.json"), &rec)
	var out []Case
	for _, c := range rec.Cases {
		if c.Metric != metric {
			continue
		}
		k := Case{ID: c.ID, Level: c.Level, Input: c.Input, Options: c.Options, Expected: c.Expected}
		Decode(t, c.Expected, &k.Values)
		var in struct{ Hyps, Refs json.RawMessage }
		switch c.Level {
		case "corpus":
			var streams [][]string
			Decode(t, c.Input, &in)
			Decode(t, in.Hyps, &k.Hyps)
			Decode(t, in.Refs, &streams)
			var err error
			if k.Refs, err = mteval.Segments(streams...); err != nil {
				t.Fatal(err)
			}
		case "sentence":
			k.Hyps, k.Refs = make([]string, 1), make([][]string, 1)
			Decode(t, c.Input, &in)
			Decode(t, in.Hyps, &k.Hyps[0])
			Decode(t, in.Refs, &k.Refs[0])
		}
		out = append(out, k)
	}
	if len(out) == 0 {
		t.Fatalf("no cases of %s", metric)
	}
	return out
}

// WMT19 compares, to 1e-9, the scores of all systems of the WMT19 data in ../shared
// with sacreBLEU's under a setting of wmt19-corpus.json ("BLEU-intl", "chrF2", …). It
// skips the test where the data is absent.
func WMT19(t *testing.T, setting string, s mteval.Scorer) {
	t.Helper()
	if race.Enabled {
		t.Skip("takes minutes with the race detector on, and is run without it")
	}
	var rec map[string]map[string]map[string]struct{ Score float64 }
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "sacrebleu", "wmt19-corpus.json"), &rec)
	lines := func(elem ...string) []string {
		return shareddata.ReadLines(t, shareddata.Path(t, append([]string{"data"}, elem...)...))
	}
	n := 0
	for pair, settings := range rec {
		refs, err := mteval.Segments(lines(pair, "ref."+pair[len(pair)-2:]))
		if err != nil {
			t.Fatal(err)
		}
		var systems []mteval.System
		for name := range settings {
			systems = append(systems, mteval.System{Name: name, Hyps: lines(pair, "sys", name+".txt")})
		}
		table, err := mteval.Systems(context.Background(), s, refs, systems)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range table.Scores() {
			want, ok := settings[systems[k].Name][setting]
			if !ok || math.Abs(got-want.Score) > 1e-9 {
				t.Errorf("%s %s: %v, sacreBLEU has %v", pair, systems[k].Name, got, want.Score)
			}
			n++
		}
	}
	if n != 38 {
		t.Errorf("%d systems compared", n)
	}
}

// Compare checks the rows of a case's segments, of which sacreBLEU has the first columns, and
// the signature, but for fields that sacreBLEU does not have.
func Compare(t *testing.T, c *Case, r *mteval.Result, columns int, ours ...string) {
	t.Helper()
	for i, want := range c.Values.Rows {
		if got := r.Row(i)[:columns]; !slices.Equal(want, got) {
			t.Errorf("%s, segment %d: row %v, sacreBLEU has %v", c.ID, i, got, want)
		}
	}
	for _, sigs := range [][2]string{{r.Signature.String(), c.Values.Signature}, {r.Signature.Short(), c.Values.Short}} {
		if got := withoutVersion(sigs[0], ours...); sigs[1] != "" && got != withoutVersion(sigs[1]) {
			t.Errorf("%s: signature %s, want %s", c.ID, sigs[0], sigs[1])
		}
	}
}

// withoutVersion drops the version from a signature, and the fields that sacreBLEU
// does not have.
func withoutVersion(sig string, ours ...string) string {
	var kept []string
next:
	for _, f := range strings.Split(sig, "|") {
		key, _, _ := strings.Cut(f, ":")
		for _, k := range append([]string{"version", "v"}, ours...) {
			if key == k {
				continue next
			}
		}
		kept = append(kept, f)
	}
	return strings.Join(kept, "|")
}
