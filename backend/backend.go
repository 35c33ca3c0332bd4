// Package backend is the interface between bertscore and what embeds tokens: a
// model, or the model-free package lexical.
//
// Package backendtest checks an implementation against everything said here.
package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
)

var (
	// ErrClosed is returned by Embed after Close.
	ErrClosed = errors.New("backend: it is closed")

	// ErrTruncated is the error of a text that is longer than a model can take where its
	// beginning won't do: bertscore's, unless its Options.OnTruncated allows it. A Backend
	// itself takes the beginning and says so in Batch.Truncated.
	//
	// A text that is longer than whoever calls allows, by Batch.MaxTokens or by an option of
	// a backend that refuses such texts, is mteval.ErrTooLong.
	ErrTruncated = errors.New("text is longer than the backend takes")
)

// A TextError is an error of one of the texts that a Backend was given. It has the text and
// not its place, so that it means the same where a backend is given the texts of a call in
// parts or in another order; bertscore says which segment's it is.
type TextError struct {
	Text string
	Err  error
}

// Error has the beginning of the text.
func (e *TextError) Error() string { return fmt.Sprintf("text %.40q: %v", e.Text, e.Err) }

// Unwrap returns Err.
func (e *TextError) Unwrap() error { return e.Err }

// A Backend splits texts into tokens and gives each a vector. It is safe for
// concurrent use; where a device can do one thing at a time, the backend puts
// calls in a queue.
type Backend interface {
	// Info describes the backend. It returns the same value every time, after
	// Close too.
	Info() Info

	// Embed sets dst to the tokens and vectors of texts, in their order. What
	// it gives for a text depends on nothing but the text: not on the others
	// in the call, nor on what was embedded before.
	//
	// The memory in dst is used again where it is large enough; the texts are
	// not kept but for tokens that share their memory. A text without tokens
	// has no rows, or its special tokens only. Vectors need not have any
	// length in particular, but are finite. When ctx is cancelled, Embed
	// stops and returns ctx's error; on error what dst holds is not defined. The error of
	// a text that the backend refuses, such as one over dst.MaxTokens, wraps a *TextError.
	Embed(ctx context.Context, dst *Batch, texts []string) error

	// Close releases what the backend holds. Calls after the first do nothing
	// and return nil.
	Close() error
}

// A Matcher is a Backend that can match tokens itself, where it computes their vectors: on
// a GPU say, so that no more than the best similarities need to leave it. bertscore uses
// it where it is there.
type Matcher interface {
	Backend

	// Store embeds texts, sets dst as Embed does but for Data, which it leaves empty,
	// and keeps the vectors for matching.
	Store(ctx context.Context, dst *Batch, texts []string) (TextStore, error)
}

// A TextStore is what a Matcher keeps of texts. It is safe for concurrent use. What it
// takes is given back when the Matcher is closed, or the store is garbage.
type TextStore interface {
	// Match embeds texts and sets dst as Store does. For each pair it sets out[k].Hyp to
	// the links of the tokens of its text here, and out[k].Ref to those of its text in
	// the store, as mteval.Link describes them, by cosine, and out[k].Spans to nil. A
	// token of weight 0 is one of those that the metric leaves out. The memory in out[k]
	// is used again where it is large enough. out is as long as pairs. A vector that is
	// not finite is an error. Otherwise Match is under the conditions of Embed.
	//
	// However many texts there are, Match bounds the vectors that it works on: nobody
	// cuts a call in pieces for it.
	Match(ctx context.Context, dst *Batch, texts []string, pairs []TextPair, out []mteval.Pairing) error
}

// A TextPair is a text of a call of Match and one of the store, by their places.
type TextPair struct{ Hyp, Ref int }

// Info describes a backend.
type Info struct {
	// Name of the kind of backend, such as "lexical".
	Name string
	// ModelFree is whether the vectors are of no trained model. What a metric makes of such
	// ones is not what papers mean by its name, so that bertscore adds Name to its own:
	// "bertscore-lexical".
	ModelFree bool
	// Signature holds everything that changes a vector: the model and its
	// hash, the layer, the number type.
	Signature mteval.Signature
	// Dim is the length of a vector.
	Dim int
	// MaxTokens is the longest input in tokens, special ones included; 0: no
	// limit.
	MaxTokens int
}

// Clone is a copy that shares no memory with i: what a Backend's Info returns of the one that
// it holds.
func (i Info) Clone() Info {
	i.Signature = slices.Clone(i.Signature)
	return i
}

// A Batch holds the tokens and vectors of several texts without padding: text i
// has tokens Tokens[Offsets[i]:Offsets[i+1]], and the vector of token j is
// Data[j*Dim : (j+1)*Dim].
type Batch struct {
	Dim     int
	Data    []float32
	Offsets []int // one more than there are texts
	// Tokens of weight 1, or 0 for special ones that only others may match.
	Tokens []mteval.Token
	// Truncated lists the texts, in order, that were longer than the backend
	// takes and of which only the beginning is here.
	Truncated []int

	// MaxTokens is set by who calls Embed, Store or Match: the most tokens that a text may
	// have, special ones included; not positive: no bound. For a longer one these return an
	// error that wraps a *TextError and mteval.ErrTooLong, before they make vectors of it.
	// A text that is cut counts as one token more than are left of it.
	MaxTokens int
}

// Len is the number of texts.
func (b *Batch) Len() int { return max(0, len(b.Offsets)-1) }

// Text returns the tokens of text i and their vectors, one after another. They
// share the batch's memory. It panics if there is no such text.
func (b *Batch) Text(i int) ([]mteval.Token, []float32) {
	lo, hi := b.Offsets[i], b.Offsets[i+1]
	return b.Tokens[lo:hi:hi], b.Data[lo*b.Dim : hi*b.Dim : hi*b.Dim]
}
