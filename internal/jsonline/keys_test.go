package jsonline

import (
	"encoding/json"
	"strings"
	"testing"
)

type inner struct {
	Score *float64
	Name  string `json:"name,omitempty"`
}

type outer struct {
	inner
	List  []inner          `json:"list"`
	By    map[string]inner `json:"by"`
	Raw   json.RawMessage  `json:"raw"`
	Plain string           `json:"plain"`
	none  int
}

func TestCheckKeys(t *testing.T) {
	_ = outer{}.none
	for _, tt := range []struct{ value, want string }{
		{`{}`, ""},
		{` {"Score": 1, "name": "a", "list": [{"Score": 1}, {"Score": 2}], "by": {"a": {}, "A": {"name": ""}}, "plain": "x"} `, ""},
		{`{"other": 1, "other": 2, "Other": 3, "none": 1, "None": 2}`, ""},
		{`{"raw": {"a": 1, "a": 2}}`, ""},
		{`null`, ""},
		{`{"list": null, "by": null}`, ""},
		{`{"plain": "a", "plain": "b"}`, `field "plain" stands there twice`},
		{`{"plain": "a", "\u0070lain": "b"}`, `field "plain" stands there twice`},
		{`{"Plain": "a"}`, `field "Plain": there is no such field, but plain`},
		{`{"plain": "a", "PLAIN": "b"}`, `field "PLAIN": there is no such field, but plain`},
		{`{"ſcore": 1}`, `field "ſcore": there is no such field, but Score`}, // a long s
		{`{"list": [{"Score": 1}, {"score": 2}]}`, `field "score": there is no such field, but Score`},
		{`{"by": {"a": {}, "a": {}}}`, `field "a" stands there twice`},
		{`{"by": {"a": {"name": "", "name": ""}}}`, `field "name" stands there twice`},
	} {
		var v outer
		if err := json.Unmarshal([]byte(tt.value), &v); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := CheckKeys(tt.value, &v); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.value, got, tt.want)
		}
	}
}

// Whatever is JSON can be looked at, and what passes means the same to a reader that knows no
// other letters.
func FuzzCheckKeys(f *testing.F) {
	for _, s := range []string{`{"list":[{"Score":1}],"by":{"a":{"name":""}}}`, `{"Plain":"","plain":""}`, `[1]`, `""`, ` {"raw" : [ ] } `} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var v outer
		if json.Unmarshal([]byte(value), &v) != nil || CheckKeys(value, &v) != nil || strings.Trim(value, Space)[0] != '{' {
			return
		}
		n := 0
		for key := range Values(strings.Trim(value, Space)) {
			if strings.EqualFold(key, "plain") {
				if n++; key != "plain" || n > 1 {
					t.Errorf("%s: %s passes", value, key)
				}
			}
		}
	})
}
