package preference

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
)

// written is the file of a calibration.
func written(t testing.TB, c *Calibration) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// fitted on the recorded sets.
func sample(t testing.TB) *Calibration {
	t.Helper()
	sets := readRecorded(t)[0].sets()
	for _, s := range sets {
		s.Evidence[0].Signature = mteval.Signature{{Key: "tok", Value: "13a <&>"}}
	}
	c, err := Fit(ctx, sets, FitOptions{Note: "scores of \"people\" <é>"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRoundTrip(t *testing.T) {
	c := sample(t)
	text := written(t, c)
	path := filepath.Join(t.TempDir(), "calibration.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := written(t, got); again != text {
		t.Errorf("written again: %s", cmp.Diff(text, again))
	}
	// Of a mark of the order of bytes, other ends of lines and other white space nothing depends.
	for _, same := range []string{"\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, "\n", "")} {
		got, err := Read(strings.NewReader(same), "f")
		if err != nil {
			t.Fatal(err)
		}
		if got.Hash() != c.Hash() {
			t.Errorf("hash %s, want %s", got.Hash(), c.Hash())
		}
	}
	if !strings.Contains(text, "<é>") {
		t.Errorf("people can't read %s", text)
	}
	if _, err := Open(path + "x"); err == nil || !strings.Contains(err.Error(), path+"x") {
		t.Errorf("a missing file: %v", err)
	}
}

// The hash is of the file, and every field of it counts.
func TestHash(t *testing.T) {
	sum := sha256.Sum256([]byte(written(t, sample(t))))
	want := hex.EncodeToString(sum[:8])
	seen := map[string]string{want: "nothing"}
	if got := sample(t).Hash(); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	for name, change := range map[string]func(c *Calibration){
		"note":     func(c *Calibration) { c.Note += "." },
		"fitted":   func(c *Calibration) { c.Fitted += "." },
		"shape":    func(c *Calibration) { c.Terms[0].Shape = Log },
		"weight":   func(c *Calibration) { c.Terms[0].Weight *= 1 + 1e-15 },
		"value":    func(c *Calibration) { c.Terms[0].Metric.Signature[0].Values[0] = "none" },
		"terms":    func(c *Calibration) { c.Terms = c.Terms[:1] },
		"held out": func(c *Calibration) { c.HeldOut.Brier += 1e-12 },
		"none":     func(c *Calibration) { c.HeldOut = nil },
		"band":     func(c *Calibration) { c.Records[1].Bands[11].Pairs++ },
		"set":      func(c *Calibration) { c.Sets[2].Segments++ },
		"sets":     func(c *Calibration) { c.Sets = nil },
	} {
		c := sample(t)
		change(c)
		h := c.Hash()
		if seen[h] != "" || len(h) != 16 {
			t.Errorf("%s: hash %q is that of %s", name, h, seen[h])
		}
		seen[h] = name
	}
	for _, c := range []*Calibration{nil, {}, {Terms: []Term{{Metric{Name: "x"}, Linear, nan}}}} {
		if h := c.Hash(); h != "" {
			t.Errorf("%+v has hash %s", c, h)
		}
	}
}

func TestSignature(t *testing.T) {
	c := calibration()
	want := mteval.Signature{{Key: "calibration", Abbr: "cal", Value: c.Hash()}, {Key: "terms", Abbr: "t", Value: "x=linear,y=log"}, {Key: "sets", Abbr: "s", Value: "2"}}
	if diff := cmp.Diff(want, c.Signature()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s := (*Calibration)(nil).Signature(); s != nil {
		t.Error(s)
	}
}

const small = `{
"format": "mteval calibration 1",
"note": "n",
"terms": [{"metric": {"name": "x", "signature": [{"key": "tok", "values": ["13a"]}]}, "shape": "log", "weight": 0.5}],
"sets": [{"name": "a", "campaign": "c", "systems": 2, "segments": 3, "pairs": 1}]
}
`

func TestReadErrors(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(small, from) {
			t.Fatalf("no %s", from)
		}
		return strings.Replace(small, from, to, 1)
	}
	for want, text := range map[string]string{
		"f: the file is empty":                       "",
		"f:6: the file is cut short":                 strings.TrimSuffix(small, "}\n"),
		"f:3: not JSON: invalid character":           change(`"n"`, "x"),
		`f: format "", want "mteval calibration 1"`:  "null",
		`f: format "", want`:                         "{}",
		`f: format "mteval calibration 2", want`:     change("calibration 1", "calibration 2"),
		"f:1: not a calibration":                     "[1]",
		"f:2: field format: a number":                change(`"mteval calibration 1"`, "1"),
		"f:4: field terms: a object":                 strings.NewReplacer(`[{"metric"`, `{"metric"`, `0.5}]`, `0.5}`).Replace(small),
		"f:4: field terms.weight: a string":          change("0.5", `"0.5"`),
		"f:4: field terms.weight: a number 1e999":    change("0.5", "1e999"),
		"f: no shape \"sqrt\": have linear, log":     change(`"log"`, `"sqrt"`),
		`f:4: field "wait": there is no such field`:  change(`"weight"`, `"wait"`),
		`f:4: field "Weight": there is no such`:      change(`"weight"`, `"Weight"`),
		"f:4: field weight: it stands twice":         change(`"weight": 0.5`, `"weight": 0.5, "weight": 0.5`),
		"f:5: field note: it stands twice":           change(`"sets"`, `"note": "n", "sets"`),
		"f:4: field terms: number 1 has no weight":   change(`, "weight": 0.5`, ""),
		"f:4: field terms: number 1 has no shape":    change(`"log"`, "null"),
		"f:4: field values: null, which it can't be": change(`["13a"]`, "null"),
		"f:3: field note: null, which it can't be":   change(`"n"`, "null"),
		"f:5: field sets: a has no segments":         change(`"segments": 3, `, ""),
		"f:7: more after the end of the JSON":        small + "{}",
		"f: a calibration without terms":             `{"format": "mteval calibration 1"}`,
		"f: term 1: x: a weight of 1e+07, want":      change("0.5", "1e7"),
		"f: term 1: no metric is named":              change(`"x"`, `""`),
		"f: term 1: x: field \"tok\" of the":         change(`["13a"]`, "[]"),
		"f: set a has 1 systems, 3 segments and":     change(`"systems": 2`, `"systems": 1`),
		"f: record 1: x: 0 bands, want 12":           change(`"sets"`, `"records": [{"metric": {"name": "x"}, "weight": 1, "bands": []}], "sets"`),
		"f: a figure held out is -1":                 change(`"sets"`, `"held_out": {"pairs": -1}, "sets"`),
		"f:5: field sets.segments: a number 1e2":     change(`"segments": 3`, `"segments": 1e2`),
		"f: more than 16777216 bytes, the most":      small + strings.Repeat(" ", 1<<24),
	} {
		c, err := Read(strings.NewReader(text), "f")
		if err == nil || c != nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, error %v, want %s", c, err, want)
		}
	}
	c, err := Read(strings.NewReader(small), "f")
	if err != nil {
		t.Fatal(err)
	}
	want := &Calibration{Note: "n", Terms: []Term{{Metric{"x", []Field{{"tok", []string{"13a"}}}}, Log, .5}}, Sets: []Judged{{"a", "c", 2, 3, 1}}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []*Calibration{nil, {}} {
		var b bytes.Buffer
		if err := bad.Write(&b); err == nil || b.Len() > 0 || !strings.HasPrefix(err.Error(), "preference: ") {
			t.Errorf("%q, error %v", b.String(), err)
		}
	}
}

// Records that no calibration has are refused, in files and by Judge.
func TestRecordErrors(t *testing.T) {
	for want, change := range map[string]func(r *Record){
		"record 1: no metric is named":                             func(r *Record) { r.Metric.Name = "" },
		"record 1: x: 11 bands, want 12":                           func(r *Record) { r.Bands = r.Bands[1:] },
		"record 1: x: band 2 is of |z| from NaN to 1, want from":   func(r *Record) { r.Bands[1].From = nan },
		"record 1: x: band 12 is of |z| from 24 to 30, want from ": func(r *Record) { r.Bands[11].To = 30 },
		"record 1: x: 1 of 0 pairs in band 3":                      func(r *Record) { r.Bands[2] = Band{From: 1, To: 1.5, Agreed: 1} },
		"record 1: x: -1 of 0 pairs in band 3":                     func(r *Record) { r.Bands[2] = Band{From: 1, To: 1.5, Agreed: -1} },
		"record 1: x: a weight of +Inf":                            func(r *Record) { r.Weight = inf },
		"record 1: x: a figure held out is NaN":                    func(r *Record) { r.HeldOut.LogLoss = nan },
	} {
		c := sample(t)
		change(&c.Records[0])
		_, err := c.Judge([]*Evidence{evidence("x", 2, 1), evidence("y", 2, 1)})
		if err == nil || !strings.HasPrefix(err.Error(), "preference: "+want) || c.Hash() != "" {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The embedded calibration reads, is as Write makes it, and is the package's comment's. Each
// caller has one of his own.
func TestDefault(t *testing.T) {
	c := Default()
	if text := written(t, c); text != string(embedded) {
		t.Errorf("calibration.json is not as it is written (-written +embedded):\n%s", cmp.Diff(text, string(embedded)))
	}
	var terms []string
	for _, term := range c.Terms {
		terms = append(terms, term.Metric.Name+" "+term.Shape.String())
		if term.Weight <= 0 || term.Weight != c.Terms[0].Weight {
			t.Errorf("weight %v", term.Weight)
		}
	}
	if diff := cmp.Diff([]string{"bertscore-lexical linear", "chrf log", "da-bertscore-lexical log"}, terms); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	if c.HeldOut == nil || len(c.Sets) < 50 || len(c.Records) < 7 || c.Note == "" {
		t.Errorf("held out %v, %d sets, %d records, note %q", c.HeldOut, len(c.Sets), len(c.Records), c.Note)
	}
	hash := c.Hash()
	c.Terms[0].Metric.Signature[0].Values[0] = "changed"
	if Default().Hash() != hash || c.Hash() == hash {
		t.Error("a caller changed the calibration of others")
	}
	if len(embedded) > 64<<10 {
		t.Errorf("%d bytes are embedded", len(embedded))
	}
}

// The records of the embedded calibration add up to its sets' pairs.
func TestDefaultAddsUp(t *testing.T) {
	c := Default()
	pairs := 0
	for _, s := range c.Sets {
		pairs += s.Pairs
	}
	if c.HeldOut.Pairs != pairs {
		t.Errorf("held out %d pairs, sets have %d", c.HeldOut.Pairs, pairs)
	}
	for _, r := range c.Records {
		n := 0
		for _, b := range r.Bands {
			n += b.Pairs
		}
		if n != pairs || r.HeldOut.Pairs != pairs {
			t.Errorf("%s: %d pairs in bands, %d held out, sets have %d", r.Metric.Name, n, r.HeldOut.Pairs, pairs)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{small, written(f, sample(f)), "", "null", "{}", `{"format": "mteval calibration 1"}`, `{"format":"mteval calibration 1","terms":[null]}`,
		`{"format":"mteval calibration 1","terms":[{"metric":{"name":"x"},"shape":"log","weight":1}],"records":[{}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read(strings.NewReader(text), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") || c != nil {
				t.Errorf("%v, error %v", c, err)
			}
			return
		}
		once := written(t, c)
		again, err := Read(strings.NewReader(once), "f")
		if err != nil {
			t.Fatal(err)
		}
		if twice := written(t, again); once != twice || c.Hash() != again.Hash() {
			t.Errorf("%s became %s", once, twice)
		}
	})
}
