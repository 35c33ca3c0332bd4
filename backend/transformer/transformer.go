// Package transformer runs BERT-family models in pure Go: BERT, RoBERTa, XLM-RoBERTa,
// DistilBERT and MPNet, from a Hugging Face model folder (config.json, tokenizer.json
// or vocab.txt, model.safetensors, also in several files; F32, F16 or BF16, computed in
// float32). It is a backend.Backend for bertscore: the vectors of any layer, those above
// it not being run.
//
// A text's vectors do not depend on what else is in the call. Texts are not padded, and
// run in chunks of about 192 tokens, one chunk a goroutine.
package transformer

import (
	"context"
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
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/safetensors"
	"github.com/mteval/mteval/internal/subword"
	"github.com/mteval/mteval/tokenize"
)

// ErrTooLong is returned for a text that is longer than Options.MaxTokens, under
// Options.RefuseLong.
var ErrTooLong = errors.New("text is longer than the model takes")

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
	// model's last; nil is bert_score's choice for a model of the folder's name.
	Layer *int
	// MaxTokens is the longest input, special tokens included; 0 is the model's.
	MaxTokens int
	// RefuseLong makes a longer text an error. Otherwise its beginning is taken, and
	// Batch.Truncated says so.
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
}

// Backend is a model. It implements backend.Backend.
type Backend struct {
	opt    Options
	prefix bool // a space before each text
	info   backend.Info
	m      *model
	tok    Tokenizer
	pool   sync.Pool // *workspace
	mu     sync.RWMutex
	files  *safetensors.Set // nil: closed
}

var _ backend.Backend = (*Backend)(nil)

