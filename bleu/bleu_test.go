package bleu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit/limittest"
	"github.com/mteval/mteval/internal/sacretest"
	"github.com/mteval/mteval/tokenize"
)

var ctx = context.Background()

// sacreOptions are options as sacreBLEU's constructor names them.
type sacreOptions struct {
	Tokenize       *string
	Lowercase      bool
	SmoothMethod   *string  `json:"smooth_method"`
	SmoothValue    *float64 `json:"smooth_value"`
	MaxOrder       int      `json:"max_ngram_order"`
	EffectiveOrder bool     `json:"effective_order"`
	Force          bool
}

func (o sacreOptions) scorer(t *testing.T) *Scorer {
	t.Helper()
	opt := Options{Lowercase: o.Lowercase, SmoothValue: o.SmoothValue, MaxOrder: o.MaxOrder, EffectiveOrder: o.EffectiveOrder}
	var err error
	if o.Tokenize != nil {
		if opt.Tokenizer, err = tokenize.ByName(*o.Tokenize); err != nil {
			t.Fatal(err)
		}
	}
	if o.SmoothMethod != nil {
		if opt.Smoothing, err = ParseSmoothing(*o.SmoothMethod); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var approx = cmpopts.EquateApprox(0, 1e-9)

// check compares a row with what sacreBLEU gave.
func check(t *testing.T, c *sacretest.Case, s *Scorer, row []float64) {
	t.Helper()
	var want struct {
		BP         float64
		Precisions []float64
	}
	sacretest.Decode(t, c.Expected, &want)
	d := s.Detail(row)
	if score := s.Score(row); d.Score != score {
		t.Errorf("%s: Detail says %v, Score %v", c.ID, d.Score, score)
	}
	got := []any{d.Score, d.BP, d.Precisions, d.String()}
	if diff := cmp.Diff([]any{c.Values.Score, want.BP, want.Precisions, c.Values.Str}, got, approx); diff != "" {
		t.Errorf("%s (-sacreBLEU +got):\n%s", c.ID, diff)
	}
}

// The values of testdata/sacrebleu.json are sacreBLEU's: see
// scripts/record_sacrebleu.py. Those of ../shared are its own tests' and more.
func TestSacreBLEU(t *testing.T) {
	t.Run("recorded", func(t *testing.T) { testCases(t, sacretest.Recorded(t, "testdata/sacrebleu.json"), 290) })
	t.Run("golden", func(t *testing.T) { testCases(t, sacretest.Golden(t, "BLEU"), 430) })
}

func testCases(t *testing.T, cases []sacretest.Case, least int) {
	for i := range cases {
		c := &cases[i]
		var o sacreOptions
		sacretest.Decode(t, c.Options, &o)
		if c.Level == "from_stats" {
			// compute_bleu's own default is no smoothing, the class's is exp.
			if o.SmoothMethod == nil {
				none := "none"
				o.SmoothMethod = &none
			}
			var in struct {
				Correct, Total []float64
				SysLen         float64 `json:"sys_len"`
				RefLen         float64 `json:"ref_len"`
			}
			sacretest.Decode(t, c.Input, &in)
			check(t, c, o.scorer(t), append(append([]float64{in.SysLen, in.RefLen}, in.Correct...), in.Total...))
			continue
		}
		s := o.scorer(t)
		r, err := mteval.Corpus(ctx, s, c.Refs, c.Hyps)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		check(t, c, s, r.Sum)
		sacretest.Compare(t, c, r, s.Width(), "order", "o")
	}
	t.Logf("%d cases", len(cases))
	if len(cases) < least {
		t.Errorf("only %d cases compared", len(cases))
	}
}

func TestWMT19(t *testing.T) {
	for setting, o := range map[string]Options{
		"BLEU":         {},
		"BLEU-intl":    {Tokenizer: tokenize.Intl},
		"BLEU-lc-intl": {Tokenizer: tokenize.Intl, Lowercase: true},
	} {
		t.Run(setting, func(t *testing.T) {
			s, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			sacretest.WMT19(t, setting, s)
		})
	}
}

// Worked examples: the lecture of Läubli and Müller (2019), Papineni's clipping,
// and inputs on which public tools went wrong.
func TestExamples(t *testing.T) {
	def, sentence := Options{}, Options{EffectiveOrder: true}
	tests := []struct {
		name       string
		opt        Options
		hyp        string
		refs       []string
		score, bp  float64
		precisions []float64 // of the first orders; nil: any
	}{
		{"lecture", def, "airport security Israeli officials are responsible", []string{"Israeli officials are responsible for airport security"},
			51.15078115793242, math.Exp(1 - 7.0/6), []float64{100, 80, 50, 100. / 3}},
		{"clipping the", def, "the the the the the the the", []string{"the cat is on the mat", "there is a cat on the mat"}, -1, 1, []float64{200. / 7}},
		{"clipping are", def, "are are are are are are are", []string{"Israeli officials are responsible for airport security"}, -1, 1, []float64{100. / 7}},
		{"perfect is 100 and not more", def, "we are all here now .", []string{"we are all here now ."}, 100, 1, []float64{100, 100, 100, 100}},
		{"short corpus", def, "good morning", []string{"good morning"}, 0, 1, nil},
		{"short sentence", sentence, "good morning", []string{"good morning"}, 100, 1, nil},
		{"no match", sentence, "nope", []string{"maybe"}, 0, 1, nil},
		{"nothing", def, "", []string{""}, 0, 1, nil},
		{"empty hypothesis", def, "", []string{"one fine day"}, 0, 0, nil},
		{"empty reference", def, "hi", []string{"\f"}, 0, 1, nil},
		{"CR inside", def, "we met \r again in the hall", []string{"we met again in the hall"}, 100, 1, nil},
		{"reversed", Options{Smoothing: NoSmoothing, Tokenizer: tokenize.None}, "ok now go us let", []string{"let us go now ok"}, 0, 1, nil},
	}
	for _, tt := range tests {
		s, err := New(tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		r, err := mteval.Sentence(ctx, s, tt.refs, tt.hyp)
		if err != nil {
			t.Fatal(err)
		}
		d := s.Detail(r.Sum)
		if tt.score >= 0 && math.Abs(d.Score-tt.score) > 1e-9 || d.Score > 100 || math.Abs(d.BP-tt.bp) > 1e-12 {
			t.Errorf("%s: %v, want score %v, BP %v", tt.name, d, tt.score, tt.bp)
		}
		if diff := cmp.Diff(tt.precisions, d.Precisions[:len(tt.precisions)], approx, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: precisions (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestBrevityPenalty(t *testing.T) {
	s, _ := New(Options{MaxOrder: 1})
	for _, tt := range []struct{ hyp, ref, want float64 }{
		{5, 6, .8187307530779819}, {5, 7, .6703200460356393}, {5, 100, 5.602796437537268e-09}, {7, 7, 1}, {8, 7, 1},
	} {
		if d := s.Detail([]float64{tt.hyp, tt.ref, tt.hyp, tt.hyp}); math.Abs(d.BP-tt.want) > 1e-15 || math.Abs(d.Score-100*tt.want) > 1e-12 {
			t.Errorf("lengths %v/%v: %v, want BP %v", tt.hyp, tt.ref, d, tt.want)
		}
	}
}

// Nothing over nothing is 0, as in sacreBLEU.
func TestParts(t *testing.T) {
	s, _ := New(Options{MaxOrder: 2})
	for _, tt := range []struct {
		row  []float64
		want string
	}{
		{[]float64{6, 8, 3, 2, 6, 5}, "50.0/40.0 (BP = 0.717 ratio = 0.750 hyp_len = 6 ref_len = 8)"}, // exp(1-8/6)
		{[]float64{6, 0, 0, 0, 6, 5}, "0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 6 ref_len = 0)"},
		{[]float64{0, 8, 0, 0, 0, 0}, "0.0/0.0 (BP = 0.000 ratio = 0.000 hyp_len = 0 ref_len = 8)"},
		{[]float64{10, 10, 3, 2, 6, 5}, "50.0/40.0 (BP = 1.000 ratio = 1.000 hyp_len = 10 ref_len = 10)"},
		// Of mean references: 2.5/6 and 1.25/5, exp(1-7.5/6), 6/7.5; and a third of a token.
		{[]float64{6, 7.5, 2.5, 1.25, 6, 5}, "41.7/25.0 (BP = 0.779 ratio = 0.800 hyp_len = 6 ref_len = 7.5)"},
		{[]float64{6, 22. / 3, 0, 0, 6, 5}, "0.0/0.0 (BP = 0.801 ratio = 0.818 hyp_len = 6 ref_len = 7.33)"}, // exp(1-11/9)
	} {
		if got := s.Detail(tt.row).Parts(); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.row, got, tt.want)
		}
	}
}

// Counts and the length of a mean reference are fractions: of "a b" and "a c d" they are a
// whole a, half a b, half of "a b", and 2.5 tokens.
func TestDetailOfMean(t *testing.T) {
	s, _ := New(Options{MaxOrder: 2})
	p, err := s.PrepareAggregate(ctx, [][]string{{"a b", "a c d"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	row, err := p.Append(ctx, nil, nil, []string{"a b"})
	if err != nil {
		t.Fatal(err)
	}
	want := Detail{Score: s.Score(row), BP: math.Exp(1 - 2.5/2), Counts: []float64{1.5, .5}, Totals: []int{2, 1}, Precisions: []float64{75, 50}, HypLen: 2, RefLen: 2.5}
	if diff := cmp.Diff(want, s.Detail(row), approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With weights the mean of the logarithms is a weighted one.
func TestWeights(t *testing.T) {
	const hyp, ref = "airport security Israeli officials are responsible", "Israeli officials are responsible for airport security"
	bp := math.Exp(1 - 7.0/6)
	for _, tt := range []struct {
		weights []float64
		hyp     string
		want    float64
	}{
		{[]float64{1, 1, 1, 1}, hyp, 100 * bp * math.Pow(1*.8*.5/3, .25)},
		{[]float64{.5, .5, .5, .5}, hyp, 100 * bp * math.Pow(1*.8*.5/3, .25)},
		{[]float64{0, 1, 0, 0}, hyp, 100 * bp * .8},
		{[]float64{1, 0, 2, 0}, hyp, 100 * bp * math.Pow(.5, 2./3)},
		{[]float64{1, 1, 0, 0}, "officials are Israeli", 100 * math.Exp(1-7./3) * math.Pow(.5, .5)},
		{[]float64{0, 0, 0, 1}, "officials are Israeli", 0},
	} {
		s, err := New(Options{Weights: tt.weights, Smoothing: NoSmoothing, EffectiveOrder: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := mteval.Sentence(ctx, s, []string{ref}, tt.hyp)
		if err != nil || math.Abs(r.Score-tt.want) > 1e-9 {
			t.Errorf("weights %v: %+v, %v; want %v", tt.weights, r, err, tt.want)
		}
	}
	s, _ := New(Options{Weights: []float64{1, .5, 2, 0}})
	if got := s.Info().Signature.Get("weights"); got != "1,0.5,2,0" {
		t.Errorf("signature has weights %s", got)
	}
}

func mustNew(t testing.TB, o Options) *Scorer {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The zero Scorer is that of zero Options.
func TestZero(t *testing.T) { limittest.Zero(t, mustNew(t, Options{}), new(Scorer)) }

func TestMaxTokens(t *testing.T) {
	limittest.Test(t, "an", 0, func(n int) mteval.Scorer { return mustNew(t, Options{MaxTokens: n}) })
	// The tokens are counted that the tokenizer makes.
	if _, err := mteval.Sentence(ctx, mustNew(t, Options{MaxTokens: 3}), []string{"a"}, "a, b."); !errors.Is(err, mteval.ErrTooLong) {
		t.Errorf("four tokens in two words: error %v", err)
	}
}

// Within one text there are looks at the context.
func TestLooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	var b strings.Builder
	for range 30_000 {
		fmt.Fprint(&b, rng.IntN(10_000), " ")
	}
	limittest.Looks(t, mustNew(t, Options{}), b.String(), b.String(), 10, 10)
}

// Many references of one segment take time in proportion to their number.
func TestManyReferences(t *testing.T) {
	refs := make([]string, 20_000)
	for i := range refs {
		refs[i] = fmt.Sprintf("a b c d e %d %d", i, i/2)
	}
	r, err := mteval.Sentence(ctx, mustNew(t, Options{}), refs, "a b c d e 19999 9999")
	if err != nil || math.Abs(r.Score-100) > 1e-9 {
		t.Errorf("%v, %v", r, err)
	}
}

func TestNewErrors(t *testing.T) {
	value := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Weights: []float64{1, 1}}, "2 weights"},
		{Options{Weights: []float64{0, 0, 0, 0}}, "not all 0"},
		{Options{Weights: []float64{1, 1, 1, -1}}, "weight -1"},
		{Options{Weights: []float64{1, 1, 1, math.NaN()}}, "weight NaN"},
		{Options{MaxOrder: -1}, "MaxOrder"},
		{Options{MaxOrder: 17}, "MaxOrder"},
		{Options{Smoothing: 9}, "smoothing"},
		{Options{SmoothValue: value(1)}, "takes no value"},
		{Options{Smoothing: Floor, SmoothValue: value(-1)}, "SmoothValue"},
		{Options{Smoothing: AddK, SmoothValue: value(math.NaN())}, "SmoothValue"},
	} {
		if _, err := New(tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%+v): error %v, want one about %s", tt.opt, err, tt.want)
		}
	}
	if _, err := ParseSmoothing("lin"); err == nil {
		t.Error("no error for an unknown smoothing method")
	}
}

// The trie counts as a plain map of n-grams does.
func TestCountsAgainstMaps(t *testing.T) {
	sentence := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a b c d , e")), 0, 12),
		func(w []string) string { return strings.Join(w, " ") })
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.IntRange(1, 6).Draw(t, "order")
		refs := rapid.SliceOfN(sentence, 1, 4).Draw(t, "refs")
		hyp := sentence.Draw(t, "hyp")
		s, err := New(Options{MaxOrder: order, Tokenizer: tokenize.None})
		if err != nil {
			t.Fatal(err)
		}
		r, err := mteval.Sentence(ctx, s, refs, hyp)
		if err != nil {
			t.Fatal(err)
		}
		count := func(text string, n int) map[string]float64 {
			words, m := strings.Fields(text), map[string]float64{}
			for i := 0; i+n <= len(words); i++ {
				m[strings.Join(words[i:i+n], " ")]++
			}
			return m
		}
		want := make([]float64, 2+2*order)
		want[0], want[1] = r.Sum[0], r.Sum[1]
		for n := 1; n <= order; n++ {
			best := map[string]float64{}
			for _, ref := range refs {
				for g, c := range count(ref, n) {
					best[g] = max(best[g], c)
				}
			}
			for g, c := range count(hyp, n) {
				want[1+n] += min(c, best[g])
				want[1+order+n] += c
			}
		}
		if d := cmp.Diff(want, r.Sum); d != "" {
			t.Fatalf("(-maps +trie):\n%s", d)
		}
		if r.Score < 0 || r.Score > 100 {
			t.Fatalf("score %v", r.Score)
		}
	})
}

func FuzzBLEU(f *testing.F) {
	f.Add("a b c d", "a b c d", true)
	f.Add("\xff&lt;1.", "", false)
	f.Fuzz(func(t *testing.T, hyp, ref string, lower bool) {
		for _, name := range []string{"none", "13a", "intl", "char"} {
			tok, _ := tokenize.ByName(name)
			for smooth := Exp; smooth <= AddK; smooth++ {
				s, err := New(Options{Tokenizer: tok, Lowercase: lower, Smoothing: smooth, EffectiveOrder: lower})
				if err != nil {
					t.Fatal(err)
				}
				r, err := mteval.Sentence(ctx, s, []string{ref, hyp + ref}, hyp)
				if err != nil || !(r.Score >= 0 && r.Score <= 100) {
					t.Fatalf("%v, %v", r, err)
				}
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	s, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	// 25 tokens.
	ref := "The old keeper of the lock opened the gate at six, and nobody had told her about the strike that began in the harbour."
	hyp := "The old lock keeper opened the gate at six, and no one had told her of the strike that began in the harbour."
	p, err := s.Prepare(ctx, [][]string{{ref}})
	if err != nil {
		b.Fatal(err)
	}
	var rows []float64
	segs, hyps := []int{0}, []string{hyp}
	b.ReportAllocs()
	for b.Loop() {
		rows, _ = p.Append(ctx, rows[:0], segs, hyps)
	}
}
