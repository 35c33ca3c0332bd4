package chrf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit/limittest"
	"github.com/mteval/mteval/internal/sacretest"
)

var ctx = context.Background()

func mustNew(t testing.TB, o Options) *Scorer {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The values of testdata/sacrebleu.json are sacreBLEU's: see
// scripts/record_sacrebleu.py. Those of ../shared are its own tests' and more.
func TestSacreBLEU(t *testing.T) {
	t.Run("recorded", func(t *testing.T) { testCases(t, sacretest.Recorded(t, "testdata/sacrebleu.json"), 200) })
	t.Run("golden", func(t *testing.T) { testCases(t, sacretest.Golden(t, "chrF"), 269) })
}

func testCases(t *testing.T, cases []sacretest.Case, least int) {
	for _, c := range cases {
		var o struct {
			CharOrder    int `json:"char_order"`
			WordOrder    int `json:"word_order"`
			Beta         float64
			Lowercase    bool
			Whitespace   bool
			EpsSmoothing bool `json:"eps_smoothing"`
		}
		sacretest.Decode(t, c.Options, &o)
		s := mustNew(t, Options{CharOrder: o.CharOrder, WordOrder: o.WordOrder, Beta: o.Beta, Lowercase: o.Lowercase, Whitespace: o.Whitespace, EpsSmoothing: o.EpsSmoothing})
		r, err := mteval.Corpus(ctx, s, c.Refs, c.Hyps)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		if math.Abs(r.Score-c.Values.Score) > 1e-9 {
			t.Errorf("%s: %v, sacreBLEU has %v", c.ID, r.Score, c.Values.Score)
		}
		sacretest.Compare(t, &c, r, s.Width(), "beta", "b")
	}
	t.Logf("%d cases", len(cases))
	if len(cases) < least {
		t.Errorf("only %d cases compared", len(cases))
	}
}

func TestWMT19(t *testing.T) {
	for setting, o := range map[string]Options{"chrF2": {}, "chrF2++": {WordOrder: 2}} {
		t.Run(setting, func(t *testing.T) {
			s := mustNew(t, o)
			sacretest.WMT19(t, setting, s)
		})
	}
}

// Inputs on which public tools went wrong.
func TestExamples(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  Options
		hyps []string
		refs [][]string
		want float64
	}{
		{"empty hypothesis counts", Options{}, []string{"", "the blue door is open"}, [][]string{{"one two three four"}, {"the blue door is open"}}, 59.24290281589462},
		{"empty reference does not", Options{}, []string{"hello there my friend", "x"}, [][]string{{"hello there my friend"}, {""}}, 100},
		{"references by segment", Options{WordOrder: 2}, []string{"a fine morning", "rain"}, [][]string{{"a fine morning"}, {"it is snowing"}}, 58.565989956092366},
		{"one reference", Options{}, []string{"we sail now"}, [][]string{{"we sail now"}}, 100},
		{"a hopeless segment", Options{}, []string{"zzzz qqqq", "the sun is up"}, [][]string{{"abcd efgh ijkl"}, {"the sun is up"}}, 46.147432912488455},
		{"a hopeless segment, chrF++", Options{WordOrder: 2}, []string{"zzzz qqqq", "the sun is up"}, [][]string{{"abcd efgh ijkl"}, {"the sun is up"}}, 49.79135167457319},
		{"a large beta", Options{Beta: 1e200, EpsSmoothing: true, CharOrder: 1}, []string{"ab"}, [][]string{{"abc"}}, 200. / 3},
		{"nothing", Options{}, []string{""}, [][]string{{""}}, 0},
		{"invalid bytes", Options{}, []string{"\xff\xfe"}, [][]string{{"\xff\xfd"}}, 25},
	} {
		r, err := mteval.Corpus(ctx, mustNew(t, tt.opt), tt.refs, tt.hyps)
		if err != nil || math.Abs(r.Score-tt.want) > 1e-9 {
			t.Errorf("%s: %+v, %v; want %v", tt.name, r, err, tt.want)
		}
	}
}

// The zero Scorer is that of zero Options.
func TestZero(t *testing.T) { limittest.Zero(t, mustNew(t, Options{}), new(Scorer)) }

