package comet_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/shareddata"
)

// recorded is what scripts/record_comet.py recorded.
type recorded struct {
	Texts []struct{ Src, MT, Ref string }
	Cases []struct {
		Name, Model, HParams string
		Reads                []string
		Scores               []float64
	}
	Activations struct {
		X       []float64
		Values  map[string][]float64
		Refused []string
	}
}

func readRecorded(t testing.TB) *recorded {
	t.Helper()
	r := new(recorded)
	shareddata.ReadJSON(t, filepath.Join("testdata", "expected.json"), r)
	return r
}

// folder copies a model of testdata, with another hparams.yaml if that is not "", and puts the
// encoders beside it.
func folder(t testing.TB, model, hparams string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "model")
	for from, to := range map[string]string{model: "model", "xlmr": "xlmr", "bert": "bert", "minilm": "minilm"} {
		if err := os.CopyFS(filepath.Join(root, to), os.DirFS(filepath.Join("testdata", from))); err != nil {
			t.Fatal(err)
		}
	}
	if hparams != "" {
		write(t, filepath.Join(dir, "hparams.yaml"), []byte(hparams))
	}
	return dir
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// sides are the recorded texts, without what a case does not read.
func (r *recorded) sides(reads []string) (sources []string, refs [][]string, hyps []string) {
	for _, x := range r.Texts {
		if slices.Contains(reads, "src") {
			sources = append(sources, x.Src)
		}
		if slices.Contains(reads, "ref") {
			refs = append(refs, []string{x.Ref})
		}
		hyps = append(hyps, x.MT)
	}
	return sources, refs, hyps
}

// Models of every class and option give the program's scores.
func TestProgram(t *testing.T) {
	r := readRecorded(t)
	for _, c := range r.Cases {
		t.Run(c.Name, func(t *testing.T) {
			dir := filepath.Join("testdata", c.Model)
			if c.HParams != "" {
				dir = folder(t, c.Model, c.HParams)
			}
			s := open(t, dir, comet.Options{OnCut: func(string) {}})
			sources, refs, hyps := r.sides(c.Reads)
			near(t, c.Name, c.Scores, segmentScores(t, s, sources, refs, hyps))
			t.Log(s.Info().Signature, s.Notes())
		})
	}
	if len(r.Cases) < 20 {
		t.Errorf("%d cases", len(r.Cases))
	}
}

// An encoder's folder without tokenizer.json, as some of XLM-RoBERTa's kin have it, splits
// texts by sentencepiece.bpe.model as the program does.
func TestSentencePiece(t *testing.T) {
	e, err := transformer.OpenEncoder(backend.EncoderFiles{
		Dir: filepath.Join("testdata", "spm"), Weights: filepath.Join("testdata", "wmt22", "checkpoints", "model.ckpt"), Root: "encoder.model.",
	}, transformer.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var r struct {
		SPM []struct {
			Text string
			IDs  []int32
		}
	}
	shareddata.ReadJSON(t, filepath.Join("testdata", "expected.json"), &r)
	for _, want := range r.SPM {
		got, err := e.Tokenize(t.Context(), nil, []string{want.Text}, e.Info().MaxTokens)
		if err != nil {
			t.Fatal(err)
		}
		if ids := want.IDs[:min(len(want.IDs), len(got[0].IDs))]; !slices.Equal(got[0].IDs[:len(ids)-1], ids[:len(ids)-1]) || got[0].Cut != (len(ids) < len(want.IDs)) {
			t.Errorf("%q: %v, want %v", want.Text, got[0], want.IDs)
		}
	}
	if len(r.SPM) < 40 || e.Info().Pad != 1 {
		t.Errorf("%d texts, padding %d", len(r.SPM), e.Info().Pad)
	}
}
