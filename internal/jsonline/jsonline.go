// Package jsonline takes apart a line that is a JSON object, without decoding what nobody asks
// for. Unlike encoding/json's maps it has what stands there twice, in the order in which it does,
// and tells half a surrogate pair from the U+FFFD that becomes of it.
package jsonline

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Space is what may stand between the parts of JSON.
const Space = " \t\r\n"

// Check is an error of a line that is no JSON object. The other functions look at what has
// none, and is UTF-8.
func Check(line string) error {
	if !json.Valid([]byte(line)) {
		var any json.RawMessage
		return fmt.Errorf("not JSON: %w", json.Unmarshal([]byte(line), &any))
	}
	if strings.TrimLeft(line, Space)[0] != '{' {
		return errors.New("not a JSON object")
	}
	return nil
}

// Values are those of an object, each with its key, or of an array, with none, as they stand there.
func Values(of string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		i := skipSpace(of, 0)
		object := of[i] == '{'
		i = skipSpace(of, i+1)
		for of[i] != '}' && of[i] != ']' {
			key := ""
			if object {
				end := skipValue(of, i)
				key, _ = Text(of[i:end])
				i = skipSpace(of, skipSpace(of, end)+1) // behind the colon
			}
			end := skipValue(of, i)
			if !yield(key, of[i:end]) {
				return
			}
			if i = skipSpace(of, end); of[i] == ',' {
				i = skipSpace(of, i+1)
			}
		}
	}
}

// Text is what a JSON string says. Lost says that there was half a surrogate pair in it, which is
// no character.
func Text(value string) (text string, lost bool) {
	inner := value[1 : len(value)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner, false
	}
	_ = json.Unmarshal([]byte(value), &text) // which was found to be JSON
	// Half a pair becomes U+FFFD, which may also have been meant.
	if n := strings.Count(text, "\ufffd"); n > 0 {
		escapes := strings.ToLower(strings.ReplaceAll(inner, `\\`, " "))
		lost = n > strings.Count(inner, "\ufffd")+strings.Count(escapes, `\ufffd`)
	}
	return text, lost
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
	return i + strings.IndexAny(s[i:], ",}]"+Space)
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
