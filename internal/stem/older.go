package stem

import "strings"

// older makes of a stemmer what it was in METEOR 1.5, where the two differ. With it they
// agree on all words of Snowball's lists and on all but 2 of 1,314,173 from dictionaries
// of these languages ("evoluciones", which is Spanish, with the Portuguese stemmer).
var older = map[string]func(stem func(string) string, word string) string{
	"de": olderGerman, "fi": olderFinnish, "hu": olderHungarian, "pt": olderPortuguese,
}

// An -s after -nis was left.
func olderGerman(stem func(string) string, word string) string {
	out := stem(word)
	plain := strings.ReplaceAll(word, "ß", "ss")
	for _, ending := range []string{"nisse", "nissen", "nisses"} {
		if strings.HasSuffix(plain, ending) && strings.HasSuffix(out, "nis") {
			return out + "s"
		}
	}
	return out
}

// -ução was no ending, so that only its last letters were taken off.
func olderPortuguese(stem func(string) string, word string) string {
	out := stem(word)
	if base, ok := strings.CutSuffix(word, "ção"); ok && out == base && strings.HasSuffix(base, "u") {
		return out + "çã"
	}
	if base, ok := strings.CutSuffix(word, "ções"); ok && out == base && strings.HasSuffix(base, "u") {
		return out + "çõ"
	}
	return out
}

// The letters with a double acute were not known. A stand-in from the private use area
// is no letter to the stemmer either.
var hideHungarian, showHungarian = strings.NewReplacer("ő", "\uf701", "ű", "\uf702"), strings.NewReplacer("\uf701", "ő", "\uf702", "ű")

func olderHungarian(stem func(string) string, word string) string {
	return showHungarian.Replace(stem(hideHungarian.Replace(word)))
}

// The endings -seen, -siin, -den and -tten were not found, as the condition on what stands
// before them was never met. With stand-ins for the consonant, and the one before it if
// it is doubled, they are not found either.
var (
	hideFinnish = strings.NewReplacer(
		"sseen", "\uf701\uf701een", "ssiin", "\uf701\uf701iin", "dden", "\uf702\uf702en", "tten", "\uf703\uf703en",
		"seen", "\uf701een", "siin", "\uf701iin", "den", "\uf702en")
	showFinnish = strings.NewReplacer("\uf701", "s", "\uf702", "d", "\uf703", "t")
)

func olderFinnish(stem func(string) string, word string) string {
	return showFinnish.Replace(stem(hideFinnish.Replace(word)))
}