func TestMaxTokens(t *testing.T) {
	for _, order := range []int{0, 2} {
		limittest.Test(t, "an.", 0, func(n int) mteval.Scorer { return mustNew(t, Options{WordOrder: order, MaxTokens: n}) })
	}
}

// Within one text there are looks at the context.
func TestLooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	var b strings.Builder
	for range 16_000 {
		fmt.Fprint(&b, rng.IntN(10_000), " ")
	}
	limittest.Looks(t, mustNew(t, Options{}), b.String(), b.String(), 10, 10)
	limittest.Looks(t, mustNew(t, Options{WordOrder: 2}), b.String(), b.String(), 10, 10)
}

func TestNewErrors(t *testing.T) {
	for _, o := range []Options{{CharOrder: -1}, {CharOrder: 17}, {WordOrder: -1}, {WordOrder: 17}, {Beta: -1}, {Beta: math.NaN()}, {Beta: math.Inf(1)}} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), "chrf: ") {
			t.Errorf("New(%+v): error %v", o, err)
		}
	}
}

// What the field calls chrF++ has words of one and two.
func TestName(t *testing.T) {
	for words, want := range []string{"chrf", "chrf", "chrf++", "chrf"} {
		if got := mustNew(t, Options{WordOrder: words, Beta: 3}).Info().Name; got != want {
			t.Errorf("WordOrder %d is called %s, want %s", words, got, want)
		}
	}
	var zero Scorer
	if got := zero.Info().Name; got != "chrf" {
		t.Errorf("the zero value is called %s", got)
	}
}

// The trie counts as a plain map of strings does.
func TestCountsAgainstMaps(t *testing.T) {
	line := rapid.StringMatching(`[ab é]{0,20}`)
	rapid.Check(t, func(t *rapid.T) {
		hyp, ref := line.Draw(t, "hyp"), line.Draw(t, "ref")
		s, err := New(Options{CharOrder: rapid.IntRange(1, 7).Draw(t, "order")})
		if err != nil {
			t.Fatal(err)
		}
		r, err := mteval.Sentence(ctx, s, []string{ref}, hyp)
		if err != nil {
			t.Fatal(err)
		}
		count := func(line string, n int) (map[string]float64, float64) {
			chars, m := []rune(strings.ReplaceAll(line, " ", "")), map[string]float64{}
			for i := 0; i+n <= len(chars); i++ {
				m[string(chars[i:i+n])]++
			}
			return m, float64(max(0, len(chars)-n+1))
		}
		var want []float64
		for n := 1; n <= s.order; n++ {
			h, nh := count(hyp, n)
			c, nr := count(ref, n)
			match := 0.0
			for g, k := range h {
				match += min(k, c[g])
			}
			if nr == 0 {
				nh = 0
			}
			want = append(want, nh, nr, match)
		}
		if d := cmp.Diff(want, r.Sum); d != "" {
			t.Fatalf("(-maps +trie):\n%s", d)
		}
	})
}

func FuzzChrF(f *testing.F) {
	f.Add("a b c d", "(a, b)", true)
	f.Add("\xff.\u2003x", "", false)
	f.Fuzz(func(t *testing.T, hyp, ref string, x bool) {
		for _, words := range []int{0, 2} {
			s := mustNew(t, Options{WordOrder: words, Lowercase: x, Whitespace: !x, EpsSmoothing: x})
			r, err := mteval.Sentence(ctx, s, []string{ref, hyp + ref}, hyp)
			if err != nil || !(r.Score >= 0 && r.Score <= 100) {
				t.Fatalf("%v, %v", r, err)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	s := mustNew(b, Options{})
	p, err := s.Prepare(ctx, [][]string{{"Die Feuerwehr rückte mit 14 Fahrzeugen aus, konnte das Gebäude aber nicht mehr retten."}})
	if err != nil {
		b.Fatal(err)
	}
	var rows []float64
	segs, hyps := []int{0}, []string{"Die Feuerwehr kam mit 14 Wagen, konnte aber das Gebäude nicht mehr retten."}
	b.ReportAllocs()
	for b.Loop() {
		rows, _ = p.Append(ctx, rows[:0], segs, hyps)
	}
}
