package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval"
)

// A request is what a client sends.
type request struct {
	metrics             []string
	sources, hypotheses []string
	references          [][]string // by segment
}

// wire is a request as JSON has it. Texts are pointers so that a null is not taken for an
// empty one.
type wire struct {
	Metrics    []string    `json:"metrics"`
	Sources    []*string   `json:"sources"`
	Hypotheses []*string   `json:"hypotheses"`
	References [][]*string `json:"references"`
}

// parseRequest reads and checks a request.
func parseRequest(body []byte, l limits) (*request, error) {
	// encoding/json would put U+FFFD in place of both, and scores would be of other texts.
	if !utf8.Valid(body) {
		return nil, bad(errors.New("the body is not UTF-8"))
	}
	if at := loneSurrogate(body); at >= 0 {
		return nil, bad(fmt.Errorf("half a character (%s) at byte %d of the body", body[at:at+6], at))
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	var w wire
	if err := d.Decode(&w); err != nil {
		return nil, bad(describe(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad(errors.New("something stands after the JSON object"))
	}
	if err := checkKeys(body); err != nil {
		return nil, bad(err)
	}
	if err := w.check(l); err != nil {
		return nil, err
	}
	return w.request()
}

// checkKeys refuses what encoding/json takes in silence: a field that stands there twice, of which the
// last would count, and one in other letters than its own. The body is JSON.
func checkKeys(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err // of null, which is no object
	}
	seen := map[string]bool{"metrics": false, "sources": false, "hypotheses": false, "references": false}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name := key.(string)
		switch twice, known := seen[name]; {
		case !known:
			return fmt.Errorf("unknown field %q", name)
		case twice:
			return fmt.Errorf("field %q stands there twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

// check checks the numbers of texts.
func (w *wire) check(l limits) error {
	n := len(w.Hypotheses)
	switch {
	case n == 0:
		return bad(errors.New("hypotheses: there are none"))
	case n > l.segments:
		return large(fmt.Errorf("%d segments: there may be %d, send the others apart", n, l.segments))
	case w.Sources != nil && len(w.Sources) != n:
		return bad(fmt.Errorf("%w: %d hypotheses, %d sources", mteval.ErrLength, n, len(w.Sources)))
	case w.References != nil && len(w.References) != n:
		return bad(fmt.Errorf("%w: %d hypotheses, references of %d segments", mteval.ErrLength, n, len(w.References)))
	}
	for i, refs := range w.References {
		if len(refs) > l.references {
			return large(&mteval.SegmentError{Segment: i, Err: fmt.Errorf("%d references: there may be %d", len(refs), l.references)})
		}
	}
	return nil
}

// request takes the texts over.
func (w *wire) request() (*request, error) {
	r := &request{metrics: w.Metrics}
	for i, text := range w.Hypotheses {
		if text == nil {
			return nil, null(i, mteval.HypothesisSide, 0)
		}
		r.hypotheses = append(r.hypotheses, *text)
	}
	for i, text := range w.Sources {
		if text == nil {
			return nil, null(i, mteval.SourceSide, 0)
		}
		r.sources = append(r.sources, *text)
	}
	for i, texts := range w.References {
		refs := make([]string, len(texts))
		for k, text := range texts {
			if text == nil {
				return nil, null(i, mteval.ReferenceSide, k)
			}
			refs[k] = *text
		}
		r.references = append(r.references, refs)
	}
	return r, nil
}

func null(segment int, side mteval.Side, index int) error {
	return bad(&mteval.SegmentError{Segment: segment, Side: side, Index: index, Err: errors.New("it is null; an empty text is \"\"")})
}

// describe says in the words of JSON what encoding/json says in those of Go.
func describe(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return errors.New("the body is not a JSON object")
	case errors.As(err, &kind) && kind.Field == "references":
		return errors.New("references: want for each segment a list of its references, [[\"…\"], …]")
	case errors.As(err, &kind):
		return fmt.Errorf("%s: want a list of texts", kind.Field)
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d of the body: %w", syntax.Offset, err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the JSON of the body has no end")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: ")) // an unknown field
}

// loneSurrogate returns where \uXXXX is one half of a character without the other, −1 if
// nowhere.
func loneSurrogate(body []byte) int {
	half := func(i int, low, high uint64) bool { // of a pair, escaped at i
		if i+6 > len(body) || body[i] != '\\' || body[i+1] != 'u' {
			return false
		}
		u, err := strconv.ParseUint(string(body[i+2:i+6]), 16, 32)
		return err == nil && low <= u && u <= high
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		switch first, second := half(i, 0xD800, 0xDBFF), half(i+6, 0xDC00, 0xDFFF); {
		case first && second:
			i += 11
		case first, half(i, 0xDC00, 0xDFFF):
			return i
		default:
			i++ // what is escaped may be a backslash
		}
	}
	return -1
}

func bad(err error) error   { return &statusError{http.StatusBadRequest, err} }
func large(err error) error { return &statusError{http.StatusRequestEntityTooLarge, err} }

// packed refuses a body that is not plain text.
func packed(as string) error {
	return &statusError{http.StatusUnsupportedMediaType, fmt.Errorf("the body is packed (%.40q): send it plain", as)}
}
