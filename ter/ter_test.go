package ter

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

// The values of testdata/sacrebleu.json are sacreBLEU's: see
// scripts/record_sacrebleu.py. Those of ../shared are its own tests' and more.
func TestSacreBLEU(t *testing.T) {
	t.Run("recorded", func(t *testing.T) { testCases(t, sacretest.Recorded(t, "testdata/sacrebleu.json"), 70) })
	t.Run("golden", func(t *testing.T) { testCases(t, sacretest.Golden(t, "TER"), 55) })
}

func testCases(t *testing.T, cases []sacretest.Case, least int) {
	for _, c := range cases {
		var o struct {
			Normalized    bool
			NoPunct       bool `json:"no_punct"`
			Asian         bool `json:"asian_support"`
			CaseSensitive bool `json:"case_sensitive"`
		}
		sacretest.Decode(t, c.Options, &o)
		s := New(Options{Normalized: o.Normalized, NoPunct: o.NoPunct, Asian: o.Asian, CaseSensitive: o.CaseSensitive})
		r, err := mteval.Corpus(ctx, s, c.Refs, c.Hyps)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		if math.Abs(r.Score-c.Values.Score) > 1e-9 {
			t.Errorf("%s: %v, sacreBLEU has %v", c.ID, r.Score, c.Values.Score)
		}
		sacretest.Compare(t, &c, r, 2)
		if s := s.Detail(r.Sum).String(); s != c.Values.Str {
			t.Errorf("%s: %s, want %s", c.ID, s, c.Values.Str)
		}
	}
	t.Logf("%d cases", len(cases))
	if len(cases) < least {
		t.Errorf("only %d cases compared", len(cases))
	}
}

func TestWMT19(t *testing.T) { sacretest.WMT19(t, "TER", New(Options{})) }

