// Package wordnet knows the synonyms of English words: the sets of synonyms (synsets) of
// WordNet 3.0, and its rules for the base forms of words, as METEOR 1.5 has them. Synsets
// of nouns, verbs, adjectives and adverbs share one space of numbers there, so that a few
// sets fall together ("able" and "entity").
package wordnet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/vocab"
)

// Table holds synsets by word. It is safe for concurrent use.
type Table struct {
	words vocab.Vocab
	ends  []uint32 // where the synsets of word i end in ids; those of word 1 begin at ends[0]
	ids   []uint32
	// bases are the base forms of irregular forms.
	bases map[string][]string
}

// of returns the synsets of a word itself, nil if it is not in the table.
func (t *Table) of(word string) []uint32 {
	id := t.words.Get([]byte(word))
	if id == 0 {
		return nil
	}
	return t.ids[t.ends[id-1]:t.ends[id]]
}

// rules are the endings of inflected forms, and what stands in their place in the base
// form. The first that gives a word of the table is taken.
var rules = []struct{ ending, base string }{
	{"s", ""}, {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"},
	{"s", ""}, {"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""},
	{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"},
}

// Synsets returns the synsets of a word and of its base form, sorted, each once. Case
// matters.
func (t *Table) Synsets(word string) []uint32 {
	out := slices.Clone(t.of(word))
	if bases, ok := t.bases[word]; ok {
		for _, base := range bases {
			out = append(out, t.of(base)...)
		}
	} else if !strings.HasSuffix(word, "ss") && utf8.RuneCountInString(word) > 2 {
		for _, r := range rules {
			if stem, ok := strings.CutSuffix(word, r.ending); ok {
				if ids := t.of(stem + r.base); ids != nil {
					out = append(out, ids...)
					break
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Read reads METEOR's files of synonyms: lines with a word and lines with the numbers of
// its synsets in turn; and lines with a base form and lines with its irregular forms in
// turn. Errors
// tell file and line by the names given.
func Read(synsets io.Reader, synsetsName string, exceptions io.Reader, exceptionsName string) (*Table, error) {
	t := &Table{ends: []uint32{0}, bases: make(map[string][]string)}
	err := pairs(synsets, synsetsName, func(word, value string) error {
		if int(t.words.Add([]byte(word))) != len(t.ends) {
			return fmt.Errorf("%q stands there a second time", word)
		}
		for _, number := range strings.Fields(value) {
			id, err := strconv.ParseUint(number, 10, 32)
			if err != nil {
				return fmt.Errorf("%q is not the number of a synset", number)
			}
			t.ids = append(t.ids, uint32(id))
		}
		t.ends = append(t.ends, uint32(len(t.ids)))
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = pairs(exceptions, exceptionsName, t.addForms)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// addForms adds the irregular forms of a base form.
func (t *Table) addForms(base, forms string) error {
	for _, form := range strings.Fields(forms) {
		t.bases[form] = append(t.bases[form], base)
	}
	return nil
}

// pairs calls f for every two lines.
func pairs(r io.Reader, name string, f func(word, value string) error) error {
	in, n, word := bufio.NewScanner(r), 0, ""
	for in.Scan() {
		n++
		if n%2 == 1 {
			word = in.Text()
			if n == 1 {
				word = strings.TrimPrefix(word, "\ufeff") // a byte order mark
			}
			continue
		}
		if err := f(word, in.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: a line of more than %d bytes", name, n+1, bufio.MaxScanTokenSize)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	if n == 0 {
		return fmt.Errorf("%s: there is nothing in it", name)
	}
	if n%2 == 1 {
		return fmt.Errorf("%s:%d: the file ends after %q, without the line that belongs to it", name, n, word)
	}
	return nil
}
