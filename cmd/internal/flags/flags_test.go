package flags

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/outfile"
)

// shade is a type whose values have names.
type shade int

func (s shade) String() string { return []string{"light", "dark", "none"}[s] }

// options are those of a command for tests.
type options struct {
	format       string
	shade        shade
	mode, tune   string
	metrics      []string
	width, top   int
	seed         uint64
	alpha, beta  float64
	least, any   float64
	sweep        []float64
	language     string
	in, out      string
	more         []string
	model        string
	parses       []string
	names        []string
	loud, silent bool
	n            int
	save, cache  string
	ran          bool
	args         []string
}

func command(o *options) *cobra.Command {
	c := &cobra.Command{
		Use: "test FILE…", Short: "Tests flags", Example: "  test a b", SilenceUsage: true, SilenceErrors: true,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { o.ran, o.args = true, args; return nil },
	}
	fs := c.Flags()
	Group(fs, "Names", func(fs *pflag.FlagSet) {
		VarP(fs, Enum(&o.format, "text", "format", "text", "tsv", "table"), "format", "f", "format")
		Var(fs, Enum(&o.shade, 0, "shade", shade(0), shade(1)), "shade", "shade").NoDefault()
		Var(fs, Enum(&o.mode, "", "mode", "a", "b"), "mode", "mode")
		VarP(fs, List(&o.metrics, []string{"bleu"}, "metric", "bleu", "chrf", "ter"), "metrics", "m", "metrics")
		Var(fs, Enum(&o.tune, "", "metric to tune", "chrf", "ter"), "tune", "metric")
		Var(fs, Text(&o.language, "", "language", "de", "da", "en"), "language", "language").For("metric", "chrf", "ter").Or("silent")
		Var(fs, Repeated(&o.names, "names"), "name", "names")
	})
	Group(fs, "Numbers", func(fs *pflag.FlagSet) {
		Var(fs, Int(&o.width, -1, 0, 15), "width", "width")
		Var(fs, Int(&o.top, 0, 1, math.MaxInt), "top", "top")
		Var(fs, Seed(&o.seed, 12345), "seed", "seed").OptionOf("loud", "silent")
		Var(fs, Share(&o.alpha, .05), "alpha", "level")
		Var(fs, Positive(&o.beta, 2), "beta", "beta")
		Var(fs, NonNegative(&o.least, 25), "least", "least")
		Var(fs, Number(&o.any, 0), "any", "any")
		Var(fs, NonNegatives(&o.sweep), "sweep", "sweep").OptionOf("mode=a", "mode=b")
	})
	Bool(fs, &o.loud, "loud", "loud").Excludes("is heard", "silent", "shade")
	BoolP(fs, &o.silent, "silent", "s", "silent")
	Var(fs, Samples(&o.n, 1000, 1), "samples", "samples").OptionOf("format=tsv")
	Var(fs, Input(&o.in), "in", "input")
	VarP(fs, InputList(&o.more), "more", "r", "inputs")
	Var(fs, Output(&o.out), "out", "output")
	VarP(fs, OutputOrStdout(&o.save), "save", "o", "output")
	Var(fs, Folder(&o.model, func(dir string) []string { return []string{dir + "/config", dir + "/weights"} }), "model", "model")
	Var(fs, OwnFolder(&o.cache), "cache", "cache")
	Var(fs, Naming(&o.parses, "TEXT=FILE", func(v string) []string { return strings.Split(v, "=") }), "parses", "parses")
	root := &cobra.Command{Use: "root", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(c)
	Install(root)
	return root
}

func run(o *options, line ...string) (stdout string, err error) {
	c := command(o)
	var b bytes.Buffer
	c.SetOut(&b)
	c.SetErr(&b)
	c.SetArgs(line)
	err = c.Execute()
	return b.String(), err
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"--format yaml", `--format: no format "yaml": have text, tsv, table`},
		{"-f yaml", `--format: no format "yaml": have text, tsv, table`},
		{"--shade red", `--shade: no shade "red": have light, dark`},
		{"--shade none", `--shade: no shade "none": have light, dark`},
		{"--mode c", `--mode: no mode "c": have a, b`},
		{"--mode=", "--mode: the value is empty: give one, or leave the flag out"},
		{"--loud=5", "--loud 5: want true or false, or no value"},
		{"--loud=", `--loud "": want true or false, or no value`},
		{"-m bleu,tern", `--metrics: no metric "tern" (did you mean ter?): have bleu, chrf, ter`},
		{"-m chrf -m bleau", `--metrics: no metric "bleau" (did you mean bleu?): have bleu, chrf, ter`},
		{`-m "ter`, `--metrics "ter: want names with commas between`},
		{"--metrics=", "--metrics: the value is empty: give one, or leave the flag out"},
		{"--metrics bleu,,ter", "--metrics bleu,,ter: a part between the commas is empty"},
		{"--name=", "--name: the value is empty: give one, or leave the flag out"},
		{"--in=", "--in: name a file"},
		{"-r=", "--more: name a file"},
		{"--model=", "--model: name a folder"},
		{"--width 16", "--width 16: want 0 to 15"},
		{"--width -1", "--width -1: want 0 to 15"},
		{"--width x", "--width x: want 0 to 15"},
		{"--width 0x7", ""},
		{"--top 0", "--top 0: want a whole number from 1 up"},
		{"--top 99999999999999999999", "--top 99999999999999999999: want a whole number from 1 up"},
		{"--loud --seed 0", "--seed 0: a seed is a whole number from 1 up"},
		{"--seed 7", "--seed is an option of --loud or --silent"},
		{"--seed 7 --loud", ""},
		{"--seed 7 --loud=false", "--seed is an option of --loud or --silent"},
		{"--alpha 1", "--alpha 1: want a number above 0 and below 1"},
		{"--alpha 0", "--alpha 0: want a number above 0 and below 1"},
		{"--alpha NaN", "--alpha NaN: want a number above 0 and below 1"},
		{"--beta 0", "--beta 0: want a number above 0"},
		{"--beta Inf", "--beta Inf: want a number above 0"},
		{"--least -1", "--least -1: want a number, 0 or more"},
		{"--least 0", ""},
		{"--any x", "--any x: want a number"},
		{"--any -3", ""},
		{"--mode a --sweep 1,-2", "--sweep 1,-2: want numbers, 0 or more, with commas between"},
		{"--mode a --sweep=", "--sweep \"\": want numbers, 0 or more, with commas between"},
		{"--mode b --sweep 1,2.5", ""},
		{"--sweep 1", "--sweep is an option of --mode a or b"},
		{"--samples 7", "--samples is an option of --format tsv"},
		{"--samples 7 -f tsv", ""},
		{"--samples 2000000 -f tsv", "--samples 2000000: want 1 to 1000000"},
		{"--language de", "--language is an option of chrf, ter: add -m chrf or leave it out"},
		{"--language de --silent", ""},
		{"--language de --silent=false", "--language is an option of chrf, ter: add -m chrf or leave it out"},
		{"--language de -m ter", ""},
		{"--language= ", "--language: the value is empty: give one, or leave the flag out"},
		{"--language de -m bleu --tune ter", ""},
		{"--tune bleu", `--tune: no metric to tune "bleu": have chrf, ter`},
		{"--loud --silent", "--loud is heard: leave --silent out"},
		{"--loud --silent=false", ""},
		{"--loud --shade light", "--loud is heard: leave --shade out"},
		{"--loud=false --silent", ""},
		{"--out=", "--out: name a file"},
		{"--out -", "--out: name a file"},
		{"--save=", "--save: name a file, or - for standard output"},
		{"--save -", ""},
		{"--cache=", "--cache: name a folder"},
		{"--cache x", ""},
		{"--in - -", "standard input (-) can be only one of the files"},
		{"-r - -r -", "standard input (-) can be only one of the files"},
		{"-r - a", ""},
		{"--no-such", "unknown flag: --no-such"},
	} {
		var o options
		_, err := run(&o, append([]string{"test"}, strings.Fields(tt.line)...)...)
		if got := message(err); got != tt.want || o.ran != (err == nil) {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestValues(t *testing.T) {
	var o options
	if _, err := run(&o, strings.Fields("test -f table --shade dark --mode b -m ter,bleu --metrics ter,chrf --width 0 --top 3 --silent --seed 7 --alpha .5 --beta 1e3"+
		" --least 1 --any -2 --sweep 1,2 --sweep 3 --language xx --in a -r b -r c,d --out e -o - --model f --cache f2 --parses g=h --name i,j --name k x y")...); err != nil {
		t.Fatal(err)
	}
	want := options{
		format: "table", shade: 1, mode: "b", metrics: []string{"ter", "bleu", "chrf"}, width: 0, top: 3, silent: true, seed: 7, alpha: .5, beta: 1000,
		least: 1, any: -2, sweep: []float64{1, 2, 3}, language: "xx", in: "a", more: []string{"b", "c,d"}, out: "e", save: "-", model: "f", cache: "f2",
		parses: []string{"g=h"}, names: []string{"i,j", "k"}, n: 1000, ran: true, args: []string{"x", "y"},
	}
	if d := cmp.Diff(want, o, cmp.AllowUnexported(options{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// At first.
	o = options{}
	command(&o)
	want = options{format: "text", metrics: []string{"bleu"}, width: -1, seed: 12345, alpha: .05, beta: 2, least: 25, n: 1000}
	if d := cmp.Diff(want, o, cmp.AllowUnexported(options{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What a flag is, written as it writes itself, is read back.
func TestStringIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o options
		fs := command(&o).Commands()[0].Flags()
		o.alpha = rapid.Float64Range(1e-300, 1-1e-9).Draw(t, "alpha")
		o.sweep = rapid.SliceOfN(rapid.Float64Range(0, 1e300), 1, 4).Draw(t, "sweep")
		o.seed = rapid.Uint64Min(1).Draw(t, "seed")
		o.metrics = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"bleu", "chrf", "ter"}), 1, -1, rapid.ID).Draw(t, "metrics")
		was := o
		was.sweep, was.metrics = slices.Clone(o.sweep), slices.Clone(o.metrics)
		for _, name := range []string{"alpha", "sweep", "seed", "metrics"} {
			if err := fs.Set(name, fs.Lookup(name).Value.String()); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(was, o, cmp.AllowUnexported(options{}), cmp.Transformer("nil", func(s []string) string { return strings.Join(s, ",") })); d != "" {
			t.Fatal(d)
		}
	})
}

func TestCompletion(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"--format ", "text tsv table :4"},
		{"--format t", "text tsv table :4"},
		{"--format ts", "tsv :4"},
		{"--format=ta", "table :4"},
		{"-f ", "text tsv table :4"},
		{"--shade d", "dark :4"},
		{"-m ", "bleu chrf ter :6"},
		{"-m ter,", "ter,bleu ter,chrf :6"},
		{"-m ter,c", "ter,chrf :6"},
		{"--language d", "de da :4"},
		{"--seed ", ":4"},
		{"--sweep ", ":4"},
		{"--model ", ":16"},
		{"--cache ", ":16"},
		{"--in ", ":0"},
		{"-r ", ":0"},
		{"--out ", ":0"},
		{"", ":0"},
	} {
		line := strings.Split("__completeNoDesc test "+tt.line, " ")
		stdout, err := run(new(options), line...)
		got, _, _ := strings.Cut(strings.Join(strings.Fields(stdout), " "), " Completion ended")
		if err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.line, got, err, tt.want)
		}
	}
}

