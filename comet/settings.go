package comet

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/sidefile"
)

// The classes of models, as class_identifier names them.
const (
	regression    = "regression_metric"
	referenceless = "referenceless_regression_metric"
	unified       = "unified_metric"
)

// A table is settings by name, as hparams.yaml and a checkpoint's hyper_parameters have them.
type table map[string]any

// maxYAML bounds hparams.yaml: those of released models have 2 KB, and the time that the
// parser takes grows with the square of the number of keys.
const maxYAML = 1 << 16

// readYAML reads hparams.yaml.
func readYAML(path string) (table, error) {
	data, err := sidefile.ReadFile(path, maxYAML)
	if err != nil {
		return nil, err
	}
	t, err := parseYAML(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func parseYAML(data []byte) (table, error) {
	var v any
	err := yaml.Unmarshal(data, &v)
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) {
		err = fmt.Errorf("yaml: %s", strings.Join(wrong.Errors, "; "))
	}
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), "\n", " "))
	}
	t := make(table)
	switch v := v.(type) {
	case map[string]any:
		t = v
	case map[any]any: // some keys are numbers
		for key, value := range v {
			if name, ok := key.(string); ok {
				t[name] = value
			}
		}
	default:
		return nil, errors.New("holds no settings by name")
	}
	return t, nil
}

// Of the settings of layers.
const (
	mix      = -1
	patch    = "sparsemax_patch"
	layers   = "layer_transformation"
	maxLayer = 1 << 20
	maxSize  = 1 << 20 // of a layer of the head
)

// settings are those of a model that change its scores.
type settings struct {
	class     string
	encoder   string // encoder_model: the program's name of the kind
	folder    string // pretrained_model: the name of its folder
	pool      string
	layer     int  // mix: all of them
	sparse    bool // sparsemax in place of softmax
	patched   bool // softmax because hparams.yaml has the patch
	layerNorm bool
	hidden    []int
	act       string
	final     string   // "": none
	segments  []string // unified: what is read beside the hypothesis
	notes     []string
}

// defaults are what the class takes for a setting that a checkpoint has not.
func defaults(class string) table {
	t := table{
		"encoder_model": "XLM-RoBERTa", "pretrained_model": "xlm-roberta-large", "pool": "avg", "layer": "mix",
		layers: "softmax", "layer_norm": true, "hidden_sizes": []any{3072, 1024}, "activations": "Tanh", "final_activation": nil,
	}
	switch class {
	case referenceless:
		t["hidden_sizes"] = []any{2048, 1024}
	case unified:
		delete(t, "pool") // the first token's vector, whatever it says
		delete(t, "layer")
		maps.Copy(t, table{
			"sent_layer": "mix", layers: "sparsemax", "pretrained_model": "microsoft/infoxlm-large",
			"input_segments": []any{"mt", "src", "ref"}, "word_level_training": false,
		})
	}
	return t
}

// newSettings reads what counts: of hparams.yaml the class and the patch, else what the
// checkpoint says and the class's defaults, as the program does. A checkpoint that is nil
// says nothing of its own: hparams.yaml counts.
func newSettings(hparams, checkpoint table) (*settings, error) {
	s := new(settings)
	said := hparams["class_identifier"]
	if said == nil {
		return nil, errors.New("hparams.yaml: class_identifier: missing")
	}
	class, ok := said.(string)
	if !ok {
		return nil, fmt.Errorf("hparams.yaml: class_identifier: %s is not a text", show(said))
	}
	switch s.class = class; class {
	case regression, referenceless, unified:
	default:
		return nil, fmt.Errorf("hparams.yaml: class_identifier: %.100q is not there: %s, %s and %s are", class, regression, referenceless, unified)
	}
	if checkpoint == nil {
		checkpoint = hparams
	}
	if c, ok := checkpoint["class_identifier"]; ok && c != class {
		s.note("hparams.yaml says class_identifier %s, and the checkpoint %s: that of hparams.yaml is taken, as unbabel-comet does", class, show(c))
	}
	t := defaults(class)
	for _, key := range slices.Sorted(maps.Keys(t)) {
		if v, ok := checkpoint[key]; ok {
			t[key] = v
		}
		if said, ok := hparams[key]; ok && !same(said, t[key]) && !(key == layers && said == patch) {
			s.note("hparams.yaml says %s %s, and the checkpoint %s: that of the checkpoint is taken, as unbabel-comet does", key, show(said), show(t[key]))
		}
	}
	if hparams[layers] == patch {
		s.patched = true
		if t[layers] == "sparsemax" {
			s.note("the checkpoint says %s sparsemax; that of hparams.yaml, %s, means softmax, as for unbabel-comet since 2.2.4", layers, patch)
		}
	}
	return s, s.read(t)
}

