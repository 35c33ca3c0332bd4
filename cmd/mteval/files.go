package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/hub"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/report"
)

// writePage writes a page of HTML.
func writePage(ctx context.Context, page *report.Page, path string) error {
	file, err := outfile.Create(ctx, path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	if err := page.Write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Commit()
}

// filesIn are the files of a folder with such names. What can't be read is told by who opens it.
func filesIn(dir string, such func(name string) bool) []string {
	entries, _ := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		if such(e.Name()) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// modelFiles are those of --model that are read.
func modelFiles(name string) []string {
	// What is wrong with it is told by who opens it.
	dir, err := hub.Resolve(name)
	if err != nil {
		return nil
	}
	return filesIn(dir, func(name string) bool {
		return slices.Contains([]string{".json", ".txt", ".safetensors", ".model", ".bin"}, filepath.Ext(name))
	})
}

// newLanguageFiles are those of --meteor-new.
func newLanguageFiles(dir string) []string {
	return []string{filepath.Join(dir, "function.words"), filepath.Join(dir, "paraphrase.gz")}
}

// textAndFile splits TEXT=FILE. As either name may have an = in it, TEXT is one of the texts
// that are scored, or else a file that there is, and FILE a file that there is.
func textAndFile(flag, value string, texts []string) (text, path string, err error) {
	isFile := func(p string) bool {
		at, err := os.Stat(p)
		return err == nil && !at.IsDir()
	}
	const there = 3 // what both are, at least
	best := -1
	var found [][2]string
	for i := range len(value) {
		if value[i] != '=' {
			continue
		}
		pair, likely := [2]string{value[:i], value[i+1:]}, 0
		switch {
		case slices.Contains(texts, pair[0]):
			likely = 2
		case isFile(pair[0]):
			likely = 1
		}
		if likely > 0 && isFile(pair[1]) {
			likely += there - 1
		}
		if likely > best {
			best, found = likely, nil
		}
		if likely == best {
			found = append(found, pair)
		}
	}
	switch {
	case len(found) == 0:
		return "", "", fmt.Errorf("--%s %s: want TEXT=FILE, the text file and what belongs to its lines", flag, value)
	case len(found) == 1 || best < there: // what is missing is told by who reads it
		return found[0][0], found[0][1], nil
	}
	var ways []string
	for _, p := range found {
		dot := "./"
		if filepath.IsAbs(p[1]) {
			dot = "/."
		}
		ways = append(ways, p[0]+"="+dot+p[1])
	}
	return "", "", fmt.Errorf("--%s %s: which = is the one between TEXT and FILE? Type %s", flag, value, strings.Join(ways, " or "))
}
