// Package bert opens the folders of BERT-family models, for the backends that run them:
// config.json, the tokenizer, and the weights by their role whatever the model's names.
package bert

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/modelname"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/subword"
	"github.com/mteval/mteval/internal/weights"
)

// Piece is a subword piece, with its place in the text in bytes.
type Piece = subword.Piece

// A Tokenizer splits texts into the pieces that a model was trained on, its special
// tokens included. It is safe for concurrent use.
type Tokenizer interface {
	// EncodeMax appends the pieces of text to dst, at most max of them: the end is
	// cut off, not the special tokens. It says whether it cut.
	EncodeMax(dst []Piece, text string, max int) (pieces []Piece, truncated bool)
}

// Options of Open. The zero value needs a model that bert_score knows by the folder's
// name, for its layer.
type Options struct {
	// Layer is the layer that gives the vectors, from 0, the embeddings, to the
	// model's last; nil is bert_score's choice for a model of the folder's name, else
	// of the name of what a link leads to, of the model in the Hugging Face cache, or
	// in config.json.
	Layer *int
	// MaxTokens is the longest input, special tokens included; 0 is the model's.
	MaxTokens int
	// RefuseLong makes a longer text an error, which wraps mteval.ErrTooLong. Otherwise
	// its beginning is taken, and Batch.Truncated says so.
	RefuseLong bool
	// NoPrefixSpace leaves out the space that bert_score, and so this backend, puts
	// before each text for RoBERTa, whose pieces at the beginning of a word have one.
	NoPrefixSpace bool
	// Tokenizer, if not nil, is used in place of the folder's, under the name
	// TokenizerName in signatures.
	Tokenizer     Tokenizer
	TokenizerName string
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
	// DType is the type of numbers; "" is float32. It is for who runs the model: Open
	// takes any.
	DType DType
}

// DType is the type of the numbers that a model is run with.
type DType string

// Model is an open folder.
type Model struct {
	*Config
	// Layer is the one that gives the vectors.
	Layer     int
	MaxTokens int

	dir       string
	opt       Options
	prefix    bool // a space before each text
	tok       Tokenizer
	special   map[int32]bool // ids of the tokenizer's special pieces
	files     *weights.Set
	weights   string                 // the file of an encoder's weights that are not in dir, for errors
	root      string                 // of the weights' names
	hash      func() (string, error) // of the weights' files, once it is made
	tokenizer string                 // its name in signatures
}

// Open opens a model's folder. Errors name the file and the field.
func Open(dir string, o Options) (*Model, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	m := &Model{Config: c, MaxTokens: o.MaxTokens, dir: dir, opt: o, tok: o.Tokenizer}
	if m.Layer, err = chooseLayer(dir, c, o.Layer); err != nil {
		return nil, err
	}
	if m.MaxTokens == 0 {
		m.MaxTokens = c.maxTokens()
	}
	if m.MaxTokens < 3 || m.MaxTokens > c.maxTokens() {
		return nil, fmt.Errorf("MaxTokens %d is not in 3 to %d, the model's positions", m.MaxTokens, c.maxTokens())
	}
	m.prefix = c.Kind == "roberta" && !o.NoPrefixSpace && o.Tokenizer == nil
	if m.tok != nil && o.TokenizerName == "" {
		return nil, errors.New("a Tokenizer needs a TokenizerName, for signatures")
	}
	if m.files, err = weights.OpenDir(dir); err != nil {
		return nil, err
	}
	if err := m.open(); err != nil {
		m.files.Close()
		return nil, err
	}
	return m, nil
}

// open does what is left of Open once the weights' files are open.
func (m *Model) open() (err error) {
	if m.root == "" {
		if m.root, err = findRoot(m.files, m.Kind); err != nil {
			return fmt.Errorf("%s: %w", m.dir, err)
		}
	}
	m.tokenizer = m.opt.TokenizerName
	if m.tok == nil {
		t, name, err := openTokenizer(m.dir, m.Kind)
		if err != nil {
			return err
		}
		if err := t.Check(m.Vocab); err != nil {
			return fmt.Errorf("%s: the tokenizer: %w (vocab_size in config.json)", m.dir, err)
		}
		m.tok, m.tokenizer = t, name
	}
	if err := m.findSpecial(); err != nil {
		return fmt.Errorf("%s: %w", m.dir, err)
	}
	// It takes as long as all else, so that the weights are read beside it.
	files := m.files.Files
	m.hash = sync.OnceValues(func() (string, error) { return hash(files) })
	go m.hash()
	return nil
}

// findSpecial finds the pieces that the tokenizer puts around every text, and checks that
// the model takes them with at least one more.
func (m *Model) findSpecial() error {
	pieces, _ := m.tok.EncodeMax(nil, "", m.MaxTokens)
	if len(pieces) >= m.MaxTokens {
		return fmt.Errorf("the tokenizer puts %d special pieces around a text of at most %d: none is left for the text", len(pieces), m.MaxTokens)
	}
	if err := m.check(pieces); err != nil {
		return err
	}
	m.special = make(map[int32]bool)
	for _, p := range pieces {
		if p.Special {
			m.special[p.ID] = true
		}
	}
	return nil
}

