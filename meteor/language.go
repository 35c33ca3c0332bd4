package meteor

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/mteval/mteval/internal/stem"
)

// program is METEOR's name with its version.
const program = "meteor-1.5"

// normalized are the languages that Full knows.
var normalized = []string{"cs", "de", "en", "es", "fr", "ru"}

// jarNames are the languages that the program knows, by ISO 639-1 code, with the names of
// its files.
var jarNames = map[string]string{
	"cs": "czech", "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish",
	"fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
	"pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}

// other is the language of no name.
const other = "other"

// shortName is the program's code of a language in an evaluation ID.
func shortName(code string) string {
	switch code {
	case "cs":
		return "cz"
	case "sv":
		return "se"
	}
	return code
}

// Languages are the codes of the languages that METEOR has something for, a stemmer or
// parameters, sorted. In any other one only equal words match.
func Languages() []string {
	codes := stem.Languages()
	for code := range ranked {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// ParseLanguage returns the ISO 639 code of a language that is given as in Options.Language:
// by its code, by the program's, by its English name, as "" or as "other", which has no code but
// itself. It need not be one of Languages.
func ParseLanguage(name string) (string, error) {
	name = strings.ToLower(name)
	switch name {
	case "":
		return "en", nil
	case "cz":
		return "cs", nil
	case "se": // the program's Swedish; Northern Sami to ISO
		return "sv", nil
	case "xx", other:
		return other, nil
	}
	for code, english := range jarNames {
		if name == english {
			return code, nil
		}
	}
	// It knows the codes of three letters, too, and gives those of two for them.
	base, err := language.ParseBase(name)
	if err != nil || len(name) > 3 {
		return "", fmt.Errorf("meteor: language %q is not a code such as de, nor %s", name, other)
	}
	if code := base.String(); code != "nb" && code != "nn" {
		return code, nil
	}
	return "no", nil
}
