package dreem_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tunable"
)

// judgedPairs are the pairs of WMT17 into English with direct assessments.
var judgedPairs = []string{"cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en"}

// judged reads the judgements of a pair, one hypothesis a row.
func judged(t testing.TB, pair string) (human []float64, refs [][]string, hyps []string) {
	t.Helper()
	rows := shareddata.ReadLines(t, shareddata.Path(t, "data", "wmt17-da", pair+".human-segment.tsv"))
	for _, row := range rows[1:] {
		f := strings.Split(row, "\t")
		x, err := strconv.ParseFloat(f[2], 64)
		if len(f) != 7 || err != nil {
			t.Fatalf("%s: %q: %v", pair, row, err)
		}
		human = append(human, x)
		refs = append(refs, []string{f[5]})
		hyps = append(hyps, f[6])
	}
	return human, refs, hyps
}

func segmentScores(t testing.TB, s mteval.Scorer, refs [][]string, hyps []string) []float64 {
	t.Helper()
	p, err := s.Prepare(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Append(t.Context(), nil, nil, hyps)
	if err != nil {
		t.Fatal(err)
	}
	return scoresOf(s, rows)
}

func scoresOf(s mteval.Scorer, rows []float64) []float64 {
	w := s.Width()
	out := make([]float64, len(rows)/w)
	for i := range out {
		out[i] = s.Score(rows[i*w : (i+1)*w])
	}
	return out
}

// What comes with the package is worth having: it beats sentence BLEU, and the
// default beats the tokens alone and these with vectors but no autoencoder.
func TestJudged(t *testing.T) {
	s, err := dreem.New(dreem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sentence, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	at := func(w dreem.PartWeights) tunable.Scorer {
		o, err := s.WithParameters([]float64{dreem.PlainAlpha, w.OneHot, w.Word, w.Greedy, w.Tree})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	scorers := []struct {
		name   string
		scorer tunable.Scorer // nil for BLEU
		mean   float64
	}{
		{name: "sentence BLEU"},
		{name: "one-hot", scorer: at(dreem.PartWeights{OneHot: 1})},
		{name: "words", scorer: at(dreem.PartWeights{Word: 1})},
		{name: "greedy", scorer: at(dreem.PartWeights{Greedy: 1})},
		{name: "one-hot and words", scorer: at(dreem.PartWeights{OneHot: 1, Word: 1})},
		{name: "one-hot and greedy", scorer: at(dreem.PartWeights{OneHot: 1, Greedy: .25})},
		{name: "default", scorer: s},
		{name: "low", scorer: at(dreem.Low)},
		{name: "medium", scorer: at(dreem.Medium)},
		{name: "high", scorer: at(dreem.High)},
	}
	table := make([]string, len(scorers))
	for _, pair := range judgedPairs {
		human, refs, hyps := judged(t, pair)
		kept, err := tunable.Keep(t.Context(), s, refs, nil, hyps)
		if err != nil {
			t.Fatal(err)
		}
		for i := range scorers {
			var scores []float64
			if scorers[i].scorer == nil {
				scores = segmentScores(t, sentence, refs, hyps)
			} else {
				scores = scoresOf(scorers[i].scorer, kept.Append(nil, scorers[i].scorer))
			}
			r, err := metaeval.Pearson(scores, human)
			if err != nil {
				t.Fatal(err)
			}
			table[i] += strconv.FormatFloat(r, 'f', 3, 64) + " "
			scorers[i].mean += r / float64(len(judgedPairs))
		}
	}
	for i := range scorers {
		t.Logf("%-20s %s mean %.4f", scorers[i].name, table[i], scorers[i].mean)
	}
	if b, m := scorers[0].mean, scorers[6].mean; m <= b || m <= scorers[1].mean || m <= scorers[4].mean {
		t.Errorf("DREEM has %.4f, sentence BLEU %.4f, tokens alone %.4f, tokens and words %.4f", m, b, scorers[1].mean, scorers[4].mean)
	}
}
