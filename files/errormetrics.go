package files

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// errorMetrics are the field's names of metrics of which less is better.
var errorMetrics = []string{
	"TER", "TERp", "TERpA", "TERcom", "HTER", "HTERp", "mTER", "CharacTER", "EED", "CDER", "PER", "mPER",
	"WER", "mWER", "cpWER", "CER", "MER", "WIL", "SER", "MetricX",
}

// perhapsErrors are words that stand in names of error metrics, and of what is made of them.
var perhapsErrors = []string{
	"error", "errors", "loss", "losses", "distance", "distances", "edit", "edits", "Levenshtein", "perplexity",
}

// errorMetric matches such a name, with or without what says which one of it or of what: a number, a
// version or size of a model, a reference, and +da for difficulty.
var errorMetric = regexp.MustCompile(`(?i)^(google[/_-])?(` + strings.Join(errorMetrics, "|") + `)` +
	`([-_ .:/+,()\[\]%↓]*\d+|[-_ .:/+,()\[\]%↓]+(v\d+(p\d+)?|wmt\d+|ref(erence)?[a-z]?|src|noref|qe|hybrid|small|base|large|x*l|\d+b|mt5|gemma|b?float16|bf16|fp16|mqm|da|[a-d]|scores?))*` +
	`[-_ .:/+,()\[\]%↓]*$`)

// isErrorMetric says whether a metric is called as one of which less is better.
func isErrorMetric(name string) bool { return errorMetric.MatchString(strings.TrimSpace(name)) }

var treeMetric = regexp.MustCompile(`-(ref[A-Z]|src)$`)

// isTreeMetric says whether a metric is called as the files of mt-metrics-eval are: behind the last -
// of their names stands the reference.
func isTreeMetric(name string) bool { return treeMetric.MatchString(name) }

// mayBeError says whether the name of a metric has a word in it that names of error metrics have.
func mayBeError(name string) bool {
	if strings.Contains(name, "↓") { // as tables mark them
		return true
	}
	letters := []rune(name)
	return slices.ContainsFunc(perhapsErrors, func(word string) bool { return hasWord(letters, word) }) ||
		// Character is a word of many names. CharacTER ends in a word that is looked for.
		slices.ContainsFunc(errorMetrics, func(word string) bool { return word != "CharacTER" && hasWord(letters, word) })
}

// hasWord says whether a word stands in a name, in any case. Where no other sign is between them,
// words begin with capital letters, or are of them.
func hasWord(name []rune, word string) bool {
	n := len([]rune(word))
	for i := 0; i+n <= len(name); i++ {
		if strings.EqualFold(string(name[i:i+n]), word) && begins(name, i) && ends(name, i+n) {
			return true
		}
	}
	return false
}

func begins(name []rune, i int) bool {
	if i == 0 || !unicode.IsLetter(name[i-1]) {
		return true
	}
	// avgLoss, NLLLoss, not BEER
	return unicode.IsUpper(name[i]) && (unicode.IsLower(name[i-1]) || i+1 < len(name) && unicode.IsLower(name[i+1]))
}

func ends(name []rune, i int) bool {
	if i == len(name) || !unicode.IsLetter(name[i]) {
		return true
	}
	if unicode.IsUpper(name[i-1]) { // TERcom, TERScore, not TERM
		return unicode.IsLower(name[i]) || i+1 < len(name) && unicode.IsUpper(name[i]) && unicode.IsLower(name[i+1])
	}
	return unicode.IsUpper(name[i])
}
