// Package transformer runs BERT-family models in pure Go: BERT, RoBERTa, XLM-RoBERTa,
// DistilBERT and MPNet, from a Hugging Face model folder (config.json, tokenizer.json
// or vocab.txt, model.safetensors or else pytorch_model.bin, also in several files; F64,
// F32, F16 or BF16, computed in float32 or, by Options.DType, in bfloat16). It is a backend.Backend for bertscore: the
// vectors of any layer, those above it not being run. OpenEncoder makes a backend.Encoder of
// a model, for comet: one vector a text, of a mix of all layers.
//
// A pytorch_model.bin is a program in the language of Python's pickles. It is read without
// running what it names: anything in it but tensors and plain values is an error.
//
// A text's vectors do not depend on what else is in the call. Texts are not padded, and
// run in chunks of about 192 tokens, or fewer where there are goroutines for more chunks, one
// chunk a goroutine. Where there are several goroutines for each chunk, a long text say, they
// divide its rows and the heads of its attention. A call whose context is cancelled ends within
// some milliseconds, in the middle of a text too.
//
// Embed and Pool allocate nothing once what they work with has grown, but for what the
// tokenizer does: regular expressions that a tokenizer.json has, and unknown pieces that
// normalization changed, where they are new.
//
// Special tokens have weight 0, as in bert_score by their ids: where a text spells one
// ("[SEP]", "</s>") and the tokenizer takes it for that, too.
//
// Names of weights are those that transformers takes, also the gamma and beta of old
// checkpoints. What a folder's files ask for is checked at Open, against the model and
// against bounds far above any: positions, ids of the tokenizer, shapes, sizes of files.
//
// DeBERTa v1, v2 and v3 (He et al. 2021, 2023) are here as well. Without a tokenizer.json,
// which Microsoft's models do not have, their tokenizers are read from vocab.json and
// merges.txt, or spm.model, as transformers does it. Their relative positions have no end,
// but a text is cut at max_position_embeddings, the length that the model was trained with.
package transformer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/parallel"
)

// The types that all backends of such models share, in Go and on libtorch, are those of an
// internal package. Their fields are told here.
type (
	// Options of Open. The zero value needs a model that bert_score knows by the folder's
	// name, for its layer. The fields are
	//
	//	Layer *int              // that gives the vectors, from 0, the embeddings; nil is bert_score's
	//	MaxTokens int           // the longest input, special tokens included; 0 is the model's
	//	RefuseLong bool         // a longer text is mteval.ErrTooLong, not cut to its beginning
	//	NoPrefixSpace bool      // without the space that bert_score puts before a text for RoBERTa
	//	Tokenizer Tokenizer     // in place of the folder's, if not nil,
	//	TokenizerName string    // under this name in signatures
	//	Workers int             // bounds the goroutines; 0 is GOMAXPROCS
	//	DType DType             // of the products' numbers: Float32, the same as "", or BFloat16
	Options = bert.Options

	// Piece is a subword piece, with its place in the text in bytes. The fields are
	//
	//	ID int32                // in the model's vocabulary
	//	Text string             // as the vocabulary spells it
	//	Start, End int          // 0 and 0 of a special piece
	//	Special bool            // not from the text: [CLS], [SEP]
	Piece = bert.Piece

	// A Tokenizer splits texts into the pieces that a model was trained on, its special
	// tokens included. It is safe for concurrent use. Its one method is
	//
	//	EncodeMax(dst []Piece, text string, max int) (pieces []Piece, truncated bool)
	//
	// which appends the pieces of text to dst, at most max of them: the end is cut off,
	// not the special tokens. It says whether it cut.
	Tokenizer = bert.Tokenizer
)

// Backend is a model. It implements backend.Backend.
type Backend struct {
	workers int
	info    backend.Info
	pool    sync.Pool // *workspace
	calls   sync.Pool // *call
	mu      sync.RWMutex
	m       *model // nil: closed
}

var _ backend.Backend = (*Backend)(nil)