// Open opens a model's folder. Errors name the file and the field.
func Open(dir string, o Options) (*Backend, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	layer, err := chooseLayer(dir, c, o.Layer)
	if err != nil {
		return nil, err
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = c.maxTokens()
	}
	if o.MaxTokens < 3 || o.MaxTokens > c.maxTokens() {
		return nil, fmt.Errorf("transformer: MaxTokens %d is not in 3 to %d, the model's positions", o.MaxTokens, c.maxTokens())
	}
	b := &Backend{opt: o, tok: o.Tokenizer, prefix: c.kind == "roberta" && !o.NoPrefixSpace && o.Tokenizer == nil}
	b.pool.New = func() any { return new(workspace) }
	tokenizer := o.TokenizerName
	if b.tok == nil {
		if b.tok, tokenizer, err = openTokenizer(dir); err != nil {
			return nil, err
		}
	} else if tokenizer == "" {
		return nil, errors.New("transformer: a Tokenizer needs a TokenizerName, for signatures")
	}
	if b.files, err = safetensors.OpenDir(dir); err != nil {
		return nil, err
	}
	if b.m, err = load(c, b.files, layer); err != nil {
		b.files.Close()
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	weights, err := hash(b.files.Files)
	if err != nil {
		b.files.Close()
		return nil, err
	}
	b.info = backend.Info{
		Name: "transformer",
		Signature: mteval.Signature{
			{Key: "model", Abbr: "m", Value: c.kind + "-" + weights},
			{Key: "tok", Abbr: "tok", Value: tokenizer},
			{Key: "layer", Abbr: "L", Value: strconv.Itoa(layer)},
			{Key: "max", Abbr: "x", Value: strconv.Itoa(o.MaxTokens)},
		},
		Dim:       c.hidden,
		MaxTokens: o.MaxTokens,
	}
	if b.prefix {
		b.info.Signature = append(b.info.Signature, mteval.Field{Key: "prefix", Abbr: "px", Value: "space"})
	}
	return b, nil
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
}

func chooseLayer(dir string, c *config, layer *int) (int, error) {
	if layer != nil {
		if *layer < 0 || *layer > c.layers {
			return 0, fmt.Errorf("transformer: layer %d is not in 0 to %d, the model's last", *layer, c.layers)
		}
		return *layer, nil
	}
	name := filepath.Base(dir)
	// In the Hugging Face cache a model's folder is models--ORG--NAME/snapshots/COMMIT.
	cached := filepath.Base(filepath.Dir(filepath.Dir(dir)))
	cached = cached[strings.LastIndex(cached, "--")+1:]
	for _, n := range []string{name, strings.TrimPrefix(cached, "-"), c.name, filepath.Base(c.name)} {
		if l, ok := layers[n]; ok && l <= c.layers {
			return l, nil
		}
	}
	return 0, fmt.Errorf("transformer: no layer is known to be good for a model called %s: choose one of 0 to %d", name, c.layers)
}

// openTokenizer opens tokenizer.json, or else vocab.txt, and returns it with a name of
// its kind and hash.
func openTokenizer(dir string) (Tokenizer, string, error) {
	path := filepath.Join(dir, "tokenizer.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return openVocab(dir)
	}
	if err != nil {
		return nil, "", err
	}
	t, err := subword.Open(data)
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

// Info describes the backend. The signature has the hashes of weights and tokenizer.
func (b *Backend) Info() backend.Info {
	info := b.info
	info.Signature = append(mteval.Signature(nil), info.Signature...)
	return info
}

// Close gives the weights' memory back, once calls of Embed have ended.
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.files == nil {
		return nil
	}
	err := b.files.Close()
	b.files, b.m = nil, nil
	return err
}

// Embed splits the texts into pieces and runs them through the model. White space
// around a text is left out, as bert_score does.
func (b *Backend) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.files == nil {
		return backend.ErrClosed
	}
	if dst == nil {
		return errors.New("transformer: no batch to put the vectors in")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	pieces := make([][]Piece, len(texts))
	cut := make([]bool, len(texts))
	err := parallel.For(ctx, len(texts), b.opt.Workers, 16, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			text, start := trim(texts[i])
			if b.prefix && text != "" {
				text = " " + text
				start--
			}
			pieces[i], cut[i] = b.tok.EncodeMax(nil, text, b.opt.MaxTokens)
			if cut[i] && b.opt.RefuseLong {
				return fmt.Errorf("%w: %d tokens", ErrTooLong, b.opt.MaxTokens)
			}
			for k := range pieces[i] {
				p := &pieces[i][k]
				if p.ID < 0 || int(p.ID) >= b.m.vocab {
					return fmt.Errorf("transformer: piece %q has id %d, the model has %d", p.Text, p.ID, b.m.vocab)
				}
				if !p.Special {
					p.Start, p.End = max(0, p.Start+start), p.End+start
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	dst.Dim = b.m.hidden
	dst.Tokens, dst.Offsets, dst.Truncated = dst.Tokens[:0], append(dst.Offsets[:0], 0), dst.Truncated[:0]
	for i, ps := range pieces {
		for _, p := range ps {
			t := mteval.Token{Text: p.Text, Start: p.Start, End: p.End, Weight: 1}
			if p.Special {
				t.Weight = 0
			}
			dst.Tokens = append(dst.Tokens, t)
		}
		dst.Offsets = append(dst.Offsets, len(dst.Tokens))
		if cut[i] {
			dst.Truncated = append(dst.Truncated, i)
		}
	}
	dst.Data = resize(dst.Data, len(dst.Tokens)*dst.Dim)
	chunks := split(dst.Offsets)
	return parallel.For(ctx, len(chunks), b.opt.Workers, 1, func(k, _ int) error {
		w := b.pool.Get().(*workspace)
		defer b.pool.Put(w)
		w.ids, w.ends = w.ids[:0], w.ends[:0]
		lo, hi := chunks[k][0], chunks[k][1]
		for i := lo; i < hi; i++ {
			for _, p := range pieces[i] {
				w.ids = append(w.ids, p.ID)
			}
			w.ends = append(w.ends, len(w.ids))
		}
		b.m.forward(w, dst.Data[dst.Offsets[lo]*dst.Dim:dst.Offsets[hi]*dst.Dim])
		return nil
	})
}

// split divides texts into runs of about chunkTokens tokens.
func split(offsets []int) [][2]int {
	var out [][2]int
	lo := 0
	for i := 1; i < len(offsets); i++ {
		if offsets[i]-offsets[lo] >= chunkTokens || i == len(offsets)-1 {
			out = append(out, [2]int{lo, i})
			lo = i
		}
	}
	return out
}

// trim returns the text without white space around it, and where it starts.
func trim(text string) (string, int) {
	trimmed := tokenize.TrimRight(text)
	inner := tokenize.Trim(trimmed)
	return inner, len(trimmed) - len(inner)
}