func (s *settings) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// show is a setting as text, not too long of one.
func show(v any) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprintf("%.100s", escape.Visible(fmt.Sprint(v)))
}

// quoted is show with marks around a text: "false" is not false.
func quoted(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%.100q", s)
	}
	return show(v)
}

// same says whether two settings are the same, whatever types of numbers the files made.
func same(a, b any) bool {
	return reflect.DeepEqual(plain(a), plain(b))
}

// plain is a setting in few types. Of a list of texts the order does not count.
func plain(v any) any {
	if n, ok := whole(v); ok {
		return n
	}
	if list, ok := v.([]any); ok {
		out := make([]any, len(list))
		for i := range list {
			out[i] = plain(list[i])
		}
		slices.SortStableFunc(out, func(a, b any) int {
			x, _ := a.(string)
			y, _ := b.(string)
			return strings.Compare(x, y)
		})
		return out
	}
	return v
}

// whole returns an integer's value.
func whole(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case int64:
		return int(v), v >= math.MinInt32 && v <= math.MaxInt32
	}
	return 0, false
}

// read reads the settings in t, which are all there.
func (s *settings) read(t table) error {
	var err error
	fail := func(key, want string) {
		if err == nil {
			err = fmt.Errorf("%s: %s is not %s", key, quoted(t[key]), want)
		}
	}
	text := func(key string) string {
		v, ok := t[key].(string)
		if !ok || v == "" {
			fail(key, "a text")
		}
		return v
	}
	s.encoder, s.folder, s.act = text("encoder_model"), text("pretrained_model"), text("activations")
	if t["final_activation"] != nil {
		s.final = text("final_activation")
	}
	if s.class == unified {
		s.pool = "cls"
		s.readSegments(t["input_segments"], fail)
		if t["word_level_training"] == true {
			s.note("the model was trained to tag errors too (word_level_training): its tags are not there, its scores are")
		}
	} else {
		s.pool = text("pool")
	}
	where := s.layerKey()
	s.layer = mix
	if t[where] != "mix" {
		n, ok := whole(t[where])
		if !ok || n < 0 || n > maxLayer {
			fail(where, `"mix" or the number of a layer`)
		}
		s.layer = n
	}
	// Of any other name the program makes softmax.
	s.sparse = t[layers] == "sparsemax" && !s.patched
	if name := t[layers]; s.layer == mix && name != "sparsemax" && name != "softmax" && name != patch {
		s.note("%s %s means softmax, as for unbabel-comet", layers, show(name))
	}
	norm, ok := t["layer_norm"].(bool)
	if !ok && t["layer_norm"] != nil {
		fail("layer_norm", "true or false")
	}
	s.layerNorm = norm
	s.readSizes(t["hidden_sizes"], fail)
	return err
}

// layerKey is what the class calls the setting of the layer.
func (s *settings) layerKey() string {
	if s.class == unified {
		return "sent_layer"
	}
	return "layer"
}

func (s *settings) readSizes(v any, fail func(key, want string)) {
	list, _ := v.([]any)
	for _, x := range list {
		n, ok := whole(x)
		if !ok || n < 1 || n > maxSize {
			list = nil
			break
		}
		s.hidden = append(s.hidden, n)
	}
	if len(list) == 0 || len(list) > 100 {
		fail("hidden_sizes", "a list of sizes")
	}
}

func (s *settings) readSegments(v any, fail func(key, want string)) {
	list, ok := v.([]any)
	for _, x := range list {
		switch x {
		case "mt":
		case "src", "ref":
			s.segments = append(s.segments, x.(string))
		default:
			ok = false
		}
	}
	if !ok || len(s.segments) == 0 {
		fail("input_segments", `a list of "mt", "src", "ref", one of the last two among them`)
	}
}

// reads says whether a unified model reads "src" or "ref".
func (s *settings) reads(segment string) bool { return slices.Contains(s.segments, segment) }
