// Command mteval scores machine translation, ranks systems and judges metrics.
//
//	mteval score -r REF [-r REF2 …] [-m bleu,bertscore] HYP…
//	mteval rank  -r REF [-r REF2 …] [--human FILE] SYS…
//	mteval study -r REF --human FILE SYS…
//	mteval meta  --human FILE --scores FILE… [--level system|segment]
//	mteval tune  -m METRIC --data DIR… [--test DIR…] -o FILE
//	mteval model get NAME
//
// It exits with status 0, with 2 where the input or the options are wrong (and then
// prints no score), with 1 where the output can't be written, and with 130 where it was
// interrupted or terminated.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program the hard way.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "mteval",
		Short:         "Scores machine translation against references and ranks systems",
		Version:       mteval.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		// An error is one line.
		DisableSuggestions: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	app := &app{stdout: stdout, stderr: stderr}
	root.AddCommand(app.scoreCommand(), app.rankCommand(), app.metaCommand(), app.studyCommand(), app.tuneCommand(), app.modelCommand())
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "mteval: interrupted")
		return 130
	}
	fmt.Fprintf(stderr, "mteval: %v\n", err)
	var failed *os.PathError
	if errors.As(err, &failed) && failed.Op == "write" {
		return 1
	}
	return 2
}

// app is what the commands share.
type app struct {
	stdout, stderr io.Writer
}

// note says something on standard error that is not part of the result.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.stderr, "mteval: "+format+"\n", args...)
}