// check says what of a text's pieces the model has no vector for.
func (m *Model) check(pieces []Piece) error {
	if len(pieces) > m.MaxTokens {
		return fmt.Errorf("the tokenizer gave %d pieces, %d were asked for at most", len(pieces), m.MaxTokens)
	}
	for _, p := range pieces {
		if p.ID < 0 || int(p.ID) >= m.Vocab {
			return fmt.Errorf("piece %q has id %d, where vocab_size is %d", p.Text, p.ID, m.Vocab)
		}
	}
	return nil
}

// Close closes the files of the weights.
func (m *Model) Close() error {
	m.hash() // has them open
	return m.files.Close()
}

// Info describes the model as a backend, with the hashes of weights and tokenizer. It waits for
// the first, which are made while the weights are read.
func (m *Model) Info(name string) (backend.Info, error) {
	weights, err := m.hash()
	info := backend.Info{
		Name: name,
		Signature: mteval.Signature{
			{Key: "model", Abbr: "m", Value: m.Kind + "-" + weights},
			{Key: "tok", Abbr: "tok", Value: m.tokenizer},
			{Key: "layer", Abbr: "L", Value: strconv.Itoa(m.Layer)},
			{Key: "max", Abbr: "x", Value: strconv.Itoa(m.MaxTokens)},
		},
		Dim:       m.Hidden,
		MaxTokens: m.MaxTokens,
	}
	if m.prefix {
		info.Signature = append(info.Signature, mteval.Field{Key: "prefix", Abbr: "px", Value: "space"})
	}
	return info, err
}

// layers are bert_score 0.3.13's choices of a layer, by the model's name, for the kinds
// of models that are here.
var layers = map[string]int{
	"bert-base-uncased": 9, "bert-large-uncased": 18, "bert-base-cased-finetuned-mrpc": 9,
	"bert-base-multilingual-cased": 9, "bert-base-chinese": 8,
	"roberta-base": 10, "roberta-large": 17, "roberta-large-mnli": 19,
	"roberta-base-openai-detector": 7, "roberta-large-openai-detector": 15,
	"distilroberta-base": 5, "distilbert-base-uncased": 5, "distilbert-base-uncased-distilled-squad": 4,
	"distilbert-base-multilingual-cased": 5, "xlm-roberta-base": 9, "xlm-roberta-large": 17,
	"deberta-base": 9, "deberta-base-mnli": 9, "deberta-large": 16, "deberta-large-mnli": 18,
	"deberta-xlarge": 18, "deberta-xlarge-mnli": 40, "deberta-v2-xlarge": 10, "deberta-v2-xlarge-mnli": 17,
	"deberta-v2-xxlarge": 21, "deberta-v2-xxlarge-mnli": 22, "deberta-v3-xsmall": 10, "deberta-v3-small": 4,
	"deberta-v3-base": 9, "deberta-v3-large": 12, "mdeberta-v3-base": 10,
}

func chooseLayer(dir string, c *Config, layer *int) (int, error) {
	if layer != nil {
		if *layer < 0 || *layer > c.Layers {
			return 0, fmt.Errorf("layer %d is not in 0 to %d, the model's last", *layer, c.Layers)
		}
		return *layer, nil
	}
	names := modelname.Of(dir)
	for _, n := range append(names, c.name, filepath.Base(c.name)) {
		if l, ok := layers[n]; ok && l <= c.Layers {
			return l, nil
		}
	}
	return 0, fmt.Errorf("no layer is known to be good for a model called %s: choose one of 0 to %d", strings.Join(names, " or "), c.Layers)
}

// maxTokenizer bounds tokenizer.json and vocab.txt: those of vocabularies of a million
// pieces have 60 MB.
const maxTokenizer = 1 << 27

// openTokenizer opens tokenizer.json, or else what tokenizers of this kind of model had
// before, and returns it with a name of its kind and hash.
func openTokenizer(dir, kind string) (*subword.Tokenizer, string, error) {
	path := filepath.Join(dir, "tokenizer.json")
	data, err := sidefile.ReadFile(path, maxTokenizer)
	if errors.Is(err, os.ErrNotExist) {
		if kind == "deberta" || kind == "deberta-v2" {
			return openDeberta(dir, kind)
		}
		if t, name, err := openSentencePiece(dir); !errors.Is(err, os.ErrNotExist) {
			return t, name, err
		}
		return openVocab(dir)
	}
	if err != nil {
		return nil, "", err
	}
	t, err := subword.Parse(data)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return t, "hf-" + short(sha256.Sum256(data)), nil
}

func hash(paths []string) (string, error) {
	h := sha256.New()
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return short([sha256.Size]byte(h.Sum(nil))), nil
}

func short(sum [sha256.Size]byte) string { return hex.EncodeToString(sum[:6]) }
