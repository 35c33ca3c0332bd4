package stream

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/jsonline"
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

// errPresent is of an object that has a metric's field already, and of all lines, most likely.
type errPresent struct{ field string }

func (e *errPresent) Error() string {
	return fmt.Sprintf("the object has a field %s already: rename it, or leave it out", e.field)
}

func (o *objects) place(line string) error {
	if strings.Trim(line, jsonline.Space) == "" {
		return errors.New("the line is empty, and no JSON object")
	}
	if err := jsonline.Check(line); err != nil {
		return err
	}
	var err error
	for key := range jsonline.Values(line) {
		if slices.Contains(o.metrics, key) {
			err = &errPresent{key}
		}
	}
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
	for key, value := range jsonline.Values(line) {
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
	}
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
		for key, value := range jsonline.Values(line) {
			if key != name {
				continue
			}
			n++
			if err := o.reference(key, value, out); err != nil {
				fail(err)
			}
		}
		switch {
		case n > 1:
			fail(fmt.Errorf("field %s stands there twice", name))
		case n == 0 && !(o.SkipEmptyRefs && len(o.References) > 1):
			fail(fmt.Errorf("no field %s", name))
		}
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
	for _, e := range jsonline.Values(value) {
		if e == "null" && o.SkipEmptyRefs {
			continue
		}
		text, err := textOf(key, e)
		if err != nil && failed == nil {
			failed = err
		}
		out.refs = append(out.refs, text)
	}
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
	text, lost := jsonline.Text(value)
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

func (o *objects) write(dst []byte, line string, scores []float64) []byte {
	// Behind the last member: only space and the brace follow.
	brace := strings.LastIndexByte(line, '}')
	at := len(strings.TrimRight(line[:brace], jsonline.Space))
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
