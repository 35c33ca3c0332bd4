package jsonfile

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type thing struct {
	Embedded
	Name  string  `json:"name"`
	Parts []part  `json:"parts"`
	Share float64 `json:"share"`
	One   *part   `json:"one"`
}

type Embedded struct {
	Inner []part `json:"inner"`
}

type part struct {
	Name  string    `json:"name"`
	Size  float64   `json:"size"`
	Sizes []float64 `json:"sizes"`
}

const sample = `{
  "name": "n",
  "parts": [{"name": "a", "size": 0.5}, {"size": 2, "sizes": [1, 2]}],
  "share": 0.25
}
`

// read is what packages do with a file.
func read(text string) (*thing, error) {
	f := File{Name: "f", Data: []byte(text), What: "a thing"}
	if err := f.Peek(new(struct{})); err != nil {
		return nil, err
	}
	var out thing
	end, err := f.Decode(&out)
	if err != nil {
		return nil, err
	}
	if err := f.CheckFields(end, map[string][]string{"parts": {"size"}, "one": {"name"}}); err != nil {
		return nil, err
	}
	return &out, nil
}

func TestErrors(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(sample, from, to, 1) }
	for want, text := range map[string]string{
		"f: the file is empty":                        " \n",
		"f:5: the file is cut short":                  strings.TrimSuffix(sample, "}\n"),
		"f:3: the file is cut short":                  sample[:strings.Index(sample, ".5")],
		"f:2: not JSON: invalid character 'x'":        change(`"n"`, "x"),
		"f:4: not JSON: invalid character 'N'":        change("0.25", "NaN"),
		"f:4: not JSON: invalid character 'x'":        change("0.25", "0x1p3"),
		"f:4: not JSON: invalid character '_'":        change("0.25", "1_000"),
		"f:4: not JSON: invalid character '+'":        change("0.25", "+1"),
		"f:5: not JSON: invalid character '}'":        change("0.25", "0.25,"),
		"f:6: more after the end of the JSON":         sample + "{}",
		"f:5: more after the end of the JSON":         strings.TrimSpace(sample) + "\x00",
		"f:1: not a thing":                            "[]",
		"f:2: field name: a number, which":            change(`"n"`, "7"),
		"f:3: field parts.size: a string, which":      change("0.5", `"0.5"`),
		"f:4: field share: a number 1e999, which":     change("0.25", "1e999"),
		"f:4: field share: a number -1e400, which":    change("0.25", "-1e400"),
		`f:4: field "shares": there is no such field`: change(`"share"`, `"shares"`),
		"f:4: field inner.size: a bool, which":        change("0.25", `0.25, "inner": [{"size": true}]`),
		// What the decoder takes.
		"f:1: null, which":                            "null",
		"f:2: field name: null, which":                change(`"n"`, "null"),
		"f:3: field parts: null, which":               change(`{"name": "a", "size": 0.5}`, "null"),
		"f:3: field sizes: null, which":               change("[1, 2]", "[1, null]"),
		"f:4: field share: null, which":               change("0.25", "null"),
		"f:3: field size: it stands twice":            change(`"size": 2`, `"size": 2, "size": 2`),
		"f:5: field name: it stands twice":            change("0.25", "0.25,\n\"name\": \"n\""),
		`f:4: field "Share": there is no such field`:  change(`"share"`, `"Share"`),
		"f:4: field \"\u017fhare\": there is no such": change(`"share"`, `"\u017fhare"`), // a long s, which the decoder takes for s
		"f:3: field parts: a has no size":             change(`, "size": 0.5`, ""),
		"f:3: field parts: number 2 has no size":      change(`"size": 2, `, ""),
		"f:3: field parts: number 1 has no size":      change(`"name": "a", "size": 0.5`, ""),
		"f:4: field parts: b has no size":             change("{\"name\": \"a\", \"size\": 0.5}", "{\"size\": null,\n\"name\": \"b\"}"),
		"f:4: field one: it has no name":              change("0.25", `0.25, "one": {"size": 1}`),
	} {
		got, err := read(text)
		if err == nil || got != nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v, error %v, want %s", got, err, want)
		}
	}
}

func TestDecode(t *testing.T) {
	want := &thing{Name: "n", Parts: []part{{Name: "a", Size: .5}, {Size: 2, Sizes: []float64{1, 2}}}, Share: .25}
	for _, text := range []string{sample, strings.ReplaceAll(sample, "\n", "\r\n"), strings.Join(strings.Fields(sample), "")} {
		got, err := read(text)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	// Same names in other objects, and an empty one.
	if got, err := read(`{"one": {"name": "one", "size": 3}, "parts": []}`); err != nil || got.One.Size != 3 {
		t.Errorf("%+v, error %v", got, err)
	}
}

// What is encoded again is the same, however the file is laid out.
func TestCheckSame(t *testing.T) {
	type pair struct {
		Two  [2]int  `json:"two"`
		Size float64 `json:"size"`
	}
	for text, want := range map[string]string{
		"{\"two\": [1, 2],\n\"size\": 0.5}\n": "",
		`{"two":[1,2,3],"size":0.5}`:          "f:1: field two: it is not as mteval writes it",
		"{\n\"two\": [1],\n\"size\": 0.5}":    "f:2: field two: it is not as mteval writes it",
		"{\"two\":[1,2],\n\"size\":5e-1}":     "f:2: field size: it is not as mteval writes it",
		`{"size":0.5,"two":[1,2]}`:            "f:1: field size: it is not as mteval writes it",
		`{"two":[1,2]}`:                       "f:1: field two: it is not as mteval writes it",
	} {
		f := File{Name: "f", Data: []byte(text)}
		var p pair
		end, err := f.Decode(&p)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := f.CheckSame(end, encoded); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The fields of the whole may be wanted, too.
func TestRequired(t *testing.T) {
	for text, want := range map[string]string{`{"name":"n","share":1}`: "", `{"name":"n"}`: "f:1: field share: missing", `{"name":"n","share":null}`: "f:1: field share: missing"} {
		f := File{Name: "f", Data: []byte(text)}
		got := ""
		if err := f.CheckFields(int64(len(text)), map[string][]string{"": {"name", "share"}}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Peek passes over what it was not asked for.
func TestPeek(t *testing.T) {
	var out struct{ Share float64 }
	f := File{Name: "f", Data: []byte(sample)}
	if err := f.Peek(&out); err != nil || out.Share != .25 {
		t.Errorf("%+v, error %v", out, err)
	}
}

func TestAt(t *testing.T) {
	f := File{Name: "f", Data: []byte("a\nb\n")}
	for offset, want := range map[int64]string{-1: "f:1: e", 0: "f:1: e", 1: "f:1: e", 2: "f:2: e", 4: "f:3: e", 99: "f:3: e"} {
		if err := f.at(offset, errors.New("e")); err.Error() != want {
			t.Errorf("%d: %v, want %s", offset, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{sample, "", "null", "{}", "[]", `{"parts":[{}]}`, `{"parts":[[]]}`, `{"one":{"name":null}}`, `{"a":[[{"b":null}]]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := read(text)
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("no file in %v", err)
		}
		if !strings.Contains(text, `\`) && got != nil && strings.Count(text, `"size"`) < len(got.Parts) {
			t.Errorf("a part has no size: %s", text)
		}
	})
}
