package comet_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/comet"
)

// An encoder that lies beside the model goes before one that is found elsewhere.
func TestFindEncoder(t *testing.T) {
	asked := ""
	elsewhere := func(name string) (string, error) {
		asked = name
		return "", errors.New("asked")
	}
	s, err := comet.Open(folder(t, "wmt22", ""), comet.Options{FindEncoder: elsewhere})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if asked != "" {
		t.Errorf("asked for %s", asked)
	}
	alone := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(alone, os.DirFS(filepath.Join("testdata", "wmt22"))); err != nil {
		t.Fatal(err)
	}
	if _, err := comet.Open(alone, comet.Options{FindEncoder: elsewhere}); asked != "xlmr" || err == nil || !strings.HasSuffix(err.Error(), "asked") {
		t.Errorf("asked for %q: %v", asked, err)
	}
}

func TestCheckSettings(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "hparams.yaml")
	for _, tt := range []struct{ yaml, want string }{
		{"class_identifier: unified_metric\n", ""},
		{"class_identifier: regression_metric\nencoder_model: BERT\n", ""},
		{"class_identifier: xcomet_metric\n", `comet: ` + dir + `: hparams.yaml: class_identifier: "xcomet_metric" is not there`},
		{"class_identifier: unified_metric\nencoder_model: XLM-RoBERTa-XL\n", "comet: " + dir + ": encoder_model: XLM-RoBERTa-XL is not there for unified_metric"},
		{"- a\n", "comet: " + at},
	} {
		write(t, at, []byte(tt.yaml))
		err := comet.CheckSettings(at)
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.yaml, err, tt.want)
		}
	}
}

func TestEncoderName(t *testing.T) {
	for model, want := range map[string]string{"wmt22": "xlmr", "of-minilm": "minilm"} {
		for _, path := range []string{model, filepath.Join(model, "checkpoints", "model.ckpt")} {
			if got, err := comet.EncoderName(filepath.Join("testdata", path)); err != nil || got != want {
				t.Errorf("%s: %q, %v, want %s", path, got, err, want)
			}
		}
	}
	dir := t.TempDir()
	if _, err := comet.EncoderName(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	write(t, filepath.Join(dir, "hparams.yaml"), []byte("class_identifier: xcomet_metric\n"))
	write(t, filepath.Join(dir, "checkpoints", "model.safetensors"), []byte("x"))
	if _, err := comet.EncoderName(dir); err == nil {
		t.Error("no error")
	}
}