// Inputs on which public tools went wrong, and edges.
func TestExamples(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  Options
		hyps []string
		refs [][]string
		want float64
	}{
		{"empty hypothesis", Options{}, []string{"", "the blue door is open"}, [][]string{{"one two three four"}, {"the blue door is open"}}, 400. / 9},
		{"empty reference segment", Options{}, []string{"hello there my friend", "x"}, [][]string{{"hello there my friend"}, {""}}, 25},
		{"above 100", Options{}, []string{"one two three four"}, [][]string{{"five"}}, 400},
		{"nothing", Options{}, []string{""}, [][]string{{""}}, 0},
		{"empty reference", Options{}, []string{"a b c"}, [][]string{{""}}, 100},
		{"Chinese punctuation", Options{Normalized: true, Asian: true}, []string{"他说:好的,走吧."}, [][]string{{"他说：好的，走吧。"}}, 100. / 3},
		{"Chinese without punctuation", Options{Normalized: true, Asian: true, NoPunct: true}, []string{"他说:好的,走吧."}, [][]string{{"他说：好的，走吧。"}}, 0},
		{"the lecture's shift", Options{}, []string{"airport security Israeli officials are responsible"}, [][]string{{"Israeli officials are responsible for airport security"}}, 200. / 7},
		{"references are tokenized twice, as in sacreBLEU", Options{Normalized: true}, []string{"a ..5"}, [][]string{{"a ..5"}}, 50},
		{"fewest edits, mean length", Options{}, []string{"a b c"}, [][]string{{"a b", "a b c d e f"}}, 100. / 4},
	} {
		r, err := mteval.Corpus(ctx, New(tt.opt), tt.refs, tt.hyps)
		if err != nil || math.Abs(r.Score-tt.want) > 1e-9 {
			t.Errorf("%s: %+v, %v; want %v", tt.name, r, err, tt.want)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

func TestAlign(t *testing.T) {
	for _, tt := range []struct{ hyp, ref, want string }{
		{"airport security Israeli officials are responsible", "Israeli officials are responsible for airport security",
			"shift[airport security] israeli=israeli officials=officials are=are responsible=responsible +for airport=airport@0 security=security@0"},
		{"a b x d", "a c d", "a=a b- x/c d=d"},
		{"", "a b", "+a +b"},
		{"a b", "", "a- b-"},
		{"", "", ""},
	} {
		a := limittest.MustAlign(t, New(Options{}).Align, tt.ref, tt.hyp)
		var out []string
		for _, s := range a.Shifts {
			var words []string
			for _, w := range s.Words {
				words = append(words, a.Hyp[w])
			}
			out = append(out, "shift["+strings.Join(words, " ")+"]")
		}
		for _, e := range a.Edits {
			s := ""
			switch e.Op {
			case Match:
				s = a.Hyp[e.Hyp] + "=" + a.Ref[e.Ref]
			case Substitute:
				s = a.Hyp[e.Hyp] + "/" + a.Ref[e.Ref]
			case Delete:
				s = a.Hyp[e.Hyp] + "-"
			case Insert:
				s = "+" + a.Ref[e.Ref]
			}
			if e.Shift >= 0 {
				s += fmt.Sprintf("@%d", e.Shift)
			}
			out = append(out, s)
		}
		if got := strings.Join(out, " "); got != tt.want {
			t.Errorf("%q to %q: %s, want %s", tt.hyp, tt.ref, got, tt.want)
		}
	}
}

// An alignment is a way from the hypothesis to the reference, with as many edits as
// the score counts.
func TestAlignIsAWay(t *testing.T) {
	line := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a b c d e f")), 0, 40),
		func(w []string) string { return strings.Join(w, " ") })
	s := New(Options{})
	rapid.Check(t, func(t *rapid.T) {
		hyp, ref := line.Draw(t, "hyp"), line.Draw(t, "ref")
		a := limittest.MustAlign(t, s.Align, ref, hyp)
		r, err := mteval.Sentence(ctx, s, []string{ref}, hyp)
		if err != nil || int(r.Sum[0]) != a.Errors {
			t.Fatalf("%d edits, the score has %v, %v", a.Errors, r.Sum, err)
		}
		seen := make([]bool, len(a.Hyp))
		next, edits := 0, len(a.Shifts)
		for _, e := range a.Edits {
			if e.Op != Match {
				edits++
			}
			if (e.Hyp < 0) != (e.Op == Insert) || (e.Ref < 0) != (e.Op == Delete) {
				t.Fatalf("%v", e)
			}
			if e.Hyp >= 0 {
				if seen[e.Hyp] {
					t.Fatalf("word %d twice", e.Hyp)
				}
				seen[e.Hyp] = true
			}
			if e.Ref >= 0 {
				if e.Ref != next {
					t.Fatalf("reference word %d where %d is next", e.Ref, next)
				}
				next++
			}
			if e.Hyp >= 0 && e.Ref >= 0 && (a.Hyp[e.Hyp] == a.Ref[e.Ref]) != (e.Op == Match) {
				t.Fatalf("%v", e)
			}
		}
		for i, ok := range seen {
			if !ok {
				t.Fatalf("word %d is lost", i)
			}
		}
		if next != len(a.Ref) || edits != a.Errors {
			t.Fatalf("%d reference words of %d, %d edits of %d", next, len(a.Ref), edits, a.Errors)
		}
	})
}

// A segment of 5,000 words ends, with what ended the search said.
func TestLongSegment(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hyp, ref := make([]string, 5000), make([]string, 5000)
	for i := range hyp {
		hyp[i], ref[i] = fmt.Sprint("w", rng.IntN(300)), fmt.Sprint("w", rng.IntN(300))
	}
	s := New(Options{})
	r, err := mteval.Sentence(ctx, s, []string{strings.Join(ref, " ")}, strings.Join(hyp, " "))
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Detail(r.Sum); d.Limited != 1 || d.Score <= 0 || d.Edits > 5000 {
		t.Errorf("%+v", d)
	}
	if a := limittest.MustAlign(t, s.Align, "b a", "a b"); a.Limited {
		t.Error("a short segment is limited")
	}
}

// The zero Scorer is that of zero Options.
func TestZero(t *testing.T) {
	limittest.Zero(t, New(Options{}), new(Scorer))
	if d := cmp.Diff(limittest.MustAlign(t, New(Options{}).Align, "a b", "b a"), limittest.MustAlign(t, new(Scorer).Align, "a b", "b a")); d != "" {
		t.Errorf("alignment (-made +zero):\n%s", d)
	}
}

func TestMaxTokens(t *testing.T) {
	limittest.Test(t, "an", 0, func(n int) mteval.Scorer { return New(Options{MaxTokens: n}) })
	s := New(Options{MaxTokens: 2, Normalized: true})
	limittest.Align(t, "ter", "a b", "a, b", func(ref, hyp string) error { return errorOf(s.Align(ctx, ref, hyp)) })
}

// Within one pair of texts there are looks at the context.
func TestLooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	hyp, ref := make([]string, 10_000), make([]string, 10_000)
	for i := range hyp {
		hyp[i], ref[i] = fmt.Sprint("w", rng.IntN(15)), fmt.Sprint("w", rng.IntN(15))
	}
	limittest.Looks(t, New(Options{}), strings.Join(ref, " "), strings.Join(hyp, " "), 2, 6)
	done, cancel := context.WithCancel(ctx)
	cancel()
	if a, err := New(Options{}).Align(done, strings.Join(ref, " "), strings.Join(hyp, " ")); err != context.Canceled {
		t.Errorf("Align: %v, %v", a, err)
	}
}

