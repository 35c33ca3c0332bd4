package registry

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
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

// A Backend has the models that metrics run, each of which is opened when a metric first asks for it.
// Whoever has one closes it.
type Backend struct {
	models []*openModel
	comets []*named
	closed bool
	mu     sync.Mutex // of these: who waits for a backend may be gone when it is open
	// warn says what closing finds; nil: nothing can be found.
	warn func(error)
}

// An openModel is one that BERTScore is over.
type openModel struct {
	b   backend.Backend // not embedded: it may match on its device
	of  modelOptions    // what it is made of
	cut cutTexts        // texts of which the model took only the beginning
}

// modelOptions are those of models that metrics run.
type modelOptions struct {
	backend, model, cache, device string
	dtype                         libtorch.DType
	long                          string
	layer                         int
	idf                           bool
	baseline                      string
	name                          string // of a COMET that is one of several: see setNames
}

func (m *openModel) Close() error { return m.b.Close() }

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

// get opens the model of a metric's options.
func (o *Backend) get(f *Flags, s *spec) (*openModel, error) {
	m := &s.model
	if m.model == "" {
		return nil, fmt.Errorf("%s needs a model, a folder or a name in the Hugging Face cache: bertscore(backend=%s,model=…)", s.option("backend"), m.backend)
	}
	key := modelOptions{backend: m.backend, model: m.model, cache: m.cache, device: m.device, dtype: m.dtype, layer: -1}
	var opt transformer.Options
	if s.options.Changed("layer") {
		opt.Layer, key.layer = &m.layer, m.layer
	}
	if i := slices.IndexFunc(o.models, func(m *openModel) bool { return m.of == key }); i >= 0 {
		return o.models[i], nil
	}
	if err := f.checkDType(s); err != nil {
		return nil, err
	}
	dir, err := hub.Resolve(m.model)
	if err != nil {
		return nil, s.by("model", err)
	}
	var b backend.Backend
	if m.backend == "libtorch" {
		b, err = libtorch.Open(dir, libtorch.Options{Options: opt, Device: m.device, DType: m.dtype})
	} else {
		opt.DType = m.dtype
		b, err = transformer.Open(dir, opt)
	}
	if err != nil {
		return nil, s.by(ofModel(err), err)
	}
	if m.cache != "" {
		kept, err := cache.New(b, cache.Options{Dir: m.cache})
		if err != nil {
			return nil, errors.Join(s.by("cache", err), b.Close())
		}
		o.warn = func(err error) { f.note("warning: cache %s: %v", m.cache, err) }
		b = kept
	}
	out := &openModel{b: b, of: key}
	return out, keep(o, &o.models, out)
}

// lexicalVectors are those of the language. They hold nothing that must be closed.
func (f *Flags) lexicalVectors() (*lexical.Backend, error) {
	tok, err := f.languageTokenizer()
	if err != nil {
		return nil, err
	}
	return lexical.New(lexical.Options{Tokenizer: tok})
}

// keep takes a model that was opened, to close it.
func keep[T io.Closer](o *Backend, models *[]T, m T) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errors.Join(context.Canceled, m.Close())
	}
	*models = append(*models, m)
	return nil
}

// A Cut says of how many texts a metric's model took only the beginning, and how many tokens
// it takes.
type Cut struct {
	Metric string // that of a learned one; otherwise the model, or "" where there is one
	Texts  int    // different ones
	Tokens string
}

// Cuts are those of the models that cut texts.
func (o *Backend) Cuts() []Cut {
	var out []Cut
	for _, m := range o.models {
		if n := m.cut.count(); n > 0 {
			of := ""
			if len(o.models) > 1 {
				of = m.of.model
			}
			out = append(out, Cut{of, n, strconv.Itoa(m.b.Info().MaxTokens)})
		}
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
	for _, c := range o.comets {
		if n := c.cut.count(); n > 0 && c.name == metric {
			at := len(sig) - 1 // before the version
			return slices.Insert(slices.Clone(sig), at, mteval.Field{Key: "cut", Abbr: "cut", Value: strconv.Itoa(n)})
		}
	}
	return sig
}

// Close closes what was opened.
func (o *Backend) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	closeOne := func(c io.Closer) {
		if err := c.Close(); err != nil && o.warn != nil {
			o.warn(err)
		}
	}
	for _, m := range o.models {
		closeOne(m)
	}
	for _, c := range o.comets {
		closeOne(c)
	}
}

