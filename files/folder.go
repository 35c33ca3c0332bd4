package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mteval/mteval/internal/sidefile"
)

// A Folder has the paths of what belongs together: references and outputs, one of each
// segment a line, and what people said of them.
type Folder struct {
	Name          string   // of the folder, without what it lies in
	Refs, Outputs []string // sorted
	Human         string
}

// FindFolder finds the files of a folder: references ref.*, systems' outputs in a folder sys,
// and of the names of files of what people said the first that there is, plain or with .gz
// behind it. Files whose name begins with a dot are passed over.
func FindFolder(path string, human ...string) (*Folder, error) {
	refs, err := filesIn(path, "ref.")
	if err != nil {
		return nil, err
	}
	outputs, err := filesIn(filepath.Join(path, "sys"), "")
	if err != nil {
		return nil, err
	}
	switch {
	case len(refs) == 0:
		return nil, fmt.Errorf("%s: no reference in it: want files ref.*", path)
	case len(outputs) == 0:
		return nil, fmt.Errorf("%s: no outputs in it", filepath.Join(path, "sys"))
	}
	for _, name := range human {
		for _, ending := range []string{"", ".gz"} {
			said := filepath.Join(path, name+ending)
			if _, err := os.Stat(said); err == nil {
				return &Folder{filepath.Base(filepath.Clean(path)), refs, outputs, said}, nil
			}
		}
	}
	return nil, fmt.Errorf("%s: nothing of what people said in it: want %s", path, strings.Join(human, " or "))
}

// filesIn are the files of a folder whose names begin in some way.
func filesIn(dir, prefix string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: no such folder, or it can't be read: %w", dir, sidefile.Plain(err))
	}
	var out []string
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, prefix) && !strings.HasPrefix(name, ".") && !e.IsDir() {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out, nil
}
