package registry

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

// A metric that the command knows.
type metric struct {
	name string
	// summary is what it is, scale of what numbers it is, and better which of them: more, less.
	summary, scale, better string
	// equals is what it gives the same as, and cite whom to cite.
	equals, cite string
	define       func(s *spec, f *Flags, fs *pflag.FlagSet)
	new          func(ctx context.Context, f *Flags, s *spec, open *Backend) (mteval.Scorer, error)
}

const (
	percent, share, rate = "0 to 100", "0 to 1", "from 0 up, 1 an error a unit"
	more, less           = "more is better", "less is better"

	likeSacreBLEU = "sacreBLEU 2.6.0 to 1e-9"
	likeJiwer     = "jiwer 4.0.0 to 1e-12"
	citePost      = "Post, A Call for Clarity in Reporting BLEU Scores, WMT 2018 (sacreBLEU)"
	citeMETEOR    = "Denkowski and Lavie, Meteor Universal: Language Specific Translation Evaluation for Any Target Language, WMT 2014"
	citeLevels    = "Chen, Guo and Kuhn, Multi-level Evaluation for Machine Translation, WMT 2015"
	citeDREEM     = "Chen and Guo, Representation Based Translation Evaluation Metrics, ACL 2015; " + citeLevels
	citePER       = "Tillmann et al., Accelerated DP Based Search for Statistical Translation, Eurospeech 1997"
	citeWER       = "Morris, Maier and Green, From WER and RIL to MER and WIL, Interspeech 2004"
	citeBERTScore = "Zhang et al., BERTScore: Evaluating Text Generation with BERT, ICLR 2020"
)

// metrics is the one place where names become metrics.
var metrics = []metric{
	{"bleu", "n-grams in common, with a penalty for brevity", percent, more, likeSacreBLEU,
		"Papineni et al., BLEU: a Method for Automatic Evaluation of Machine Translation, ACL 2002; " + citePost,
		defineBLEU, newBLEU},
	{"chrf", "F of character n-grams", percent, more, likeSacreBLEU,
		"Popović, chrF: Character N-gram F-score for Automatic MT Evaluation, WMT 2015", defineChrF, newChrF},
	{"chrf++", "F of character n-grams and of words of one and two", percent, more, likeSacreBLEU,
		"Popović, chrF++: Words Helping Character N-grams, WMT 2017", defineChrF, newChrF},
	{"ter", "edits and shifts of words, by the reference's length", "from 0 up, 100 an edit a word", less, likeSacreBLEU,
		"Snover et al., A Study of Translation Edit Rate with Targeted Human Annotation, AMTA 2006",
		defineTER, newTER},
	{"wordf", "F of the words in common", share, more, "Läubli and Müller's worked examples", "Melamed, Green and Turian, Precision and Recall of Machine Translation, NAACL 2003",
		defineWords, newWordF},
	wordRate("wer", "word edits by the reference's length", rate, likeJiwer, citeWER, overlap.WER),
	wordRate("mer", "share of word matches and edits that are edits", share, likeJiwer, citeWER, overlap.MER),
	wordRate("wil", "share of word information that is lost", share, likeJiwer, citeWER, overlap.WIL),
	wordRate("cer", "character edits by the reference's length", rate, likeJiwer, citeWER, overlap.CER),
	wordRate("per", "word edits whatever the order, by the reference's length", rate, "values worked by hand", citePER, overlap.PER),
	{"meteor", "words aligned by form, stem, synonym and paraphrase", share, more, "METEOR 1.5 to 1e-12, with the lists of its jar", citeMETEOR,
		defineMETEOR, newMETEOR},
	{"dreem", "cosine of texts' vectors by words and an autoencoder", share, more, "the paper's equations, worked by hand", citeDREEM,
		defineDREEM, newDREEM},
	{"multilevel-meteor", "METEOR with parameters for each level of quality", share, more, "the paper's equations, worked by hand", citeLevels + "; " + citeMETEOR,
		withLevels(defineMETEOR), newLevels},
	{"multilevel-dreem", "DREEM with parameters for each level of quality", share, more, "the paper's equations, worked by hand", citeDREEM,
		withLevels(defineDREEM), newLevels},
	{learned, "a network that was trained on people's scores; reads --source", "as its model's", more, "unbabel-comet 2.2.7: segments to 5e-6",
		"Rei et al., COMET: A Neural Framework for MT Evaluation, EMNLP 2020, and the model's authors",
		defineCOMET, newCOMET},
	{"bertscore", "F of the best similarities of tokens' vectors", share, more, "bert_score 0.3.13: to 1e-5 from text, over a model", citeBERTScore, defineBERTScore, newBERTScore},
	{lexicalBERTScore, "BERTScore over vectors of spelling, without a model", share, more, "bert_score 0.3.13, given the same vectors, to 1e-6", citeBERTScore, defineLexical, newBERTScore},
}

