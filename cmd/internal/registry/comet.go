package registry

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/hub"
	"github.com/mteval/mteval/internal/modelname"
)

// cometOptions are those of COMET.
type cometOptions struct {
	model   string
	encoder string
}

const (
	// learned is the metric that has models of its own.
	learned = "comet"
	// standardCOMET is the model that comet-score takes where none is named.
	standardCOMET = "Unbabel/wmt22-comet-da"
)

func defineCOMET(s *spec, _ *Flags, fs *pflag.FlagSet) {
	flags.Var(fs, flags.Folder(&s.comet.model, cometFiles), "model", "model: a folder with hparams.yaml and checkpoints/model.ckpt, or a name in the Hugging Face cache (default "+standardCOMET+"; of several metrics each is called by its model's name)")
	s.comet.model = standardCOMET
	flags.Var(fs, flags.Folder(&s.comet.encoder, modelFiles), "encoder", "folder, or name in the cache, of the config and tokenizer of the model's encoder (default: what the model names, beside it or in the cache)")
	flags.Var(fs, flags.Enum(&s.model.backend, "transformer", "backend", "transformer", "libtorch"), "backend", "what runs the model: transformer, libtorch")
	s.defineModel(fs)
}

// cometName is what a model is called.
func cometName(model string) string {
	dir, err := hub.Resolve(model)
	if err != nil { // of a checkpoint: its folder's
		dir = filepath.Dir(filepath.Dir(model))
	}
	names := modelname.Of(dir)
	return names[len(names)-1]
}

// A named scorer is called by its model.
type named struct {
	*comet.Scorer
	name string
	cut  cutTexts // texts of which the model took only the beginning
}

func (n *named) Info() mteval.Info {
	info := n.Scorer.Info()
	info.Name = n.name
	return info
}

// cometPath is where a model is: a folder, or a checkpoint.
func (s *spec) cometPath() (string, error) {
	model := s.comet.model
	if ext := filepath.Ext(model); ext == ".ckpt" || ext == ".safetensors" {
		return model, nil
	}
	dir, err := hub.Resolve(model)
	var missing *hub.NotFoundError
	if errors.As(err, &missing) && !strings.Contains(model, "/") { // as unbabel-comet once called them
		err = fmt.Errorf("%s is neither a folder nor in the Hugging Face cache, where models of COMET have an owner, as in Unbabel/%s: `mteval model get OWNER/%s` fetches one", model, model, model)
	}
	return dir, s.by("model", err)
}

func newCOMET(_ context.Context, f *Flags, s *spec, open *Backend) (mteval.Scorer, error) {
	path, err := s.cometPath()
	if err != nil {
		return nil, err
	}
	if err := f.checkDType(s); err != nil {
		return nil, err
	}
	out := &named{name: s.called()}
	var ofCache error
	o := comet.Options{
		OpenEncoder: func(e backend.EncoderFiles) (encoder backend.Encoder, err error) {
			if encoder, err = s.newEncoder(e); err != nil || s.model.cache == "" {
				return encoder, err
			}
			kept, err := cache.NewEncoder(encoder, cache.Options{Dir: s.model.cache})
			if ofCache = err; err != nil {
				return nil, errors.Join(err, encoder.Close())
			}
			open.warn = func(err error) { f.note("warning: cache %s: %v", s.model.cache, err) }
			return kept, nil
		},
		FindEncoder: func(name string) (string, error) { return findEncoder(s.comet.model, name) },
	}
	if s.model.long == longCut {
		o.OnCut = out.cut.add
	}
	if s.comet.encoder != "" {
		if o.Encoder, err = hub.Resolve(s.comet.encoder); err != nil {
			return nil, s.by("encoder", err)
		}
	}
	if out.Scorer, err = comet.Open(path, o); err != nil {
		if ofCache != nil {
			return nil, s.by("cache", ofCache)
		}
		return nil, s.by(s.ofCOMET(err), err)
	}
	if err := keep(open, &open.comets, out); err != nil {
		return nil, err
	}
	for _, note := range out.Notes() {
		f.once("%s: %s: %s", out.name, s.comet.model, note)
	}
	return out, nil
}

// ofCOMET is the option that an error about opening a model is about.
func (s *spec) ofCOMET(err error) string {
	if option := ofModel(err); option != "layer" && option != "model" {
		return option
	}
	if s.comet.encoder != "" && strings.Contains(err.Error(), "comet: encoder ") {
		return "encoder"
	}
	return "model"
}

// newEncoder opens an encoder by the backend.
func (s *spec) newEncoder(e backend.EncoderFiles) (backend.Encoder, error) {
	if s.model.backend == "libtorch" {
		return libtorch.OpenEncoder(e, libtorch.Options{Device: s.model.device, DType: s.model.dtype})
	}
	return transformer.OpenEncoder(e, transformer.EncoderOptions{DType: s.model.dtype})
}

// findEncoder finds the encoder of a model in the Hugging Face cache.
func findEncoder(model, name string) (string, error) {
	dir, err := hub.Find(name)
	if err != nil && strings.HasPrefix(name, "xlm-roberta-") { // a name from before there were owners
		if moved, merr := hub.Find("FacebookAI/" + name); merr == nil {
			return moved, nil
		}
	}
	var missing *hub.NotFoundError
	if errors.As(err, &missing) {
		get := name
		if _, merr := hub.Find(model); merr == nil {
			get = model
		}
		return "", fmt.Errorf("the config and tokenizer of its encoder %s are neither beside it nor in the cache: `mteval model get %s` fetches them, or comet(encoder=…) names their folder", name, get)
	}
	if err != nil {
		return "", fmt.Errorf("its encoder: %w: comet(encoder=…) names the folder of its config and tokenizer", err)
	}
	return dir, nil
}

// cometFiles are those of a model that are read.
func cometFiles(name string) []string {
	dir, err := hub.Resolve(name)
	if err != nil { // a checkpoint, or told by who opens it
		return []string{name}
	}
	of := func(endings ...string) func(name string) bool {
		return func(name string) bool { return slices.Contains(endings, filepath.Ext(name)) }
	}
	return slices.Concat(flags.FilesIn(dir, of(".yaml")), flags.FilesIn(filepath.Join(dir, "checkpoints"), of(".ckpt", ".safetensors")))
}
