package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/internal/nearest"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

// A spec is a metric that was asked for, NAME or NAME(option=value,…).
type spec struct {
	*metric
	text    string         // as it is written
	options *pflag.FlagSet // those of the metric, which set the fields below
	differs string         // from others of its kind, in parentheses: see setNames

	bleu   bleuOptions
	chrf   chrf.Options
	ter    ter.Options
	words  overlap.Options // of word F, WER and its kin
	meteor meteorOptions
	dreem  dreemOptions
	levels levelOptions
	comet  cometOptions
	model  modelOptions
	// rescale is what baseline read.
	rescale *mteval.PRF
}

type bleuOptions struct {
	bleu.Options
	tokenize    string
	smoothValue float64
}

// spec reads a metric as it is written. What -tok and others of sacreBLEU's flags set comes first.
func (f *Flags) spec(text string) (*spec, error) {
	name, options, err := flags.CutOptions(text)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })
	if i < 0 {
		return nil, fmt.Errorf("no metric %q%s: have %s", name, nearest.DidYouMean(name, "", Names()), strings.Join(Names(), ", "))
	}
	s := &spec{metric: &metrics[i], text: text}
	s.options = flags.Options(name, func(fs *pflag.FlagSet) { s.define(s, f, fs) })
	for _, p := range sacreBLEU {
		if f.sacreBLEU && f.Set.Changed(p.flag) && slices.Contains(strings.Fields(p.metrics), name) {
			if err := s.options.Set(p.option, f.Set.Lookup(p.flag).Value.String()); err != nil {
				return nil, err
			}
		}
	}
	return s, cmp.Or(flags.SetOptions(s.options, name, options), flags.Check(s.options))
}

// open is spec for the values of flags.
func (f *Flags) open(text string) (*pflag.FlagSet, error) {
	s, err := f.spec(text)
	if err != nil {
		return nil, err
	}
	return s.options, nil
}

// option is how errors call an option.
func (s *spec) option(name string) string { return s.name + "(" + name + ")" }

// by says of which option an error is.
func (s *spec) by(option string, err error) error { return by(s.option(option), err) }

// lexicalBERTScore is what bertscore is called over the backend lexical, and the name of that
// whatever else is chosen.
const lexicalBERTScore = "bertscore-lexical"

// kind is what a metric is called that is the only one of its kind.
func (s *spec) kind() string {
	switch {
	case s.name == "bertscore" && s.model.backend == "lexical":
		return lexicalBERTScore
	case s.name == "chrf" && s.chrf.WordOrder == 2:
		return "chrf++"
	}
	return s.name
}

// given are the options that were given, but for what the kind tells.
func (s *spec) given() []string {
	var out []string
	s.options.VisitAll(func(o *pflag.Flag) {
		switch value := o.Value.String(); {
		case !o.Changed, value == "lexical" && o.Name == "backend", o.Name == "word-order" && s.kind() == "chrf++":
		case o.Value.Type() == "bool" && value == "true":
			out = append(out, o.Name)
		case strings.ContainsAny(value, `,()"`):
			out = append(out, o.Name+`="`+strings.ReplaceAll(value, `"`, `""`)+`"`)
		default:
			out = append(out, o.Name+"="+value)
		}
	})
	return out
}

func (s *spec) same(other *spec) bool {
	return s.kind() == other.kind() && slices.Equal(s.given(), other.given())
}

// specs are the metrics, each once.
func (f *Flags) specs(texts []string) ([]*spec, error) {
	var out []*spec
	for _, text := range texts {
		s, err := f.spec(text)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, s.same) {
			out = append(out, s)
		}
	}
	return out, nil
}

