package comet_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/shareddata"
)

// triple is a segment of the golden texts.
type triple struct{ ID, Src, MT, Ref string }

func readTriples(t *testing.T, path string) []triple {
	t.Helper()
	var out []triple
	for s := bufio.NewScanner(bytes.NewReader(shareddata.ReadFile(t, path))); s.Scan(); {
		var x triple
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

// open opens a model and closes it with the test.
func open(t testing.TB, path string, o comet.Options) *comet.Scorer {
	t.Helper()
	s, err := comet.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// segmentScores scores hypotheses, without references where refs is nil and without sources
// where sources is nil.
func segmentScores(t testing.TB, s *comet.Scorer, sources []string, refs [][]string, hyps []string) []float64 {
	t.Helper()
	var p mteval.Prepared
	var err error
	if sources == nil {
		p, err = s.Prepare(t.Context(), refs)
	} else {
		p, err = s.PrepareSources(t.Context(), sources, refs)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Append(t.Context(), nil, nil, hyps)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for i := 0; i < len(rows); i += s.Width() {
		out = append(out, s.Score(rows[i:i+s.Width()]))
	}
	return out
}

// near compares scores with those of the program.
func near(t testing.TB, name string, want, got []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d scores, want %d", name, len(got), len(want))
	}
	worst := 0.0
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= 5e-6) {
			t.Errorf("%s: segment %d: %v, want %v", name, i+1, got[i], w)
		} else {
			worst = max(worst, d)
		}
	}
	t.Logf("%s: to %.2g", name, worst)
}

// Golden checkpoints give the program's scores from raw text, whatever the workers.
func TestGolden(t *testing.T) {
	root := shareddata.Path(t, "golden", "comet")
	for _, name := range []string{"comet-regression-softmax", "comet-referenceless"} {
		var want struct {
			Triples string
			Sets    map[string]struct {
				Runs []struct {
					Scores []float64
					System float64 `json:"system_score"`
				}
			}
			Tokens []struct {
				ID           string
				Src, MT, Ref []int32
			}
		}
		shareddata.ReadJSON(t, filepath.Join(root, "expect", name+".json"), &want)
		triples := readTriples(t, filepath.Join(root, want.Triples))
		var sources, hyps []string
		var refs [][]string
		for _, x := range triples {
			sources, hyps, refs = append(sources, x.Src), append(hyps, x.MT), append(refs, []string{x.Ref})
		}
		for _, workers := range []int{1, 3} {
			s := open(t, filepath.Join(root, name), comet.Options{Workers: workers, OnCut: func(string) {}})
			got := segmentScores(t, s, sources, refs, hyps)
			for _, set := range want.Sets {
				for k, run := range set.Runs {
					near(t, fmt.Sprintf("%s, %d workers, run %d", name, workers, k), run.Scores, got)
				}
			}
		}
		e, err := transformer.OpenEncoder(backend.EncoderFiles{Dir: filepath.Join(root, "xlmr-tiny")}, transformer.EncoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for i, x := range want.Tokens {
			got, err := e.Tokenize(t.Context(), nil, []string{triples[i].Src, triples[i].MT, triples[i].Ref}, e.Info().MaxTokens-2)
			if err != nil {
				t.Fatal(err)
			}
			for k, ids := range [][]int32{x.Src, x.MT, x.Ref} {
				if d := cmp.Diff(ids, got[k].IDs); d != "" {
					t.Errorf("%s, text %d: (-want +got):\n%s", x.ID, k+1, d)
				}
			}
		}
	}
}
