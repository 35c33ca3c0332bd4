package mteval_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
	"github.com/mteval/mteval/tokenize/spm"
)

// optionReferences have what options are for: capitals, some of which grow in lower case or
// depend on what follows, entities, scripts without spaces, marks.
func optionReferences() [][]string {
	refs := loopReferences()
	for _, text := range []string{
		"İSTANBUL'DA KIŞ GEÇ GELİR, İNSANLAR İSE ERKEN.",
		"Ο ΟΔΥΣΣΕΥΣ ΕΦΥΓΕ ΤΟ ΠΡΩΙ ΚΑΙ ΔΕΝ ΓΥΡΙΣΕ ΠΟΤΕ ΠΙΣΩ.",
		"Smith &amp; Sons sold &quot;the mill&quot; for &lt;4,500 pounds&gt; in 1904.",
		"渡し守は嵐が来る前に、舟を柳の木に結びつけた。",
		"那座新桥花了四百五十万，今天上午十点钟“正式”通车。",
		"Der Donaudampfschifffahrtsgesellschaftskapitän GRÜSSTE die Müllerin – zweimal!",
		"एक बूढ़ा मल्लाह नदी के किनारे बैठा था।",
	} {
		refs = append(refs, []string{text, strings.ToUpper(text), "A " + text + " B"})
	}
	return refs
}

// optionHypotheses are n of them, in several cases, and the segment of each.
func optionHypotheses(n int) (segs []int, hyps []string) {
	refs := optionReferences()
	for k := range n {
		i := k % len(refs)
		text := fmt.Sprintf("%s Number%d.", refs[i][k/len(refs)%len(refs[i])], k)
		switch k % 3 {
		case 1:
			text = strings.ToUpper(text)
		case 2:
			text = "X-" + text[:len(text)/2] + " " + text
		}
		segs, hyps = append(segs, i), append(hyps, text)
	}
	return segs, hyps
}

// A named scorer.
type optionScorer struct {
	name   string
	scorer mteval.Scorer
}

// optionScorers are the metrics under their options.
func optionScorers(tb testing.TB, workers int) []optionScorer {
	var out []optionScorer
	add := func(name string, s mteval.Scorer, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, optionScorer{name, s})
	}
	japanese, err := jamecab.New()
	if err != nil {
		tb.Fatal(err)
	}
	pieces, err := spm.Open(filepath.Join("tokenize", "spm", "testdata", "small.model"), spm.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	for _, tok := range []tokenize.Tokenizer{tokenize.None, tokenize.V13a, tokenize.Intl, tokenize.Zh, tokenize.Char, pieces} {
		for _, lower := range []bool{false, true} {
			s, err := bleu.New(bleu.Options{Tokenizer: tok, Lowercase: lower, Workers: workers})
			add(fmt.Sprintf("bleu %s, lowercase %v", tok.Name(), lower), s, err)
			f, err := overlap.NewF(overlap.FOptions{Options: overlap.Options{Tokenizer: tok, Lowercase: lower, Workers: workers}})
			add(fmt.Sprintf("overlap f %s, lowercase %v", tok.Name(), lower), f, err)
		}
	}
	s, err := bleu.New(bleu.Options{Tokenizer: japanese, Lowercase: true, Workers: workers})
	add("bleu ja-mecab, lowercase true", s, err)
	for _, o := range []chrf.Options{{Lowercase: true}, {WordOrder: 2}, {WordOrder: 2, Lowercase: true}, {Whitespace: true}, {EpsSmoothing: true, Lowercase: true}} {
		o.Workers = workers
		s, err := chrf.New(o)
		add(fmt.Sprintf("chrf %+v", o), s, err)
	}
	for k := range 16 {
		o := ter.Options{Normalized: k&1 > 0, NoPunct: k&2 > 0, Asian: k&4 > 0, CaseSensitive: k&8 > 0, Workers: workers}
		add(fmt.Sprintf("ter %+v", o), ter.New(o), nil)
	}
	for rate := overlap.WER; rate <= overlap.PER; rate++ {
		for _, lower := range []bool{false, true} {
			s, err := overlap.NewRate(rate, overlap.Options{Lowercase: lower, Workers: workers})
			add(fmt.Sprintf("overlap %v, lowercase %v", rate, lower), s, err)
		}
	}
	return append(out, optionWraps(tb, workers)...)
}

