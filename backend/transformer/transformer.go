// Package transformer runs BERT-family models in pure Go: BERT, RoBERTa, XLM-RoBERTa,
// DistilBERT and MPNet, from a Hugging Face model folder (config.json, tokenizer.json
// or vocab.txt, model.safetensors or else pytorch_model.bin, also in several files; F64,
// F32, F16 or BF16, computed in float32). It is a backend.Backend for bertscore: the
// vectors of any layer, those above it not being run. OpenEncoder makes a backend.Encoder of
// a model, for comet: one vector a text, of a mix of all layers.
//
// A pytorch_model.bin is a program in the language of Python's pickles. It is read without
// running what it names: anything in it but tensors and plain values is an error.
//
// A text's vectors do not depend on what else is in the call. Texts are not padded, and
// run in chunks of about 192 tokens, one chunk a goroutine. A call whose context is
// cancelled ends within some milliseconds, in the middle of a text too.
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
	mu      sync.RWMutex
	m       *model // nil: closed
}

var _ backend.Backend = (*Backend)(nil)

// Open opens a model's folder. Errors name the file and the field.
func Open(dir string, o Options) (*Backend, error) {
	folder, err := bert.Open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("transformer: %w", err)
	}
	b := &Backend{workers: o.Workers, info: folder.Info("transformer")}
	b.pool.New = func() any { return new(workspace) }
	if b.m, err = load(folder); err != nil {
		folder.Close()
		return nil, fmt.Errorf("transformer: %w", err)
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
	encoded, err := b.m.Encode(ctx, texts)
	if err != nil {
		return fmt.Errorf("transformer: %w", err)
	}
	b.m.Reset(dst)
	bert.AppendTokens(dst, encoded)
	dst.Data = resize(dst.Data, len(dst.Tokens)*dst.Dim)
	chunks := split(dst.Offsets)
	return parallel.For(ctx, len(chunks), b.workers, 1, func(k, _ int) error {
		w := b.pool.Get().(*workspace)
		defer b.pool.Put(w)
		w.ids, w.ends = w.ids[:0], w.ends[:0]
		lo, hi := chunks[k][0], chunks[k][1]
		for i := lo; i < hi; i++ {
			for _, p := range encoded[i].Pieces {
				w.ids = append(w.ids, p.ID)
			}
			w.ends = append(w.ends, len(w.ids))
		}
		return b.m.forward(ctx, w, dst.Data[dst.Offsets[lo]*dst.Dim:dst.Offsets[hi]*dst.Dim])
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
