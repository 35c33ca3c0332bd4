package overlap

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit/limittest"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/scorertest"
	"github.com/mteval/mteval/tokenize"
)

var ctx = context.Background()

func mustF(t testing.TB, o FOptions) *FScorer {
	t.Helper()
	s, err := NewF(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustError(t testing.TB, r Rate, o Options) *RateScorer {
	t.Helper()
	s, err := NewRate(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func errorOf[T any](_ T, err error) error { return err }

// The values of testdata/jiwer.json are jiwer's: see scripts/record_jiwer.py.
func TestJiwer(t *testing.T) {
	var rec struct {
		Cases []struct {
			Refs, Hyps         []string
			WER, MER, WIL, CER float64
			Hits               int
			Substitutions      int
			Deletions          int
			Insertions         int
		}
	}
	shareddata.ReadJSON(t, "testdata/jiwer.json", &rec)
	if len(rec.Cases) < 200 {
		t.Fatalf("%d cases", len(rec.Cases))
	}
	for i, c := range rec.Cases {
		refs, err := mteval.Segments(c.Refs)
		if err != nil {
			t.Fatal(err)
		}
		for rate, want := range map[Rate]float64{WER: c.WER, MER: c.MER, WIL: c.WIL, CER: c.CER} {
			r, err := mteval.Corpus(ctx, mustError(t, rate, Options{}), refs, c.Hyps)
			if err != nil || math.Abs(r.Score-want) > 1e-12 {
				t.Errorf("case %d: %v = %v, %v; jiwer has %v\nref %q\nhyp %q", i, rate, r, err, want, c.Refs, c.Hyps)
			}
		}
		var got [4]int
		for k := range c.Refs {
			a := limittest.MustAlign(t, mustError(t, MER, Options{}).Align, c.Refs[k], c.Hyps[k])
			for n, x := range []int{a.Matches, a.Substitutions, a.Deletions, a.Insertions} {
				got[n] += x
			}
		}
		if d := cmp.Diff([4]int{c.Hits, c.Substitutions, c.Deletions, c.Insertions}, got); d != "" {
			t.Errorf("case %d: counts (-jiwer +got):\n%s", i, d)
		}
	}
}

// The values of testdata/jiwer_long.json are jiwer's, of pairs that are so long that RapidFuzz
// divides them: see scripts/record_jiwer_long.py.
func TestJiwerLong(t *testing.T) {
	var rec struct {
		Cases []struct {
			Seed, Words, Different, Of int
			Counts                     [4]int
			WIL                        float64
		}
	}
	shareddata.ReadJSON(t, "testdata/jiwer_long.json", &rec)
	if len(rec.Cases) < 11 {
		t.Fatalf("%d cases", len(rec.Cases))
	}
	for _, c := range rec.Cases {
		state := int64(c.Seed)
		below := func(n int) int {
			state = (state*1103515245 + 12345) % (1 << 31)
			return int(state>>16) % n
		}
		words := make([]int, c.Words)
		for i := range words {
			words[i] = below(c.Different)
		}
		var hyp []int
		for _, w := range words {
			if c.Of == 0 {
				hyp = append(hyp, below(c.Different))
				continue
			}
			switch below(3 * c.Of) {
			case 0:
				hyp = append(hyp, below(c.Different))
			case 1:
				hyp = append(hyp, w, below(c.Different))
			case 2:
			default:
				hyp = append(hyp, w)
			}
		}
		line := func(words []int) string { return strings.Trim(fmt.Sprint(words), "[]") }
		s := mustError(t, WIL, Options{})
		a := limittest.MustAlign(t, s.Align, line(words), line(hyp))
		if d := cmp.Diff(c.Counts, [4]int{a.Matches, a.Substitutions, a.Deletions, a.Insertions}); d != "" {
			t.Errorf("case %d: counts (-jiwer +got):\n%s", c.Seed, d)
		}
		r, err := mteval.Sentence(ctx, s, []string{line(words)}, line(hyp))
		if err != nil || math.Abs(r.Score-c.WIL) > 1e-12 {
			t.Errorf("case %d: %v, %v; jiwer has %v", c.Seed, r, err, c.WIL)
		}
	}
}

// The lecture's examples (Läubli and Müller 2019), and inputs on which public tools
// went wrong.
func TestExamples(t *testing.T) {
	const ref = "Israeli officials are responsible for airport security"
	for _, tt := range []struct {
		rate      Rate
		opt       Options
		hyp       string
		refs      []string
		want      float64
		tolerance float64
	}{
		{WER, Options{}, "Israeli officials responsibility of airport safety", []string{ref}, 4. / 7, 0},
		{WER, Options{}, "This airport's security is the responsibility of the Israeli security officials", []string{ref}, 10. / 7, 0},
		{PER, Options{}, "airport security Israeli officials are responsible", []string{ref}, 1. / 7, 0},
		{PER, Options{}, "a b c x", []string{"a b"}, 1, 0},
		{PER, Options{}, "b a", []string{"a b"}, 0, 0},
		{WER, Options{}, "", []string{""}, 0, 0},
		{WER, Options{}, "two words", []string{""}, 2, 0},
		{CER, Options{}, "abc", []string{""}, 3, 0},
		{CER, Options{}, " über ", []string{"uber"}, .25, 0},
		{CER, Options{}, "\xff\xfe", []string{"\xff\xfd"}, .5, 0},
		{WIL, Options{}, "", []string{"a"}, 1, 0},
		{MER, Options{}, "a", []string{""}, 1, 0},
		{WER, Options{Lowercase: true}, "A ÜBER", []string{"a über"}, 0, 0},
		{WER, Options{Tokenizer: tokenize.V13a}, "Well, yes.", []string{"Well yes ."}, 1. / 3, 0},
		{WER, Options{}, "a b c", []string{"x y z", "a b"}, .5, 0},
		{WIL, Options{}, "a b c", []string{"x y z", "a b c", "a b"}, 0, 0},
	} {
		r, err := mteval.Sentence(ctx, mustError(t, tt.rate, tt.opt), tt.refs, tt.hyp)
		if err != nil || math.Abs(r.Score-tt.want) > 1e-12 {
			t.Errorf("%v of %q against %q: %v, %v; want %v", tt.rate, tt.hyp, tt.refs, r, err, tt.want)
		}
	}
	f := mustF(t, FOptions{})
	for _, tt := range []struct {
		hyp  string
		refs []string
		want mteval.PRF
	}{
		{"Israeli officials responsibility of airport safety", []string{ref}, mteval.PRF{P: 3. / 6, R: 3. / 7, F: 6. / 13}},
		{"airport security Israeli officials are responsible", []string{ref}, mteval.PRF{P: 1, R: 6. / 7, F: 12. / 13}},
		{"the the the", []string{"the cat"}, mteval.PRF{P: 1. / 3, R: 1. / 2, F: 2. / 5}},
		{"a b", []string{"a x y z", "a b c"}, mteval.PRF{P: 1, R: 2. / 3, F: 4. / 5}},
		{"", []string{"a"}, mteval.PRF{}},
		{"a", []string{""}, mteval.PRF{}},
		{"", []string{""}, mteval.PRF{}},
	} {
		r, err := mteval.Sentence(ctx, f, tt.refs, tt.hyp)
		if err != nil {
			t.Fatal(err)
		}
		got := f.PRF(r.Sum)
		if math.Abs(got.P-tt.want.P)+math.Abs(got.R-tt.want.R)+math.Abs(got.F-tt.want.F) > 1e-12 {
			t.Errorf("%q against %q: %+v, want %+v", tt.hyp, tt.refs, got, tt.want)
		}
	}
}

func TestAlign(t *testing.T) {
	for _, tt := range []struct {
		rate     Rate
		hyp, ref string
		want     string
	}{
		{WER, "the cat sit on mat now", "the cat sat on the mat", "the=the cat=cat sat/sit on=on the/mat mat/now"},
		{CER, "kitten", "sitting", "s/k i=i t=t t=t i/e n=n g-"},
		{WER, "", "a", "a-"},
		{WER, "a", "", "+a"},
	} {
		a := limittest.MustAlign(t, mustError(t, tt.rate, Options{}).Align, tt.ref, tt.hyp)
		var got []string
		for _, s := range a.Steps {
			switch s.Op {
			case Match:
				got = append(got, a.Ref[s.Ref]+"="+a.Hyp[s.Hyp])
			case Substitution:
				got = append(got, a.Ref[s.Ref]+"/"+a.Hyp[s.Hyp])
			case Deletion:
				got = append(got, a.Ref[s.Ref]+"-")
			case Insertion:
				got = append(got, "+"+a.Hyp[s.Hyp])
			}
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%q to %q: %s, want %s", tt.ref, tt.hyp, g, tt.want)
		}
	}
}

func TestConformance(t *testing.T) {
	for _, o := range []Options{{}, {Lowercase: true, Tokenizer: tokenize.V13a}, {Tokenizer: tokenize.Char}} {
		for rate := WER; rate <= PER; rate++ {
			var variants []mteval.Scorer
			for _, n := range []int{1, 2, 5} {
				v := o
				v.Workers = n
				variants = append(variants, mustError(t, rate, v))
			}
			if err := scorertest.Test(mustError(t, rate, o), scorertest.Options{Variants: variants}); err != nil {
				t.Errorf("%v %+v: %v", rate, o, err)
			}
		}
		for _, beta := range []float64{0, 3} {
			s := mustF(t, FOptions{Options: o, Beta: beta})
			if err := scorertest.Test(s, scorertest.Options{}); err != nil {
				t.Errorf("F %v %+v: %v", beta, o, err)
			}
		}
	}
}

// The zero scorers are those of zero options.
func TestZero(t *testing.T) {
	limittest.Zero(t, mustError(t, WER, Options{}), new(RateScorer))
	limittest.Zero(t, mustF(t, FOptions{}), new(FScorer))
	if a := limittest.MustAlign(t, new(RateScorer).Align, "a b", "a"); a.Deletions != 1 {
		t.Errorf("%+v", a)
	}
	if _, err := new(FScorer).PrepareMatch(ctx, [][]string{{"a"}}); err != nil {
		t.Error(err)
	}
}

func TestMaxTokens(t *testing.T) {
	for rate := WER; rate <= PER; rate++ {
		limittest.Test(t, "an", 0, func(n int) mteval.Scorer { return mustError(t, rate, Options{MaxTokens: n}) })
	}
	limittest.Test(t, "an", 0, func(n int) mteval.Scorer { return mustF(t, FOptions{Options: Options{MaxTokens: n}}) })
	// The tokens are counted that the tokenizer makes.
	s := mustError(t, MER, Options{MaxTokens: 3, Tokenizer: tokenize.V13a})
	if _, err := mteval.Sentence(ctx, s, []string{"a"}, "a, b."); !errors.Is(err, mteval.ErrTooLong) {
		t.Errorf("four tokens in two words: error %v", err)
	}
	for rate := WER; rate <= PER; rate++ {
		s := mustError(t, rate, Options{MaxTokens: 2})
		// White space bounds CER's words, and its characters are not counted.
		limittest.Align(t, "overlap", "an an", "an an an", func(ref, hyp string) error { return errorOf(s.Align(ctx, ref, hyp)) })
	}
}

// Within one pair of texts there are looks at the context.
func TestLooks(t *testing.T) {
	line := func(n, seed int) string {
		rng := rand.New(rand.NewPCG(uint64(seed), 15))
		var b strings.Builder
		for range n {
			fmt.Fprint(&b, rng.IntN(n), " ")
		}
		return b.String()
	}
	long, other := line(40_000, 1), line(40_000, 2)
	less, another := line(7_000, 3), line(7_000, 4)
	for rate := WER; rate <= PER; rate++ {
		s := mustError(t, rate, Options{})
		switch rate {
		case CER:
			limittest.Looks(t, s, less[:12_000], another[:12_000], 2, 5)
		case PER:
			limittest.Looks(t, s, long, other, 4, 4)
		default:
			limittest.Looks(t, s, less, another, 2, 4)
		}
	}
	limittest.Looks(t, mustF(t, FOptions{}), long, other, 4, 4)
	done, cancel := context.WithCancel(ctx)
	cancel()
	if a, err := mustError(t, MER, Options{}).Align(done, less, another); err != context.Canceled {
		t.Errorf("Align: %v, %v", a, err)
	}
}

// What once took memory, or time, in the square of the length.
func TestLong(t *testing.T) {
	n := 300_000
	if race.Enabled || testing.Short() {
		n = 30_000
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprint(&b, i, " ")
	}
	text := b.String()
	near := "x " + strings.Replace(text, " 17000 ", " x x ", 1) + "x"
	for rate := WER; rate <= PER; rate++ {
		s := mustError(t, rate, Options{})
		if rate == CER && race.Enabled {
			continue
		}
		p, err := s.Prepare(ctx, [][]string{{text}})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := p.Append(ctx, nil, []int{0, 0}, []string{text, near})
		if err != nil {
			t.Fatal(err)
		}
		w := s.Width()
		errors := rows[w]
		if w == 4 {
			errors = rows[5] + rows[6] + rows[7]
		}
		want := map[Rate]float64{WER: 4, MER: 4, WIL: 4, CER: 9, PER: 4}[rate]
		if s.Score(rows[:w]) != 0 || errors != want {
			t.Errorf("%v: rows %v, want 0 and %v errors", rate, rows, want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	if _, err := NewRate(9, Options{}); err == nil {
		t.Error("no error for an unknown rate")
	}
	for _, beta := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := NewF(FOptions{Beta: beta}); err == nil {
			t.Errorf("no error for beta %v", beta)
		}
	}
}

// MER and WIL stay within 0 to 1, PER is never above WER.
func TestBounds(t *testing.T) {
	line := rapid.StringMatching(`[a-c ]{0,30}`)
	rapid.Check(t, func(rt *rapid.T) {
		hyp, ref := line.Draw(rt, "hyp"), line.Draw(rt, "ref")
		score := map[Rate]float64{}
		for rate := WER; rate <= PER; rate++ {
			r, err := mteval.Sentence(ctx, mustError(t, rate, Options{}), []string{ref}, hyp)
			if err != nil {
				rt.Fatal(err)
			}
			score[rate] = r.Score
			if r.Score < 0 || (rate == MER || rate == WIL) && r.Score > 1 {
				rt.Fatalf("%v = %v", rate, r.Score)
			}
		}
		if score[PER] > score[WER] {
			rt.Fatalf("PER %v above WER %v", score[PER], score[WER])
		}
	})
}

func FuzzOverlap(f *testing.F) {
	f.Add("a b", "b \xff")
	f.Fuzz(func(t *testing.T, hyp, ref string) {
		for rate := WER; rate <= PER; rate++ {
			s := mustError(t, rate, Options{})
			r, err := mteval.Sentence(ctx, s, []string{ref}, hyp)
			if err != nil || !(r.Score >= 0) || math.IsInf(r.Score, 0) {
				t.Fatalf("%v: %v, %v", rate, r, err)
			}
			limittest.MustAlign(t, s.Align, ref, hyp)
		}
	})
}

func BenchmarkWER(b *testing.B) {
	p, err := mustError(b, WER, Options{}).Prepare(ctx, [][]string{{"Die Feuerwehr rückte mit 14 Fahrzeugen aus, konnte das Gebäude aber nicht mehr retten."}})
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
