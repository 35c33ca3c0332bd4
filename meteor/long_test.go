package meteor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mteval/mteval/internal/race"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit/limittest"
	"github.com/mteval/mteval/internal/pace"
)

func repeated(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

// numbered are n different words.
func numbered(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format+" ", i)
	}
	return out.String()
}

func readTable(t testing.TB, pairs ...string) *Paraphrases {
	t.Helper()
	var text strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		text.WriteString("1\n" + pairs[i] + "\n" + pairs[i+1] + "\n")
	}
	table, err := ReadParaphrases(context.Background(), strings.NewReader(text.String()), "table")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestMaxTokens(t *testing.T) {
	for _, n := range []Normalization{Raw, Full} {
		limittest.Test(t, "a", 0, func(most int) mteval.Scorer { return mustNew(t, Options{Normalization: n, MaxTokens: most}) })
		s := mustNew(t, Options{Normalization: n, MaxTokens: 2})
		limittest.Align(t, "meteor", "a b", "a b c", func(ref, hyp string) error {
			return errorOf(s.Align(context.Background(), ref, hyp))
		})
	}
}

func TestCancel(t *testing.T) {
	table := readTable(t, "a", "b")
	one, other := repeated("a", 60_000), repeated("a", 59_999)
	many := numbered(150_000, "w%d")
	for name, tt := range map[string]struct {
		o        Options
		hyp, ref string
	}{
		"few words":        {Options{}, one, other},
		"normalized":       {Options{Normalization: Full}, one, other},
		"paraphrases":      {Options{Paraphrases: table}, one, repeated("b", 60_000)},
		"large beam":       {Options{Beam: maxBeam}, repeated("a", 900), repeated("a", 899)},
		"many words":       {Options{}, many, "x " + many},
		"words of letters": {Options{}, numbered(10_000, strings.Repeat("y", 3900)+"%d"), "a"},
	} {
		t.Run(name, func(t *testing.T) { limittest.Cancel(t, mustNew(t, tt.o), tt.ref, tt.hyp) })
	}
	t.Run("Match", func(t *testing.T) {
		m, err := mustNew(t, Options{}).PrepareMatch(t.Context(), [][]string{{other}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := m.Match(ctx, make([]mteval.Matching, 1), nil, []string{one}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("Prepare", func(t *testing.T) {
		limittest.CancelPrepare(t, mustNew(t, Options{}), numbered(10_000, strings.Repeat("y", 3900)+"%d"))
	})
}

// Equal texts take linear time, whatever is in them.
func TestEqual(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, text := range []string{repeated("the", 100_000), numbered(100_000, "w%d"), strings.Repeat("a", 20_000)} {
		for _, o := range []Options{{}, {Normalization: Full}, {Correct: Corrections{AllModules: true}}} {
			s := mustNew(t, o)
			p, err := s.Prepare(ctx, [][]string{{text}})
			if err != nil {
				t.Fatal(err)
			}
			row, err := p.Append(ctx, nil, nil, []string{text})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Score(row); got != 1 {
				t.Errorf("%.20s…: score %v", text, got)
			}
		}
	}
}

// allocated is how much memory f asks for in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Memory grows with the length of the texts, not with its square: there are 4 million ways to
// match a word here.
func TestMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	const n = 2000
	pairs := []string{"a", "b"}
	for i := range n {
		w := fmt.Sprintf("p%d", i)
		pairs = append(pairs, "a", w, w, "a")
	}
	table := readTable(t, pairs...)
	for name, tt := range map[string]struct{ hyp, ref string }{
		"equal words":          {repeated("a", n), repeated("a", n-1)},
		"paraphrases":          {repeated("a", n), repeated("b", n)},
		"a word's paraphrases": {repeated("a", n), numbered(n, "p%d")},
		"and back":             {numbered(n, "p%d"), repeated("a", n)},
	} {
		s := mustNew(t, Options{Modules: []Module{Exact, Paraphrase}, Paraphrases: table})
		var a *Alignment
		if got := allocated(func() { a = limittest.MustAlign(t, s.Align, tt.ref, tt.hyp) }); got > 40<<20 {
			t.Errorf("%s: %d MB", name, got>>20)
		}
		if a.HypMatched < n-1 {
			t.Errorf("%s: %v words are matched", name, a.HypMatched)
		}
	}
}

func TestTooManySteps(t *testing.T) {
	s := mustNew(t, Options{Beam: maxBeam})
	a := aligner{s: s, count: []int32{1}, first: []int32{0}, all: []mteval.Span{{HypLen: 1, RefLen: 1}}, hyp: make([]*word, 1), ref: make([]*word, 1)}
	a.modules = s.modules
	if err := a.search(); err != nil {
		t.Fatal(err)
	}
	// A pair that a table has more often than can be tried.
	var pairs []string
	for range 5000 {
		pairs = append(pairs, "a", "b")
	}
	p, err := mustNew(t, Options{Paraphrases: readTable(t, pairs...)}).Prepare(t.Context(), [][]string{{repeated("b", 1000)}})
	if err != nil {
		t.Fatal(err)
	}
	var at *mteval.SegmentError
	if _, err := p.Append(t.Context(), nil, nil, []string{repeated("a", 1000)}); !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) || at.Side != mteval.HypothesisSide {
		t.Errorf("5 million ways to match a word: %v", err)
	}
}

// What is cut short finds what the whole search does.
func TestShortCuts(t *testing.T) {
	table := readTable(t, "a", "b", "b b", "a", "c", "a b c", "a b", "c", "a", "b")
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SampledFrom(strings.Fields("a b c run runs running variants gelato car automobile"))
		o := Options{Beam: rapid.IntRange(1, 50).Draw(rt, "beam")}
		o.Correct = Corrections{AllModules: rapid.Bool().Draw(rt, "all"), Rewards: rapid.Bool().Draw(rt, "rewards"), Distance: rapid.Bool().Draw(rt, "distance")}
		o.Modules = rapid.SampledFrom([][]Module{{Exact}, {Exact, Stem}, {Exact, Stem, Synonym}, {Stem, Exact}, {Exact, Stem, Synonym, Paraphrase}}).Draw(rt, "modules")
		if slices.Contains(o.Modules, Paraphrase) {
			o.Paraphrases = table
		}
		s := mustNew(t, o)
		text := rapid.SliceOfN(words, 1, 12).Draw(rt, "text")
		line := strings.Join(text, " ")
		var a aligner
		var sides [2]side
		sc := s.scratch(t.Context())
		for i := range sides {
			if err := s.read(&sides[i], sc, line); err != nil {
				rt.Fatal(err)
			}
		}
		got, err := a.align(s, &sides[0], &sides[1])
		if err != nil {
			rt.Fatal(err)
		}
		got = slices.Clone(got)
		// Without the short cut.
		a.matches, a.keys, a.stem, a.bloom = nil, nil, nil, nil
		for _, w := range sides[0].words {
			a.keys, a.stem, a.bloom = append(a.keys, w.key), append(a.stem, w.stem), append(a.bloom, w.bloom)
		}
		if at := slices.Index(a.modules, Paraphrase); at >= 0 {
			if err := a.phrases.set(table, &sides[0], &sides[1], int32(at), new(pace.Pace)); err != nil {
				rt.Fatal(err)
			}
		}
		if err := errors.Join(a.cover(), a.search()); err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(a.matches, got); d != "" {
			rt.Errorf("%s (-search +short):\n%s", line, d)
		}
	})
}

// Candidates by paraphrases are those of the definition, in its order.
func TestPhraseCandidates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		phrases := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3), func(w []string) string { return strings.Join(w, " ") })
		pairs := rapid.SliceOfN(phrases, 2, 20).Draw(rt, "pairs")
		table := readTable(t, pairs[:len(pairs)/2*2]...)
		s := mustNew(t, Options{Paraphrases: table})
		sc := s.scratch(t.Context())
		var hyp, ref side
		texts := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 10), func(w []string) string { return strings.Join(w, " ") })
		if err := errors.Join(s.read(&hyp, sc, texts.Draw(rt, "hyp")), s.read(&ref, sc, texts.Draw(rt, "ref"))); err != nil {
			rt.Fatal(err)
		}
		want := make([][]mteval.Span, len(ref.words))
		for _, f := range ref.phrases {
			for _, q := range table.row(f.row) {
				for k := range hyp.words {
					if n := table.length(q, hyp.words[k:]); n > 0 {
						want[f.start] = append(want[f.start], mteval.Span{Hyp: int32(k), Ref: f.start, HypLen: n, RefLen: f.n, Stage: 3})
					}
				}
			}
		}
		for _, f := range hyp.phrases {
			for _, q := range table.row(f.row) {
				for k := range ref.words {
					if n := table.length(q, ref.words[k:]); n > 0 {
						want[k] = append(want[k], mteval.Span{Hyp: f.start, Ref: int32(k), HypLen: f.n, RefLen: n, Stage: 3})
					}
				}
			}
		}
		var p phraseMatcher
		var pc pace.Pace
		for range 2 { // again, with the same room
			if err := p.set(table, &hyp, &ref, 3, &pc); err != nil {
				rt.Fatal(err)
			}
			for i := range ref.words {
				got, err := p.at(i, &pc)
				if err != nil {
					rt.Fatal(err)
				}
				if d := cmp.Diff(want[i], slices.Clone(got)); d != "" && len(got)+len(want[i]) > 0 {
					rt.Errorf("word %d (-want +got):\n%s", i, d)
				}
			}
		}
	})
}

