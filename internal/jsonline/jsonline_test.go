package jsonline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	for line, want := range map[string]string{
		"{}":                   "",
		" \t{ \"a\" : 1 } \r ": "",
		"":                     "not JSON: unexpected end of JSON input",
		"  ":                   "not JSON: unexpected end of JSON input",
		`{"a":`:                "not JSON: unexpected end of JSON input",
		"{} {}":                "not JSON: invalid character '{' after top-level value",
		`{"a":1,}`:             "not JSON: invalid character '}' looking for beginning of object key string",
		"[]":                   "not a JSON object",
		" null":                "not a JSON object",
	} {
		got := ""
		if err := Check(line); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	for value, want := range map[string][][2]string{
		`{}`:   nil,
		` { }`: nil,
		`[ ]`:  nil,
		`{"b":1,"a":"x","b":null,"\u0061":"\u0061"}`:  {{"b", "1"}, {"a", `"x"`}, {"b", "null"}, {"a", `"\u0061"`}},
		` { "a" : { "b" : [ 1 , {} ] } , "c" : [] } `: {{"a", `{ "b" : [ 1 , {} ] }`}, {"c", "[]"}},
		`{"}\"":"{]\\","":true}`:                      {{`}"`, `"{]\\"`}, {"", "true"}},
		`["a", -1e5 ,[[]],{"b":"]"}]`:                 {{"", `"a"`}, {"", "-1e5"}, {"", "[[]]"}, {"", `{"b":"]"}`}},
	} {
		var got [][2]string
		for key, v := range Values(value) {
			got = append(got, [2]string{key, v})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", value, diff)
		}
		for range Values(value) {
			break
		}
	}
}

// Text reads what Go's decoder does, and tells half a pair from U+FFFD.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOf(rapid.SampledFrom([]uint16{'a', '"', '\\', 'u', 'd', 0xfffd, 0xd83d, 0xde00})).Draw(t, "units")
		value := `"`
		for _, u := range units {
			form := rapid.SampledFrom([]string{"%c", `\u%04x`, `\u%04X`}).Draw(t, "form")
			switch {
			case form != "%c" || utf16.IsSurrogate(rune(u)):
				value += fmt.Sprintf(strings.Replace(form, "%c", `\u%04x`, 1), u)
			case u == '"' || u == '\\':
				value += `\` + string(rune(u))
			default:
				value += string(rune(u))
			}
		}
		value += `"`
		want := string(utf16.Decode(units))
		wantLost := strings.Count(want, "\ufffd") > len(slices.DeleteFunc(units, func(u uint16) bool { return u != 0xfffd }))
		if text, lost := Text(value); text != want || lost != wantLost {
			t.Errorf("%s: %q, %v, want %q, %v", value, text, lost, want, wantLost)
		}
	})
}

// The fields of whatever is an object are what Go's decoder has.
func FuzzValues(f *testing.F) {
	for _, s := range []string{`{}`, ` { "r" : "\u0061\ud83d\ude00" , "h":"\\\"" ,"x":{"h":[1,{}]}} `, `{"h":"\ud800"}`, `[]`, `{"\u0068":"a","h":[ ],"g":1e5}`, `{"r":[ "a" , null ,[]]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !utf8.ValidString(line) {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &want); (err == nil && want != nil) != (Check(line) == nil) {
			t.Fatalf("%q: %v, and for Go's decoder %v", line, Check(line), err)
		}
		if want == nil {
			return
		}
		got := map[string]json.RawMessage{}
		for key, value := range Values(line) {
			got[key] = json.RawMessage(value)
			checkValue(t, value)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", line, diff)
		}
	})
}

func checkValue(t *testing.T, value string) {
	t.Helper()
	var text string
	var list, got []json.RawMessage
	switch value[0] {
	case '"':
		if err := json.Unmarshal([]byte(value), &text); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if got, _ := Text(value); got != text {
			t.Errorf("%s: %q, want %q", value, got, text)
		}
	case '[':
		if err := json.Unmarshal([]byte(value), &list); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		for _, e := range Values(value) {
			got = append(got, json.RawMessage(e))
		}
		if len(list) != len(got) || len(got) > 0 && !cmp.Equal(list, got) {
			t.Errorf("%s: %s, want %s", value, got, list)
		}
	}
}
