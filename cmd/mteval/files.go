package main

import (
	"bufio"
	"context"

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

// pageTable is a table of rows of which the first is the header.
func pageTable(caption string, rows [][]string) report.Table {
	return report.Table{Caption: caption, Header: rows[0], Rows: rows[1:]}
}