// Sums over sets of words are those over the words.
func TestDistances(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const n = 200
		word := rapid.SampledFrom([]uint64{0, ^uint64(0), 1, 1 << 63, 0x123456789abcdef})
		offered := rapid.SliceOfN(word, 4, 4).Draw(rt, "offered")
		used := rapid.SliceOfN(word, 4, 4).Draw(rt, "used")
		at := rapid.Int32Range(0, n)
		from, to, i := at.Draw(rt, "from"), at.Draw(rt, "to"), at.Draw(rt, "i")
		want := int64(0)
		for j := from; j < to; j++ {
			if (offered[j>>6]&^used[j>>6])>>(j&63)&1 == 1 {
				want += int64(max(i-j, j-i))
			}
		}
		if got := distances(offered, used, from, to, i); got != want {
			rt.Errorf("%d, want %d", got, want)
		}
	})
}

// A long line has the words that it would have if it were not cut.
func TestCut(t *testing.T) {
	parts := []string{"Dr. No", "a.m. x", "co-op", "don't", "x's", "U.S.", "...", "“a”", "''", ",", "1,000", "a , b", "MULTI", "DOTMULTI .", "–", "x", "Ära", "дом", "中文", " ", "\t", "\xff", "1'sa", "- a", "No. 5"}
	rapid.Check(t, func(rt *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(parts), 1, 30).Draw(rt, "parts")
		line := strings.Repeat(strings.Join(some, " ")+" ", 3*piece/len(strings.Join(some, " "))+1)
		norm := rapid.SampledFrom([]Normalization{Full, FullNoPunct}).Draw(rt, "norm")
		language := rapid.SampledFrom([]string{"en", "fr", "de"}).Draw(rt, "language")
		s := splitter{norm: norm, english: language == "en", french: language == "fr", prefixes: DefaultResources().prefixes[language]}
		var got, want words
		if err := s.split(&got, line); err != nil {
			rt.Fatal(err)
		}
		s.normalize(&want, line, 0)
		if string(got.text) != string(want.text) || !slices.Equal(got.spans, want.spans) {
			rt.Errorf("%q is split otherwise", some)
		}
	})
}
