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
	f, err := findTexts(path)
	if err != nil {
		return nil, err
	}
	said := there(path, human)
	if len(said) == 0 {
		return nil, fmt.Errorf("%s: nothing of what people said in it: want %s", path, strings.Join(human, " or "))
	}
	f.Human = said[0]
	return f, nil
}

// FindJudged is [FindFolder] with people's scores of the systems, for [OpenSystems], in
// human.tsv or human-system.tsv. Both are an error, as they may say different things.
func FindJudged(path string) (*Folder, error) {
	f, err := findTexts(path)
	if err != nil {
		return nil, err
	}
	switch said := there(path, []string{"human.tsv", "human-system.tsv"}); len(said) {
	case 0:
		return nil, fmt.Errorf("%s: no scores of systems by people in it: want human.tsv or human-system.tsv", path)
	case 1:
		f.Human = said[0]
		return f, nil
	default:
		return nil, fmt.Errorf("%s: %s and %s are both people's scores of the systems: leave one of them out", path, filepath.Base(said[0]), filepath.Base(said[1]))
	}
}

// findTexts finds references and outputs.
func findTexts(path string) (*Folder, error) {
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
	// Of "." the name is that of the folder that it is.
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Folder{Name: filepath.Base(full), Refs: refs, Outputs: outputs}, nil
}

// there are those of some files of a folder that there are, plain or with .gz behind the name. A
// link that leads nowhere is one: whoever opens it says so.
func there(dir string, names []string) []string {
	var out []string
	for _, name := range names {
		for _, ending := range []string{"", ".gz"} {
			path := filepath.Join(dir, name+ending)
			if _, err := os.Lstat(path); err == nil {
				out = append(out, path)
			}
		}
	}
	return out
}

// Language is the language of the references as their names tell it: see Language.
func (f *Folder) Language() (string, error) { return Language(f.Refs) }

// Language is the language of references as their names tell it, that of ref.de and ref.de.gz
// being de: what stands behind the first full stop if it is like a language code, two or three
// letters with or without a region (zh-CN), and not txt. It is "" where no name tells one. That
// the names tell different ones, or only some of them one, is an error.
func Language(refs []string) (string, error) {
	var out string
	for i, path := range refs {
		language := languageOf(filepath.Base(path))
		if i > 0 && language != out {
			return "", fmt.Errorf("%s and %s are not of one language by their names: have references of one, all called ref.LANGUAGE… or none", refs[0], path)
		}
		out = language
	}
	return out, nil
}

// languageOf is that of a reference's name, "" for none.
func languageOf(name string) string {
	parts := strings.Split(strings.TrimSuffix(name, ".gz"), ".")
	if len(parts) < 2 {
		return ""
	}
	tag := parts[1]
	code, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	notLetter := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }
	if len(code) < 2 || len(code) > 3 || strings.ContainsFunc(code, notLetter) || code == "txt" {
		return ""
	}
	return tag
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
