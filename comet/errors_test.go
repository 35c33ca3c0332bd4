package comet_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/kit"
)

const wmt22 = "class_identifier: regression_metric\n"

// model opens a model of testdata.
func model(t testing.TB, name string, o comet.Options) *comet.Scorer {
	t.Helper()
	return open(t, filepath.Join("testdata", name), o)
}

// A source file of another length, a metric without its source, references that are missing:
// errors that say so. An empty source is a text.
func TestInputErrors(t *testing.T) {
	refs := [][]string{{"a"}, {"b"}}
	for _, tt := range []struct {
		model   string
		sources []string // nil: Prepare
		refs    [][]string
		want    error // nil: none
	}{
		{"wmt22", nil, refs, mteval.ErrNoSource},
		{"qe", nil, refs, mteval.ErrNoSource},
		{"kiwi", nil, refs, mteval.ErrNoSource},
		{"unified", nil, refs, nil},
		{"unified", nil, [][]string{{"a"}, {}}, mteval.ErrNoReference},
		{"unified-ref", nil, refs, nil},
		{"unified-ref", nil, [][]string{{"a"}, {}}, mteval.ErrNoReference},
		{"wmt22", []string{"s"}, refs, mteval.ErrLength},
		{"wmt22", []string{"s", "", "s"}, refs, mteval.ErrLength},
		{"wmt22", []string{"s", ""}, nil, mteval.ErrLength},
		{"wmt22", []string{"s", ""}, [][]string{{"a"}, {}}, mteval.ErrNoReference},
		{"wmt22", []string{"s", ""}, refs, nil},
		{"unified", []string{"s"}, refs, mteval.ErrLength},
		{"unified", []string{"s", ""}, nil, nil},
		{"unified-ref", []string{"s"}, refs, mteval.ErrLength},
		{"qe", []string{"s", ""}, nil, nil},
		{"qe", []string{"s", "", ""}, refs, nil}, // which are not looked at
	} {
		s := model(t, tt.model, comet.Options{})
		var err error
		if tt.sources == nil {
			_, err = s.Prepare(t.Context(), tt.refs)
		} else {
			_, err = s.PrepareSources(t.Context(), tt.sources, tt.refs)
		}
		if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
			t.Errorf("%s, sources %q, references %q: error %v, want %v", tt.model, tt.sources, tt.refs, err, tt.want)
		}
	}
	if _, err := new(comet.Scorer).Prepare(t.Context(), refs); err == nil || !strings.Contains(err.Error(), "Open did not make") {
		t.Errorf("a zero Scorer: error %v", err)
	}
}

// What a model's files can have wrong is an error that names it, or a note.
func TestModelErrors(t *testing.T) {
	const unified = "class_identifier: unified_metric\n"
	for _, tt := range []struct{ model, hparams, want string }{
		{"wmt22", "\n", "hparams.yaml: holds no settings"},
		{"wmt22", "- 1\n", "hparams.yaml: holds no settings"},
		{"wmt22", "pool: avg\npool: max\n", `hparams.yaml: yaml: line 2: mapping key "pool" already defined at line 1`},
		{"wmt22", strings.Repeat("#", 1<<16) + "\n", "hparams.yaml: more than 65536 bytes"},
		{"wmt22", "class_identifier: [unified_metric]\n", "class_identifier: [unified_metric] is not a text"},
		{"wmt22", "1: a\nclass_identifier: 5\n", "class_identifier: 5 is not a text"},
		{"wmt22", "a: [b\n", "hparams.yaml: yaml: "},
		{"wmt22", "pool: avg\n", "class_identifier: missing"},
		{"wmt22", "class_identifier: xcomet_metric\n", `class_identifier: "xcomet_metric" is not there`},
		{"wmt22", "class_identifier: ranking_metric\n", `class_identifier: "ranking_metric" is not there`},
		{"qe", wmt22, "estimator.ff.0.weight: shape [7 32], want [7 48] by the settings"},
		{"wmt22", unified, "estimator.ff.0.weight: shape"},
		{"of-minilm", unified, "layerwise_attention.gamma: missing"}, // as sent_layer is mix
		{"of-bert", unified, "encoder_model: BERT is not there for unified_metric"},
	} {
		s, err := comet.Open(folder(t, tt.model, tt.hparams), comet.Options{})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "comet: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %q: error %v, want %q", tt.model, tt.hparams, err, tt.want)
		}
	}
}

