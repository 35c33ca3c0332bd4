package meteor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// NewLanguage returns the options for a language of one's own from a folder, as the program's -new: the
// function words are one a line in function.words, the paraphrases in paraphrase.gz.
// Lines are put in lower case, and the task is Universal.
func NewLanguage(dir string) (Options, error) {
	path := filepath.Join(dir, "function.words")
	text, err := os.ReadFile(path)
	if err != nil {
		return Options{}, fmt.Errorf("meteor: %s: %w", path, errors.Unwrap(err))
	}
	function := splitLines(text)
	if len(function) == 0 {
		function = []string{}
	}
	table, err := OpenParaphrases(filepath.Join(dir, "paraphrase.gz"))
	if err != nil {
		return Options{}, err
	}
	return Options{
		Language: other, Task: Universal, Normalization: Lower, FunctionWords: function, Paraphrases: table,
	}, nil
}
