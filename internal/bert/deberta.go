package bert

import (
	"encoding/json"
	"math"
	"strings"
)

// Deberta is what the models of DeBERTa (He et al. 2021), v2 and v3 included, have besides
// BERT's: scores of attention that depend on how far a key is from a query.
type Deberta struct {
	// C2P says that scores have a term of a query and of where the key is, P2C one of a key
	// and of where the query is.
	C2P, P2C bool
	// Rows is the number of relative positions, half of them of keys before the query.
	Rows int
	// Kernel is how many tokens v2's convolution takes together, 0: there is none; ConvAct
	// is the function after it, gelu, gelu_new or tanh.
	Kernel  int
	ConvAct string

	relative     bool // there are relative positions, though maybe no term of them
	absolute     bool // there are positions in the embeddings
	buckets, far int  // of all distances below far; 0: every distance has its own
	terms        int  // of a score, by which the program scales it
	shared       bool // keys and queries of positions are made as those of tokens
	norm         bool // relative positions are normalised
}

// Row is the relative position of a key so many tokens before the query.
func (d *Deberta) Row(distance int) int {
	if d.buckets > 0 {
		distance = logBucket(distance, d.buckets, d.far)
	}
	return min(max(distance+d.Rows/2, 0), d.Rows-1)
}

// logBucket is the bucket of a distance: the nearer half of the buckets hold one each, the
// others grow with it, up to far.
func logBucket(distance, buckets, far int) int {
	half, size := buckets/2, max(distance, -distance)
	if size <= half {
		return distance
	}
	// In float32, as the reference computes it.
	log := float32(math.Log(float64(float32(size) / float32(half))))
	whole := float32(math.Log(float64(far-1) / float64(half)))
	bucket := half + int(math.Ceil(float64(log/whole*float32(half-1))))
	if distance < 0 {
		return -bucket
	}
	return bucket
}

// scale is what the weights of queries are multiplied by.
func (c *Config) scale() float32 {
	if c.PlainQueries {
		return 1
	}
	return c.QueryScale()
}

// QueryScale is what queries are multiplied by: one over the root of a head's size times the
// number of a score's terms.
func (c *Config) QueryScale() float32 {
	terms := 1
	if c.Deberta != nil {
		terms = c.Deberta.terms
	}
	return float32(1 / math.Sqrt(float64(c.Hidden/c.Heads*terms)))
}

// flag reads a boolean.
func (f *configFile) flag(name string, otherwise bool) bool {
	f.get(name, &otherwise)
	return otherwise
}

// deberta reads what the config of a DeBERTa has besides, and sets what it has where it does
// not tell layer_norm_eps.
func (f *configFile) deberta(c *Config, eps *float64) {
	*eps = 1e-7
	d := &Deberta{relative: f.flag("relative_attention", false), absolute: f.flag("position_biased_input", true)}
	c.Deberta = d
	if !d.absolute && c.Positions > maxUnplaced {
		f.fail("max_position_embeddings: %d is not in 1 to %d, where there are no position embeddings", c.Positions, maxUnplaced)
	}
	f.size("type_vocab_size", &c.types, 0, limit, 0)
	f.size("embedding_size", &c.Width, 1, maxWidth, c.Hidden)
	f.positionTerms(d, c.Kind)
	var furthest int
	f.get("max_relative_positions", &furthest)
	if furthest < 1 {
		furthest = c.Positions
	}
	if furthest > limit {
		f.fail("max_relative_positions: %d is not in 1 to %d", furthest, limit)
	}
	d.Rows = 2 * furthest
	if c.Kind == "deberta" {
		if f.flag("talking_head", false) {
			f.fail("talking_head: true is not supported")
		}
		return
	}
	f.debertaV2(c, furthest)
	if d.buckets > 0 {
		d.Rows = 2 * d.buckets
	}
}

// positionTerms reads pos_att_type, a list or a text like "c2p|p2c".
func (f *configFile) positionTerms(d *Deberta, kind string) {
	var raw json.RawMessage
	var list []string
	if f.get("pos_att_type", &raw) {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			list = strings.Split(strings.ToLower(text), "|")
		} else {
			f.get("pos_att_type", &list)
		}
	}
	for _, term := range list {
		switch strings.TrimSpace(term) {
		case "c2p":
			d.C2P = true
		case "p2c":
			d.P2C = true
		default:
			f.fail("pos_att_type: %.100q is not c2p or p2c", term)
		}
	}
	d.terms = 1 + len(list)
	if kind == "deberta-v2" { // a term named twice counts once
		d.terms = 1
		for _, is := range []bool{d.C2P, d.P2C} {
			if is {
				d.terms++
			}
		}
	}
	if !d.relative {
		d.C2P, d.P2C = false, false // but scores are scaled as if they were there
	}
}

// debertaV2 reads what v2 has, and v1 has not.
func (f *configFile) debertaV2(c *Config, furthest int) {
	d := c.Deberta
	d.shared = f.flag("share_att_key", false)
	head, norm := c.Hidden/max(1, c.Heads), "none"
	f.get("attention_head_size", &head)
	if head*c.Heads != c.Hidden {
		f.fail("attention_head_size: %d heads of %d are not hidden_size %d", c.Heads, head, c.Hidden)
	}
	f.get("norm_rel_ebd", &norm)
	for _, n := range strings.Split(strings.ToLower(norm), "|") {
		switch strings.TrimSpace(n) {
		case "layer_norm":
			d.norm = true
		case "none", "":
		default:
			f.fail("norm_rel_ebd: %.100q is not layer_norm or none", n)
		}
	}
	f.get("position_buckets", &d.buckets)
	if d.buckets = max(0, d.buckets); d.relative && d.buckets > 0 {
		// A text's distances are below max_position_embeddings. On the scale, far has to
		// be beyond the half of the buckets that hold one.
		half := d.buckets / 2
		if d.buckets > limit || half < 1 || furthest-1 <= half && c.Positions-1 > half {
			f.fail("position_buckets: %d is not in 2 to %d, below twice max_relative_positions (%d)", d.buckets, limit, furthest)
		}
		d.far = furthest
	}
	f.convolution(c)
}

// convolution reads v2's convolution.
func (f *configFile) convolution(c *Config) {
	d := c.Deberta
	f.get("conv_kernel_size", &d.Kernel)
	if d.Kernel = max(0, d.Kernel); d.Kernel == 0 {
		return
	}
	if d.Kernel > maxKernel || d.Kernel%2 == 0 {
		f.fail("conv_kernel_size: %d is not an odd number up to %d", d.Kernel, maxKernel)
	}
	d.ConvAct = "tanh"
	f.get("conv_act", &d.ConvAct)
	switch d.ConvAct {
	case "gelu", "gelu_new", "tanh":
	default:
		f.fail("conv_act: %.100q is not gelu, gelu_new or tanh", d.ConvAct)
	}
	if groups := 1; f.get("conv_groups", &groups) && groups != 1 {
		f.fail("conv_groups: %d is not 1", groups)
	}
}

// Bounds that no size of a tensor sets: the tokens of a convolution, and those of a text in a
// model of relative positions alone.
const (
	maxKernel   = 63
	maxUnplaced = 1 << 14
)
