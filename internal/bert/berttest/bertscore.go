package berttest

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/shareddata"
)

var ctx = context.Background()

func lines(t *testing.T, n int, elem ...string) []string {
	t.Helper()
	return shareddata.ReadLines(t, shareddata.Path(t, append([]string{"data"}, elem...)...))[:n]
}

// scorer opens a model at a layer under BERTScore.
func (open Open) scorer(t *testing.T, dir string, layer int, o bertscore.Options) *bertscore.Scorer {
	t.Helper()
	s, err := bertscore.New(open.open(t, dir, bert.Options{Layer: &layer}), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// compare compares P, R and F of each segment with bert_score's.
func compare(t *testing.T, what string, s *bertscore.Scorer, hyps []string, refs [][]string, want [3][]*float64, tolerance float64) {
	t.Helper()
	r, err := mteval.Corpus(ctx, s, refs, hyps)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	worst, at := 0.0, 0
	for i := range hyps {
		v := s.PRF(r.Row(i))
		for k, got := range []float64{v.P, v.R, v.F} {
			if want[k][i] == nil {
				continue // bert_score gave NaN
			}
			if d := math.Abs(got - *want[k][i]); d > worst {
				worst, at = d, i
			}
		}
	}
	t.Logf("%s: off by at most %.2g", what, worst)
	if worst > tolerance {
		t.Errorf("%s: off by %g at segment %d, %q against %q", what, worst, at, hyps[at], refs[at])
	}
}

// Tiny compares with bert_score's values on a tiny random model, from vocab.txt.
func Tiny(t *testing.T, open Open, tolerance float64) {
	var rec struct {
		Cases []struct {
			Name    string
			Hyps    []string
			Refs    []json.RawMessage
			Options struct {
				Layers  int `json:"num_layers"`
				IDF     bool
				Rescale bool `json:"rescale_with_baseline"`
			}
			P, R, F []*float64
		}
	}
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "bertscore", "tiny.json"), &rec)
	for _, c := range rec.Cases {
		refs := make([][]string, len(c.Refs))
		for i, r := range c.Refs {
			var one string
			if json.Unmarshal(r, &one) == nil {
				refs[i] = []string{one}
			} else if err := json.Unmarshal(r, &refs[i]); err != nil {
				t.Fatal(err)
			}
		}
		o := bertscore.Options{IDF: c.Options.IDF}
		if c.Options.Rescale {
			var err error
			if o.Baseline, err = bertscore.OpenBaseline(shareddata.Path(t, "golden", "bertscore", "tiny-rescale.tsv"), c.Options.Layers); err != nil {
				t.Fatal(err)
			}
			// An empty side is 0 here, and −b/(1−b) there.
			for i, h := range c.Hyps {
				if h == "" {
					c.P[i], c.R[i], c.F[i] = nil, nil, nil
				}
			}
		}
		s := open.scorer(t, shareddata.Path(t, "golden", "bertscore", "tinybert"), c.Options.Layers, o)
		compare(t, c.Name, s, c.Hyps, refs, [3][]*float64{c.P, c.R, c.F}, tolerance)
	}
}

// minilm is the folder of all-MiniLM-L6-v2, which scripts/minilm.sh fetches.
func minilm(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MTEVAL_MINILM")
	if dir == "" {
		t.Skip("needs MTEVAL_MINILM, the folder that scripts/minilm.sh fetches")
	}
	return dir
}

// MiniLM compares with bert_score's values on MiniLM.
func MiniLM(t *testing.T, open Open, tolerance float64) {
	dir := minilm(t)
	var rec struct {
		Runs []struct {
			Pair, System string
			First, Layer int
			Refs         []string // none: the pair's reference
			IDF          bool
			P, R, F      []*float64
		}
	}
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "bertscore", "minilm.json"), &rec)
	if len(rec.Runs) != 13 {
		t.Errorf("%d runs", len(rec.Runs))
	}
	for _, r := range rec.Runs {
		streams := [][]string{lines(t, r.First, r.Pair, "ref."+r.Pair[len(r.Pair)-2:])}
		for _, name := range r.Refs {
			if name != "ref" {
				streams = append(streams, lines(t, r.First, r.Pair, "extra-refs", name))
			}
		}
		refs, err := mteval.Segments(streams...)
		if err != nil {
			t.Fatal(err)
		}
		s := open.scorer(t, dir, r.Layer, bertscore.Options{IDF: r.IDF})
		compare(t, r.System, s, lines(t, r.First, r.Pair, "sys", r.System+".txt"), refs, [3][]*float64{r.P, r.R, r.F}, tolerance)
	}
}

