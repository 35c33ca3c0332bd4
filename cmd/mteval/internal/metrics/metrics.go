// Package metrics is the command that tells of metrics and of their options.
package metrics

import (
	"github.com/spf13/cobra"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
)

// Command is mteval metrics.
func Command(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "metrics [METRIC]",
		Short: "List the metrics, or tell of one and its options",
		Long: `Metrics lists the metrics, and of one that is named it tells what it is, its options, its
signature, what it gives the same scores as, and whom to cite.

Options stand in parentheses behind a metric, wherever one is named (-m, --base, --combine):

  -m 'bleu(tokenize=zh),chrf(beta=1,lowercase),comet(model=DIR)'

One that is a switch needs no value; a value with commas or parentheses in it stands in
quotation marks. Of one kind there may be several, as in -m 'bleu(tokenize=13a),bleu(tokenize=zh)':
each is then called by the options in which they differ, and each COMET by its model.`,
		Example:   "  mteval metrics\n  mteval metrics bleu",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: registry.Names(),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return registry.WriteMetrics(a.Stdout)
			}
			return registry.WriteMetric(c.Context(), a.Stdout, args[0])
		},
	}
}
