// Command mteval scores machine translation, ranks systems and judges metrics.
//
//	mteval score -r REF [-r REF2 …] [-m bleu,bertscore] HYP…
//	mteval stream [-m bleu,chrf] [FILE] [-o FILE]
//	mteval rank  -r REF [-r REF2 …] [--human FILE] SYS…
//	mteval study -r REF --human FILE SYS…
//	mteval meta  --human FILE --scores FILE… [--level system|segment]
//	mteval compare --scores FILE…
//	mteval select -n N [-r REF] [--scores FILE] SYS…
//	mteval tune  -m METRIC --data DIR… [--test DIR…] -o FILE
//	mteval calibrate FOLDER… -o FILE
//	mteval metrics [METRIC]
//	mteval model get NAME
//
// It exits with status 0, with 2 where the input or the options are wrong (and then
// prints no score), with 1 where the output can't be written, and with 130 where it was
// interrupted or terminated. Files that it writes are there whole or not at all, and none of
// them may be one that it reads.
//
// In text, TSV, LaTeX and messages, control characters, line ends and what turns the direction
// of text are written as JSON has them (\t, \n, \u001b), bytes that are not UTF-8 as \xff, and
// in tables a backslash as \\: names of files and systems forge no row.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/internal/escape"
)

// grace is how long a command that was interrupted may take to leave no half-written file.
const grace = time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program the hard way.
	context.AfterFunc(ctx, stop)
	// Whoever reads the output may stop doing so, which is an error like any other.
	signal.Ignore(syscall.SIGPIPE)
	done := make(chan int, 1)
	go func() { done <- run(ctx, os.Args[1:], os.Stdout, os.Stderr) }()
	select {
	case status := <-done:
		os.Exit(status)
	case <-ctx.Done():
	}
	// Not all that can take long looks at ctx: a read from a disk that does not answer, a
	// write to a pipe that nobody empties.
	select {
	case status := <-done:
		os.Exit(status)
	case <-time.After(grace):
		fmt.Fprintln(os.Stderr, "mteval: interrupted")
		os.Exit(interrupted)
	}
}

const interrupted = 130

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &output{w: stdout}
	app := &app{stdout: out, stderr: stderr}
	root := app.rootCommand()
	args, err := spelled(root, args)
	if err == nil && len(args) > 0 && args[0] == "" { // which cobra drops
		err = errors.New("the name of the command is empty")
	}
	if err == nil {
		root.SetArgs(args)
		err = root.ExecuteContext(registry.WithDownload(ctx, app.bytesBar))
	}
	if err == nil {
		err = out.err // of --help, say, whose writer does not look
	}
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "mteval: interrupted")
		return interrupted
	}
	if errors.Is(err, errReaderGone) {
		return 1
	}
	app.say("%s%s", adviseMetric(err), meantCommand(root, err))
	if failed := (*os.PathError)(nil); out.err != nil || errors.As(err, &failed) && failed.Op == "write" {
		return 1
	}
	return 2
}

// rootCommand is the command with all that it has below it.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "mteval",
		Short: "Scores machine translation against references and ranks systems",
		Long: `Mteval scores machine translation against references, ranks systems, and judges metrics.
mteval score is the command to begin with, and mteval help COMMAND tells of each.

mteval completion SHELL prints a script for bash, zsh, fish or powershell, with which the tab
key completes commands, options, and what options may be: metrics, tokenizers, backends,
languages, formats. mteval completion SHELL --help says where it goes.`,
		Example: `  mteval score -r ref.de -m bleu,chrf sys1.txt sys2.txt
  mteval rank -r ref.de sys/*.txt
  source <(mteval completion bash)`,
		Version:       mteval.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		// An error is one line.
		DisableSuggestions: true,
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.AddCommand(a.scoreCommand(), a.streamCommand(), a.rankCommand(), a.metaCommand(), a.compareCommand(), a.studyCommand(), a.selectCommand(), a.tuneCommand(), a.calibrateCommand(), a.metricsCommand(), a.modelCommand())
	refuseUnknown(root)
	flags.Install(root)
	return root
}

// output is standard output. It keeps the error of the first write that fails.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// app is what the commands share.
type app struct {
	stdout, stderr io.Writer
	maxLine        int
	firstSegment   string // of metrics' scores
	quiet          bool
	texts          textOptions
	noted          []string // by note, for a page
}

const warning = "warning: "

// note says something on standard error that is not part of the result, and that a page of the
// result has among its notes. Where quiet is asked for it says warnings only.
func (a *app) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.noted = append(a.noted, strings.TrimPrefix(text, warning))
	a.tell("%s", text)
}

// tell is note for what a page does not need, or has elsewhere.
func (a *app) tell(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !a.quiet || strings.HasPrefix(text, warning) {
		a.say("%s", text)
	}
}

// say says something on standard error, on a line that can be read.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.stderr, "mteval: %s\n", escape.Short(safe.Visible(fmt.Sprintf(format, args...))))
}
