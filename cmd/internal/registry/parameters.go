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
func (f *Flags) openParameters(ctx context.Context) error {
	f.tuned = make(map[string]tunedFile)
	for _, path := range f.parameters {
		t, err := parallel.Await(ctx, func() (*tuned.Result, error) { return tuned.Open(path) })
		if err != nil {
			return by("--parameters", err)
		}
		before, twice := f.tuned[t.Metric]
		switch {
		case twice:
			return fmt.Errorf("--parameters: %s and %s are both parameters of %s: give one of them", before.path, path, t.Metric)
		case !slices.ContainsFunc(f.asked, func(s *spec) bool { return s.name == t.Metric }):
			return fmt.Errorf("--parameters: %s has parameters of %s: add -m %s or leave it out", path, t.Metric, t.Metric)
		}
		for _, s := range f.asked {
			for _, name := range []string{"params", "weights"} {
				if s.name == t.Metric && s.options.Changed(name) {
					return fmt.Errorf("--parameters %s sets what %s does: leave one of them out", path, s.option(name))
				}
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

// fittedWith are the options that an error about options is about, in brackets.
func fittedWith(err error) string {
	var options *tuned.OptionsError
	if !errors.As(err, &options) {
		return ""
	}
	var out []string
	for i, was := range options.Fitted {
		option, ok := signatureOptions[was.Key]
		switch {
		case was.Key == "norm" && normalizationOptions[was.Value] != "":
			option = normalizationOptions[was.Value]
		case was.Key == "norm":
			option = "without " + normalizationOptions[options.Given[i].Value]
		case was.Key == "lang":
			option = "--target-language " + was.Value
		case !ok:
			continue
		}
		if !slices.Contains(out, option) {
			out = append(out, option)
		}
	}
	if out == nil {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// What makes the fields of signatures that parameters are fitted under.
var (
	signatureOptions = map[string]string{
		"modules": "modules", "unit": "characters", "fwords": "jar, function-words", "prefixes": "jar",
		"synonyms": "jar", "paraphrases": "paraphrases", "beam": "beam", "corrected": "correct",
		"vectors": "vectors, model", "rae": "autoencoder, model", "trees": "trees, --parses",
		"levels": "levels", "classifier": "--parses, triples-lowercase",
	}
	normalizationOptions = map[string]string{"lc_only": "lowercase", "norm": "normalize", "norm_nopunct": "normalize, no-punct"}
)
