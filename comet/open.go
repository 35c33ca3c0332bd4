package comet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/weights"
)

// root is what the names of an encoder's weights begin with in a checkpoint.
const root = "encoder.model."

// kinds are the model_type of the encoders that the program knows, "" of those that are not
// there.
var kinds = map[string]string{
	"XLM-RoBERTa": "xlm-roberta", "BERT": "bert", "MiniLM": "bert", "XLM-RoBERTa-XL": "", "RemBERT": "",
}

// A getter returns the numbers of a tensor of a checkpoint, which must have this shape.
type getter func(name string, shape ...int) ([]float32, error)

// Open opens a model: its folder, with hparams.yaml and checkpoints/model.ckpt, or that
// file, above whose folder hparams.yaml lies. A checkpoint of safetensors, model.safetensors,
// has no settings, so that those of hparams.yaml count. Errors name the file and what to do.
func Open(path string, o Options) (*Scorer, error) {
	s := &Scorer{o: o}
	s.calls.New = func() any { return newCall(s) }
	if err := s.open(path); err != nil {
		if s.encoder != nil {
			s.encoder.Close()
		}
		return nil, fmt.Errorf("comet: %w", err)
	}
	return s, nil
}

// files returns a model's folder and checkpoint.
func files(path string) (dir, checkpoint string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		at, err := filepath.Abs(path)
		return filepath.Dir(filepath.Dir(at)), path, err
	}
	for _, name := range []string{"model.ckpt", "model.safetensors"} {
		checkpoint = filepath.Join(path, "checkpoints", name)
		if _, err := os.Stat(checkpoint); !errors.Is(err, os.ErrNotExist) {
			return path, checkpoint, nil
		}
	}
	return "", "", fmt.Errorf("%s: no checkpoints/model.ckpt in it: no model of unbabel-comet", path)
}

func (s *Scorer) open(path string) error {
	set, dir, checkpoint, err := s.settle(path)
	if err != nil {
		return err
	}
	defer set.Close()
	if err := s.findEncoder(dir, checkpoint); err != nil {
		return err
	}
	if err := s.read(set); err != nil {
		return fmt.Errorf("%s: %w", checkpoint, err)
	}
	s.unknown(set)
	return s.special()
}

// CheckSettings returns an error that names what is not there if hparams.yaml, at this path, is
// one of a model that Open does not run: what can be known before the checkpoint is there.
func CheckSettings(path string) error {
	hparams, err := readYAML(path)
	if err != nil {
		return fmt.Errorf("comet: %w", err)
	}
	set, err := newSettings(hparams, nil)
	if err == nil {
		_, err = set.kind()
	}
	if err != nil {
		return fmt.Errorf("comet: %s: %w", filepath.Dir(path), err)
	}
	return nil
}

// EncoderName is the name of the encoder that a model was made of, as Open gives it to
// Options.FindEncoder. It reads the model's settings, and no weights.
func EncoderName(path string) (string, error) {
	s := new(Scorer)
	set, _, _, err := s.settle(path)
	if err != nil {
		return "", fmt.Errorf("comet: %w", err)
	}
	return s.set.folder, set.Close()
}