// optionWraps are METEOR and DREEM under their options, and what wraps metrics.
func optionWraps(tb testing.TB, workers int) []optionScorer {
	var out []optionScorer
	add := func(name string, s mteval.Scorer, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, optionScorer{name, s})
	}
	var base *meteor.Scorer
	for _, o := range []meteor.Options{
		{Normalization: meteor.Lower}, {Normalization: meteor.Full}, {Normalization: meteor.FullNoPunct}, {Modules: []meteor.Module{meteor.Exact}},
		{Language: "de", Normalization: meteor.Full}, {Language: "fr", Normalization: meteor.Full}, {Language: "other", Normalization: meteor.Lower, Characters: true},
	} {
		o.Workers = workers
		s, err := meteor.New(o)
		add(fmt.Sprintf("meteor %s, %v, %v, %v", o.Language, o.Normalization, o.Modules, o.Characters), s, err)
		base = s
	}
	trees, parses := optionParses(tb)
	for _, o := range []dreem.Options{{KeepCase: true}, {Tokenizer: tokenize.Intl}, {Trees: trees}, {Unknown: dreem.Substitute}} {
		o.Workers = workers
		s, err := dreem.New(o)
		add(fmt.Sprintf("dreem case %v, trees %v, unknown %v", o.KeepCase, o.Trees != nil, o.Unknown), s, err)
	}
	for _, o := range []multilevel.Options{
		{}, {Words: multilevel.WordsBy(tokenize.V13a, true)}, multilevel.IntoEnglish(parses), {Parser: parses, Lowercase: true, Words: multilevel.WordsBy(tokenize.Zh, false)},
	} {
		s, err := multilevel.New(base, o)
		if err != nil {
			tb.Fatal(err)
		}
		add(fmt.Sprintf("multilevel by %s, parser %v", s.Info().Signature.Get("length"), o.Parser != nil), s, err)
	}
	f, err := overlap.NewF(overlap.FOptions{Options: overlap.Options{Workers: workers}})
	if err != nil {
		tb.Fatal(err)
	}
	for _, m := range []mteval.MatchScorer{base, f} {
		matcher, err := m.PrepareMatch(tb.Context(), optionReferences())
		if err != nil {
			tb.Fatal(err)
		}
		_, hyps := optionHypotheses(len(optionReferences()))
		w, err := difficulty.Estimate(tb.Context(), matcher, []mteval.System{{Name: "a", Hyps: hyps}, {Name: "b", Hyps: hyps}})
		if err != nil {
			tb.Fatal(err)
		}
		s, err := difficulty.New(m, w, difficulty.Paper())
		add("difficulty of "+m.Info().Name, s, err)
	}
	return out
}

// optionParses are trees and parses of all texts: each word with the next.
func optionParses(tb testing.TB) (*dreem.Treebank, *conllu.Bank) {
	tb.Helper()
	var texts []string
	for _, r := range optionReferences() {
		texts = append(texts, r...)
	}
	_, hyps := optionHypotheses(100)
	texts = append(texts, hyps...)
	var trees []dreem.Tree
	var sentences []conllu.Sentence
	for _, text := range texts {
		var s conllu.Sentence
		for i, w := range strings.Fields(text) {
			s.Words = append(s.Words, conllu.Word{Form: w, Head: i, Relation: "next"})
		}
		tree, err := dreem.FromDependencies(&s)
		if err != nil {
			tb.Fatal(err)
		}
		sentences, trees = append(sentences, s), append(trees, tree)
	}
	var treebank dreem.Treebank
	var bank conllu.Bank
	if err := treebank.Add(texts, trees, "trees"); err != nil {
		tb.Fatal(err)
	}
	if err := bank.Add(texts, sentences, "parses"); err != nil {
		tb.Fatal(err)
	}
	return &treebank, &bank
}

// optionsAllocate are those of which a call does allocate, and how often for a hypothesis at
// most: the copy that the tokenizer of another package gets of a line in lower case, and the
// lattice of one that is not ours (29 a line).
var optionsAllocate = map[string]float64{
	"bleu small, lowercase true":      1,
	"overlap f small, lowercase true": 1,
	"bleu ja-mecab, lowercase true":   40,
}

// Nor do options make work for the garbage collector.
func TestLoopOptionsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	for _, workers := range []int{1, 3} {
		for _, s := range optionScorers(t, workers) {
			p, err := s.scorer.Prepare(t.Context(), optionReferences())
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			sum := make([]float64, s.scorer.Width())
			if got := testing.AllocsPerRun(5, func() { s.scorer.Score(sum) }); got != 0 {
				t.Errorf("%s: Score allocates %v times", s.name, got)
			}
			for _, n := range []int{1, 100} {
				segs, hyps := optionHypotheses(n)
				if got, most := loopAllocations(t, p, segs, hyps), optionsAllocate[s.name]; got > most*float64(n) {
					t.Errorf("%s, workers %d, %d hypotheses: %v allocations, more than %v each", s.name, workers, n, got, most)
				}
			}
		}
	}
}

// BenchmarkLoopOptions scores a hundred hypotheses on one goroutine.
func BenchmarkLoopOptions(b *testing.B) {
	segs, hyps := optionHypotheses(100)
	for _, s := range optionScorers(b, 1) {
		p, err := s.scorer.Prepare(b.Context(), optionReferences())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.NewReplacer(" ", "-", ",", "").Replace(s.name), func(b *testing.B) {
			b.ReportAllocs()
			var rows []float64
			for b.Loop() {
				if rows, err = p.Append(b.Context(), rows[:0], segs, hyps); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
