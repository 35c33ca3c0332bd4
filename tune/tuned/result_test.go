package tuned

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tunable"
)

// fake is a metric of two parameters and no texts.
type fake struct {
	name  string
	a, b  float64
	extra bool
	sig   mteval.Signature
}

func (fake) Width() int { return 1 }

func (s fake) Info() mteval.Info {
	sig := append(slices.Clone(s.sig), mteval.Field{Key: "ab", Value: fmt.Sprint(s.a, ",", s.b)})
	return mteval.Info{Name: s.name, Scale: 1, Signature: sig}
}
func (s fake) Score(row []float64) float64 { return s.a + s.b*row[0] }
func (s fake) Prepare(context.Context, [][]string) (mteval.Prepared, error) {
	return nil, errors.New("no texts")
}

func (s fake) Parameters() []tunable.Parameter {
	out := []tunable.Parameter{{Name: "a", Value: s.a, Max: 1}, {Name: "b", Value: s.b, Max: 1}}
	if s.extra {
		out = append(out, tunable.Parameter{Name: "c", Max: 1})
	}
	return out
}

func (s fake) WithParameters(v []float64) (tunable.Scorer, error) {
	if len(v) != 2 || v[0] < 0 || v[0] > 1 || v[1] < 0 || v[1] > 1 {
		return nil, errors.New("fake: out of range")
	}
	s.a, s.b = v[0], v[1]
	return s, nil
}

func sample() *Result {
	return &Result{
		Version: 1, Metric: "fake", Signature: "words:a<b|ab:1,0.1",
		// Not in the metric's order.
		Parameters: []Parameter{{Name: "b", Value: .1, Start: .5, Fitted: true}, {Name: "a", Value: 1, Start: 1}},
		Objective:  "kendall", Seed: 7, Restarts: 3, Evaluations: 200, HeldOutShare: .2,
		Data: []Data{{Name: "lt-en", SHA256: "00ff", Sources: 10, Hypotheses: 20, Judgements: 30}},
		Figures: Figures{
			Train: Figure{Untuned: .1, Tuned: 1. / 3}, Folds: []Figure{{Untuned: .1, Tuned: .2}, {Untuned: .3, Tuned: .4}},
			CrossValidated: Figure{Untuned: .2, Tuned: .3}, SD: Figure{Untuned: .01, Tuned: .02},
			LeftOut: []Figure{{Name: "lt-en", Untuned: -.5, Tuned: .5}}, HeldOut: Figure{Untuned: .25, Tuned: .75},
			HeldOutSets: []Figure{{Name: "x", Untuned: 0, Tuned: 1}},
		},
	}
}