func FuzzTER(f *testing.F) {
	f.Add("a b c d", "d, a b c", true)
	f.Add("\xff 's &lt;", "", false)
	f.Fuzz(func(t *testing.T, hyp, ref string, x bool) {
		s := New(Options{Normalized: x, Asian: x, NoPunct: !x, CaseSensitive: !x})
		r, err := mteval.Sentence(ctx, s, []string{ref, hyp + ref}, hyp)
		if err != nil || !(r.Score >= 0) || math.IsInf(r.Score, 0) {
			t.Fatalf("%v, %v", r, err)
		}
		limittest.MustAlign(t, s.Align, ref, hyp)
	})
}

// shifted is a pair of 400 words of which 12 runs have moved.
func shifted() (hyp, ref string) {
	rng := rand.New(rand.NewPCG(3, 4))
	words := make([]string, 400)
	for i := range words {
		words[i] = fmt.Sprint("w", rng.IntN(250))
	}
	ref = strings.Join(words, " ")
	for range 12 {
		n := 3 + rng.IntN(6)
		from := rng.IntN(len(words) - n)
		run := append([]string(nil), words[from:from+n]...)
		rest := append(append([]string(nil), words[:from]...), words[from+n:]...)
		to := min(len(rest), max(0, from+rng.IntN(61)-30))
		words = append(append(append([]string(nil), rest[:to]...), run...), rest[to:]...)
	}
	return strings.Join(words, " "), ref
}

func BenchmarkAppend(b *testing.B) {
	long, longRef := shifted()
	for _, bb := range []struct{ name, hyp, ref string }{
		{"sentence", "Die Feuerwehr kam mit 14 Wagen, konnte aber das Gebäude nicht mehr retten.", "Die Feuerwehr rückte mit 14 Fahrzeugen aus, konnte das Gebäude aber nicht mehr retten."},
		{"400 words, 12 runs moved", long, longRef},
	} {
		b.Run(bb.name, func(b *testing.B) {
			p, err := New(Options{}).Prepare(ctx, [][]string{{bb.ref}})
			if err != nil {
				b.Fatal(err)
			}
			var rows []float64
			segs, hyps := []int{0}, []string{bb.hyp}
			b.ReportAllocs()
			for b.Loop() {
				rows, _ = p.Append(ctx, rows[:0], segs, hyps)
			}
		})
	}
}
