package rank

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
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

func (f *difficultyFlags) add(fs *pflag.FlagSet) {
	f.set = fs
	flags.Var(fs, flags.Enum(&f.mode, "combined", "difficulty", app.DifficultyModes...), "difficulty", "form of the difficulty-aware score: combined, paper, normalized, released")
	flags.Var(fs, flags.Enum(&f.novel, difficulty.One, "weight", difficulty.One, difficulty.Matched, difficulty.Hardest), "difficulty-novel", "weight of a token that the reference lacks: one, matched, hardest (default matched; one if paper or released)").NoDefault()
	flags.Var(fs, flags.Enum(&f.smoothing, difficulty.NoSmoothing, "smoothing", difficulty.NoSmoothing, difficulty.Power, difficulty.Softmax, difficulty.Max), "difficulty-smoothing", "smoothing of the weights of a reference: none, power (square roots), softmax, max")
	flags.Bool(fs, &f.normalize, "difficulty-normalize", "divide by the sum of weights, not the number of tokens (default true if combined or normalized)")
	flags.Bool(fs, &f.plainIfEasy, "difficulty-plain-if-easy", "plain means where nothing is difficult (default true if combined or released)")
	flags.Bool(fs, &f.leaveOneOut, "difficulty-leave-one-out", "give a system no vote on its own tokens")
	flags.Var(fs, flags.Number(&f.baseline, 0), "difficulty-baseline", "similarity b to rescale all with, (x-b)/(1-b) (default none; if released, the F of the metric's baseline)")
}

func (f *difficultyFlags) options() difficulty.Options {
	o := app.DifficultyMode(f.mode)
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
	if err := flags.CheckFiles(ctx, o.flags.Set, flags.Arguments("SYS", app.OutputPaths(paths))...); err != nil {
		return err
	}
	if o.unreferenced() {
		return o.checkUnreferenced(ctx)
	}
	return o.flags.Check(ctx, append([]string{o.base}, o.metrics...))
}

// matchScorer makes the metric of --base.
func (o *rankOptions) matchScorer(ctx context.Context, open *registry.Backend) (mteval.MatchScorer, error) {
	s, err := o.flags.Scorer(ctx, o.base, open)
	if err != nil {
		return nil, err
	}
	return app.Matching(s, "--base "+o.base)
}