// setNames tells metrics of one kind apart by the options in which they differ, and COMETs by their
// models.
func setNames(specs []*spec) error {
	named := make(map[string]*spec)
	for _, s := range specs {
		var others []*spec
		for _, o := range specs {
			if o != s && o.kind() == s.kind() {
				others = append(others, o)
			}
		}
		if slices.ContainsFunc(others, func(o *spec) bool { return o.comet.model != s.comet.model }) {
			s.model.name = cometName(s.comet.model)
		}
		var differ []string
		for _, option := range s.given() {
			missing := slices.ContainsFunc(others, func(o *spec) bool { return !slices.Contains(o.given(), option) })
			if missing && !(s.model.name != "" && strings.HasPrefix(option, "model=")) {
				differ = append(differ, option)
			}
		}
		if len(differ) > 0 {
			s.differs = "(" + strings.Join(differ, ",") + ")"
		}
		if before := named[s.called()]; before != nil {
			return fmt.Errorf("%s and %s are both called %s: name one of them, or give one a folder of another name", before.text, s.text, s.called())
		}
		named[s.called()] = s
	}
	return nil
}

// called is what the metric is called where it is printed.
func (s *spec) called() string { return cmp.Or(s.model.name, s.kind()) + s.differs }

// label is called with the metric's name as it was written, whatever bertscore is over.
func (s *spec) label() string { return cmp.Or(s.model.name, s.name) + s.differs }

// find is the metric of this name, or text, among those that were asked for; nil: none is.
func (f *Flags) find(name string) *spec {
	for _, is := range []func(s *spec) bool{
		func(s *spec) bool { return s.called() == name },
		func(s *spec) bool { return s.text == name },
		func(s *spec) bool { return s.label() == name },
	} {
		if i := slices.IndexFunc(f.asked, is); i >= 0 {
			return f.asked[i]
		}
	}
	return nil
}

// findOrRead is find, or else the metric as the name says.
func (f *Flags) findOrRead(name string) (*spec, error) {
	if s := f.find(name); s != nil {
		return s, nil
	}
	return f.spec(name)
}

// A renamed scorer is one of several of a kind, called by what differs.
type (
	renamed struct {
		mteval.Scorer
		name string
	}
	renamedMatch struct {
		mteval.MatchScorer
		name string
	}
	renamedPRF struct {
		matchPRF
		name string
	}
	matchPRF interface {
		mteval.MatchScorer
		mteval.PRFScorer
	}
)

func rename(i mteval.Info, name string) mteval.Info { i.Name = name; return i }

func (r *renamed) Info() mteval.Info      { return rename(r.Scorer.Info(), r.name) }
func (r *renamedMatch) Info() mteval.Info { return rename(r.MatchScorer.Info(), r.name) }
func (r *renamedPRF) Info() mteval.Info   { return rename(r.matchPRF.Info(), r.name) }

// Limited is that of the scorer, 0 where it has no limit: see package scoring.
func (r *renamed) Limited(row []float64) int {
	if l, ok := r.Scorer.(interface{ Limited(row []float64) int }); ok {
		return l.Limited(row)
	}
	return 0
}

// rename gives a scorer the name that tells it from others of its kind.
func (s *spec) rename(scorer mteval.Scorer) mteval.Scorer {
	if s.differs == "" || s.name == learned { // which is called by newCOMET
		return scorer
	}
	switch scorer := scorer.(type) {
	case matchPRF:
		return &renamedPRF{scorer, s.called()}
	case mteval.MatchScorer:
		return &renamedMatch{scorer, s.called()}
	}
	return &renamed{scorer, s.called()}
}

// Plain is a scorer that Scorers made, without the name that it may have been given.
func Plain(s mteval.Scorer) mteval.Scorer {
	switch r := s.(type) {
	case *renamed:
		return r.Scorer
	case *renamedMatch:
		return r.MatchScorer
	case *renamedPRF:
		return r.matchPRF
	}
	return s
}

// make makes the metric.
func (f *Flags) make(ctx context.Context, s *spec, open *Backend) (mteval.Scorer, error) {
	scorer, err := s.new(ctx, f, s, open)
	if err != nil {
		return nil, err
	}
	if scorer, err = f.apply(scorer); err != nil {
		return nil, err
	}
	return s.rename(scorer), nil
}
