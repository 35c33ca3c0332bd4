package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// difficultyFlags are the options of difficulty: a mode, and what differs from it.
type difficultyFlags struct {
	set         *pflag.FlagSet
	mode        string
	novel       string
	smoothing   string
	normalize   bool
	plainIfEasy bool
	leaveOneOut bool
	baseline    float64
}

func (f *difficultyFlags) add(fs *pflag.FlagSet) {
	f.set = fs
	fs.StringVar(&f.mode, "difficulty", "paper", "form of the difficulty-aware score: paper, normalized, released")
	fs.StringVar(&f.novel, "difficulty-novel", "", "weight of a token that the reference lacks: one, matched, hardest (default one; matched if normalized)")
	fs.StringVar(&f.smoothing, "difficulty-smoothing", "none", "smoothing of the weights of a reference: none, power (square roots), softmax, max")
	fs.BoolVar(&f.normalize, "difficulty-normalize", false, "divide by the sum of weights, not the number of tokens (default true if normalized)")
	fs.BoolVar(&f.plainIfEasy, "difficulty-plain-if-easy", false, "plain means where nothing is difficult (default true if released)")
	fs.BoolVar(&f.leaveOneOut, "difficulty-leave-one-out", false, "give a system no vote on its own tokens")
	fs.Float64Var(&f.baseline, "difficulty-baseline", 0, "similarity b to rescale all with, (x-b)/(1-b) (default none; if released, the F of --baseline)")
}

// difficultyMode returns the options that a mode stands for.
func difficultyMode(mode string) (difficulty.Options, error) {
	switch mode {
	case "paper":
		return difficulty.Paper(), nil
	case "normalized":
		return difficulty.Normalized(), nil
	case "released":
		return difficulty.Released(), nil
	}
	return difficulty.Options{}, fmt.Errorf("no difficulty %q: have paper, normalized, released", mode)
}

func (f *difficultyFlags) options() (difficulty.Options, error) {
	o, err := difficultyMode(f.mode)
	if err != nil {
		return o, err
	}
	if f.set.Changed("difficulty-novel") {
		novels := []difficulty.Novel{difficulty.One, difficulty.Matched, difficulty.Hardest}
		i := slices.IndexFunc(novels, func(n difficulty.Novel) bool { return n.String() == f.novel })
		if i < 0 {
			return o, fmt.Errorf("--difficulty-novel: no weight %q: have one, matched, hardest", f.novel)
		}
		o.Novel = novels[i]
	}
	smoothings := []difficulty.Smoothing{difficulty.NoSmoothing, difficulty.Power, difficulty.Softmax, difficulty.Max}
	i := slices.IndexFunc(smoothings, func(s difficulty.Smoothing) bool { return s.String() == f.smoothing })
	if i < 0 {
		return o, fmt.Errorf("--difficulty-smoothing: no smoothing %q: have none, power, softmax, max", f.smoothing)
	}
	o.Smoothing = smoothings[i]
	if f.set.Changed("difficulty-normalize") {
		o.Normalize = f.normalize
	}
	if f.set.Changed("difficulty-plain-if-easy") {
		o.PlainIfEasy = f.plainIfEasy
	}
	o.LeaveOneOut = f.leaveOneOut
	o.Baseline = f.baseline
	return o, nil
}

// difficultyOptions are those of the flags, checked. The released program takes the
// baseline of BERTScore's F.
func (o *rankOptions) difficultyOptions(base mteval.MatchScorer) (difficulty.Options, error) {
	opt, err := o.difficulty.options()
	if err != nil {
		return opt, err
	}
	if opt.Released && o.base == "bertscore" && o.flags.baseline != "" && !o.flags.set.Changed("difficulty-baseline") {
		b, err := o.flags.readBaseline(base.Info().Signature)
		if err != nil {
			return opt, err
		}
		opt.Baseline = b.F
	}
	return opt, opt.Check()
}

// check finds what is wrong with the flags before anything is read.
func (o *rankOptions) check(ctx context.Context, paths []string) error {
	switch {
	case o.output != "text" && o.output != "json":
		return fmt.Errorf("no format %q: have text, json", o.output)
	case o.topK < 0:
		return fmt.Errorf("--top %d: no such number of systems", o.topK)
	case o.topK > 0 && o.human == "":
		return errors.New("--top needs --human: the best systems are those of the best human scores")
	case o.human == "-" && (slices.Contains(paths, "-") || slices.Contains(o.refs, "-")):
		return errors.New("standard input (-) can be only one of the files")
	}
	o.flags.texts = slices.Concat(o.refs, paths)
	if err := o.checkFiles(ctx, paths); err != nil {
		return err
	}
	return o.flags.check(ctx, append([]string{o.base}, o.metrics...))
}

// matchScorer makes the metric of --base.
func (o *rankOptions) matchScorer(ctx context.Context, open *openBackend) (mteval.MatchScorer, error) {
	s, err := o.flags.scorer(ctx, o.base, open)
	if err != nil {
		return nil, err
	}
	ms, ok := s.(mteval.MatchScorer)
	if !ok {
		return nil, fmt.Errorf("--base %s: it does not match tokens: have bertscore, wordf, meteor", o.base)
	}
	return ms, nil
}

// checkFiles refuses files that can't be written, and those that are read.
func (o *rankOptions) checkFiles(ctx context.Context, systems []string) error {
	given := o.flags.set.Changed
	if given("html-segments") && o.html == "" {
		return errors.New("--html-segments is an option of --html")
	}
	if o.htmlSegments < 0 {
		return fmt.Errorf("--html-segments %d: no such number of segments", o.htmlSegments)
	}
	if err := o.segments.check(); err != nil {
		return err
	}
	outputs := slices.Concat(uses("--segments", o.segments.path), uses("--html", o.html))
	for _, out := range outputs {
		if given(out.By[2:]) && (out.Path == "" || out.Path == "-") {
			return fmt.Errorf("%s: name a file", out.By)
		}
	}
	inputs, err := o.flags.inputs()
	if err != nil {
		return err
	}
	return checkFiles(ctx, slices.Concat(uses("SYS", systems...), uses("-r", o.refs...), uses("--human", o.human), inputs), outputs)
}
