package mteval_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize"
)

// publicCase is an input on which a public tool went wrong, with the right value.
type publicCase struct {
	ID       string
	Metric   string
	Input    map[string]any
	Options  map[string]any
	Expected map[string]any
}

func (c *publicCase) strings(key string) []string {
	var out []string
	list, _ := c.Input[key].([]any)
	for _, x := range list {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}

// refs returns references that come as streams, by segment.
func (c *publicCase) refs(t *testing.T) ([][]string, error) {
	t.Helper()
	var streams [][]string
	list, _ := c.Input["refs"].([]any)
	for _, s := range list {
		var stream []string
		for _, x := range s.([]any) {
			stream = append(stream, x.(string))
		}
		streams = append(streams, stream)
	}
	return mteval.Segments(streams...)
}

// Every case of ../shared/cases/cases.jsonl for a metric that is here gives the value
// that stands there.
func TestPublicCases(t *testing.T) {
	f, err := os.Open(shareddata.Path(t, "cases", "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx := context.Background()
	newBLEU := func(o bleu.Options) *bleu.Scorer {
		s, err := bleu.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	newChrF := func(o chrf.Options) *chrf.Scorer {
		s, err := chrf.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	newRate := func(r overlap.Rate) *overlap.RateScorer {
		s, err := overlap.NewRate(r, overlap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	corpus := func(c *publicCase, s mteval.Scorer) *mteval.Result {
		t.Helper()
		refs, err := c.refs(t)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		r, err := mteval.Corpus(ctx, s, refs, c.strings("hyps"))
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		return r
	}
	equal := func(c *publicCase, got float64, want any) {
		t.Helper()
		if w, ok := want.(float64); !ok || math.Abs(got-w) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.ID, got, want)
		}
	}
	perMetric := func(c *publicCase) {
		b, _ := c.Expected["BLEU"].(map[string]any)
		equal(c, corpus(c, newBLEU(bleu.Options{})).Score, b["score"])
		equal(c, corpus(c, newChrF(chrf.Options{})).Score, c.Expected["chrF2"])
		equal(c, corpus(c, ter.New(ter.Options{})).Score, c.Expected["TER"])
	}
	score := func(s mteval.Scorer) func(c *publicCase) {
		return func(c *publicCase) { equal(c, corpus(c, s).Score, c.Expected["score"]) }
	}
	checks := map[string]func(c *publicCase){
		"empty-hyp-corpus":  perMetric,
		"empty-ref-segment": perMetric,
		"ter-over-100":      score(ter.New(ter.Options{})),
		"bleu-over-100-rounding": func(c *publicCase) {
			if got := corpus(c, newBLEU(bleu.Options{})).Score; got > 100 || got < 100-1e-9 {
				t.Errorf("%s: %v", c.ID, got)
			}
		},
		"short-corpus-zero": func(c *publicCase) {
			equal(c, corpus(c, newBLEU(bleu.Options{})).Score, c.Expected["corpus"])
			equal(c, corpus(c, newBLEU(bleu.Options{EffectiveOrder: true})).Score, c.Expected["sentence_eff"])
		},
		"no-match-smoothing": func(c *publicCase) {
			for smooth := bleu.Exp; smooth <= bleu.AddK; smooth++ {
				equal(c, corpus(c, newBLEU(bleu.Options{Smoothing: smooth, EffectiveOrder: true})).Score, 0.0)
			}
		},
		"refs-transposed": func(c *publicCase) {
			refs, err := c.refs(t)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := mteval.Corpus(ctx, newBLEU(bleu.Options{}), refs, c.strings("hyps")); !errors.Is(err, mteval.ErrLength) ||
				!strings.Contains(err.Error(), "3 hypotheses for 1 segments") {
				t.Errorf("%s: error %v", c.ID, err)
			}
		},
		"lighteval-transposed": func(c *publicCase) {
			var refs [][]string
			for _, r := range c.Input["refs_per_segment"].([]any) {
				refs = append(refs, []string{r.([]any)[0].(string)})
			}
			r, err := mteval.Corpus(ctx, newChrF(chrf.Options{WordOrder: 2}), refs, c.strings("hyps"))
			if err != nil {
				t.Fatal(err)
			}
			equal(c, r.Score, c.Expected["score"])
		},
		"ref-as-string": func(c *publicCase) {
			r, err := mteval.Sentence(ctx, newChrF(chrf.Options{}), []string{c.Input["refs"].(string)}, c.Input["hyp"].(string))
			if err != nil {
				t.Fatal(err)
			}
			equal(c, r.Score, c.Expected["error_or_equal_to"])
		},
		"zh-punct-ter": func(c *publicCase) {
			equal(c, corpus(c, ter.New(ter.Options{Normalized: true, Asian: true})).Score, c.Expected["TER_norm_asian"])
			equal(c, corpus(c, ter.New(ter.Options{Normalized: true, Asian: true, NoPunct: true})).Score, c.Expected["TER_norm_asian_nopunct"])
			equal(c, corpus(c, newBLEU(bleu.Options{Tokenizer: tokenize.Zh})).Score, c.Expected["BLEU_zh"])
		},
		// The command's --target-language chooses the tokenizer; see cmd/mteval.
		"trg-lang-picks-tok": score(newBLEU(bleu.Options{Tokenizer: tokenize.Zh})),
		"control-char-cr":    score(newBLEU(bleu.Options{})),
		"fi-form-feed-ref":   score(newBLEU(bleu.Options{})),
		"empty-hyp-evaluate": score(newBLEU(bleu.Options{})),
		"ter-short-signature": func(c *publicCase) {
			got, want := corpus(c, ter.New(ter.Options{})).Signature.Short(), c.Expected["signature"].(string)
			if cut, _, _ := strings.Cut(got, "|v:"); cut != strings.TrimSuffix(want, "|v:2.6.0") {
				t.Errorf("%s: %s, want %s", c.ID, got, want)
			}
		},
		"chrf-zero-overlap": func(c *publicCase) {
			equal(c, corpus(c, newChrF(chrf.Options{})).Score, c.Expected["0"])
			equal(c, corpus(c, newChrF(chrf.Options{WordOrder: 2})).Score, c.Expected["2"])
		},
		"nltk-wrong-order-high": func(c *publicCase) {
			s := newBLEU(bleu.Options{Smoothing: bleu.NoSmoothing, Tokenizer: tokenize.None})
			r, err := mteval.Sentence(ctx, s, []string{strings.Join(c.strings("ref"), " ")}, strings.Join(c.strings("hyp"), " "))
			if err != nil {
				t.Fatal(err)
			}
			equal(c, r.Score, c.Expected["score"])
		},
		"wer-empty-ref": func(c *publicCase) {
			want := append(append([]any{}, c.Expected["wer"].([]any)...), c.Expected["cer"].([]any)...)
			for i, p := range c.Input["pairs"].([]any) {
				s := newRate(overlap.WER)
				if i == 2 {
					s = newRate(overlap.CER)
				}
				r, err := mteval.Sentence(ctx, s, []string{p.([]any)[1].(string)}, p.([]any)[0].(string))
				if err != nil {
					t.Fatal(err)
				}
				equal(c, r.Score, want[i])
			}
		},
		"wer-unequal-lists": func(c *publicCase) {
			if _, err := mteval.Corpus(ctx, newRate(overlap.WER), [][]string{{"red blue green"}}, c.strings("hyps")); !errors.Is(err, mteval.ErrLength) {
				t.Errorf("%s: error %v", c.ID, err)
			}
		},
		"pyter-empty": func(c *publicCase) {
			r, err := mteval.Sentence(ctx, ter.New(ter.Options{}), []string{""}, "")
			if err != nil {
				t.Fatal(err)
			}
			equal(c, r.Score, c.Expected["score"])
		},
		"corr-constant": func(c *publicCase) {
			for _, f := range []func(x, y []float64) (float64, error){metaeval.Pearson, metaeval.Spearman, metaeval.Kendall} {
				if v, err := f([]float64{1, 1, 1}, []float64{1, 2, 3}); !errors.Is(err, metaeval.ErrUndefined) {
					t.Errorf("%s: %v, %v", c.ID, v, err)
				}
			}
		},
		"kendall-ties-p": func(c *publicCase) {
			v, err := metaeval.Kendall([]float64{1, 1, 2, 3, 3}, []float64{2, 1, 2, 3, 1})
			if err != nil {
				t.Fatal(err)
			}
			equal(c, v, c.Expected["tau_b"].([]any)[0])
		},
		"corr-nan-input": func(c *publicCase) {
			if v, err := metaeval.Kendall([]float64{1, 2, math.NaN()}, []float64{1, 2, 3}); err == nil {
				t.Errorf("%s: %v", c.ID, v)
			}
		},
	}
	ours := map[string]bool{"BLEU": true, "chrF": true, "TER": true, "BLEU+chrF+TER": true, "TER+BLEU": true, "WER": true, "WER/CER": true}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c publicCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		check, ok := checks[c.ID]
		// NLTK's own smoothing method is not among sacreBLEU's.
		if !ok && ours[c.Metric] && c.ID != "nltk-method4-one-word" {
			t.Errorf("%s: a case of %s that is not checked", c.ID, c.Metric)
		}
		if ok {
			check(&c)
			delete(checks, c.ID)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for id := range checks {
		t.Errorf("no case %s", id)
	}
}
