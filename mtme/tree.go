package mtme

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is a folder with test sets.
type Tree struct {
	dir  string
	sets []string
}

// Open opens mt-metrics-eval's folder, such as mt-metrics-eval-v2, whose folders are test
// sets, or one of these, such as wmt23. It reads no file.
func Open(dir string) (*Tree, error) {
	if dir == "" {
		return nil, fmt.Errorf(`mtme: the folder is "": name one`)
	}
	if isSet(dir) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("mtme: %w", err)
		}
		return &Tree{filepath.Dir(abs), []string{filepath.Base(abs)}}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("mtme: %w", err)
	}
	t := &Tree{dir: dir}
	for _, e := range entries {
		if isSet(filepath.Join(dir, e.Name())) {
			t.sets = append(t.sets, e.Name())
		}
	}
	if len(t.sets) == 0 {
		return nil, fmt.Errorf("mtme: %s: no test set in it: give the folder that has wmt23 and its like in it, or one of those, "+
			"with folders sources, system-outputs and metric-scores", dir)
	}
	return t, nil
}

func isSet(dir string) bool {
	for _, part := range []string{"sources", "system-outputs"} {
		if info, err := os.Stat(filepath.Join(dir, part)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// Sets returns the names of the test sets, such as wmt23, sorted.
func (t *Tree) Sets() []string { return slices.Clone(t.sets) }

// Set returns a test set. The name "" is that of the only one.
func (t *Tree) Set(name string) (*Set, error) {
	if t == nil {
		return nil, errors.New("mtme: no Tree: it is nil")
	}
	if name == "" && len(t.sets) == 1 {
		name = t.sets[0]
	}
	if !slices.Contains(t.sets, name) {
		return nil, fmt.Errorf("mtme: %s: no test set %q: there is %s", t.dir, name, strings.Join(t.sets, ", "))
	}
	s := &Set{Name: name, dir: filepath.Join(t.dir, name)}
	entries, err := os.ReadDir(filepath.Join(s.dir, "sources"))
	if err != nil {
		return nil, fmt.Errorf("mtme: %w", err)
	}
	for _, e := range entries {
		if lp, ok := strings.CutSuffix(e.Name(), ".txt"); ok && lp != "" {
			s.LanguagePairs = append(s.LanguagePairs, lp)
		}
	}
	if len(s.LanguagePairs) == 0 {
		return nil, fmt.Errorf("mtme: %s: no sources in it, such as en-de.txt", filepath.Join(s.dir, "sources"))
	}
	return s, nil
}

// A Set is a test set, of one or several language pairs.
type Set struct {
	Name string
	// LanguagePairs that have sources, such as en-de, sorted.
	LanguagePairs []string

	dir string
}
