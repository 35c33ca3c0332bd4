// Package app is what the commands of mteval share: output, messages, texts, and how results are told.
package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/internal/escape"
)

// Output is standard output. It keeps the error of the first write that fails.
type Output struct {
	W   io.Writer
	Err error
}

// Write writes to W.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.W.Write(p)
	if o.Err == nil {
		o.Err = err
	}
	return n, err
}

// App is what the commands share.
type App struct {
	Stdout, Stderr io.Writer
	MaxLine        int
	firstSegment   string // of metrics' scores
	Quiet          bool
	Texts          textOptions
	noted          []string // by note, for a page
}

const warning = "warning: "

// Note says something on standard error that is not part of the result, and that a page of the
// result has among its notes. Where quiet is asked for it says warnings only.
func (a *App) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.noted = append(a.noted, strings.TrimPrefix(text, warning))
	a.Tell("%s", text)
}

// Tell is note for what a page does not need, or has elsewhere.
func (a *App) Tell(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !a.Quiet || strings.HasPrefix(text, warning) {
		a.Say("%s", text)
	}
}

// Say says something on standard error, on a line that can be read.
func (a *App) Say(format string, args ...any) {
	fmt.Fprintf(a.Stderr, "mteval: %s\n", escape.Short(safe.Visible(fmt.Sprintf(format, args...))))
}
