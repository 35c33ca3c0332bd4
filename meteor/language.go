package meteor

import (
	"fmt"
	"strings"
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

// parseLanguage returns the ISO 639 code of a language that is given by it, by the program's
// own code, by its English name, or as other.
func parseLanguage(name string) (string, error) {
	name = strings.ToLower(name)
	switch name {
	case "":
		return "en", nil
	case "cz":
		return "cs", nil
	case "se": // the program's Swedish; Northern Sami to ISO
		return "sv", nil
	case "nb", "nn":
		return "no", nil
	case "xx", other:
		return other, nil
	}
	for code, english := range jarNames {
		if name == english || name == code {
			return code, nil
		}
	}
	if len(name) < 2 || len(name) > 3 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "", fmt.Errorf("meteor: language %q is not a code such as de, nor %s", name, other)
	}
	return name, nil
}