func TestUsage(t *testing.T) {
	got, err := run(new(options), "test", "--help")
	if err != nil {
		t.Fatal(err)
	}
	const want = `Tests flags

Usage:
  root test FILE… [flags]

Example:
  test a b

Names:
  -f, --format name         format (default text)
      --shade name          shade
      --mode name           mode
  -m, --metrics names       metrics (default bleu)
      --tune name           metric
      --language language   language
      --name names          names

Numbers:
      --width int      width (default -1)
      --top int        top
      --seed int       seed (default 12345)
      --alpha float    level (default 0.05)
      --beta float     beta (default 2)
      --least float    least (default 25)
      --any float      any
      --sweep floats   sweep

Other:
      --loud               loud
  -s, --silent             silent
      --samples int        samples (default 1000)
      --in file            input
  -r, --more file          inputs
      --out file           output
  -o, --save file          output
      --model folder       model
      --cache folder       cache
      --parses TEXT=FILE   parses
  -h, --help               help for test
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got, err = run(new(options), "--help")
	if err != nil || !strings.Contains(got, "Commands:\n") || !strings.Contains(got, "  test        Tests flags\n") || !strings.Contains(got, `Use "root [command] --help"`) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestFiles(t *testing.T) {
	var o options
	c := command(&o).Commands()[0]
	if err := c.ParseFlags(strings.Fields("--in a -r b -r - --out c -o d --model e --cache e --parses f=g")); err != nil {
		t.Fatal(err)
	}
	in := []outfile.Use{{By: "--in", Path: "a"}, {By: "-r", Path: "b"}, {By: "-r", Path: "-"},
		{By: "--model", Path: "e/config"}, {By: "--model", Path: "e/weights"}, {By: "--parses", Path: "f"}, {By: "--parses", Path: "g"}}
	out := []outfile.Use{{By: "--out", Path: "c"}, {By: "-o", Path: "d"}}
	if d := cmp.Diff(in, Inputs(c.Flags())); d != "" {
		t.Errorf("inputs (-want +got):\n%s", d)
	}
	if d := cmp.Diff(out, Outputs(c.Flags())); d != "" {
		t.Errorf("outputs (-want +got):\n%s", d)
	}
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, want string }{
		{"", ""},
		{"--in $/a --out $/new -o -", ""},
		{"--in $/a --out $/a", "--out $/a: that is also the file of --in; it would be overwritten"},
		{"--out $/arg", "--out $/arg: that is also the file of SYS; it would be overwritten"},
		{"--out $/new -o $/new", "-o $/new: that is also the file of --out; one would overwrite the other"},
		{"--out $/no/new", "--out: "},
		{"-o $", "-o: "},
	} {
		var o options
		c := command(&o).Commands()[0]
		if err := c.ParseFlags(strings.Fields(strings.ReplaceAll(tt.line, "$", dir))); err != nil {
			t.Fatal(err)
		}
		err := CheckFiles(context.Background(), c.Flags(), Arguments("SYS", []string{filepath.Join(dir, "arg")})...)
		want := strings.ReplaceAll(tt.want, "$", dir)
		if got := message(err); got != want && (!strings.HasSuffix(want, ": ") || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q, want %q", tt.line, got, want)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s leaves %v, %v", tt.line, entries, err)
		}
	}
	// A context that is done is told.
	var o options
	c := command(&o).Commands()[0]
	if err := c.ParseFlags([]string{"--out", filepath.Join(dir, "new")}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := CheckFiles(ctx, c.Flags()); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
