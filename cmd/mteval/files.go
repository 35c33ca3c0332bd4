package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"slices"

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
