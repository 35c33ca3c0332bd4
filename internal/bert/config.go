package bert

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"

	"github.com/mteval/mteval/internal/sidefile"
)

// Config is what the model's config.json says, under one set of names.
type Config struct {
	Kind      string // model_type
	Hidden    int
	Heads     int
	Layers    int
	Inter     int
	Positions int // rows of the position embeddings, and the longest input of models without
	types     int // rows of the token type embeddings, 0: none
	Vocab     int
	Width     int // of embeddings, Hidden but for some of DeBERTa's
	Eps       float32
	Act       string // gelu or gelu_new
	// PlainQueries leaves the weights of queries as they are, for who rounds them: what they make
	// is then to be multiplied with QueryScale.
	PlainQueries bool
	Pad          int
	Buckets      int // of relative positions (MPNet), 0: none
	// Deberta is what DeBERTa has besides; nil: it is none.
	Deberta *Deberta
	name    string
}

// Bounds on what a config says, far above any model and far below what could overflow.
const (
	limit      = 1 << 24 // of every size
	maxWidth   = 1 << 18 // of hidden states: what is computed takes as much for every token
	maxLayers  = 1000
	maxBuckets = 511     // Bucket's scale ends at 128 tokens, a quarter of the buckets being exact
	maxConfig  = 1 << 24 // bytes of a file
)

// fields are the names in config.json of what kind of model.
type fields struct{ hidden, heads, layers, inter, act string }

var (
	bertFields   = fields{"hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size", "hidden_act"}
	distilFields = fields{"dim", "n_heads", "n_layers", "hidden_dim", "activation"}
)

// fromPad says whether positions are counted from the padding's id plus 1, as those of
// RoBERTa's family are.
func (c *Config) fromPad() bool {
	return c.Kind == "roberta" || c.Kind == "xlm-roberta" || c.Kind == "mpnet"
}

// maxTokens is the longest input that has positions.
func (c *Config) maxTokens() int {
	if c.fromPad() {
		return c.Positions - c.Pad - 1
	}
	return c.Positions
}

// AppendPlaces appends the row of the position embeddings of each token.
func (c *Config) AppendPlaces(dst []int32, ids []int32) []int32 {
	place := 0
	if c.fromPad() {
		place = c.Pad + 1
	}
	for _, id := range ids {
		if c.fromPad() && int(id) == c.Pad {
			dst = append(dst, int32(c.Pad)) // padding in the text has no position of its own
			continue
		}
		dst = append(dst, int32(place))
		place++
	}
	return dst
}

func readConfig(dir string) (*Config, error) {
	path := filepath.Join(dir, "config.json")
	data, err := sidefile.ReadFile(path, maxConfig)
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// configFile is what a config.json has, and the first failure of reading it.
type configFile struct {
	raw map[string]json.RawMessage
	err error
}

func (f *configFile) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// get reads a field into what it points to, and says whether it is there.
func (f *configFile) get(name string, into any) bool {
	v, ok := f.raw[name]
	if !ok || string(v) == "null" {
		return false
	}
	if err := json.Unmarshal(v, into); err != nil {
		f.fail("%s: %w", name, err)
	}
	return true
}

// size reads a number from least to most. One that is not there is otherwise, if that is in
// the range, too.
func (f *configFile) size(name string, into *int, least, most, otherwise int) {
	*into = otherwise
	if !f.get(name, into) && otherwise < least {
		f.fail("%s: missing", name)
	}
	if *into < least || *into > most {
		f.fail("%s: %d is not in %d to %d", name, *into, least, most)
	}
}

func parseConfig(data []byte) (*Config, error) {
	var f configFile
	if err := json.Unmarshal(data, &f.raw); err != nil {
		return nil, err
	}
	c := &Config{Act: "gelu"}
	if !f.get("model_type", &c.Kind) {
		return nil, fmt.Errorf("model_type: missing")
	}
	names := bertFields
	switch c.Kind {
	case "bert", "roberta", "xlm-roberta":
		f.size("type_vocab_size", &c.types, 0, limit, 2)
	case "distilbert":
		names = distilFields
	case "mpnet":
		f.size("relative_attention_num_buckets", &c.Buckets, 4, maxBuckets, 32)
	case "deberta", "deberta-v2":
	default:
		return nil, fmt.Errorf("model_type: %.100q is not bert, roberta, xlm-roberta, distilbert, mpnet, deberta or deberta-v2", c.Kind)
	}
	f.size(names.hidden, &c.Hidden, 1, maxWidth, 0)
	f.size(names.heads, &c.Heads, 1, maxWidth, 0)
	f.size(names.layers, &c.Layers, 1, maxLayers, 0)
	f.size(names.inter, &c.Inter, 1, maxWidth, 0)
	f.size("max_position_embeddings", &c.Positions, 1, limit, 0)
	f.size("vocab_size", &c.Vocab, 1, limit, 0)
	f.size("pad_token_id", &c.Pad, 0, limit, 0)
	f.get("_name_or_path", &c.name)
	f.get(names.act, &c.Act)
	c.Width = c.Hidden
	eps, kind, decoder := 1e-12, "absolute", false
	if c.Kind == "deberta" || c.Kind == "deberta-v2" {
		f.deberta(c, &eps)
	}
	f.get("layer_norm_eps", &eps)
	f.get("position_embedding_type", &kind)
	f.get("is_decoder", &decoder)
	c.Eps = float32(eps)
	switch {
	case f.err != nil:
		return nil, f.err
	case kind != "absolute":
		return nil, fmt.Errorf("position_embedding_type: %.100q is not absolute", kind)
	case decoder:
		return nil, fmt.Errorf("is_decoder: a decoder does not see the whole text")
	case !(c.Eps > 0 && eps < 1):
		return nil, fmt.Errorf("layer_norm_eps: %v is not in 0 to 1", eps)
	}
	return c, c.check(names)
}

// check says what of the fields does not go together.
func (c *Config) check(names fields) error {
	switch {
	case c.Hidden%c.Heads != 0:
		return fmt.Errorf("%s: %d can't be divided among %d heads", names.hidden, c.Hidden, c.Heads)
	case c.Act != "gelu" && c.Act != "gelu_new":
		return fmt.Errorf("%s: %.100q is not gelu or gelu_new", names.act, c.Act)
	case c.maxTokens() < 1:
		return fmt.Errorf("max_position_embeddings: %d leaves no position after pad_token_id %d", c.Positions, c.Pad)
	}
	return nil
}

// Bucket is MPNet's and T5's bucket of how far another token is: half of the buckets
// for tokens after, the nearer half of these exact, the others on a logarithmic scale
// up to 128 tokens.
func Bucket(distance, buckets int) int {
	const far = 128
	half := buckets / 2
	base := 0
	if distance > 0 {
		base = half
	} else {
		distance = -distance
	}
	exact := half / 2
	if distance < exact {
		return base + distance
	}
	// In float32, as the reference computes it: it matters at bounds.
	log := float32(math.Log(float64(float32(distance) / float32(exact))))
	log = log / float32(math.Log(float64(far)/float64(exact))) * float32(half-exact)
	return base + min(half-1, exact+int(log))
}
