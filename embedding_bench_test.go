package mteval_test

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/ter"
)

// benchMetrics are those of the tables in docs/embedding.md. With MTEVAL_MINILM, the folder of
// the model (scripts/minilm.sh), BERTScore over it is one of them.
func benchMetrics(b *testing.B, maxTokens int) (names []string, scorers []mteval.Scorer) {
	b.Helper()
	add := func(name string, s mteval.Scorer, err error) {
		if err != nil {
			b.Fatal(err)
		}
		names, scorers = append(names, name), append(scorers, s)
	}
	s, err := bleu.New(bleu.Options{MaxTokens: maxTokens, Workers: 1})
	add("bleu", s, err)
	c, err := chrf.New(chrf.Options{MaxTokens: maxTokens, Workers: 1})
	add("chrf", c, err)
	add("ter", ter.New(ter.Options{MaxTokens: maxTokens, Workers: 1}), nil)
	m, err := meteor.New(meteor.Options{MaxTokens: maxTokens, Workers: 1})
	add("meteor", m, err)
	letters, err := lexical.New(lexical.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	f, err := bertscore.New(letters, bertscore.Options{MaxTokens: maxTokens, Workers: 1})
	add("bertscore-lexical", f, err)
	if dir := os.Getenv("MTEVAL_MINILM"); dir != "" {
		layer := 6
		model, err := transformer.Open(dir, transformer.Options{Layer: &layer, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { model.Close() })
		f, err := bertscore.New(model, bertscore.Options{OnTruncated: func(string) {}, MaxTokens: maxTokens, Workers: 1})
		add("bertscore, MiniLM", f, err)
	}
	return names, scorers
}

// sentences are different texts of 25 words.
func sentences(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the old ferry leaves at half past nine and his sister gave him a book of prices for harbour in south north river cold morning cook sold pears lock keeper opened gate strike nobody told rain stayed because it was raining so we mat all day long")
	out := make([]string, n)
	for i := range out {
		var b strings.Builder
		for range 25 {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		out[i] = strings.TrimSpace(b.String())
	}
	return out
}

// BenchmarkReference says what memory a prepared reference of 25 words takes.
func BenchmarkReference(b *testing.B) {
	names, scorers := benchMetrics(b, 0)
	for i, s := range scorers {
		b.Run(names[i], func(b *testing.B) {
			texts := sentences(400)
			refs := make([][]string, len(texts))
			for i := range texts {
				refs[i] = texts[i : i+1]
			}
			held := func() uint64 {
				runtime.GC()
				runtime.GC() // what pools keep goes with the second
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			var bytes uint64
			for b.Loop() {
				before := held()
				p, err := s.Prepare(context.Background(), refs)
				if err != nil {
					b.Fatal(err)
				}
				bytes = held() - before
				runtime.KeepAlive(p)
			}
			runtime.KeepAlive(refs)
			b.ReportMetric(float64(bytes)/float64(len(refs)), "B/reference")
		})
	}
}

// BenchmarkRollout says what one hypothesis costs: of 25 words, of a model that loops, against
// another such one as in minimum Bayes risk, and what it costs to refuse it.
func BenchmarkRollout(b *testing.B) {
	looping := strings.Fields(rollout(2003))
	for _, tt := range []struct {
		name, ref string
		words     int
		limit     int
	}{
		{"25 words", rolloutReference, 25, 0},
		{"2000 words", rolloutReference, 2000, 0},
		{"20000 words", rolloutReference, 20_000, 0},
		{"2000 words against 2000", strings.Join(looping[3:], " "), 2000, 0},
		{"20000 words refused", rolloutReference, 20_000, 200},
	} {
		names, scorers := benchMetrics(b, tt.limit)
		for i, s := range scorers {
			b.Run(names[i]+"/"+tt.name, func(b *testing.B) {
				p, err := s.Prepare(context.Background(), [][]string{{tt.ref}})
				if err != nil {
					b.Fatal(err)
				}
				hyps := []string{rollout(tt.words)}
				var rows []float64
				for b.Loop() {
					if rows, err = p.Append(context.Background(), rows[:0], nil, hyps); (err != nil) != (tt.limit > 0) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