func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tuned.json")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sample(), got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	sig := mteval.Signature{{Key: "words", Value: "a<b"}}
	s, err := got.Apply(fake{name: "fake", sig: sig})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fake{name: "fake", a: 1, b: .1, sig: sig}, s, cmp.AllowUnexported(fake{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := Open(path + "x"); err == nil || !strings.Contains(err.Error(), path+"x") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestApplyErrors(t *testing.T) {
	for want, tt := range map[string]struct {
		s      fake
		change func(r *Result)
	}{
		"parameters of fake for other":                {fake{name: "other"}, func(*Result) {}},
		"fake has a parameter c, which was not tuned": {fake{name: "fake", extra: true}, func(*Result) {}},
		"fake as it is set up has no parameter d":     {fake{name: "fake"}, func(r *Result) { r.Parameters = append(r.Parameters, Parameter{Name: "d"}) }},
		"out of range":                     {fake{name: "fake"}, func(r *Result) { r.Parameters[0].Value = 2 }},
		`two are called "b"`:               {fake{name: "fake"}, func(r *Result) { r.Parameters[1].Name = "b" }},
		"field parameters: there are none": {fake{name: "fake"}, func(r *Result) { r.Parameters = nil }},
	} {
		r := sample()
		r.Signature = ""
		tt.change(r)
		if s, err := r.Apply(tt.s); err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, error %v, want %q", s, err, want)
		}
	}
}

// Parameters are not for other options than those that they were fitted with.
func TestApplyOptions(t *testing.T) {
	field := func(key, value string) mteval.Field { return mteval.Field{Key: key, Value: value} }
	raw, norm := field("norm", "no_norm"), field("norm", "norm")
	for _, tt := range []struct {
		fitted string
		sig    mteval.Signature
		want   string
	}{
		{"lang:de|norm:norm|ab:1,0.1", mteval.Signature{field("lang", "de"), norm}, ""},
		// Somebody rounded the parameters.
		{"lang:de|norm:norm|ab:0.999,0.1", mteval.Signature{field("lang", "de"), norm}, ""},
		{"", mteval.Signature{raw}, ""},
		{"lang:de|norm:norm|ab:1,0.1", mteval.Signature{field("lang", "de"), raw}, "fitted with norm:norm, here norm:no_norm:"},
		{"lang:de|norm:no_norm|ab:1,0.1", mteval.Signature{field("lang", "en"), norm}, "fitted with lang:de, here lang:en; norm:no_norm, here norm:norm:"},
		// What one of them does not tell.
		{"norm:norm|case:lc|ab:1,0.1", mteval.Signature{norm}, "fitted with case:lc, here no case:"},
		{"norm:norm|ab:1,0.1", mteval.Signature{norm, field("case", "lc")}, "fitted with no case, here case:lc:"},
	} {
		r := sample()
		r.Signature = tt.fitted
		s, err := r.Apply(fake{name: "fake", sig: tt.sig})
		if tt.want == "" {
			if err != nil || s == nil {
				t.Errorf("%s: %v", tt.fitted, err)
			}
			continue
		}
		var options *OptionsError
		if !errors.As(err, &options) || s != nil || !strings.Contains(err.Error(), tt.want) || len(options.Given) != len(options.Fitted) {
			t.Errorf("%s: %v, %v, want %q", tt.fitted, s, err, tt.want)
		}
	}
	// Of other names it is not known which fields the parameters change.
	if _, err := sample().Apply(fake{name: "fake", extra: true}); err == nil || !strings.Contains(err.Error(), "a parameter c, which was not tuned: use the options that it was tuned with (words:a<b|ab:1,0.1)") {
		t.Error(err)
	}
}

const small = `{
  "version": 1,
  "metric": "m",
  "parameters": [{"name": "a", "value": 0.5, "start": 1, "fitted": true}],
  "figures": {}
}
`

func TestReadErrors(t *testing.T) {
	for want, text := range map[string]string{
		"f: the file is empty":                               " \n",
		"f: field version: missing":                          `{"metric": "m"}`,
		"f: field version: 2, want 1":                        `{"version": 2, "metrics": []}`,
		"f:3: field metric: a number":                        strings.Replace(small, `"m"`, `7`, 1),
		"f:4: field parameters.value: a string":              strings.Replace(small, `0.5`, `"0.5"`, 1),
		`f:5: field "figure": there is no such field`:        strings.Replace(small, `"figures"`, `"figure"`, 1),
		"f: field metric: no metric is named":                strings.Replace(small, `"m"`, `""`, 1),
		"f: field parameters: there are none":                `{"version": 1, "metric": "m", "figures": {}}`,
		"f: field parameters: number 1 has no name":          strings.Replace(small, `"a"`, `""`, 1),
		"f:4: field parameters.value: a number 1e999, which": strings.Replace(small, `0.5`, `1e999`, 1),
		`f: field parameters: two are called "a"`:            strings.Replace(small, `[`, `[{"name": "a", "value": 1}, `, 1),
		"f:1: not a file of tuned parameters":                "[]",

		"f:4: field parameters: a has no value": strings.Replace(small, `"value": 0.5, `, ``, 1),
		"f:5: field parameters: b has no value": strings.Replace(small, `[{"name": "a"`, `[{"name": "a", "value": 1},
			{"value": null, "name": "b"}, {"name": "c"`, 1),
		"f:4: field value: it stands twice":          strings.Replace(small, `"value": 0.5`, `"value": 0.5, "value": 0.6`, 1),
		"f:5: field version: it stands twice":        strings.Replace(small, `"figures"`, `"version": 1, "figures"`, 1),
		`f:4: field "Value": there is no such field`: strings.Replace(small, `"value"`, `"Value"`, 1),
		"f:4: field name: null, which":               strings.Replace(small, `"a"`, `null`, 1),
		"f: field metric: no metric is nam":          strings.Replace(small, `"metric": "m",`, ``, 1),
		"f: more than 16777216 bytes, the most":      small + strings.Repeat(" ", 1<<24),
	} {
		r, err := Read(strings.NewReader(text), "f")
		if err == nil || r != nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, error %v, want %s", r, err, want)
		}
	}
	for _, text := range []string{small, "\ufeff" + small, strings.ReplaceAll(small, "\n", "\r\n")} {
		if _, err := Read(strings.NewReader(text), "f"); err != nil {
			t.Error(err)
		}
	}
	if err := (&Result{}).Write(&bytes.Buffer{}); err == nil {
		t.Error("no error for a result without a metric")
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := sample().Write(&b); err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{b.String(), small, "", "null", "{}", `{"version": 1}`, `{"version":1,"metric":"m","parameters":[null]}`, `{"version":1,"metric":"m","parameters":[{"name":"a"}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read(strings.NewReader(text), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("no file in %v", err)
			}
			return
		}
		if !strings.Contains(text, `\`) && strings.Count(text, `"value"`) < len(r.Parameters) {
			t.Errorf("a parameter has no value: %s", text)
		}
		var b bytes.Buffer
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b, "f")
		if err != nil {
			t.Fatal(err)
		}
		var c bytes.Buffer
		if err := again.Write(&c); err != nil {
			t.Fatal(err)
		}
		if err := r.Write(&b); err != nil || b.String() != c.String() {
			t.Errorf("%s became %s", b.String(), c.String())
		}
	})
}
