package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

// A metric that is served. It is safe for concurrent use, as its scorers are.
type metric struct {
	name   string
	scorer mteval.Scorer
	// sentence turns the rows of single segments into scores. It is another scorer for BLEU
	// alone, which sacreBLEU gives the effective order there.
	sentence mteval.Scorer
	cache    func() cache.Stats // nil: it has none
}

// opened is a metric that was opened, and what to close when the server ends.
type opened struct {
	scorer, sentence mteval.Scorer
	cache            func() cache.Stats
	close            func() error
}

// openers are how metrics are made. Each has one thread a request: the server scores as
// many requests at once as there are processors.
var openers = []struct {
	name string
	open func(o options) (opened, error)
}{
	{"bleu", openBLEU},
	{"chrf", func(o options) (opened, error) {
		s, err := chrf.New(chrf.Options{MaxTokens: o.limits.tokens, Workers: 1})
		return opened{scorer: s}, err
	}},
	{"chrf++", func(o options) (opened, error) {
		s, err := chrf.New(chrf.Options{WordOrder: 2, MaxTokens: o.limits.tokens, Workers: 1})
		return opened{scorer: s}, err
	}},
	{"ter", func(o options) (opened, error) {
		return opened{scorer: ter.New(ter.Options{MaxTokens: o.limits.tokens, Workers: 1})}, nil
	}},
	{"wer", func(o options) (opened, error) {
		s, err := overlap.NewRate(overlap.WER, overlap.Options{MaxTokens: o.limits.tokens, Workers: 1})
		return opened{scorer: s}, err
	}},
	{"meteor", openMETEOR},
	{"bertscore-lexical", openLexical},
	{"bertscore", openBERTScore},
	{"comet", openCOMET},
}

func metricNames() []string {
	var names []string
	for _, m := range openers {
		names = append(names, m.name)
	}
	return names
}

// openMetrics opens the metrics of o by their names. closeAll releases their models.
func openMetrics(o options) (metrics []metric, closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for _, c := range closers {
			c()
		}
	}
	for _, name := range o.metrics {
		m, closer, err := openMetric(o, name)
		if err == nil && slices.ContainsFunc(metrics, func(other metric) bool { return other.name == name }) {
			err = errors.New("it is named twice")
		}
		if closer != nil {
			closers = append(closers, closer)
		}
		if err != nil {
			closeAll()
			return nil, nil, fmt.Errorf("-metrics %s: %w", name, err)
		}
		metrics = append(metrics, m)
	}
	return metrics, closeAll, nil
}

func openMetric(o options, name string) (metric, func() error, error) {
	for _, m := range openers {
		if m.name != name {
			continue
		}
		got, err := m.open(o)
		if err != nil {
			return metric{}, got.close, err
		}
		if got.sentence == nil {
			got.sentence = got.scorer
		}
		return metric{name, got.scorer, got.sentence, got.cache}, got.close, nil
	}
	return metric{}, nil, fmt.Errorf("there is no such metric; there are %s", strings.Join(metricNames(), ", "))
}

func openBLEU(o options) (opened, error) {
	of := bleu.Options{MaxTokens: o.limits.tokens, Workers: 1}
	corpus, err := bleu.New(of)
	if err != nil {
		return opened{}, err
	}
	of.EffectiveOrder = true
	sentence, err := bleu.New(of)
	return opened{scorer: corpus, sentence: sentence}, err
}

// openMETEOR takes METEOR with its own tokenizer: what clients send is raw text.
func openMETEOR(o options) (opened, error) {
	s, err := meteor.New(meteor.Options{
		Language: o.language, Normalization: meteor.Full,
		MaxTokens: o.limits.tokens, Workers: 1,
	})
	return opened{scorer: s}, err
}

func openLexical(o options) (opened, error) {
	b, err := lexical.New(lexical.Options{Workers: 1})
	if err != nil {
		return opened{}, err
	}
	return openOver(b, o)
}

func openBERTScore(o options) (opened, error) {
	if o.model == "" {
		return opened{}, errors.New("it needs -model FOLDER; without a model there is bertscore-lexical")
	}
	of := transformer.Options{Workers: 1}
	if o.layer >= 0 {
		of.Layer = &o.layer
	}
	b, err := transformer.Open(o.model, of)
	if err != nil {
		return opened{}, err
	}
	return openOver(b, o)
}

// openOver is BERTScore over a backend. A text that it can't take whole is refused, as
// OnTruncated is nil.
func openOver(b backend.Backend, o options) (opened, error) {
	b, stats, err := o.cached(b)
	if err != nil {
		return opened{}, err
	}
	s, err := bertscore.New(b, bertscore.Options{MaxTokens: o.limits.tokens, Workers: 1})
	return opened{scorer: s, cache: stats, close: b.Close}, err
}

func openCOMET(o options) (opened, error) {
	if o.comet == "" {
		return opened{}, errors.New("it needs -comet FOLDER")
	}
	var stats func() cache.Stats
	s, err := comet.Open(o.comet, comet.Options{
		Workers: 1,
		OpenEncoder: func(f backend.EncoderFiles) (backend.Encoder, error) {
			e, err := transformer.OpenEncoder(f, transformer.EncoderOptions{Workers: 1})
			if err != nil {
				return nil, err
			}
			var c backend.Encoder
			c, stats, err = o.cachedEncoder(e)
			return c, err
		},
	})
	if err != nil {
		return opened{}, err
	}
	return opened{scorer: s, cache: stats, close: s.Close}, nil
}
