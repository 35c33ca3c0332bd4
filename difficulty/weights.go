package difficulty

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/jsonline"
)

var (
	// ErrReferences is returned where weights are used with references, or
	// tokens of them, that they were not estimated on.
	ErrReferences = errors.New("difficulty: weights belong to other references")

	// ErrNoSystems is returned where difficulty is to be estimated from no
	// system at all.
	ErrNoSystems = errors.New("difficulty: no system to estimate it from")
)

// Weights are the difficulties of the tokens of a set of references. They are
// immutable, and the same for all Options: a saved file serves any of them. The zero value
// has none, and serves for reading saved ones.
type Weights struct {
	systems  []string
	function string
	outputs  func() string  // hash of the tokens of the systems' outputs
	refs     [][]refWeights // [segment][reference]
}

// refWeights are the difficulties d of a reference's tokens.
type refWeights struct {
	tokens []mteval.Token
	d      []float64
}

// maxDifficulty bounds weights, so that no sum of them can overflow.
const maxDifficulty = 1e9

// Function is a difficulty function other than equation 2. Of gets a reference
// token's best similarity in each system's output, in order, and must return a
// number from 0 to 1e9, and keep nothing. Name stands in signatures.
type Function struct {
	Name string
	Of   func(best []float64) float64
}

func (f Function) check() error {
	if (f.Of == nil) != (f.Name == "") {
		return errors.New("difficulty: a Function has both a name, for signatures, and Of, or neither")
	}
	return nil
}

func (f Function) signature() mteval.Signature {
	if f.Name == "" {
		return nil
	}
	return mteval.Signature{{Key: "function", Abbr: "df", Value: f.Name}}
}

// Estimate gives the difficulties of m's reference tokens by equation 2, from the
// outputs of all the systems.
func Estimate(ctx context.Context, m mteval.Matcher, systems []mteval.System) (*Weights, error) {
	if contract.Nil(m) {
		return nil, errors.New("difficulty: no matcher")
	}
	ms, err := mteval.MatchSystems(ctx, m, systems)
	if err != nil {
		return nil, err
	}
	return estimateFrom(ctx, ms, nil, Function{})
}

// EstimateFrom is Estimate from matchings, by the systems with the given indices
// (nil: all), with a function of the caller's own (zero: equation 2).
func EstimateFrom(ms *mteval.Matchings, voters []int, f Function) (*Weights, error) {
	return estimateFrom(context.Background(), ms, voters, f)
}

func estimateFrom(ctx context.Context, ms *mteval.Matchings, voters []int, f Function) (*Weights, error) {
	if ms == nil || len(ms.Systems) == 0 {
		return nil, ErrNoSystems
	}
	if err := checkMatchings(ctx, ms); err != nil {
		return nil, err
	}
	if voters == nil {
		voters = everySystem(ms)
	}
	w, err := estimate(ctx, ms, voters, f)
	if err != nil {
		return nil, err
	}
	// Now, so that the weights do not hold on to the matchings.
	outputs, err := hashOutputs(ctx, ms, voters)
	if err != nil {
		return nil, err
	}
	w.outputs = func() string { return outputs }
	return w, nil
}

func everySystem(ms *mteval.Matchings) []int {
	all := make([]int, len(ms.Systems))
	for k := range all {
		all[k] = k
	}
	return all
}

