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

// cometFlags are the options of COMET.
type cometFlags struct {
	models  []string
	encoder string
}

const (
	// learned is the metric that has models of its own.
	learned = "comet"
	// standardCOMET is the model that comet-score takes where none is named.
	standardCOMET = "Unbabel/wmt22-comet-da"
)

// names are those of the models.
func (c *cometFlags) names() []string {
	if len(c.models) == 0 {
		return []string{standardCOMET}
	}
	return c.models
}

func (c *cometFlags) add(fs *pflag.FlagSet) {
	flags.Var(fs, flags.Folders(&c.models, cometFiles), "comet-model", "model of comet: a folder with hparams.yaml and checkpoints/model.ckpt, or a name in the Hugging Face cache (default "+standardCOMET+"; repeat for several: each is then called by its name)")
	flags.Var(fs, flags.Folder(&c.encoder, modelFiles), "comet-encoder", "folder, or name in the cache, of the config and tokenizer of the model's encoder (default: what the model names, beside it or in the cache)")
}

// checkCOMET refuses models that are not there or can't be told apart, before texts are read.
func (f *Flags) checkCOMET(metrics []string) error {
	if !slices.Contains(metrics, learned) {
		return nil
	}
	if f.Set.Changed("backend") && f.BackendName == "lexical" && !slices.ContainsFunc(metrics, func(m string) bool { return strings.HasPrefix(m, "bertscore") }) {
		return errors.New("--backend lexical has no model for comet: it is transformer or libtorch")
	}
	called := make(map[string]string)
	for _, m := range f.comet.names() {
		if _, err := cometPath(m); err != nil {
			return err
		}
		name := f.cometName(m)
		if before, twice := called[name]; twice {
			return fmt.Errorf("--comet-model: %s and %s are both called %s: name one of them, or give one a folder of another name", before, m, name)
		}
		called[name] = m
	}
	return nil
}

// cometName is what a model's metric is called: comet, or of several models each by its name.
func (f *Flags) cometName(model string) string {
	if len(f.comet.names()) == 1 {
		return learned
	}
	dir, err := hub.Resolve(model)
	if err != nil { // of a checkpoint: its folder's
		dir = filepath.Dir(filepath.Dir(model))
	}
	names := modelname.Of(dir)
	return names[len(names)-1]
}

// comets makes the metric of each model.
func (f *Flags) comets(ctx context.Context, open *Backend) ([]mteval.Scorer, error) {
	var out []mteval.Scorer
	for _, model := range f.comet.names() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := f.openCOMET(model, open)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// oneCOMET is comet where there can be one metric of a name.
func (f *Flags) oneCOMET(open *Backend) (mteval.Scorer, error) {
	if names := f.comet.names(); len(names) == 1 {
		return f.openCOMET(names[0], open)
	}
	return nil, errors.New("--comet-model: several models are of score, rank and study: name one")
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
func cometPath(model string) (string, error) {
	if ext := filepath.Ext(model); ext == ".ckpt" || ext == ".safetensors" {
		return model, nil
	}
	dir, err := hub.Resolve(model)
	var missing *hub.NotFoundError
	if errors.As(err, &missing) && !strings.Contains(model, "/") { // as unbabel-comet once called them
		err = fmt.Errorf("%s is neither a folder nor in the Hugging Face cache, where models of COMET have an owner, as in Unbabel/%s: `mteval model get OWNER/%s` fetches one", model, model, model)
	}
	return dir, by("comet-model", err)
}

func (f *Flags) openCOMET(model string, open *Backend) (mteval.Scorer, error) {
	path, err := cometPath(model)
	if err != nil {
		return nil, err
	}
	if err := f.checkDType(); err != nil {
		return nil, err
	}
	out := &named{name: f.cometName(model)}
	var ofCache error
	o := comet.Options{
		OpenEncoder: func(e backend.EncoderFiles) (encoder backend.Encoder, err error) {
			if encoder, err = f.newEncoder(e); err == nil && f.cache != "" {
				encoder, ofCache = f.cached(encoder, open)
				err = ofCache
			}
			return encoder, err
		},
		FindEncoder: func(name string) (string, error) { return findEncoder(model, name) },
	}
	if f.long == longCut {
		o.OnCut = out.cut.add
	}
	if f.comet.encoder != "" {
		if o.Encoder, err = hub.Resolve(f.comet.encoder); err != nil {
			return nil, by("comet-encoder", err)
		}
	}
	if out.Scorer, err = comet.Open(path, o); err != nil {
		if ofCache != nil {
			return nil, by("cache", ofCache)
		}
		return nil, by(f.ofCOMET(err), err)
	}
	if err := open.keepCOMET(out); err != nil {
		return nil, err
	}
	for _, note := range out.Notes() {
		f.once("%s: %s: %s", out.name, model, note)
	}
	return out, nil
}

// ofCOMET is the flag that an error about opening a model is about.
func (f *Flags) ofCOMET(err error) string {
	if flag := ofModel(err); flag != "layer" && flag != "model" {
		return flag
	}
	if f.comet.encoder != "" && strings.Contains(err.Error(), "comet: encoder ") {
		return "comet-encoder"
	}
	return "comet-model"
}

// cached keeps an encoder's vectors in the folder of --cache.
func (f *Flags) cached(encoder backend.Encoder, open *Backend) (backend.Encoder, error) {
	c, err := cache.NewEncoder(encoder, cache.Options{Dir: f.cache})
	if err != nil {
		return nil, errors.Join(err, encoder.Close())
	}
	open.warn = func(err error) { f.note("warning: --cache %s: %v", f.cache, err) }
	return c, nil
}

// newEncoder opens an encoder by --backend.
func (f *Flags) newEncoder(e backend.EncoderFiles) (backend.Encoder, error) {
	if f.BackendName == "libtorch" {
		return libtorch.OpenEncoder(e, libtorch.Options{Device: f.device, DType: f.dtype})
	}
	return transformer.OpenEncoder(e, transformer.EncoderOptions{DType: f.dtype})
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
		return "", fmt.Errorf("the config and tokenizer of its encoder %s are neither beside it nor in the cache: `mteval model get %s` fetches them, or --comet-encoder names their folder", name, get)
	}
	if err != nil {
		return "", fmt.Errorf("its encoder: %w: --comet-encoder names the folder of its config and tokenizer", err)
	}
	return dir, nil
}

// cometFiles are those of --comet-model that are read.
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

// keepCOMET takes a model that was opened, to close it.
func (o *Backend) keepCOMET(s *named) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errors.Join(context.Canceled, s.Close())
	}
	o.comets = append(o.comets, s)
	return nil
}
