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

// uses says by which flag or argument files are named.
func uses(by string, paths ...string) []outfile.Use {
	var out []outfile.Use
	for _, p := range paths {
		out = append(out, outfile.Use{By: by, Path: p})
	}
	return out
}

// checkFiles returns an error for an output that is an input or another output, and for one
// that can't be written, so that it is not found out after the work.
func checkFiles(ctx context.Context, inputs, outputs []outfile.Use) error {
	if err := outfile.Check(inputs, outputs); err != nil {
		return err
	}
	for _, o := range outputs {
		if at, err := os.Stat(o.Path); o.Path == "" || o.Path == "-" || err == nil && !at.Mode().IsRegular() && !at.IsDir() {
			continue // a pipe can't be opened twice
		}
		f, err := outfile.Create(ctx, o.Path)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", o.By, err)
		}
	}
	return nil
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

// inputs are the files that the metrics' options name.
func (f *metricFlags) inputs() ([]outfile.Use, error) {
	l, m := &f.level, &f.meteor
	out := slices.Concat(
		uses("--parameters", f.parameters...), uses("--baseline", f.baseline),
		uses("--meteor-jar", m.jar), uses("--meteor-paraphrases", m.paraphrases), uses("--meteor-function-words", m.functionWords),
		uses("--dreem-model", l.model), uses("--dreem-vectors", l.vectors), uses("--dreem-autoencoder", l.autoencoder))
	if m.newLanguage != "" {
		out = append(out, uses("--meteor-new", filepath.Join(m.newLanguage, "function.words"), filepath.Join(m.newLanguage, "paraphrase.gz"))...)
	}
	if f.model != "" {
		// What is wrong with it is told by who opens it.
		if dir, err := hub.Resolve(f.model); err == nil {
			out = append(out, uses("--model", filesIn(dir, func(name string) bool {
				return slices.Contains([]string{".json", ".txt", ".safetensors", ".model", ".bin"}, filepath.Ext(name))
			})...)...)
		}
	}
	for _, pairs := range []struct {
		flag   string
		values []string
	}{{"parses", l.parses}, {"dreem-trees", l.trees}} {
		for _, v := range pairs.values {
			text, path, err := textAndFile(pairs.flag, v, f.texts)
			if err != nil {
				return nil, err
			}
			out = append(out, uses("--"+pairs.flag, text, path)...)
		}
	}
	return out, nil
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