// Released compares with the released program of Zhan et al. on MiniLM: plain BERTScore, and the difficulties
// of the reference tokens, which it rescales.
func Released(t *testing.T, open Open) {
	dir := minilm(t)
	for _, name := range []string{"gold-wmt19-de-en-K5-n200.json", "gold-wmt19-de-en-K16-n200.json"} {
		var rec struct {
			Segments int
			Systems  []string
			Runs     map[string]json.RawMessage
			First40  [][]float64 `json:"first40_ref_token_difficulty_baseline0.3"`
		}
		shareddata.ReadJSON(t, shareddata.Path(t, "golden", "difficulty", name), &rec)
		var systems []mteval.System
		for _, s := range rec.Systems {
			systems = append(systems, mteval.System{Name: s, Hyps: lines(t, rec.Segments, "wmt19-de-en", "sys", s+".txt")})
		}
		refs, err := mteval.Segments(lines(t, rec.Segments, "wmt19-de-en", "ref.en"))
		if err != nil {
			t.Fatal(err)
		}
		s := open.scorer(t, dir, 6, bertscore.Options{})
		m, err := s.PrepareMatch(ctx, refs)
		if err != nil {
			t.Fatal(err)
		}
		ms, err := mteval.MatchSystems(ctx, m, systems)
		if err != nil {
			t.Fatal(err)
		}
		var plain struct{ P, R, F []float64 }
		if err := json.Unmarshal(rec.Runs["baseline0/BERTScore"], &plain); err != nil {
			t.Fatal(err)
		}
		table := ms.Table(s)
		for k := range systems {
			v := s.PRF(table.Sum(k))
			if math.Abs(v.P-plain.P[k])+math.Abs(v.R-plain.R[k])+math.Abs(v.F-plain.F[k]) > 1e-4 {
				t.Errorf("%s, %s: %+v, want %v %v %v", name, systems[k].Name, v, plain.P[k], plain.R[k], plain.F[k])
			}
		}
		w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range rec.First40 {
			var got []float64
			for j, d := range w.Of(i, 0) {
				if m.RefTokens(i)[0][j].Weight != 0 {
					got = append(got, d/(1-.3)) // 1 − (s−b)/(1−b) = (1−s)/(1−b)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s, segment %d: %d tokens, want %d", name, i, len(got), len(want))
				continue
			}
			for j := range got {
				if math.Abs(got[j]-want[j]) > 1e-4 {
					t.Errorf("%s, segment %d, token %d: difficulty %v, want %v", name, i, j, got[j], want[j])
				}
			}
		}
	}
}

// LongText checks that a text has its beginning taken, and bertscore asks what to do.
func LongText(t *testing.T, open Open) {
	dir := shareddata.Path(t, "golden", "bertscore", "tinybert")
	cut := 0
	s := open.scorer(t, dir, 2, bertscore.Options{OnTruncated: func(string) { cut++ }})
	r, err := mteval.Sentence(ctx, s, []string{strings.Repeat("hello world ", 100) + "the cat sat"}, strings.Repeat("hello world ", 100))
	if err != nil || cut != 2 || math.Abs(r.Score-1) > 1e-6 {
		t.Errorf("%v, %v, %d texts cut", r, err, cut)
	}
	if _, err := mteval.Sentence(ctx, open.scorer(t, filepath.Clean(dir), 2, bertscore.Options{}), []string{"hello"}, strings.Repeat("hello ", 100)); err == nil {
		t.Error("no error for a long text")
	}
}
