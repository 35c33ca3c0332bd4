package registry

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/internal/hub"
)

// A Backend is opened when a metric first asks for it. Whoever has one closes it.
type Backend struct {
	b      backend.Backend
	closed bool
	mu     sync.Mutex // of these: who waits for a backend may be gone when it is open
	// warn says what closing finds; nil: nothing can be found.
	warn func(error)
	// cut are the texts of which the model took only the beginning.
	cut    cutTexts
	comets []*named
}

// cutTexts counts the different texts that a model cut. It tells of a text in each call that has it,
// so to count what it tells would depend on how outputs are parted into calls. Of many texts their
// hashes are what can be kept.
type cutTexts struct {
	mu   sync.Mutex
	seen map[uint64]struct{}
}

var cutSeed = maphash.MakeSeed()

func (c *cutTexts) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = make(map[uint64]struct{})
	}
	c.seen[maphash.String(cutSeed, text)] = struct{}{}
}

func (c *cutTexts) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.seen)
}

func (o *Backend) get(f *Flags) (backend.Backend, error) {
	if o.b != nil {
		return o.b, nil
	}
	switch f.BackendName {
	case "lexical":
		b, err := f.lexicalVectors()
		if err != nil {
			return nil, err
		}
		return o.keep(b)
	case "transformer", "libtorch":
		if f.model == "" {
			return nil, fmt.Errorf("--backend %s needs --model, a folder or a name in the Hugging Face cache", f.BackendName)
		}
		if err := f.checkDType(); err != nil {
			return nil, err
		}
		var opt transformer.Options
		if f.Set.Changed("layer") {
			opt.Layer = &f.layer
		}
		dir, err := hub.Resolve(f.model)
		if err != nil {
			return nil, by("model", err)
		}
		if f.BackendName == "libtorch" {
			b, err := libtorch.Open(dir, libtorch.Options{Options: opt, Device: f.device, DType: f.dtype})
			if err != nil {
				return nil, by(ofModel(err), err)
			}
			return o.keepModel(f, b)
		}
		opt.DType = f.dtype
		b, err := transformer.Open(dir, opt)
		if err != nil {
			return nil, by(ofModel(err), err)
		}
		return o.keepModel(f, b)
	}
	return nil, fmt.Errorf("no backend %q: have %s", f.BackendName, strings.Join(backends, ", "))
}

// lexicalVectors are those of the language. They hold nothing that must be closed.
func (f *Flags) lexicalVectors() (*lexical.Backend, error) {
	tok, err := f.languageTokenizer()
	if err != nil {
		return nil, err
	}
	return lexical.New(lexical.Options{Tokenizer: tok})
}

// keep takes a backend that was opened, to close it.
func (o *Backend) keep(b backend.Backend) (backend.Backend, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errors.Join(context.Canceled, b.Close())
	}
	o.b = b
	return b, nil
}

// Signature is that of a backend that was opened.
func (o *Backend) Signature() mteval.Signature { return o.b.Info().Signature }

// A Cut says of how many texts a metric's model took only the beginning, and how many tokens
// it takes.
type Cut struct {
	Metric string // "": any but a learned one
	Texts  int    // different ones
	Tokens string
}

// Cuts are those of the models that cut texts.
func (o *Backend) Cuts() []Cut {
	var out []Cut
	if n := o.cut.count(); n > 0 {
		out = append(out, Cut{"", n, strconv.Itoa(o.b.Info().MaxTokens)})
	}
	for _, c := range o.comets {
		if n := c.cut.count(); n > 0 {
			out = append(out, Cut{c.name, n, c.Scorer.Info().Signature.Get("max")})
		}
	}
	return out
}

// Sign adds to the signature of a learned metric's scores how many texts its model cut, if any.
func (o *Backend) Sign(metric string, sig mteval.Signature) mteval.Signature {
	for _, c := range o.Cuts() {
		if c.Metric != "" && c.Metric == metric {
			at := len(sig) - 1 // before the version
			return slices.Insert(slices.Clone(sig), at, mteval.Field{Key: "cut", Abbr: "cut", Value: strconv.Itoa(c.Texts)})
		}
	}
	return sig
}

// Close closes what was opened.
func (o *Backend) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	closeOne := func(c interface{ Close() error }) {
		if err := c.Close(); err != nil && o.warn != nil {
			o.warn(err)
		}
	}
	if o.b != nil {
		closeOne(o.b)
	}
	for _, c := range o.comets {
		closeOne(c)
	}
}

func (f *Flags) bertscoreOptions(open *Backend) bertscore.Options {
	o := bertscore.Options{IDF: f.idf, MaxTokens: f.maxTokens}
	if f.long == longCut {
		o.OnTruncated = open.cut.add
	}
	return o
}

