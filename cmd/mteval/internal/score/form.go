package score

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/sacrebleu"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/nearest"
)

// Spelled are the arguments of the program, those of score with the names of flags where they
// have sacreBLEU's spellings. A shell that completes them gives all but the last.
func Spelled(root *cobra.Command, args []string) ([]string, error) {
	begin, end := 1, len(args)
	if len(args) > 2 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		begin, end = 2, end-1
	}
	if end < begin || args[begin-1] != "score" {
		return args, nil
	}
	score, _, err := root.Find([]string{"score"})
	if err != nil {
		return nil, err
	}
	all := func([]string, string) (bool, error) { return true, nil }
	rest, err := sacrebleu.Rewrite(args[begin:end], score.Flags(),
		sacrebleu.Several{Flag: "metrics", Takes: isMetric}, sacrebleu.Several{Flag: "input", Takes: all}, sacrebleu.Several{Flag: "echo", Takes: all})
	if err != nil {
		return nil, err
	}
	return slices.Concat(args[:begin], rest, args[end:]), nil
}

// isMetric says whether what stands behind metrics is another one. A file that is called so
// is an error, as it may be meant, and so is a word that is neither.
func isMetric(metrics []string, name string) (bool, error) {
	at, err := os.Stat(name)
	file := err == nil && !at.IsDir()
	before := strings.Join(metrics, " ")
	switch metric := slices.ContainsFunc(registry.Names(), func(n string) bool { return strings.EqualFold(n, registry.Name(name)) }); {
	case metric && file:
		return false, fmt.Errorf("-m %s %s: %s is a metric, and a file: type -m %s,%s for the metric, or ./%s for the file",
			before, name, name, strings.Join(metrics, ","), name, name)
	case !metric && errors.Is(err, fs.ErrNotExist) && name != "" && name != "-" && !strings.ContainsAny(registry.Name(name), `./\=`):
		return false, fmt.Errorf("-m %s %s: no file %s, and no metric%s: there are %s",
			before, name, name, nearest.DidYouMean(registry.Name(name), "", registry.Names()), strings.Join(registry.Names(), ", "))
	default:
		return metric, nil
	}
}

// onceBaseline leaves out the first output where it comes again, as sys/base.txt does among
// sys/*.txt: it is what the others are tested against.
func onceBaseline(a *app.App, outputs []string) []string {
	first := filepath.Clean(app.OutputPaths(outputs[:1])[0])
	out, again := outputs[:1:1], ""
	for _, o := range outputs[1:] {
		if o != "-" && filepath.Clean(o) == first {
			again = o
			continue
		}
		out = append(out, o)
	}
	if again != "" && len(out) > 1 {
		a.Note("%s is what the others are tested against: it is passed over where it comes again", again)
	}
	return out
}

// environment has sacreBLEU's variables: SACREBLEU_FORMAT in place of the formats that both
// programs have, and SACREBLEU_SEED where no seed is given. A format that is none is passed
// over, as there.
func (o *scoreOptions) environment(value func(name string) string) error {
	format := strings.ToLower(value("SACREBLEU_FORMAT"))
	if format != "" && slices.Contains([]string{"text", "latex", "json"}, o.output) && !o.sentences && !o.scoreOnly && !o.Sets.detail {
		switch format {
		case "text", "latex":
			o.output = format
		case "json":
			o.output = sacrebleuJSON
		}
	}
	seed := value("SACREBLEU_SEED")
	if seed == "" || o.flags.Set.Changed("seed") || o.paired == "" && !o.confidence {
		return nil
	}
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil || n == 0 {
		return fmt.Errorf("SACREBLEU_SEED is %q, and a seed is a whole number from 1 up: type --seed N", seed)
	}
	o.seed = n
	return nil
}

// setTarget makes the second language of --language-pair that of --target-language, unless it
// is given.
func (o *scoreOptions) setTarget() error {
	if o.Sets.pair == "" {
		return nil
	}
	source, target, ok := strings.Cut(o.Sets.pair, "-")
	if !ok || source == "" || target == "" {
		return fmt.Errorf("--language-pair %s: want two languages, such as en-de", o.Sets.pair)
	}
	if o.flags.Set.Changed("target-language") {
		return nil
	}
	return o.flags.Set.Set("target-language", target)
}

// Form says which references and outputs a command line names. Arguments are outputs where
// there are references, by -r or -t, or sources and no -i. Elsewhere they are references, as in sacreBLEU, and
// outputs come from -i or from standard input, where each column is a system.
func (o *scoreOptions) Form(args []string, terminal bool) (*app.Texts, error) {
	if err := o.Sets.checkSetName(); err != nil {
		return nil, err
	}
	t := &app.Texts{Refs: o.Refs, Outputs: args, Source: o.source}
	switch {
	case o.source != "" && o.Sets.Name != "":
		return nil, errors.New("--test-set has sources of its own: leave --source out")
	case len(o.Refs) > 0 && o.Sets.Name != "":
		return nil, errors.New("--test-set has references of its own: leave -r out")
	case len(o.Refs) > 0 || o.Sets.Name != "":
		if len(o.Inputs) > 0 && len(args) > 0 {
			return nil, fmt.Errorf("with -r or -t, arguments are outputs, and so is what -i names: give all of them one way (%s)", args[0])
		}
		if len(o.Inputs) > 0 {
			t.Outputs = o.Inputs
		}
	case o.source != "" && len(o.Inputs) == 0:
	default:
		t.Refs, t.Outputs = args, o.Inputs
	}
	switch {
	case o.Sets.Name == "" && len(t.Refs) == 0 && o.source == "":
		return nil, errors.New("no reference: name a file with -r, or a test set with -t")
	case len(t.Outputs) > 0:
		return t, nil
	case len(o.Refs) > 0 || o.source != "":
		return nil, errors.New("no output: name files, or - for standard input")
	case terminal && o.Sets.Name != "":
		return nil, errors.New("no output: name files, or have them in standard input, which is a terminal")
	case terminal:
		return nil, fmt.Errorf("no reference, or no output: type mteval score -r REF %[1]s where %[1]s is an output, or mteval score %[1]s -i OUTPUT where it is a reference", args[0])
	}
	t.Outputs, t.Columns = []string{"-"}, true
	return t, nil
}
