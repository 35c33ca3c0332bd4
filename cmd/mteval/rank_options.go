package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/difficulty"
)

// difficultyFlags are the options of difficulty: a mode, and what differs from it.
type difficultyFlags struct {
	set         *pflag.FlagSet
	mode        string
	novel       difficulty.Novel
	smoothing   difficulty.Smoothing
	normalize   bool
	plainIfEasy bool
	leaveOneOut bool
	baseline    float64
}

// difficultyModes are the names of difficultyMode.
var difficultyModes = []string{"combined", "paper", "normalized", "released"}

func (f *difficultyFlags) add(fs *pflag.FlagSet) {
	f.set = fs
	flags.Var(fs, flags.Enum(&f.mode, "combined", "difficulty", difficultyModes...), "difficulty", "form of the difficulty-aware score: combined, paper, normalized, released")
	flags.Var(fs, flags.Enum(&f.novel, difficulty.One, "weight", difficulty.One, difficulty.Matched, difficulty.Hardest), "difficulty-novel", "weight of a token that the reference lacks: one, matched, hardest (default matched; one if paper or released)").NoDefault()
	flags.Var(fs, flags.Enum(&f.smoothing, difficulty.NoSmoothing, "smoothing", difficulty.NoSmoothing, difficulty.Power, difficulty.Softmax, difficulty.Max), "difficulty-smoothing", "smoothing of the weights of a reference: none, power (square roots), softmax, max")
	flags.Bool(fs, &f.normalize, "difficulty-normalize", "divide by the sum of weights, not the number of tokens (default true if combined or normalized)")
	flags.Bool(fs, &f.plainIfEasy, "difficulty-plain-if-easy", "plain means where nothing is difficult (default true if combined or released)")
	flags.Bool(fs, &f.leaveOneOut, "difficulty-leave-one-out", "give a system no vote on its own tokens")
	flags.Var(fs, flags.Number(&f.baseline, 0), "difficulty-baseline", "similarity b to rescale all with, (x-b)/(1-b) (default none; if released, the F of the metric's baseline)")
}

// difficultyMode returns the options that a mode stands for.
func difficultyMode(mode string) difficulty.Options {
	switch mode {
	case "combined":
		return difficulty.Combined()
	case "normalized":
		return difficulty.Normalized()
	case "released":
		return difficulty.Released()
	}
	return difficulty.Paper()
}

func (f *difficultyFlags) options() difficulty.Options {
	o := difficultyMode(f.mode)
	if f.set.Changed("difficulty-novel") {
		o.Novel = f.novel
	}
	if f.set.Changed("difficulty-normalize") {
		o.Normalize = f.normalize
	}
	if f.set.Changed("difficulty-plain-if-easy") {
		o.PlainIfEasy = f.plainIfEasy
	}
	o.Smoothing, o.LeaveOneOut, o.Baseline = f.smoothing, f.leaveOneOut, f.baseline
	return o
}

// difficultyOptions are those of the flags, checked. The released program takes the
// baseline of BERTScore's F.
func (o *rankOptions) difficultyOptions(base mteval.MatchScorer) (difficulty.Options, error) {
	opt := o.difficulty.options()
	if opt.Released && !o.flags.Set.Changed("difficulty-baseline") {
		b, err := o.flags.Baseline(o.base, base.Info().Signature)
		if err != nil {
			return opt, err
		}
		if b != nil {
			opt.Baseline = b.F
		}
	}
	if err := opt.Check(); err != nil {
		by, without := "difficulty-baseline", opt
		if without.Baseline = 0; without.Check() != nil {
			by = "difficulty " + o.difficulty.mode // what does not go with it
		}
		return opt, fmt.Errorf("--%s: %w", by, err)
	}
	return opt, nil
}

// alone is why one system is not ranked.
const alone = "one system, which no other is above or below, and among one nothing is difficult: name two or more, or use mteval score"

// check finds what is wrong with the flags before texts are read.
func (o *rankOptions) check(ctx context.Context, paths []string) error {
	if o.topK > 0 && o.human == "" {
		return errors.New("--top needs --human: the best systems are those of the best human scores")
	}
	if o.topK == 1 {
		return errors.New("--top 1 leaves " + alone)
	}
	if o.confidence <= .5 {
		return fmt.Errorf("--group-confidence %v: want a number above .5 and below 1", o.confidence)
	}
	if err := o.segments.check(); err != nil {
		return err
	}
	o.flags.SetTexts(o.refs, paths)
	if err := flags.CheckFiles(ctx, o.flags.Set, flags.Arguments("SYS", outputPaths(paths))...); err != nil {
		return err
	}
	if o.unreferenced() {
		return o.checkUnreferenced(ctx)
	}
	return o.flags.Check(ctx, append([]string{o.base}, o.metrics...))
}

// matchers are the metrics that match tokens.
var matchers = []string{"bertscore", "bertscore-lexical", "wordf", "meteor"}

// matchScorer makes the metric of --base.
func (o *rankOptions) matchScorer(ctx context.Context, open *registry.Backend) (mteval.MatchScorer, error) {
	s, err := o.flags.Scorer(ctx, o.base, open)
	if err != nil {
		return nil, err
	}
	return matching(s, "--base "+o.base)
}

// matching is a scorer that must match tokens, for by.
func matching(s mteval.Scorer, by string) (mteval.MatchScorer, error) {
	ms, ok := s.(mteval.MatchScorer)
	if !ok {
		return nil, fmt.Errorf("%s: it does not match tokens: have %s", by, strings.Join(matchers, ", "))
	}
	return ms, nil
}