func newBLEU(ctx context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
	tok, err := f.tokenizer(ctx, s)
	if err != nil {
		return nil, err
	}
	o := s.bleu.Options
	o.Tokenizer, o.EffectiveOrder, o.MaxTokens = tok, f.Sentences, f.maxTokens
	if s.options.Changed("smooth-value") {
		o.SmoothValue = &s.bleu.smoothValue
	}
	scorer, err := bleu.New(o)
	return scorer, s.by("smooth-value", err) // the other options are in bounds
}

func newChrF(_ context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
	s.chrf.MaxTokens = f.maxTokens
	return chrf.New(s.chrf)
}

func newTER(_ context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
	s.ter.MaxTokens = f.maxTokens
	return ter.New(s.ter), nil
}

func newWordF(_ context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
	s.words.MaxTokens = f.maxTokens
	return overlap.NewF(overlap.FOptions{Options: s.words})
}

func wordRate(name, summary, scale, equals, cite string, kind overlap.Rate) metric {
	return metric{name, summary, scale, less, equals, cite, defineWords,
		func(_ context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
			s.words.MaxTokens = f.maxTokens
			return overlap.NewRate(kind, s.words)
		}}
}

func defineBLEU(s *spec, _ *Flags, fs *pflag.FlagSet) {
	b := &s.bleu
	flags.Var(fs, flags.EnumOrFile(&b.tokenize, "13a", "tokenizer", spmFile, tokenizers...), "tokenize", "tokenizer: "+strings.Join(tokenizers, ", ")+", or a file of SentencePiece, NAME"+spmFile+"; --target-language chooses one, too")
	flags.Bool(fs, &b.Lowercase, "lowercase", "ignore case")
	flags.Var(fs, flags.Enum(&b.Smoothing, bleu.Exp, "smoothing method", bleu.Exp, bleu.NoSmoothing, bleu.Floor, bleu.AddK), "smooth-method", "smoothing: exp, none, floor, add-k")
	flags.Var(fs, flags.Number(&b.smoothValue, 0), "smooth-value", "value of floor (default 0.1) and add-k (default 1)").NoDefault()
	flags.Var(fs, flags.Int(&b.MaxOrder, 4, 1, maxOrder), "max-ngram-order", "longest n-gram")
}

func defineChrF(s *spec, _ *Flags, fs *pflag.FlagSet) {
	c := &s.chrf
	flags.Var(fs, flags.Int(&c.CharOrder, 6, 1, maxOrder), "char-order", "longest n-gram of characters")
	if s.name == "chrf" {
		flags.Var(fs, flags.Int(&c.WordOrder, 0, 0, maxOrder), "word-order", "longest n-gram of words; 2 is chrF++")
	} else {
		c.WordOrder = 2
	}
	flags.Var(fs, flags.Positive(&c.Beta, 2), "beta", "importance of recall")
	flags.Bool(fs, &c.Whitespace, "whitespace", "count white space as a character")
	flags.Bool(fs, &c.Lowercase, "lowercase", "ignore case")
	flags.Bool(fs, &c.EpsSmoothing, "eps-smoothing", "smooth as chrF++.py, NLTK and Moses do")
}

