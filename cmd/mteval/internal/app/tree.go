package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/mtme"
)

// OpenPair opens a language pair of a tree. A set need not be named where there is one.
func OpenPair(ctx context.Context, dir, name, lp string) (*mtme.Pair, error) {
	tree, err := mtme.Open(dir)
	if err != nil {
		return nil, err
	}
	if name == "" && len(tree.Sets()) > 1 {
		return nil, fmt.Errorf("%s has several test sets: name one with --set: %s", dir, List(tree.Sets()))
	}
	set, err := tree.Set(name)
	if err != nil {
		return nil, err
	}
	return set.Load(ctx, lp)
}

// TreeFiles are the files of a tree that are read for a language pair.
func TreeFiles(dir, set, lp string) []string {
	roots := []string{dir, filepath.Join(dir, set)}
	if set == "" {
		roots = append([]string{dir}, flags.FilesIn(dir, func(string) bool { return true })...)
	}
	all := func(string) bool { return true }
	ofPair := func(name string) bool { return strings.HasPrefix(name, lp+".") }
	var out []string
	for _, root := range roots {
		for _, folder := range []string{"sources", "documents", "references", "human-scores"} {
			out = append(out, flags.FilesIn(filepath.Join(root, folder), ofPair)...)
		}
		for _, folder := range []string{"system-outputs", "metric-scores"} {
			out = append(out, flags.FilesIn(filepath.Join(root, folder, lp), all)...)
		}
	}
	return out
}

// DocumentNames are names of documents with the domain before them where another domain has one
// of the same name.
func DocumentNames(domains, documents []string) []string {
	of := make(map[string]string)
	twice := make(map[string]bool)
	for i, name := range documents {
		if before, ok := of[name]; ok && before != domains[i] {
			twice[name] = true
		}
		of[name] = domains[i]
	}
	out := slices.Clone(documents)
	for i, name := range documents {
		if twice[name] {
			out[i] = domains[i] + "/" + name
		}
	}
	return out
}
