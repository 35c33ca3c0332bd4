// Package root joins the commands of mteval.
package root

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/cmd/mteval/internal/calibrate"
	"github.com/mteval/mteval/cmd/mteval/internal/choose"
	"github.com/mteval/mteval/cmd/mteval/internal/compare"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
	"github.com/mteval/mteval/cmd/mteval/internal/metrics"
	"github.com/mteval/mteval/cmd/mteval/internal/model"
	"github.com/mteval/mteval/cmd/mteval/internal/rank"
	"github.com/mteval/mteval/cmd/mteval/internal/score"
	"github.com/mteval/mteval/cmd/mteval/internal/stream"
	"github.com/mteval/mteval/cmd/mteval/internal/study"
	"github.com/mteval/mteval/cmd/mteval/internal/tune"
)

// Interrupted is the status of a command that was interrupted or terminated.
const Interrupted = 130

// Run runs the command with its arguments, and returns its status: see the command mteval.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &app.Output{W: stdout}
	a := &app.App{Stdout: out, Stderr: stderr}
	root := rootCommand(a)
	args, err := score.Spelled(root, args)
	if err == nil && len(args) > 0 && args[0] == "" { // which cobra drops
		err = errors.New("the name of the command is empty")
	}
	if err == nil {
		root.SetArgs(args)
		err = root.ExecuteContext(registry.WithDownload(ctx, a.BytesBar))
	}
	if err == nil {
		err = out.Err // of --help, say, whose writer does not look
	}
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "mteval: interrupted")
		return Interrupted
	}
	if errors.Is(err, stream.ErrReaderGone) {
		return 1
	}
	a.Say("%s%s", app.AdviseMetric(err), meantCommand(root, err))
	if failed := (*os.PathError)(nil); out.Err != nil || errors.As(err, &failed) && failed.Op == "write" {
		return 1
	}
	return 2
}

// rootCommand is the command with all that it has below it.
func rootCommand(a *app.App) *cobra.Command {
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
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.AddCommand(score.Command(a), stream.Command(a), rank.Command(a), meta.Command(a), compare.Command(a), study.Command(a), choose.Command(a), tune.Command(a), calibrate.Command(a), metrics.Command(a), model.Command(a))
	refuseUnknown(root)
	flags.Install(root)
	return root
}
