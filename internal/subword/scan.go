package subword

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// A scanner reads JSON that is known to be valid, of the few shapes that the large parts of
// a tokenizer.json have.
type scanner struct {
	b []byte
	i int
}

// take passes over c, if it is what comes next.
func (s *scanner) take(c byte) bool {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// string reads a string.
func (s *scanner) string() (string, bool) {
	if !s.take('"') {
		return "", false
	}
	start := s.i
	plain := true
	for s.i < len(s.b) && s.b[s.i] != '"' {
		if s.b[s.i] == '\\' {
			plain = false
			s.i++
		}
		s.i++
	}
	s.i++
	if s.i > len(s.b) {
		return "", false
	}
	if text := s.b[start : s.i-1]; plain && utf8.Valid(text) {
		return string(text), true
	}
	var text string
	err := json.Unmarshal(s.b[start-1:s.i], &text)
	return text, err == nil
}

// number reads a number.
func (s *scanner) number() (string, bool) {
	s.take(0)
	n := bytes.IndexFunc(s.b[s.i:], func(r rune) bool {
		return (r < '0' || r > '9') && r != '-' && r != '+' && r != '.' && r != 'e' && r != 'E'
	})
	if n < 0 {
		n = len(s.b) - s.i
	}
	s.i += n
	return string(s.b[s.i-n : s.i]), n > 0
}

// here shows what comes next.
func (s *scanner) here() string {
	return string(s.b[s.i:min(len(s.b), s.i+20)])
}
