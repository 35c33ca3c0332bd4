package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/metaeval"
)

// DirectionHelp is what commands that read metrics' scores say of their direction.
const DirectionHelp = `Whether more or less of a metric is better is what --higher-is-better and --lower-is-better
say, or else its file (what mteval writes says it, and in WMT's files more is), or else its
name: less of TER, WER, CER, MetricX and the like, more of others. A name such as 1-TER or
avg_loss does not tell, and takes one of the options.`

// DirectionFlags say of metrics in which direction they are better.
type DirectionFlags struct {
	lower, higher []string
	Tree          []string // the names of a tree's metrics, of which more is better
}

// Add adds the flags.
func (d *DirectionFlags) Add(fs *pflag.FlagSet) []flags.Flag {
	return []flags.Flag{
		flags.Var(fs, flags.RepeatedParts(&d.lower, "names"), "lower-is-better", "metrics of --scores of which less is better (default: told by the file, or by their names)"),
		flags.Var(fs, flags.RepeatedParts(&d.higher, "names"), "higher-is-better", "metrics of --scores of which more is better"),
	}
}

// Directed gives their directions to metrics that were read.
func (a *App) Directed(d *DirectionFlags, read []files.MetricScores) ([]metaeval.Metric, error) {
	var names []string
	for _, m := range read {
		names = append(names, m.Name)
	}
	isMetric := func(name string) bool { return slices.Contains(names, name) || slices.Contains(d.Tree, name) }
	var said files.Directions
	for _, f := range []struct {
		flag  string
		given []string
		names *[]string
	}{{"lower-is-better", d.lower, &said.Lower}, {"higher-is-better", d.higher, &said.Higher}} {
		var err error
		if *f.names, err = SplitNames(f.flag, f.given, isMetric); err != nil {
			return nil, err
		}
		for _, name := range *f.names {
			switch {
			case slices.Contains(names, name):
			case slices.Contains(d.Tree, name):
				return nil, fmt.Errorf("--%s %s: it is of the tree, where more is better", f.flag, name)
			default:
				return nil, fmt.Errorf("--%s %s: no such metric: have %s", f.flag, name, strings.Join(append(names, d.Tree...), ", "))
			}
		}
	}
	for _, name := range said.Higher {
		if slices.Contains(said.Lower, name) {
			return nil, fmt.Errorf("--higher-is-better %s: it stands behind --lower-is-better, too", name)
		}
	}
	out, err := said.Metrics(read)
	if open := (*files.DirectionError)(nil); errors.As(err, &open) {
		name := open.Metrics[0]
		if strings.ContainsAny(name, " ()*") {
			name = "'" + name + "'"
		}
		return nil, fmt.Errorf("%w (--lower-is-better %s or --higher-is-better %[2]s)", err, name)
	}
	for i, m := range out {
		if m.LowerIsBetter && read[i].Direction == files.Unsaid && !slices.Contains(said.Lower, m.Name) && slices.Max(m.Scores.SystemMeans()) < 0 {
			a.Note("warning: less was taken for better of %s by its name, and all systems' scores are below 0: if they are turned round, --higher-is-better %[1]s", m.Name)
		}
	}
	return out, err
}