// settle reads a model's settings, and opens its weights.
func (s *Scorer) settle(path string) (set *weights.Set, dir, checkpoint string, err error) {
	if dir, checkpoint, err = files(path); err != nil {
		return nil, "", "", err
	}
	hparams, err := readYAML(filepath.Join(dir, "hparams.yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", "", fmt.Errorf("%s: no hparams.yaml in %s, where unbabel-comet has it: %w", checkpoint, dir, err)
	}
	if err != nil {
		return nil, "", "", err
	}
	if set, err = weights.OpenFile(checkpoint); err != nil {
		return nil, "", "", err
	}
	if s.set, err = newSettings(hparams, parameters(checkpoint, set)); err != nil {
		set.Close()
		return nil, "", "", fmt.Errorf("%s: %w", dir, err)
	}
	s.notes = s.set.notes
	return set, dir, checkpoint, nil
}

// parameters are the settings in a checkpoint, as Lightning finds them: nil, there can be
// none.
func parameters(path string, set *weights.Set) table {
	if strings.HasSuffix(path, ".safetensors") {
		return nil
	}
	t := make(table)
	for _, name := range []string{"hparams", "module_arguments", "hyper_parameters"} { // of old versions first
		if m, ok := set.Extra[name].(map[string]any); ok {
			maps.Copy(t, m)
		}
	}
	return t
}

// kind is the model_type of the encoder's config.json.
func (set *settings) kind() (string, error) {
	kind, known := kinds[set.encoder]
	switch {
	case !known:
		return "", fmt.Errorf("encoder_model: %.100q is not there", set.encoder)
	case kind == "" || set.class == unified && set.encoder == "BERT":
		return "", fmt.Errorf("encoder_model: %s is not there for %s", set.encoder, set.class)
	case set.pool == "default" && set.encoder == "BERT":
		return "", errors.New("pool: default: the program's BERT has no such vector")
	}
	return kind, nil
}

// findEncoder opens the encoder, with the checkpoint's weights.
func (s *Scorer) findEncoder(dir, checkpoint string) error {
	kind, err := s.set.kind()
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	folder := s.o.Encoder
	if folder == "" {
		folder, err = beside(dir, s.set.folder)
		if err != nil && s.o.FindEncoder != nil {
			folder, err = s.o.FindEncoder(s.set.folder)
		}
		if err != nil {
			return err
		}
	}
	open := s.o.OpenEncoder
	if open == nil {
		open = openEncoder(s.o.Workers)
	}
	e, err := open(backend.EncoderFiles{Dir: folder, Weights: checkpoint, Root: root})
	if err != nil {
		return fmt.Errorf("encoder %s: %w", folder, err)
	}
	s.encoder, s.info = e, e.Info()
	if s.info.Kind != kind {
		return fmt.Errorf("%s: model_type: %s is no encoder of the model's, which is a %s (encoder_model %s)", folder, s.info.Kind, kind, s.set.encoder)
	}
	return nil
}

// beside finds the folder of an encoder in a model's or beside it.
func beside(dir, name string) (string, error) {
	local := filepath.FromSlash(name)
	if filepath.IsLocal(local) {
		for _, at := range []string{
			filepath.Join(dir, local), filepath.Join(dir, filepath.Base(local)),
			filepath.Join(dir, "..", local), filepath.Join(dir, "..", filepath.Base(local)),
		} {
			if _, err := os.Stat(filepath.Join(at, "config.json")); err == nil {
				return at, nil
			}
		}
	}
	return "", fmt.Errorf("%s: its encoder %.200q is not beside it: say where the folder with that model's config.json and tokenizer.json is (Options.Encoder)", dir, name)
}

// read reads what a checkpoint has beside the encoder.
func (s *Scorer) read(set *weights.Set) error {
	get := func(name string, shape ...int) ([]float32, error) {
		t, ok := set.Get(name)
		if !ok {
			return nil, fmt.Errorf("tensor %s: missing", name)
		}
		if !slices.Equal(t.Shape, shape) {
			return nil, fmt.Errorf("tensor %s: shape %v, want %v by the settings", name, t.Shape, shape)
		}
		v, err := t.Float32s()
		return slices.Clone(v), err // the file is closed
	}
	vectors := map[string]int{regression: 6, referenceless: 4, unified: 1}[s.set.class]
	var err error
	if s.mix, err = newMix(get, s.set, s.info.Layers); err != nil {
		return err
	}
	if err := backendcheck.Mix(&s.mix, s.info.Layers); err != nil {
		return err
	}
	s.head, err = newHead(get, s.set, vectors*s.info.Dim)
	return err
}

// known are the names of tensors that the program has, used or not, but for layers' numbers.
var known = regexp.MustCompile(`^(encoder\.model\.(embeddings\.(word_embeddings|position_embeddings|token_type_embeddings|LayerNorm)\.(weight|bias)` +
	`|embeddings\.(position_ids|token_type_ids)|pooler\.dense\.(weight|bias)` +
	`|encoder\.layer\.N\.(attention\.(self\.(query|key|value)|output\.(dense|LayerNorm))|intermediate\.dense|output\.(dense|LayerNorm))\.(weight|bias))` +
	`|layerwise_attention\.(gamma|dropout_mask|dropout_fill|scalar_parameters\.N)` +
	`|estimator\.ff\.N\.(weight|bias)|hidden2tag\.(weight|bias)|(sentloss|wordloss|loss)\..*)$`)

var number = regexp.MustCompile(`\.(\d+)(\.|$)`)

// unknown notes the tensors that are in no place of the model.
func (s *Scorer) unknown(set *weights.Set) {
	var names []string
	for _, name := range set.Names() {
		if !s.knows(name) {
			names = append(names, show(name))
		}
	}
	if len(names) > 0 {
		rest := ""
		if len(names) > 3 {
			rest = fmt.Sprintf(" and %d more", len(names)-3)
			names = names[:3]
		}
		s.notes = append(s.notes, fmt.Sprintf("the checkpoint has tensors that the model has no place for, and which are not used: %s%s", strings.Join(names, ", "), rest))
	}
}

func (s *Scorer) knows(name string) bool {
	n := -1
	if m := number.FindStringSubmatch(name); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	if !known.MatchString(number.ReplaceAllString(name, ".N$2")) {
		return false
	}
	switch {
	case strings.HasPrefix(name, root):
		return n < s.info.Layers-1
	case strings.HasPrefix(name, "layerwise_attention"):
		return s.set.layer == mix && n < s.info.Layers
	case strings.HasPrefix(name, "estimator"):
		return n%3 == 0 && n <= 3*len(s.set.hidden)
	}
	return true
}

// special finds what the tokenizer puts around a text and how long texts may be.
func (s *Scorer) special() error {
	s.joined = min(s.info.Positions-2, s.info.MaxTokens) // the program's, for every kind
	if s.longest = s.joined - 2; s.longest < 3 {
		return fmt.Errorf("the encoder's %d positions leave no room for a text", s.info.Positions)
	}
	empty, err := s.encoder.Tokenize(context.Background(), nil, []string{""}, s.longest)
	if err != nil {
		return err
	}
	if len(empty) != 1 || len(empty[0].IDs) != 2 {
		return errors.New("the tokenizer does not put a token before and after a text")
	}
	s.bos, s.eos = empty[0].IDs[0], empty[0].IDs[1]
	s.sig = s.signature()
	return nil
}
