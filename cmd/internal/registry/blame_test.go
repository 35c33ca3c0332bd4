package registry

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// The texts are those of packages transformer, libtorch and hub.
func TestOfModel(t *testing.T) {
	for text, want := range map[string]string{
		"transformer: layer 99 is not in 0 to 2, the model's last":                                           "layer",
		"transformer: no layer is known to be good for a model called x: choose one of 0 to 2":               "layer",
		`libtorch: no device "tpu": have cpu, cuda:0, cuda:1, …`:                                             "device",
		`libtorch: no number type "fp8": have fp32, fp16, bf16`:                                              "dtype",
		"libtorch: this program was built without it: run scripts/libtorch.sh":                               "backend",
		"transformer: x/config.json: layer_norm_eps: 2 is not in 0 to 1":                                     "model",
		"transformer: x: tensor encoder.layer.0.attention.self.query.weight: missing":                        "model",
		"model x is not on disk (no /cache/hub/models--x); `mteval model get x` fetches it":                  "model",
		"transformer: stat x/config.json: no such file or directory":                                         "model",
		"transformer: x: no tokenizer.json in it, and no vocab.txt":                                          "model",
		"libtorch: x: tensors bert.a and roberta.a: more than one model, and none has names that begin with": "model",
	} {
		if got := ofModel(errors.New(text)); got != want {
			t.Errorf("%s: --%s, want --%s", text, got, want)
		}
	}
}

// What was stopped is no flag's fault.
func TestBy(t *testing.T) {
	stopped := fmt.Errorf("read: %w", context.Canceled)
	if got := by("model", stopped); got != stopped {
		t.Error(got)
	}
	if err := by("model", nil); err != nil {
		t.Error(err)
	}
	wrong := errors.New("wrong")
	if err := by("model", wrong); !errors.Is(err, wrong) || err.Error() != "model: wrong" {
		t.Error(err)
	}
}

func TestBlame(t *testing.T) {
	type options struct{ a, b int }
	check := func(o options) error {
		if o.a < 0 {
			return errors.New("a")
		}
		if o.b < o.a {
			return errors.New("b")
		}
		return nil
	}
	flags := []given[options]{{"a", func(o *options) { o.a = 0 }}, {"b", func(o *options) { o.b = 9 }}}
	for o, want := range map[options]string{
		{-1, 0}:  "a: a",
		{0, -1}:  "b: b",
		{-1, -2}: "a: a", // without a, another error
		{5, 1}:   "a: b", // the first that mends it
	} {
		if err := blame(check(o), o, flags, check); err.Error() != want {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
	if err := blame(errors.New("z"), options{}, flags, func(options) error { return errors.New("z") }); err.Error() != "z" {
		t.Errorf("of no flag: %v", err)
	}
}
