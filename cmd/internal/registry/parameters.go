package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
)

// tunedFile is a file of --parameters.
type tunedFile struct {
	path   string
	result *tuned.Result
}

// openParameters reads the files of --parameters.
func (f *Flags) openParameters(ctx context.Context, metrics []string) error {
	f.tuned = make(map[string]tunedFile)
	for _, path := range f.parameters {
		t, err := parallel.Await(ctx, func() (*tuned.Result, error) { return tuned.Open(path) })
		if err != nil {
			return by("parameters", err)
		}
		before, twice := f.tuned[t.Metric]
		switch {
		case twice:
			return fmt.Errorf("--parameters: %s and %s are both parameters of %s: give one of them", before.path, path, t.Metric)
		case !slices.Contains(metrics, t.Metric):
			return fmt.Errorf("--parameters: %s has parameters of %s: add -m %s or leave it out", path, t.Metric, t.Metric)
		}
		for _, name := range []string{"params", "weights"} {
			if strings.HasSuffix(t.Metric, "meteor") && f.Set.Changed("meteor-"+name) {
				return fmt.Errorf("--parameters %s sets what --meteor-%s does: leave one of them out", path, name)
			}
		}
		f.tuned[t.Metric] = tunedFile{path, t}
	}
	return nil
}

// apply gives a scorer the parameters of --parameters, if there are any for it.
func (f *Flags) apply(s mteval.Scorer) (mteval.Scorer, error) {
	name := s.Info().Name
	t, ok := f.tuned[name]
	if !ok {
		return s, nil
	}
	p, ok := s.(tunable.Scorer)
	if !ok {
		return nil, fmt.Errorf("--parameters: %s: %s has none to change", t.path, name)
	}
	p, err := t.result.Apply(p)
	if err != nil {
		return nil, fmt.Errorf("--parameters: %s: %w%s", t.path, err, fittedWith(err))
	}
	if t.result.Signature == "" {
		f.once("warning: --parameters: %s does not tell the options that the parameters were fitted with, and under others they mean nothing", t.path)
	}
	return p, nil
}

// fittedWith are the flags that an error about options is about, in brackets.
func fittedWith(err error) string {
	var options *tuned.OptionsError
	if !errors.As(err, &options) {
		return ""
	}
	var out []string
	for i, was := range options.Fitted {
		flag, ok := signatureFlags[was.Key]
		switch {
		case was.Key == "norm" && normalizationFlags[was.Value] != "":
			flag = normalizationFlags[was.Value]
		case was.Key == "norm":
			flag = "without " + normalizationFlags[options.Given[i].Value]
		case was.Key == "lang":
			flag = "--target-language " + was.Value
		case !ok:
			continue
		}
		if !slices.Contains(out, flag) {
			out = append(out, flag)
		}
	}
	if out == nil {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// What makes the fields of signatures that parameters are fitted under.
var (
	signatureFlags = map[string]string{
		"modules": "--meteor-modules", "unit": "--meteor-characters", "fwords": "--meteor-jar, --meteor-function-words", "prefixes": "--meteor-jar",
		"synonyms": "--meteor-jar", "paraphrases": "--meteor-paraphrases", "beam": "--meteor-beam", "corrected": "--meteor-correct",
		"vectors": "--dreem-vectors, --dreem-model", "rae": "--dreem-autoencoder, --dreem-model", "trees": "--dreem-trees, --parses",
		"levels": "--levels", "classifier": "--parses, --lowercase",
	}
	normalizationFlags = map[string]string{
		"lc_only": "--meteor-lowercase", "norm": "--meteor-normalize", "norm_nopunct": "--meteor-normalize --meteor-no-punct",
	}
)
