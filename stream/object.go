package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mteval/mteval"
)

// objects are lines of JSON.
type objects struct {
	Layout
	keys     []string // of metrics, as JSON
	metrics  []string
	decimals int
}

func newObjects(l Layout, metrics []string, decimals int) *objects {
	o := &objects{Layout: l, metrics: metrics, decimals: decimals}
	for _, m := range metrics {
		key, _ := json.Marshal(m) // a text is always JSON
		o.keys = append(o.keys, string(key))
	}
	return o
}

func (o *objects) start(string) (string, bool, error) { return "", false, nil }

// errPresent is of an object that has a metric's field already, and of all lines, most likely.
type errPresent struct{ field string }

func (e *errPresent) Error() string {
	return fmt.Sprintf("the object has a field %s already: rename it, or leave it out", e.field)
}

func (o *objects) place(line string) error {
	if line == "" || line == "\r" {
		return errors.New("the line is empty, and no JSON object")
	}
	if !json.Valid([]byte(line)) {
		var any json.RawMessage
		return fmt.Errorf("not JSON: %w", json.Unmarshal([]byte(line), &any))
	}
	if strings.TrimLeft(line, jsonSpace)[0] != '{' {
		return errors.New("not a JSON object")
	}
	var err error
	members(line, func(key, _ string) {
		for _, m := range o.metrics {
			if key == m {
				err = &errPresent{m}
			}
		}
	})
	return err
}

func (o *objects) read(line string, out *texts) error {
	out.refs = out.refs[:0]
	var failed error
	fail := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	var hyp, src, id int
	refs := 0
	members(line, func(key, value string) {
		var err error
		if key == o.Hypothesis {
			hyp++
			out.hyp, err = textOf(key, value)
		}
		if key == o.Source && key != "" {
			src++
			var e error
			if out.src, e = textOf(key, value); err == nil {
				err = e
			}
		}
		if key == o.ID && key != "" {
			id++
			if out.id = value; value[0] == '"' {
				out.id, _ = textOf(key, value)
			}
		}
		if err != nil {
			fail(err)
		}
	})
	switch {
	case hyp > 1:
		fail(fmt.Errorf("field %s stands there twice", o.Hypothesis))
	case hyp == 0:
		fail(fmt.Errorf("no field %s", o.Hypothesis))
	case src > 1:
		fail(fmt.Errorf("field %s stands there twice", o.Source))
	case src == 0 && o.Source != "":
		fail(fmt.Errorf("no field %s", o.Source))
	}
	for _, name := range o.References {
		n := 0
		members(line, func(key, value string) {
			if key != name {
				return
			}
			n++
			if err := o.reference(key, value, out); err != nil {
				fail(err)
			}
		})
		switch {
		case n > 1:
			fail(fmt.Errorf("field %s stands there twice", name))
		case n == 0 && !(o.SkipEmptyRefs && len(o.References) > 1):
			fail(fmt.Errorf("no field %s", name))
		}
		refs += n
	}
	if failed != nil {
		return failed
	}
	return o.references(out)
}

// reference adds those of a field, which is a text, or an array of texts.
func (o *objects) reference(key, value string, out *texts) error {
	if value == "null" && o.SkipEmptyRefs && len(o.References) > 1 {
		return nil
	}
	if value[0] != '[' {
		text, err := textOf(key, value)
		out.refs = append(out.refs, text)
		return err
	}
	var failed error
	elements(value, func(e string) {
		if e == "null" && o.SkipEmptyRefs {
			return
		}
		text, err := textOf(key, e)
		if err != nil && failed == nil {
			failed = err
		}
		out.refs = append(out.refs, text)
	})
	if failed == nil && len(out.refs) == 0 {
		return fmt.Errorf("field %s: %w", key, mteval.ErrNoReference)
	}
	return failed
}

// textOf is the text that a JSON value is.
func textOf(key, value string) (string, error) {
	if value[0] != '"' {
		return "", fmt.Errorf("field %s: %s, where a text is wanted", key, kind(value))
	}
	text, lost := unquote(value)
	if lost {
		return "", fmt.Errorf("field %s: half a surrogate pair, which is no character", key)
	}
	return text, nil
}

// kind says what a JSON value is.
func kind(value string) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	}
	return "a number"
}

// unquote is the text of a JSON string. Lost says that there was half a surrogate pair in it,
// which is no character.
func unquote(value string) (text string, lost bool) {
	inner := value[1 : len(value)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner, false
	}
	_ = json.Unmarshal([]byte(value), &text) // which was found to be JSON
	// Half a pair becomes U+FFFD, which may also have been meant.
	if n := strings.Count(text, "\ufffd"); n > 0 {
		lost = n > strings.Count(inner, "\ufffd")+countEscapes(inner, "fffd")
	}
	return text, lost
}

// countEscapes counts \u with such hexadecimal digits.
func countEscapes(inner, digits string) int {
	n := 0
	for i := 0; i+1 < len(inner); i++ {
		if inner[i] != '\\' {
			continue
		}
		if i++; inner[i] == 'u' && i+5 <= len(inner) && strings.EqualFold(inner[i+1:i+5], digits) {
			n++
		}
	}
	return n
}

// jsonSpace is what may stand between the parts of JSON.
const jsonSpace = " \t\r\n"

// The functions from here on look at what is known to be JSON, so that there is no error.

// members calls f for each member of an object, with its key and the value as it stands there.
func members(object string, f func(key, value string)) {
	for i := skipSpace(object, 0) + 1; ; i++ { // behind the brace, or a comma
		i = skipSpace(object, i)
		if object[i] == '}' {
			return
		}
		end := skipValue(object, i)
		key, _ := unquote(object[i:end])
		i = skipSpace(object, skipSpace(object, end)+1) // behind the colon
		end = skipValue(object, i)
		f(key, object[i:end])
		if i = skipSpace(object, end); object[i] == '}' {
			return
		}
	}
}

// elements calls f for each element of an array.
func elements(array string, f func(value string)) {
	for i := 1; ; i++ {
		i = skipSpace(array, i)
		if array[i] == ']' {
			return
		}
		end := skipValue(array, i)
		f(array[i:end])
		if i = skipSpace(array, end); array[i] == ']' {
			return
		}
	}
}

func skipSpace(s string, i int) int {
	for s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n' {
		i++
	}
	return i
}

// skipValue returns the end of the value that begins there.
func skipValue(s string, i int) int {
	switch s[i] {
	case '"':
		return skipString(s, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch s[i] {
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			case '"':
				i = skipString(s, i) - 1
			}
		}
	}
	for i < len(s) && !strings.ContainsRune(",}]"+jsonSpace, rune(s[i])) {
		i++
	}
	return i
}

func skipString(s string, i int) int {
	for i++; ; i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
}

func (o *objects) write(dst []byte, line string, scores []float64) []byte {
	// Behind the last member: only space and the brace follow.
	brace := strings.LastIndexByte(line, '}')
	at := len(strings.TrimRight(line[:brace], jsonSpace))
	dst = append(dst, line[:at]...)
	for i, key := range o.keys {
		if i > 0 || line[at-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(dst, key...), ':')
		if scores == nil {
			dst = append(dst, "null"...)
		} else {
			dst = appendNumber(dst, scores[i], o.decimals)
		}
	}
	return append(dst, line[at:]...)
}
