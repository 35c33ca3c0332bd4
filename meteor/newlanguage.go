package meteor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// NewLanguage returns the options for a language of one's own from a folder, as the
// program's -new: function words, one a line, in function.words, and a table of
// paraphrases in paraphrase.gz. Lines are put in lower case, and the task is Universal.
func NewLanguage(ctx context.Context, dir string) (Options, error) {
	path := filepath.Join(dir, "function.words")
	text, err := os.ReadFile(path)
	if err != nil {
		return Options{}, fmt.Errorf("meteor: %s: %w", path, errors.Unwrap(err))
	}
	function := splitLines(text)
	if len(function) == 0 {
		function = []string{}
	}
	table, err := OpenParaphrases(ctx, filepath.Join(dir, "paraphrase.gz"))
	if err != nil {
		return Options{}, err
	}
	return Options{
		Language: other, Task: Universal, Normalization: Lower, FunctionWords: function, Paraphrases: table,
	}, nil
}