// Without a folder of the encoder, or with another's, there is an error that says what is
// needed.
func TestEncoderFolder(t *testing.T) {
	dir := folder(t, "wmt22", wmt22)
	root := filepath.Dir(dir)
	if err := os.Rename(filepath.Join(root, "xlmr"), filepath.Join(root, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		o    comet.Options
		want string
	}{
		{"not found", comet.Options{}, `its encoder "xlmr" is not beside it`},
		{"another kind", comet.Options{Encoder: "testdata/bert"}, "encoder testdata/bert: transformer: "},
		{"another size", comet.Options{Encoder: filepath.Join(root, "minilm")}, "minilm: transformer: "},
		{"no finder's", comet.Options{FindEncoder: func(name string) (string, error) { return "", errors.New("no " + name) }}, "no xlmr"},
		{"given", comet.Options{Encoder: filepath.Join(root, "elsewhere")}, ""},
		{"found", comet.Options{FindEncoder: func(string) (string, error) { return filepath.Join(root, "elsewhere"), nil }}, ""},
	} {
		s, err := comet.Open(dir, tt.o)
		if err == nil {
			s.Close()
		}
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	// The file does as well as the folder.
	s, err := comet.Open(filepath.Join(dir, "checkpoints", "model.ckpt"), comet.Options{Encoder: filepath.Join(root, "elsewhere")})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	t.Chdir(filepath.Join(dir, "checkpoints"))
	if s, err = comet.Open("model.ckpt", comet.Options{Encoder: filepath.Join(root, "elsewhere")}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := comet.Open(root, comet.Options{}); err == nil || !strings.Contains(err.Error(), "no checkpoints/model.ckpt in it") {
		t.Errorf("no model: error %v", err)
	}
}

// A text over the limit is an error that says which, or cut, told of, and scored as its
// beginning is.
func TestCut(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("pears and ", 30))
	for _, tt := range []struct {
		name, model      string
		source, ref, hyp string
		wantSide         mteval.Side
		want             []string
	}{
		{name: "source", model: "wmt22", source: long, ref: "a", hyp: "b", wantSide: mteval.SourceSide, want: []string{long}},
		{name: "reference", model: "wmt22", source: "a", ref: long, hyp: "b", wantSide: mteval.ReferenceSide, want: []string{long}},
		{name: "hypothesis", model: "wmt22", source: "a", ref: "b", hyp: long, wantSide: mteval.HypothesisSide, want: []string{long}},
		{name: "both", model: "wmt22", source: long, ref: "b", hyp: long, wantSide: mteval.SourceSide, want: []string{long, long}},
		{name: "not read", model: "qe", source: "a", ref: long, hyp: "b"},
		{name: "joined", model: "kiwi", source: "The cook sold nine pears, and", ref: "", hyp: "The cook counts bread, and then", wantSide: mteval.HypothesisSide, want: []string{"The cook counts bread, and then"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			score := func(o comet.Options) error {
				s := model(t, tt.model, o)
				p, err := s.PrepareSources(t.Context(), []string{"x", tt.source}, [][]string{{"y"}, {tt.ref}})
				if err != nil {
					return err
				}
				rows, err := p.Append(t.Context(), nil, nil, []string{"z", tt.hyp})
				for _, x := range rows {
					if math.IsNaN(x) {
						t.Errorf("rows %v", rows)
					}
				}
				return err
			}
			var at *mteval.SegmentError
			err := score(comet.Options{})
			switch {
			case tt.want == nil && err != nil:
				t.Error(err)
			case tt.want != nil && (!errors.Is(err, backend.ErrTruncated) || !errors.As(err, &at) || at.Segment != 1 || at.Side != tt.wantSide):
				t.Errorf("error %v", err)
			}
			var mu sync.Mutex
			var got []string
			if err := score(comet.Options{OnCut: func(text string) { mu.Lock(); got = append(got, text); mu.Unlock() }}); err != nil {
				t.Error(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("cut (-want +got):\n%s", d)
			}
		})
	}
}

// A segment with several references has the mean of the scores with each; a unified model
// reads what each segment has.
func TestReferences(t *testing.T) {
	sources, hyps := []string{"A cold morning.", "The cook", "pears"}, []string{"Ein Morgen.", "Der Koch", "Birnen"}
	a, b := []string{"Ein kalter Morgen.", "Der Bäcker", "Birnen und"}, []string{"Morgen.", "Koch", "Brot"}
	one := func(refs []string) [][]string {
		out, err := mteval.Segments(refs)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	both, err := mteval.Segments(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wmt22", "unified", "unified-ref"} {
		s := model(t, name, comet.Options{})
		x, y := segmentScores(t, s, sources, one(a), hyps), segmentScores(t, s, sources, one(b), hyps)
		var want []float64
		for i := range x {
			want = append(want, (x[i]+y[i])/2)
		}
		got := segmentScores(t, s, sources, both, hyps)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%s, segment %d: %v, want %v", name, i+1, got[i], want[i])
			}
		}
	}
	s := model(t, "unified", comet.Options{})
	with, without := segmentScores(t, s, sources, one(a), hyps), segmentScores(t, s, sources, nil, hyps)
	got := segmentScores(t, s, sources, [][]string{{a[0]}, nil, {a[2]}}, hyps)
	if want := []float64{with[0], without[1], with[2]}; !slices.Equal(got, want) {
		t.Errorf("references of some segments: %v, want %v", got, want)
	}
}

// Calls end soon after their context is cancelled, and after Close they fail.
func TestCancelled(t *testing.T) {
	for _, name := range []string{"wmt22", "unified"} {
		s := model(t, name, comet.Options{Workers: 1})
		sources, refs, hyps := []string{"a", "b"}, [][]string{{"c"}, {"d"}}, []string{"e", "f"}
		p, err := s.PrepareSources(t.Context(), sources, refs)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Append(t.Context(), nil, nil, hyps)
		if err != nil {
			t.Fatal(err)
		}
		ended := false
		for left := int64(0); left < 1000 && !ended; left++ {
			if _, err := s.PrepareSources(kit.NewCountdown(left), sources, refs); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: Prepare: %v", name, err)
			}
			dst := []float64{1}
			got, err := p.Append(kit.NewCountdown(left), dst, nil, hyps)
			switch {
			case err == nil:
				ended = true
				if !slices.Equal(got[1:], want) {
					t.Errorf("%s: rows %v, want %v", name, got[1:], want)
				}
			case !errors.Is(err, context.Canceled) || !slices.Equal(got, dst):
				t.Fatalf("%s: Append: %v, %v", name, got, err)
			}
		}
		if !ended {
			t.Errorf("%s: no end", name)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := p.Append(t.Context(), nil, nil, []string{"new", "texts"}); !errors.Is(err, backend.ErrClosed) {
			t.Errorf("%s: after Close: %v", name, err)
		}
	}
}
