package mteval_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

// rolloutReference is what the rollouts should have been.
const rolloutReference = "the old ferry leaves at half past nine and his sister gave him a book of prices for the harbour in the south"

// rollout is a hypothesis of a model that loops: n words, ten of them distinct.
func rollout(n int) string {
	words := strings.Fields(rolloutReference)[:10]
	var b strings.Builder
	for i := range n {
		b.WriteString(words[(i+i/10)%10])
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// A bounded metric is one with the limit of tokens that its option sets, or its model has.
type bounded struct {
	name string
	of   func(maxTokens int) (mteval.Scorer, error)
	// long is the error of a longer text, nil for mteval.ErrTooLong.
	long error
	// model says that the limit is the model's, which there is no going without.
	model bool
	// unnamed says that the error can't tell which text it is of.
	unnamed bool
}

// boundedMetrics are those of every metric of the module.
func boundedMetrics(t testing.TB) []bounded {
	t.Helper()
	letters, err := lexical.New(lexical.Options{Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	layer := 1
	model := func(refuse bool) backend.Backend {
		b, err := transformer.Open("backend/transformer/testdata/bert", transformer.Options{Layer: &layer, RefuseLong: refuse})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	cutting, refusing := model(false), model(true)
	learned, err := comet.Open("comet/testdata/wmt22", comet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { learned.Close() })
	over := func(b backend.Backend) func(int) (mteval.Scorer, error) {
		return func(n int) (mteval.Scorer, error) { return bertscore.New(b, bertscore.Options{MaxTokens: n}) }
	}
	rate := func(r overlap.Rate) func(int) (mteval.Scorer, error) {
		return func(n int) (mteval.Scorer, error) { return overlap.NewRate(r, overlap.Options{MaxTokens: n}) }
	}
	weighed := func(n int) (mteval.Scorer, error) {
		base, err := bertscore.New(letters, bertscore.Options{MaxTokens: n})
		if err != nil {
			return nil, err
		}
		m, err := base.PrepareMatch(context.Background(), [][]string{{rolloutReference}})
		if err != nil {
			return nil, err
		}
		w, err := difficulty.Estimate(context.Background(), m, []mteval.System{{Name: "a", Hyps: []string{"the ferry leaves"}}})
		if err != nil {
			return nil, err
		}
		return difficulty.New(base, w, difficulty.Options{})
	}
	ofLevels := func(n int) (mteval.Scorer, error) {
		base, err := meteor.New(meteor.Options{MaxTokens: n})
		if err != nil {
			return nil, err
		}
		return multilevel.New(base, multilevel.Options{})
	}
	return []bounded{
		{name: "bleu", of: func(n int) (mteval.Scorer, error) { return bleu.New(bleu.Options{MaxTokens: n}) }},
		{name: "chrf", of: func(n int) (mteval.Scorer, error) { return chrf.New(chrf.Options{MaxTokens: n}) }},
		{name: "chrf++", of: func(n int) (mteval.Scorer, error) { return chrf.New(chrf.Options{WordOrder: 2, MaxTokens: n}) }},
		{name: "ter", of: func(n int) (mteval.Scorer, error) { return ter.New(ter.Options{MaxTokens: n}), nil }},
		{name: "word F", of: func(n int) (mteval.Scorer, error) {
			return overlap.NewF(overlap.FOptions{Options: overlap.Options{MaxTokens: n}})
		}},
		{name: "wer", of: rate(overlap.WER)},
		{name: "mer", of: rate(overlap.MER)},
		{name: "wil", of: rate(overlap.WIL)},
		{name: "cer", of: rate(overlap.CER)},
		{name: "per", of: rate(overlap.PER)},
		{name: "meteor", of: func(n int) (mteval.Scorer, error) { return meteor.New(meteor.Options{MaxTokens: n}) }},
		{name: "dreem", of: func(n int) (mteval.Scorer, error) { return dreem.New(dreem.Options{MaxTokens: n}) }},
		{name: "bertscore-lexical", of: over(letters)},
		{name: "bertscore, a model that refuses", of: over(refusing), model: true, unnamed: true},
		{name: "bertscore, a model that cuts", of: over(cutting), model: true, long: backend.ErrTruncated},
		{name: "comet", of: func(int) (mteval.Scorer, error) {
			return mteval.WithSources(learned, []string{"the source"}), nil
		}, model: true, long: backend.ErrTruncated},
		{name: "difficulty", of: weighed},
		{name: "multilevel", of: ofLevels},
	}
}

// A rollout that loops is refused by the limit, before there is any work, and without one its
// segment ends when the context does. Looks at the context are counted, and no time.
func TestRollout(t *testing.T) {
	const good = "the old ferry"
	for _, m := range boundedMetrics(t) {
		t.Run(m.name, func(t *testing.T) {
			prepared := func(maxTokens int) mteval.Prepared {
				s, err := m.of(maxTokens)
				if err != nil {
					t.Fatal(err)
				}
				ref := rolloutReference
				if m.model { // tiny, it takes 24 or 40 tokens, which are letters
					ref = good
				}
				p, err := s.Prepare(t.Context(), [][]string{{ref}})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			want := m.long
			if want == nil {
				want = mteval.ErrTooLong
			}
			limited, free := prepared(200), prepared(0)
			for _, n := range []int{2000, 20_000} {
				// A good hypothesis comes first, so that what is left of its row would show.
				ctx := kit.NewCountdown(math.MaxInt64)
				dst, err := limited.Append(ctx, []float64{1}, []int{0, 0}, []string{good, rollout(n)})
				if !errors.Is(err, want) {
					t.Errorf("%d words: error %v, want %v", n, err, want)
				}
				var at *mteval.SegmentError
				if !m.unnamed && (!errors.As(err, &at) || at.Side != mteval.HypothesisSide || at.Index != 1) {
					t.Errorf("%d words: error %v does not name hypothesis 1", n, err)
				}
				if len(dst) != 1 {
					t.Errorf("%d words: %d numbers were left", n, len(dst)-1)
				}
				if looks := ctx.Calls(); !m.model && looks > 12 {
					t.Errorf("%d words are refused after %d looks at the context", n, looks)
				}
			}
			if m.model {
				return
			}
			looks := func(hyp string) int64 {
				ctx := kit.NewCountdown(math.MaxInt64)
				if _, err := free.Append(ctx, nil, nil, []string{hyp}); err != nil {
					t.Fatal(err)
				}
				return ctx.Calls()
			}
			long := rollout(20_000)
			whole := looks(long)
			if few := looks(good); whole <= few {
				t.Errorf("there are %d looks at the context for 20,000 words, and %d for 3", whole, few)
			}
			for _, n := range []int64{0, 1, whole / 2, whole - 1} {
				if _, err := free.Append(kit.NewCountdown(n), nil, nil, []string{long}); err != context.Canceled {
					t.Errorf("cancelled at look %d of %d: error %v", n+1, whole, err)
				}
			}
		})
	}
}
