// Package stem strips words of their endings with the stemmers of Snowball, as old as
// those in METEOR 1.5.
package stem

import (
	"slices"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

var stemmers = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem,
	"fi": finnish.Stem, "fr": french.Stem, "ga": irish.Stem, "hu": hungarian.Stem, "it": italian.Stem,
	"nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem,
	"sv": swedish.Stem, "ta": tamil.Stem, "tr": turkish.Stem,
}

// Languages lists the codes of the languages (ISO 639-1) that have a stemmer, sorted.
func Languages() []string {
	var codes []string
	for code := range stemmers {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}

// maxWord is the length in bytes up to which words are stemmed: the time that it takes
// grows with its square, and is some 10 ms here.
const maxWord = 4_000

// For returns the stemmer of a language, safe for concurrent use, or nil if it has none.
// A word is taken as it is: the stemmers know lower-case letters only. One longer than
// maxWord is its own stem.
func For(language string) func(word string) string {
	snowball := stemmers[language]
	if snowball == nil {
		return nil
	}
	stem := func(word string) string {
		if len(word) > maxWord {
			return word
		}
		env := snowballstem.NewEnv(word)
		snowball(env)
		return env.Current()
	}
	if older := older[language]; older != nil {
		return func(word string) string { return older(stem, word) }
	}
	return stem
}