// lexicalBERTScore is BERTScore over lexical vectors, whatever --backend is.
func (f *Flags) lexicalBERTScore(open *Backend) (*bertscore.Scorer, error) {
	if f.BackendName == "lexical" {
		return f.bertscore(open)
	}
	b, err := f.lexicalVectors()
	if err != nil {
		return nil, err
	}
	return bertscore.New(b, f.bertscoreOptions(open))
}

func (f *Flags) bertscore(open *Backend) (*bertscore.Scorer, error) {
	o := f.bertscoreOptions(open)
	b, err := open.get(f)
	if err != nil {
		return nil, err
	}
	if f.Baseline != "" {
		if o.Baseline, err = f.ReadBaseline(b.Info().Signature); err != nil {
			return nil, err
		}
	}
	return bertscore.New(b, o)
}

// ReadBaseline reads the line of --baseline for the model's layer, which the signature of
// the backend, or of BERTScore over it, names.
func (f *Flags) ReadBaseline(sig mteval.Signature) (*mteval.PRF, error) {
	if f.rescale != nil {
		return f.rescale, nil
	}
	layer, err := strconv.Atoi(sig.Get("layer"))
	if err != nil {
		return nil, fmt.Errorf("--baseline: backend %s has no layers", f.BackendName)
	}
	f.rescale, err = bertscore.OpenBaseline(f.Baseline, layer)
	return f.rescale, by("baseline", err)
}

// longCut is the --long by which texts are cut.
const longCut = "cut"

func (f *Flags) addBackend(fs *pflag.FlagSet) {
	// What a model has is of BERTScore over one, also where --backend is not given.
	model := func(g flags.Flag) flags.Flag { return g.For("metric", "bertscore") }
	// And these of comet, too, which is over transformer where --backend is not given.
	either := func(g flags.Flag) flags.Flag { return g.For("metric", "bertscore", learned) }
	either(flags.Var(fs, flags.Enum(&f.BackendName, "lexical", "backend", backends...), "backend", "what embeds tokens for BERTScore: lexical (without a model, as bertscore-lexical), transformer, libtorch; and runs COMET: transformer unless it is libtorch"))
	model(flags.Var(fs, flags.Folder(&f.model, modelFiles), "model", "model of --backend transformer or libtorch: a folder, or a name in the Hugging Face cache")).
		OptionOf("backend=transformer", "backend=libtorch")
	either(flags.Var(fs, flags.OwnFolder(&f.cache), "cache", "folder that keeps what a model gave for each text (tens of KB; of COMET 4), so that a later run does not ask it again")).
		OptionOf("backend=transformer", "backend=libtorch", "metrics="+learned)
	either(flags.Var(fs, flags.Enum(&f.long, longCut, "way", longCut, "error"), "long", "what becomes of texts that are too long for a model: cut (their beginning is scored, and a warning counts them), error")).
		OptionOf("backend=transformer", "backend=libtorch", "metrics="+learned)
	either(flags.Var(fs, flags.Text(&f.device, "cpu", "device", "cpu", "cuda:0"), "device", "device of --backend libtorch: cpu, cuda:0, …")).OptionOf("backend=libtorch")
	either(flags.Var(fs, flags.Enum(&f.dtype, libtorch.Float32, "type of numbers", libtorch.Float32, libtorch.Float16, libtorch.BFloat16), "dtype", "numbers that models are run with: fp32, bf16, and of --backend libtorch fp16")).
		OptionOf("backend=transformer", "backend=libtorch", "metrics="+learned)
	model(flags.Var(fs, flags.Int(&f.layer, 0, 0, math.MaxInt), "layer", "layer of the model (default bert_score's for the folder's name)")).
		OptionOf("backend=transformer", "backend=libtorch")
	flags.Bool(fs, &f.idf, "idf", "weigh the tokens of BERTScore by their IDF in the references").For("metric", "bertscore", lexicalBERTScore)
	model(flags.Var(fs, flags.Input(&f.Baseline), "baseline", "file of baselines that rescale BERTScore: LAYER,P,R,F a line"))
}

// keepModel is keep for a model, with what --cache has of it.
func (o *Backend) keepModel(f *Flags, b backend.Backend) (backend.Backend, error) {
	if f.cache == "" {
		return o.keep(b)
	}
	c, err := cache.New(b, cache.Options{Dir: f.cache})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--cache: %w", err), b.Close())
	}
	o.warn = func(err error) { f.note("warning: --cache %s: %v", f.cache, err) }
	return o.keep(c)
}

// modelFiles are those of --model that are read.
func modelFiles(name string) []string {
	// What is wrong with it is told by who opens it.
	dir, err := hub.Resolve(name)
	if err != nil {
		return nil
	}
	return flags.FilesIn(dir, func(name string) bool {
		return slices.Contains([]string{".json", ".txt", ".safetensors", ".model", ".bin"}, filepath.Ext(name))
	})
}