// estimate is EstimateFrom with a hash of the outputs that is made when it is asked for:
// it takes longer than all else, and the curve over K has no use for it. The matchings are
// checked already.
func estimate(ctx context.Context, ms *mteval.Matchings, voters []int, f Function) (*Weights, error) {
	w := &Weights{function: f.Name, refs: make([][]refWeights, ms.Len())}
	if voters == nil {
		voters = everySystem(ms)
	}
	if len(voters) == 0 {
		return nil, ErrNoSystems
	}
	for _, k := range voters {
		if k < 0 || k >= len(ms.Systems) {
			return nil, fmt.Errorf("difficulty: system %d of %d", k, len(ms.Systems))
		}
		w.systems = append(w.systems, ms.Systems[k])
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.Of == nil {
		f.Of = equation2
	}
	w.outputs = sync.OnceValue(func() string {
		sum, _ := hashOutputs(context.Background(), ms, voters) // which has no end of its own
		return sum
	})
	e := &estimator{ms, voters, f, make([]float64, len(voters))}
	for i := range w.refs {
		refs := ms.RefTokens(i)
		pairings := ms.At(voters[0], i).Pairings // any system's: all were checked
		if len(pairings) != len(refs) {
			return nil, &mteval.SegmentError{Segment: i, Err: fmt.Errorf("difficulty: the metric has %d references now, had %d", len(refs), len(pairings))}
		}
		w.refs[i] = make([]refWeights, len(refs))
		for r, tokens := range refs {
			d, err := e.difficulties(ctx, i, r, tokens)
			if err != nil {
				return nil, err
			}
			w.refs[i][r] = refWeights{tokens, d}
		}
	}
	return w, nil
}

// An estimator asks voters.
type estimator struct {
	ms     *mteval.Matchings
	voters []int
	f      Function
	best   []float64 // room for similarities, by voter
}

// difficulties are those of a reference's tokens.
func (e *estimator) difficulties(ctx context.Context, segment, r int, tokens []mteval.Token) ([]float64, error) {
	fail := func(format string, args ...any) error {
		return &mteval.SegmentError{Segment: segment, Side: mteval.ReferenceSide, Index: r, Err: fmt.Errorf("difficulty: "+format, args...)}
	}
	if n := len(e.ms.At(e.voters[0], segment).Pairings[r].Ref); n != len(tokens) {
		return nil, fail("the metric has %d tokens now, had %d", len(tokens), n)
	}
	d := make([]float64, len(tokens))
	for j := range tokens {
		if j%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if w := tokens[j].Weight; !(w >= 0 && w <= maxDifficulty) {
			return nil, fail("weight %v of token %q is not in 0 to %g", w, tokens[j].Text, maxDifficulty)
		}
		for v, k := range e.voters {
			e.best[v] = float64(e.ms.At(k, segment).Pairings[r].Ref[j].Sim)
		}
		d[j] = e.f.Of(e.best)
		if !(d[j] >= 0 && d[j] <= maxDifficulty) {
			return nil, fail("%v for token %q is not in 0 to %g", d[j], tokens[j].Text, maxDifficulty)
		}
	}
	return d, nil
}

func equation2(best []float64) float64 {
	sum := 0.0
	for _, s := range best {
		sum += s
	}
	return 1 - sum/float64(len(best))
}

// Systems returns the names of the systems that the difficulties come from.
func (w *Weights) Systems() []string { return slices.Clone(w.systems) }

// Len is the number of segments.
func (w *Weights) Len() int { return len(w.refs) }

// Of returns the difficulties of the tokens of a segment's reference, as the systems
// gave them: without a baseline, smoothing, or what else Options make of them. It panics
// if there is no such reference.
func (w *Weights) Of(segment, reference int) []float64 {
	return slices.Clone(w.refs[segment][reference].d)
}

// All returns the difficulties of all tokens that weigh something, in order: for
// their distribution (Figure 3).
func (w *Weights) All() []float64 {
	var out []float64
	for _, refs := range w.refs {
		for _, r := range refs {
			for j, t := range r.tokens {
				if t.Weight != 0 {
					out = append(out, r.d[j])
				}
			}
		}
	}
	return out
}

// Hash is a short hash of what the weights come from: the tokens of the references and
// of the systems' outputs, and the function. It stands in signatures, beside that of the
// metric. It is not of the weights' own bits, which may differ in the last digits from
// one processor to another.
func (w *Weights) Hash() string {
	h := newHash()
	h.text(w.function)
	h.text(w.outputsHash())
	h.number(uint64(len(w.refs)))
	for _, refs := range w.refs {
		h.number(uint64(len(refs)))
		for _, r := range refs {
			h.tokens(r.tokens)
		}
	}
	return h.sum()[:16]
}

// outputsHash is the hash of the systems' outputs, "" for the zero value.
func (w *Weights) outputsHash() string {
	if w.outputs == nil {
		return ""
	}
	return w.outputs()
}

// values is a hash of all that a saved file holds, by which one that was changed is found.
func (w *Weights) values() string {
	h := newHash()
	h.text(w.Hash())
	for _, name := range w.systems {
		h.text(name)
	}
	for _, refs := range w.refs {
		for _, r := range refs {
			h.number(uint64(len(r.d)))
			for j, d := range r.d {
				h.number(math.Float64bits(d))
				h.text(r.tokens[j].Text)
				h.number(uint64(math.Float32bits(r.tokens[j].Weight)))
			}
		}
	}
	return h.sum()
}

func hashOutputs(ctx context.Context, ms *mteval.Matchings, systems []int) (string, error) {
	h := newHash()
	for _, k := range systems {
		for i := range ms.Len() {
			if err := ctx.Err(); err != nil {
				return "", err
			}
			h.tokens(ms.At(k, i).Tokens)
		}
	}
	return h.sum(), nil
}

// hasher hashes numbers and texts, with the bounds of texts.
type hasher struct {
	h   hash.Hash
	buf []byte // not hashed yet: a call for each number is slow
}

func newHash() *hasher { return &hasher{h: sha256.New()} }

func (h *hasher) number(x uint64) { h.buf = binary.LittleEndian.AppendUint64(h.buf, x) }

func (h *hasher) text(s string) {
	h.number(uint64(len(s)))
	h.buf = append(h.buf, s...)
	if len(h.buf) > 1<<13 {
		h.flush()
	}
}

func (h *hasher) tokens(ts []mteval.Token) {
	h.number(uint64(len(ts)))
	for _, t := range ts {
		h.text(t.Text)
		h.number(uint64(math.Float32bits(t.Weight)))
	}
}

func (h *hasher) flush() {
	h.h.Write(h.buf)
	h.buf = h.buf[:0]
}

func (h *hasher) sum() string {
	h.flush()
	return hex.EncodeToString(h.h.Sum(nil))
}

// check returns an error if m's reference tokens are not the ones of the weights.
func (w *Weights) check(ctx context.Context, m mteval.Matcher) error {
	if m.Len() != len(w.refs) {
		return fmt.Errorf("%w: %d segments, the weights have %d", ErrReferences, m.Len(), len(w.refs))
	}
	for i, refs := range w.refs {
		if err := ctx.Err(); err != nil {
			return err
		}
		tokens := m.RefTokens(i)
		same := len(tokens) == len(refs)
		for r := 0; same && r < len(refs); r++ {
			same = slices.EqualFunc(refs[r].tokens, tokens[r], func(a, b mteval.Token) bool {
				return a.Text == b.Text && a.Weight == b.Weight
			})
		}
		if !same {
			return &mteval.SegmentError{Segment: i, Err: ErrReferences}
		}
	}
	return nil
}

// weightsFormat names the form of saved weights. A change of the form is a new
// name.
const weightsFormat = "mteval-difficulty/2"

type weightsJSON struct {
	Format   string      `json:"format"`
	Systems  []string    `json:"systems"`
	Function string      `json:"function,omitempty"`
	Segments [][]refJSON `json:"segments"`
	Outputs  string      `json:"outputs"` // hash of the systems' outputs
	Values   string      `json:"values"`  // hash of all else
}

type refJSON struct {
	Tokens     []string  `json:"tokens"`
	Difficulty []float64 `json:"difficulty"`
	// Weights of the tokens where not all are 1.
	Weights []float32 `json:"weights,omitempty"`
}

// MarshalJSON writes the weights with the names of the systems and the texts of
// the tokens. Reading it gives the same weights to the last bit. A token or a name that
// is not valid UTF-8, which JSON can't hold, is an error, and so are weights of no system.
func (w Weights) MarshalJSON() ([]byte, error) {
	if len(w.systems) == 0 {
		return nil, ErrNoSystems
	}
	for _, name := range append(w.Systems(), w.function) {
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("difficulty: name %q is not valid UTF-8 and can't be saved", name)
		}
	}
	j := weightsJSON{weightsFormat, w.systems, w.function, make([][]refJSON, len(w.refs)), w.outputsHash(), w.values()}
	for i, refs := range w.refs {
		j.Segments[i] = make([]refJSON, len(refs))
		for r, ref := range refs {
			out := refJSON{Tokens: []string{}, Difficulty: ref.d}
			var weights []float32
			plain := true
			for _, t := range ref.tokens {
				if !utf8.ValidString(t.Text) {
					return nil, &mteval.SegmentError{Segment: i, Err: fmt.Errorf("difficulty: token %q is not valid UTF-8 and can't be saved", t.Text)}
				}
				out.Tokens = append(out.Tokens, t.Text)
				weights = append(weights, t.Weight)
				plain = plain && t.Weight == 1
			}
			if !plain {
				out.Weights = weights
			}
			j.Segments[i][r] = out
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (w *Weights) UnmarshalJSON(data []byte) error {
	var j weightsJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	if err := jsonline.CheckKeys(string(data), &j); err != nil {
		return fmt.Errorf("difficulty: %w", err)
	}
	if j.Format != weightsFormat {
		return fmt.Errorf("difficulty: format %q, want %q", j.Format, weightsFormat)
	}
	if len(j.Systems) == 0 {
		return ErrNoSystems
	}
	out := Weights{systems: j.Systems, function: j.Function, outputs: func() string { return j.Outputs }, refs: make([][]refWeights, len(j.Segments))}
	for i, refs := range j.Segments {
		out.refs[i] = make([]refWeights, len(refs))
		for r, ref := range refs {
			n := len(ref.Tokens)
			if len(ref.Difficulty) != n || ref.Weights != nil && len(ref.Weights) != n {
				return &mteval.SegmentError{Segment: i, Err: fmt.Errorf(
					"difficulty: reference %d has %d tokens, %d difficulties and %d weights", r+1, n, len(ref.Difficulty), len(ref.Weights))}
			}
			tokens := make([]mteval.Token, n)
			for k, text := range ref.Tokens {
				tokens[k] = mteval.Token{Text: text, Weight: 1}
				if ref.Weights != nil {
					tokens[k].Weight = ref.Weights[k]
				}
				if d, w := ref.Difficulty[k], tokens[k].Weight; d < 0 || w < 0 || d > maxDifficulty || w > maxDifficulty {
					return &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: r, Err: fmt.Errorf("difficulty: %v or weight %v of token %q is not in 0 to %g", d, w, text, maxDifficulty)}
				}
			}
			out.refs[i][r] = refWeights{tokens, append([]float64{}, ref.Difficulty...)}
		}
	}
	if out.values() != j.Values {
		return errors.New("difficulty: the values are not those that were saved")
	}
	*w = out
	return nil
}
