package backend

import "context"

// An Encoder is a model that gives one vector to a whole sequence of tokens, made of all its
// layers: what learned metrics, such as COMET, stand on. It is safe for concurrent use.
type Encoder interface {
	// Info describes the encoder. It returns the same value every time, after Close too.
	Info() EncoderInfo

	// Tokenize splits texts into the tokens of the model, the special ones around a text
	// included. Of a text of more than most tokens its beginning is taken, so that with the
	// special ones there are most. A most that is not in 3 to MaxTokens is an error.
	//
	// The memory of dst, up to its capacity, and of the IDs there is used again for what is
	// returned, a sequence for each text; dst may be nil.
	Tokenize(ctx context.Context, dst []Sequence, texts []string, most int) ([]Sequence, error)

	// Pool sets dst, [len(sequences)][Dim], to a vector for each sequence, which has 1 to
	// MaxTokens ids of the model's; another length of dst, other ids and a wrong mix are
	// errors. A vector depends on its own sequence alone, to the last bit, and is finite,
	// else it is an error. However many sequences there are, what Pool works on is bounded,
	// and nothing that it was given is kept or changed. When ctx is cancelled, it stops and
	// returns ctx's error; on error what dst holds is not defined.
	Pool(ctx context.Context, dst []float32, sequences [][]int32, mix Mix) error

	// Close releases what the encoder holds. Calls after the first do nothing and return
	// nil. Other methods than Info then return ErrClosed.
	Close() error
}

// EncoderInfo describes an encoder.
type EncoderInfo struct {
	Info // Signature has the model, the tokenizer and the type of numbers
	// Kind is the model_type of config.json, such as "xlm-roberta".
	Kind string
	// Layers is the number of layers, the embeddings counted as the first.
	Layers int
	// Positions is the number of position embeddings.
	Positions int
	// Pad is the tokenizer's id for padding, "<pad>" or "[PAD]", which a text that spells it
	// may have; -1: no text does.
	Pad int32
}

// EncoderFiles says where the files of an encoder are.
type EncoderFiles struct {
	Dir     string // the folder of config.json and the tokenizer
	Weights string // a file of weights, of safetensors or of torch.save; "": those in Dir
	Root    string // what their names begin with, such as "encoder.model."; "" with Weights "" is as in Dir
}

// A Sequence is a text in tokens.
type Sequence struct {
	IDs []int32
	Cut bool // only the beginning of the text
}

// Pooling says what one vector is made of those of a sequence's tokens.
type Pooling uint8

// The poolings. Those of padding, which a text may spell, are left out of them.
const (
	Average Pooling = iota // the sum divided by the number of tokens, padding counted
	First                  // the first token's
	Largest                // the largest number in each place
)

// A Mix says how a vector is made of the layers of a sequence.
type Mix struct {
	// Weights are what the layers' vectors are multiplied by before they are added up, one
	// for each, beginning with the embeddings. Layers above the last that is not 0 need not
	// be run.
	Weights []float64
	// Norm says that before that, each layer's numbers are shifted and scaled to mean 0 and
	// variance 1, over all tokens of the sequence and all places: (x-mean)/√(var+1e-12).
	Norm    bool
	Pooling Pooling
}
