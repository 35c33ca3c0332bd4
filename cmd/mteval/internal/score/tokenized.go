package score

import (
	"strings"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
)

// warnTokenizer says what sacreBLEU warns of where a tokenizer is chosen.
func warnTokenizer(a *app.App, o *scoreOptions) {
	for _, name := range o.flags.Given("tokenize") {
		if name == "none" && o.Sets.Name != "" {
			a.Note("warning: with the tokenizer none, BLEU of a public test set can't be compared with what others publish")
		}
		_, target, _ := strings.Cut(o.Sets.pair, "-")
		if usual := registry.UsualTokenizer(target, name); usual != "" {
			a.Note("warning: the usual tokenizers of BLEU for %s are %s and flores200, not %s", target, usual, name)
		}
	}
}