func defineTER(s *spec, _ *Flags, fs *pflag.FlagSet) {
	flags.Bool(fs, &s.ter.CaseSensitive, "case-sensitive", "let case matter")
	flags.Bool(fs, &s.ter.Asian, "asian-support", "split Asian characters apart (with normalized or no-punct)")
	flags.Bool(fs, &s.ter.NoPunct, "no-punct", "remove punctuation")
	flags.Bool(fs, &s.ter.Normalized, "normalized", "split off punctuation")
}

func defineWords(s *spec, _ *Flags, fs *pflag.FlagSet) {
	flags.Bool(fs, &s.words.Lowercase, "lowercase", "ignore case")
}

// defineLexical is of BERTScore over lexical vectors, whose only option is the weights of tokens.
func defineLexical(s *spec, f *Flags, fs *pflag.FlagSet) {
	s.model.backend = "lexical"
	defineIDF(s, f, fs)
}

// sacreBLEU are flags of sacreBLEU's that set options of metrics.
var sacreBLEU = []struct{ flag, shorthand, option, metrics string }{
	{"tokenize", "", "tokenize", "bleu"},
	{"lowercase", "", "lowercase", "bleu wordf wer mer wil cer per"},
	{"smooth-method", "s", "smooth-method", "bleu"},
	{"smooth-value", "", "smooth-value", "bleu"},
	{"chrf-char-order", "", "char-order", "chrf chrf++"},
	{"chrf-word-order", "", "word-order", "chrf"},
	{"chrf-beta", "", "beta", "chrf chrf++"},
	{"chrf-whitespace", "", "whitespace", "chrf chrf++"},
	{"chrf-lowercase", "", "lowercase", "chrf chrf++"},
	{"chrf-eps-smoothing", "", "eps-smoothing", "chrf chrf++"},
	{"ter-case-sensitive", "", "case-sensitive", "ter"},
	{"ter-asian-support", "", "asian-support", "ter"},
	{"ter-no-punct", "", "no-punct", "ter"},
	{"ter-normalized", "", "normalized", "ter"},
}

// AddSacreBLEU defines the flags that sacreBLEU has for options of metrics, which the help does not
// show.
func (f *Flags) AddSacreBLEU(fs *pflag.FlagSet) {
	for _, p := range sacreBLEU {
		names := strings.Fields(p.metrics)
		options, err := f.open(names[0])
		if err != nil {
			panic(fmt.Sprintf("mteval: %v", err)) // it is one of the table
		}
		o := options.Lookup(p.option)
		flag := flags.VarP(fs, o.Value, p.flag, p.shorthand, o.Usage).For("metric", names...)
		flag.Hidden, flag.NoOptDefVal = true, o.NoOptDefVal
	}
	f.sacreBLEU = true
}

// WriteMetrics writes a line for each metric: its name, what it is, and its numbers.
func WriteMetrics(w io.Writer) error {
	var b strings.Builder
	for _, m := range metrics {
		fmt.Fprintf(&b, "%-18s %s (%s, %s)\n", m.name, m.summary, m.scale, m.better)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMetric writes what there is to know of a metric: what it is, its options, its signature with their
// defaults, what it equals, and whom to cite.
func WriteMetric(ctx context.Context, w io.Writer, name string) error {
	var f Flags
	f.Add(pflag.NewFlagSet("", pflag.ContinueOnError), func(string, ...any) {})
	name = strings.ToLower(name)
	s, err := f.spec(name)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nscore      %s, %s\nequals     %s\ncite       %s\n", s.name, s.summary, s.scale, s.better, s.equals, s.cite)
	var open Backend
	defer open.Close()
	signature := "that of its model"
	if s.name != learned {
		scorer, err := f.Scorer(ctx, name, &open)
		if err != nil {
			return err
		}
		signature = scorer.Info().Signature.Complete([][]string{{""}}).String()
	}
	fmt.Fprintf(&b, "signature  %s\n", signature)
	fmt.Fprintf(&b, "\nOptions, as in -m '%s(option=value,option)':\n", s.name)
	for line := range strings.Lines(s.options.FlagUsagesWrapped(100)) {
		line = strings.TrimPrefix(line, "      ")
		if rest, ok := strings.CutPrefix(line, "--"); ok {
			line = "  " + rest
		}
		b.WriteString(line)
	}
	_, err = io.WriteString(w, b.String())
	return err
}
