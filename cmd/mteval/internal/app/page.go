package app

import (
	"bufio"
	"context"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/report"
)

// WritePage writes a page of HTML, with what was noted, and what made it.
func (a *App) WritePage(ctx context.Context, page *report.Page, path string) error {
	page.Notes = append(page.Notes, Unique(a.noted)...)
	page.Made = append(page.Made, report.Made{Name: "mteval", Text: mteval.Version})
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

// Show writes a result in one of the forms, and as a page if that is asked for.
func (a *App) Show(ctx context.Context, r *show.Result, f show.Format, page string) error {
	for _, note := range Unique(a.noted) {
		if !slices.Contains(r.Warnings, note) {
			r.Notes = append(r.Notes, note)
		}
	}
	if page != "" {
		if err := a.WritePage(ctx, r.Page(), page); err != nil {
			return err
		}
	}
	return r.Write(a.Stdout, f, terminalWidth(a.Stdout))
}

// PageTable is a table of rows of which the first is the header, with bars in the columns of these
// names.
func PageTable(caption string, rows [][]string, bars ...string) report.Table {
	t := report.Table{Caption: caption, Header: rows[0], Rows: rows[1:]}
	for i, name := range t.Header {
		if slices.Contains(bars, name) {
			t.Bars = append(t.Bars, i)
		}
	}
	return t
}

// ScoreAxis says what scores of a metric are.
func ScoreAxis(info mteval.Info) string {
	if info.LowerIsBetter {
		return info.Name + " (less is better)"
	}
	return info.Name
}

// InOneLine is text that was broken for a terminal.
func InOneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }
