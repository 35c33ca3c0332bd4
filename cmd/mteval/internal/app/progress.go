package app

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/mteval/mteval"
)

// patience is how long a command works before it shows its progress.
const patience = time.Second

// WithProgress returns a context under which the library's long work shows a bar
// for the given step, once patience has run out since start, if standard error is
// a terminal. The bar is gone after done.
func (a *App) WithProgress(ctx context.Context, start time.Time, step string) (_ context.Context, done func()) {
	if a.Quiet || !IsTerminal(a.Stderr) {
		return ctx, func() {}
	}
	var bar *progressbar.ProgressBar
	report := func(n, total int) {
		if bar == nil || bar.GetMax() != total { // the references first, then the outputs
			if bar != nil {
				bar.Clear()
			}
			bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(&late{a.Stderr, start.Add(patience)}),
				progressbar.OptionSetDescription(step),
				progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(true),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(),
			)
		}
		bar.Set(n)
	}
	return mteval.WithProgress(ctx, report), func() {
		if bar != nil {
			bar.Clear()
		}
	}
}

// BytesBar returns what shows how many bytes of something are there, nil where standard error
// is no terminal or quiet is asked for, and what takes the bar away.
func (a *App) BytesBar(name string) (report func(done, total int64), clear func()) {
	if a.Quiet || !IsTerminal(a.Stderr) {
		return nil, func() {}
	}
	start := time.Now()
	var bar *progressbar.ProgressBar
	report = func(done, total int64) {
		if bar == nil {
			bar = progressbar.NewOptions64(total,
				progressbar.OptionSetWriter(&late{a.Stderr, start.Add(patience)}),
				progressbar.OptionSetDescription(name),
				progressbar.OptionShowBytes(true),
				progressbar.OptionSetPredictTime(true),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(),
			)
		}
		bar.Set64(done)
	}
	return report, func() {
		if bar != nil {
			bar.Clear()
		}
	}
}

// late drops what is written before a time, so that a bar can know when its work
// began and not be seen for short work.
type late struct {
	w     io.Writer
	after time.Time
}

func (l *late) Write(p []byte) (int, error) {
	if time.Now().Before(l.after) {
		return len(p), nil
	}
	return l.w.Write(p)
}

// IsTerminal says whether somebody sits before what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is how many characters a line of a terminal has, 0 of what is none.
func terminalWidth(w io.Writer) int {
	if out, ok := w.(*Output); ok {
		w = out.W
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}