// Open opens a model's folder. Errors name the file and the field.
func Open(dir string, o Options) (*Backend, error) {
	if err := checkDType(o.DType); err != nil {
		return nil, err
	}
	folder, err := bert.Open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	b := &Backend{workers: o.Workers}
	b.pool.New = func() any { return new(workspace) }
	b.calls.New = b.newCall
	if b.m, err = load(folder, o.DType); err == nil {
		b.info, err = folder.Info("transformer")
	}
	if err != nil {
		folder.Close()
		return nil, fmt.Errorf("transformer: %w", err)
	}
	if o.DType == BFloat16 {
		b.info.Signature = append(b.info.Signature, mteval.Field{Key: "dtype", Abbr: "dt", Value: signed(BFloat16)})
	}
	return b, nil
}

// Info describes the backend. The signature has the hashes of weights and tokenizer.
func (b *Backend) Info() backend.Info { return b.info.Clone() }

// Close gives the weights' memory back, once calls of Embed have ended.
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.m == nil {
		return nil
	}
	err := b.m.Close()
	b.m = nil
	return err
}

// Embed splits the texts into pieces and runs them through the model. White space
// around a text is left out, as bert_score does.
func (b *Backend) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.m == nil {
		return backend.ErrClosed
	}
	if dst == nil {
		return errors.New("transformer: no batch to put the vectors in")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c := b.calls.Get().(*call)
	defer func() {
		if c.release() {
			b.calls.Put(c)
		}
	}()
	encoded, err := c.texts.Encode(ctx, b.m.Model, texts)
	if err != nil {
		return fmt.Errorf("transformer: %w", err)
	}
	b.m.Reset(dst)
	if err := bert.AppendTokens(dst, encoded, texts); err != nil {
		return fmt.Errorf("transformer: %w", err)
	}
	dst.Data = resize(dst.Data, len(dst.Tokens)*dst.Dim)
	c.ctx, c.dst, c.encoded = ctx, dst, encoded
	c.split(dst.Offsets)
	return parallel.For(ctx, len(c.chunks), b.workers, 1, c.do)
}

// call is what one call of Embed works with. It is used again, with the function that
// goroutines are given.
type call struct {
	b       *Backend
	ctx     context.Context
	dst     *backend.Batch
	texts   bert.Texts
	encoded []bert.Text // of texts
	chunks  [][2]int
	do      func(k, _ int) error // forward
}

func (b *Backend) newCall() any {
	c := &call{b: b}
	c.do = c.forward
	return c
}

// release forgets what is the caller's, and says whether the memory is worth keeping.
func (c *call) release() bool {
	c.ctx, c.dst, c.encoded = nil, nil, nil
	return c.texts.Release()
}

// forward runs a chunk.
func (c *call) forward(k, _ int) error {
	w := c.b.pool.Get().(*workspace)
	defer c.b.pool.Put(w)
	w.ids, w.ends = w.ids[:0], w.ends[:0]
	w.workers = parallel.Workers(c.b.workers) / len(c.chunks)
	lo, hi := c.chunks[k][0], c.chunks[k][1]
	for i := lo; i < hi; i++ {
		for _, p := range c.encoded[i].Pieces {
			w.ids = append(w.ids, p.ID)
		}
		w.ends = append(w.ends, len(w.ids))
	}
	dst := c.dst
	return c.b.m.forward(c.ctx, w, dst.Data[dst.Offsets[lo]*dst.Dim:dst.Offsets[hi]*dst.Dim])
}

// split divides texts into runs of about as many tokens.
func (c *call) split(offsets []int) {
	c.chunks = c.chunks[:0]
	most := chunkSize(offsets[len(offsets)-1], parallel.Workers(c.b.workers))
	lo := 0
	for i := 1; i < len(offsets); i++ {
		if offsets[i]-offsets[lo] >= most || i == len(offsets)-1 {
			c.chunks = append(c.chunks, [2]int{lo, i})
			lo = i
		}
	}
}
