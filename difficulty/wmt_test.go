package difficulty_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

// saved is what the weights are once they were written and read.
func saved(t testing.TB, w *difficulty.Weights) *difficulty.Weights {
	t.Helper()
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	read := new(difficulty.Weights)
	if err := json.Unmarshal(data, read); err != nil {
		t.Fatal(err)
	}
	return read
}

// lines reads the first n lines (0: all) of a file of ../shared/data.
func lines(t testing.TB, n int, elem ...string) []string {
	t.Helper()
	all := shareddata.ReadLines(t, shareddata.Path(t, append([]string{"data"}, elem...)...))
	if n > 0 {
		all = all[:n]
	}
	return all
}

// corpus reads the reference of a pair and the outputs of systems.
func corpus(t testing.TB, pair, target string, names []string, n int) ([][]string, []mteval.System) {
	t.Helper()
	refs, err := mteval.Segments(lines(t, n, pair, "ref."+target))
	if err != nil {
		t.Fatal(err)
	}
	var systems []mteval.System
	for _, name := range names {
		systems = append(systems, mteval.System{Name: name, Hyps: lines(t, n, pair, "sys", name+".txt")})
	}
	return refs, systems
}

// bestOf returns the systems of a pair by human score, the best first.
func bestOf(t testing.TB, pair string) []string {
	t.Helper()
	var names []string
	for _, line := range lines(t, 0, pair, "human-system.tsv")[1:] {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names
}

func bertScore(t testing.TB, b backend.Backend, o bertscore.Options) *bertscore.Scorer {
	t.Helper()
	s, err := bertscore.New(b, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lexicalBackend(t testing.TB, dim int) backend.Backend {
	t.Helper()
	b, err := lexical.New(lexical.Options{Dim: dim})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// minilm is layer 6 of all-MiniLM-L6-v2, which scripts/minilm.sh fetches. It embeds a
// text once.
func minilm(t testing.TB) backend.Backend {
	t.Helper()
	dir := os.Getenv("MTEVAL_MINILM")
	if dir == "" {
		t.Skip("needs MTEVAL_MINILM, the folder that scripts/minilm.sh fetches")
	}
	layer := 6
	b, err := transformer.Open(dir, transformer.Options{Layer: &layer})
	if err != nil {
		t.Fatal(err)
	}
	once, err := cache.New(b, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { once.Close() })
	return once
}

// The two sentence pairs of the paper's Table 3 (lines 243 and 1468 of WMT19
// English-German) among its six best systems. There BERTScore puts MSRA above Facebook
// in both, and difficulty Facebook above MSRA.
//
// Difficulty does so here too, with words and with MiniLM. Without it MSRA is above but
// for MiniLM on the second pair.
//
// The reason is not the paper's, that Facebook has the difficult "genau" right where MSRA
// leaves it out: "genau" is matched no better by Facebook's "direkt" (similarity .569,
// MiniLM .22 and .55 for its two pieces) than by what MSRA has (.605; .24 and .56), and
// recall with difficulty is still higher for MSRA on the first pair. Facebook wins by
// precision, as "direkt" is novel and weighs 1. The released program's rescaling by .3
// shrinks that reward, and on the first pair turns the order round again.
func TestTable3(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    func(testing.TB) backend.Backend
		want [2]map[string][2]float64 // Facebook's and MSRA's score, by pair and form
	}{
		{"lexical", func(t testing.TB) backend.Backend { return lexicalBackend(t, 0) }, [2]map[string][2]float64{{
			"plain": {.8827, .9449}, "paper": {.1251, .1187}, "paper R": {.1112, .1253}, "paper P": {.1429, .1128},
			"leave-one-out": {.1328, .1345}, "released, b .3": {.1432, .1594}, "normalized": {.7570, .8762},
		}, {
			"plain": {.6508, .6532}, "paper": {.2353, .2238}, "paper R": {.1816, .1849}, "paper P": {.3341, .2835},
			"leave-one-out": {.2364, .2241}, "released, b .3": {.1917, .1825}, "normalized": {.5595, .5703},
		}}},
		{"MiniLM", minilm, [2]map[string][2]float64{{
			"plain": {.8946, .9328}, "paper": {.1563, .1479}, "paper R": {.1497, .1519}, "paper P": {.1636, .1441},
			"leave-one-out": {.1733, .1682}, "released, b .3": {.1880, .1959}, "normalized": {.8088, .8577},
		}, {
			"plain": {.6938, .6844}, "paper": {.2122, .1728}, "paper R": {.1656, .1409}, "paper P": {.2953, .2237},
			"leave-one-out": {.2174, .1744}, "released, b .3": {.1714, .1070}, "normalized": {.5544, .5167},
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names := bestOf(t, "wmt19-en-de")[:6]
			const facebook, msra = 0, 3
			if !strings.HasPrefix(names[facebook], "Facebook") || !strings.HasPrefix(names[msra], "MSRA") {
				t.Fatalf("the best systems are %v", names)
			}
			allRefs, all := corpus(t, "wmt19-en-de", "de", names, 0)
			base := bertScore(t, tt.b(t), bertscore.Options{})
			for i, line := range []int{243, 1468} {
				refs := allRefs[line-1 : line]
				var sys []mteval.System
				for _, s := range all {
					sys = append(sys, mteval.System{Name: s.Name, Hyps: s.Hyps[line-1 : line]})
				}
				ms := matchings(t, base, refs, sys)
				got := make(map[string][2]float64)
				row := ms.Table(base)
				got["plain"] = [2]float64{row.SegmentScore(facebook, 0), row.SegmentScore(msra, 0)}
				for name, o := range map[string]difficulty.Options{
					"paper": {}, "leave-one-out": {LeaveOneOut: true}, "released, b .3": {Released: true, Baseline: .3}, "normalized": difficulty.Normalized(),
				} {
					table := ms.Table(newScorer(t, base, allWeights(t, ms), o))
					a, b := table.Row(facebook, 0), table.Row(msra, 0)
					got[name] = [2]float64{a[2], b[2]}
					if name == "paper" {
						got["paper P"], got["paper R"] = [2]float64{a[0], b[0]}, [2]float64{a[1], b[1]}
					}
				}
				if diff := cmp.Diff(tt.want[i], got, cmpopts.EquateApprox(0, 6e-5)); diff != "" {
					t.Errorf("line %d (-want +got):\n%s", line, diff)
				}
			}
		})
	}
}

// Figure 3 of the paper: among the six best systems of WMT19 English-German difficulties
// are lower than among all 22. Every fifth segment will do; MTEVAL_FULL asks for all.
func TestFigure3(t *testing.T) {
	if race.Enabled {
		t.Skip("takes minutes with the race detector on, and is run without it")
	}
	type figures struct {
		Mean float64
		Low  float64 // the share of tokens below .1
	}
	step, best, all := 5, figures{.2299, .3698}, figures{.2497, .2976}
	if os.Getenv("MTEVAL_FULL") != "" {
		step, best, all = 1, figures{.2307, .3691}, figures{.2520, .2950}
	}
	names := bestOf(t, "wmt19-en-de")
	refs, systems := corpus(t, "wmt19-en-de", "de", names, 0)
	refs = every(refs, step)
	for k := range systems {
		systems[k].Hyps = every(systems[k].Hyps, step)
	}
	ms := matchings(t, bertScore(t, lexicalBackend(t, 0), bertscore.Options{}), refs, systems)
	for _, tt := range []struct {
		voters []int
		want   figures
	}{{[]int{0, 1, 2, 3, 4, 5}, best}, {nil, all}} {
		w, err := difficulty.EstimateFrom(ms, tt.voters, difficulty.Function{})
		if err != nil {
			t.Fatal(err)
		}
		var got figures
		for _, d := range w.All() {
			got.Mean += d / float64(len(w.All()))
			if d < .1 {
				got.Low += 1 / float64(len(w.All()))
			}
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(0, 1e-4)); diff != "" {
			t.Errorf("%d systems (-want +got):\n%s", len(w.Systems()), diff)
		}
	}
}

// The combined form of the six best systems of WMT19 English-German, as NumPy has it: from the
// texts and similarities of the lexical backend's tokens, by d = 1 − the mean over systems, P and
// R the means of sim.mean() and (d·sim).sum()/d.sum(), and the mean of F. A token that the
// reference lacks has the d of the token that it matches, and others that of their text.
func TestCombinedWMT19(t *testing.T) {
	if race.Enabled {
		t.Skip("takes minutes with the race detector on, and is run without it")
	}
	names := bestOf(t, "wmt19-en-de")[:6]
	refs, systems := corpus(t, "wmt19-en-de", "de", names, 0)
	base := bertScore(t, lexicalBackend(t, 0), bertscore.Options{})
	field, err := difficulty.NewField(base, matchings(t, base, refs, systems), difficulty.Combined(), difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := field.Scores(t.Context(), []int{0, 1, 2, 3, 4, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{.6940490297, .6977334156, .6979596342, .6991268876, .6945731480, .6950998623}
	// Where a token matches two of the reference alike, the last bit of a product says whose
	// weight it has, and that is another without assembly: 8e-6 at most here.
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-5)); diff != "" {
		t.Errorf("scores (-NumPy +got):\n%s", diff)
	}
}

// every returns each n-th element, from the first.
func every[T any](s []T, n int) (out []T) {
	for i := 0; i < len(s); i += n {
		out = append(out, s[i])
	}
	return out
}

// What difficulty adds to BERTScore of 22 systems, over words: the weights, and the
// scores with them.
func BenchmarkDifficulty(b *testing.B) {
	refs, sys := corpus(b, "wmt19-en-de", "de", bestOf(b, "wmt19-en-de"), 0)
	base := bertScore(b, lexicalBackend(b, 0), bertscore.Options{})
	ms := matchings(b, base, refs, sys)
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			matchings(b, base, refs, sys).Table(base)
		}
	})
	for name, o := range map[string]difficulty.Options{
		"paper": {}, "leave-one-out": {LeaveOneOut: true},
		"released": {Released: true, Novel: difficulty.Matched, Smoothing: difficulty.Softmax, Normalize: true, Baseline: .3},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ms.Table(newScorer(b, base, allWeights(b, ms), o))
			}
		})
	}
}