// newBERTScore makes BERTScore over lexical vectors or a model.
func newBERTScore(_ context.Context, f *Flags, s *spec, open *Backend) (mteval.Scorer, error) {
	o := bertscore.Options{IDF: s.model.idf, MaxTokens: f.maxTokens}
	if s.kind() == lexicalBERTScore {
		if s.model.baseline != "" {
			return nil, s.by("baseline", errors.New("lexical vectors have no layers"))
		}
		b, err := f.lexicalVectors()
		if err != nil {
			return nil, err
		}
		return bertscore.New(b, o)
	}
	m, err := open.get(f, s)
	if err != nil {
		return nil, err
	}
	if s.model.long == longCut {
		o.OnTruncated = m.cut.add
	}
	if o.Baseline, err = s.baseline(m.b.Info().Signature); err != nil {
		return nil, err
	}
	return bertscore.New(m.b, o)
}

// Baseline is the baseline that rescales a metric of this signature, nil if it has none.
func (f *Flags) Baseline(metric string, sig mteval.Signature) (*mteval.PRF, error) {
	s, err := f.findOrRead(metric)
	if err != nil {
		return nil, err
	}
	return s.baseline(sig)
}

// baseline reads the line for the model's layer, which the signature names.
func (s *spec) baseline(sig mteval.Signature) (*mteval.PRF, error) {
	if s.model.baseline == "" || s.rescale != nil {
		return s.rescale, nil
	}
	layer, err := strconv.Atoi(sig.Get("layer"))
	if err == nil {
		s.rescale, err = bertscore.OpenBaseline(s.model.baseline, layer)
	}
	return s.rescale, s.by("baseline", err)
}

// longCut is the way by which texts that are too long are cut.
const longCut = "cut"

// defineModel defines the options of all models.
func (s *spec) defineModel(fs *pflag.FlagSet) {
	m, over := &s.model, []string{"backend=transformer", "backend=libtorch"}
	flags.Var(fs, flags.OwnFolder(&m.cache), "cache", "folder that keeps what the model gave for each text (tens of KB; of COMET 4), so that a later run does not ask it again").OptionOf(over...)
	flags.Var(fs, flags.Enum(&m.long, longCut, "way", longCut, "error"), "long", "what becomes of texts that are too long for the model: cut (their beginning is scored, and a warning counts them), error").OptionOf(over...)
	flags.Var(fs, flags.Text(&m.device, "cpu", "device", "cpu", "cuda:0"), "device", "device of backend=libtorch: cpu, cuda:0, …").OptionOf("backend=libtorch")
	flags.Var(fs, flags.Enum(&m.dtype, libtorch.Float32, "type of numbers", libtorch.Float32, libtorch.Float16, libtorch.BFloat16), "dtype", "numbers that the model is run with: fp32, bf16, and of backend=libtorch fp16").OptionOf(over...)
}

func defineBERTScore(s *spec, _ *Flags, fs *pflag.FlagSet) {
	m, over := &s.model, []string{"backend=transformer", "backend=libtorch"}
	flags.Var(fs, flags.Enum(&m.backend, "lexical", "backend", "lexical", "transformer", "libtorch"), "backend", "what embeds tokens: lexical (without a model, as bertscore-lexical), transformer, libtorch")
	flags.Var(fs, flags.Folder(&m.model, modelFiles), "model", "model: a folder, or a name in the Hugging Face cache").OptionOf(over...)
	flags.Var(fs, flags.Int(&m.layer, 0, 0, math.MaxInt), "layer", "layer of the model (default bert_score's for the folder's name)").NoDefault().OptionOf(over...)
	flags.Var(fs, flags.Input(&m.baseline), "baseline", "file of baselines that rescale: LAYER,P,R,F a line")
	s.defineModel(fs)
	defineIDF(s, nil, fs)
}

func defineIDF(s *spec, _ *Flags, fs *pflag.FlagSet) {
	flags.Bool(fs, &s.model.idf, "idf", "weigh tokens by their IDF in the references")
}

// modelFiles are those of a model that are read.
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
