package meteor

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/mteval/mteval/internal/sidefile"
)

// OpenLanguage returns the options for a language of one's own from a folder, as the
// program's -new: function words, one a line, in function.words, and a table of
// paraphrases in paraphrase.gz. Lines are put in lower case, and the task is Universal.
func OpenLanguage(ctx context.Context, dir string) (Options, error) {
	path := filepath.Join(dir, "function.words")
	function, err := readFunctionWords(path)
	if err != nil {
		return Options{}, err
	}
	table, err := OpenParaphrases(ctx, filepath.Join(dir, "paraphrase.gz"))
	if err != nil {
		return Options{}, err
	}
	return Options{
		Language: other, Task: Universal, Normalization: Lower, FunctionWords: function, Paraphrases: table,
	}, nil
}

// readFunctionWords reads words, one a line.
func readFunctionWords(path string) ([]string, error) {
	f, err := sidefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := sidefile.ReadAll(f, maxList)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	words, err := splitLines(sidefile.WithoutBOM(text), path)
	if err == nil && words == nil {
		words = []string{} // a list without words
	}
	return words, err
}
