package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
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

// library has the metrics as a program makes them that has nothing to do with the server,
// and what scores their segments.
func library(t *testing.T) map[string][2]mteval.Scorer {
	t.Helper()
	must := func(s mteval.Scorer, err error) mteval.Scorer {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	layer := 1
	model, err := transformer.Open("../../backend/transformer/testdata/bert", transformer.Options{Layer: &layer})
	if err != nil {
		t.Fatal(err)
	}
	words, err := lexical.New(lexical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := comet.Open("../../comet/testdata/wmt22", comet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close(); words.Close(); learned.Close() })
	all := make(map[string][2]mteval.Scorer)
	for name, s := range map[string]mteval.Scorer{
		"chrf":              must(chrf.New(chrf.Options{})),
		"chrf++":            must(chrf.New(chrf.Options{WordOrder: 2})),
		"ter":               ter.New(ter.Options{}),
		"wer":               must(overlap.NewRate(overlap.WER, overlap.Options{})),
		"meteor":            must(meteor.New(meteor.Options{Language: "de", Normalization: meteor.Full})),
		"bertscore-lexical": must(bertscore.New(words, bertscore.Options{})),
		"bertscore":         must(bertscore.New(model, bertscore.Options{})),
		"comet":             learned,
	} {
		all[name] = [2]mteval.Scorer{s, s}
	}
	all["bleu"] = [2]mteval.Scorer{must(bleu.New(bleu.Options{})), must(bleu.New(bleu.Options{EffectiveOrder: true}))}
	return all
}

// want is what the library says of a request.
func want(t *testing.T, of [2]mteval.Scorer, sources []string, refs [][]string, hyps []string) scores {
	t.Helper()
	if s, ok := of[0].(mteval.SourceScorer); ok {
		of[0] = mteval.WithSources(s, sources)
		of[1] = of[0]
	}
	r, err := mteval.Corpus(t.Context(), of[0], refs, hyps)
	if err != nil {
		t.Fatal(err)
	}
	out := scores{Corpus: r.Score, Signature: r.Signature.String(), LowerIsBetter: of[0].Info().LowerIsBetter}
	for i := range hyps {
		out.Segments = append(out.Segments, of[1].Score(r.Row(i)))
	}
	if s := of[1].Info().Signature.Complete(refs).String(); s != out.Signature {
		out.SegmentSignature = s
	}
	return out
}

// TestScores compares answers with the library's own, to the last bit.
func TestScores(t *testing.T) {
	l := testLimits
	l.body, l.segments, l.tokens = 1<<20, 1000, 1000
	_, url, _ := start(t, l)
	all := library(t)
	lines := func(name string) []string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join("../data", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
	first, second, hyps := lines("ref.de"), lines("sys/aspen.txt"), lines("sys/elder.txt")
	one, err := mteval.Segments(first)
	if err != nil {
		t.Fatal(err)
	}
	varying, err := mteval.Segments(first, second)
	if err != nil {
		t.Fatal(err)
	}
	varying[3] = varying[3][:1]
	// More than one block.
	var long [][]string
	var longHyps []string
	for range 20 {
		long, longHyps = append(long, varying...), append(longHyps, hyps...)
	}
	n := 0
	for _, texts := range long {
		n += len(strings.Join(texts, ""))
	}
	if n < 2*blockBytes {
		t.Fatalf("%d bytes are one block", n)
	}
	for _, test := range []struct {
		name          string
		metrics       []string
		sources, hyps []string
		refs          [][]string
	}{
		{"one reference", []string{"bleu", "chrf", "chrf++", "ter", "wer", "meteor", "bertscore-lexical"}, nil, hyps, one},
		{"references vary", []string{"wer", "ter", "bleu"}, nil, hyps, varying},
		{"blocks", []string{"bleu", "bertscore-lexical"}, nil, longHyps, long},
		{"models", []string{"bertscore", "comet", "chrf"}, []string{"A dog.", "Rain"}, []string{"Ein Hund", ""}, [][]string{{"Ein Hund."}, {"Regen"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			body, err := json.Marshal(map[string]any{"metrics": test.metrics, "sources": test.sources, "hypotheses": test.hyps, "references": test.refs})
			if err != nil {
				t.Fatal(err)
			}
			wants := answer{Scores: make(map[string]scores)}
			for _, name := range test.metrics {
				wants.Scores[name] = want(t, all[name], test.sources, test.refs, test.hyps)
			}
			for range 2 { // the second has vectors of the caches
				r, text := post(t, url, string(body))
				if r.StatusCode != 200 {
					t.Fatalf("%d: %s", r.StatusCode, text)
				}
				var got answer
				if err := json.Unmarshal([]byte(text), &got); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(wants, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			}
		})
	}
}

// TestBlockErrors has an error in a segment of a later block.
func TestBlockErrors(t *testing.T) {
	l := testLimits
	l.tokens, l.segments = 20, 1000
	metrics, closeAll, err := openMetrics(models(l, "bleu", "bertscore-lexical"))
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	r := &request{}
	for range 300 {
		r.hypotheses = append(r.hypotheses, strings.Repeat("x", 500))
		r.references = append(r.references, []string{"a", "b"})
	}
	r.references[200] = []string{"a", strings.Repeat("a ", 21)}
	for _, m := range metrics {
		_, err := score(t.Context(), []metric{m}, r)
		status, got := failed(err)
		want := failure{Error: m.name + ": segment 201, reference 2: text is too long: 21 tokens, more than the limit of 20", Segment: 201, Side: "reference", Reference: 2}
		if d := cmp.Diff(want, got); d != "" || status != 422 {
			t.Errorf("%d (-want +got):\n%s", status, d)
		}
	}
}
