package backendtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

// The ids of fakeEncoder that are no words.
const (
	fakePad = iota
	fakeFirst
	fakeLast
	fakeWords
	fakeIDs = 500
)

// fakeEncoder splits texts at white space, and the number in a place of a token after a layer
// is a function of them, of the token's place, and of the sequence.
type fakeEncoder struct {
	limit  int
	closed atomic.Bool
}

func (f *fakeEncoder) Info() backend.EncoderInfo {
	return backend.EncoderInfo{
		Info: backend.Info{Name: "fake", Dim: 5, MaxTokens: f.limit, Signature: mteval.Signature{{Key: "model", Value: "fake"}}},
		Kind: "fake", Layers: 4, Positions: f.limit, Pad: fakePad,
	}
}

func (f *fakeEncoder) Close() error {
	f.closed.Store(true)
	return nil
}

func (f *fakeEncoder) Tokenize(ctx context.Context, _ []backend.Sequence, texts []string, most int) ([]backend.Sequence, error) {
	return f.split(ctx, texts, most)
}

func (f *fakeEncoder) split(ctx context.Context, texts []string, most int) ([]backend.Sequence, error) {
	if f.closed.Load() {
		return nil, backend.ErrClosed
	}
	if most < 3 || most > f.limit {
		return nil, errors.New("most is out of range")
	}
	out := make([]backend.Sequence, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids := []int32{fakeFirst}
		for _, w := range strings.Fields(text) {
			id := uint32(fakeWords)
			for _, b := range []byte(w) {
				id = id*31 + uint32(b)
			}
			ids = append(ids, int32(fakeWords+id%(fakeIDs-fakeWords)))
			if w == "<pad>" {
				ids[len(ids)-1] = fakePad
			}
		}
		cut := len(ids)+1 > most
		ids = ids[:min(len(ids), most-1)]
		out[i] = backend.Sequence{IDs: append(ids, fakeLast), Cut: cut}
	}
	return out, nil
}

// states are the numbers of each token after a layer.
func (f *fakeEncoder) states(ids []int32, layer, dim int) [][]float64 {
	all := 0.0
	for i, id := range ids {
		all += float64(id) / float64(i+1)
	}
	out := make([][]float64, len(ids))
	for j, id := range ids {
		out[j] = make([]float64, dim)
		for i := range out[j] {
			out[j][i] = 1.5*math.Sin(float64(id)+3*float64(j)+7*float64(layer)+11*float64(i)+float64(layer)*all) + .3
		}
	}
	return out
}

func (f *fakeEncoder) Pool(ctx context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	info := f.Info()
	if f.closed.Load() {
		return backend.ErrClosed
	}
	if len(dst) != len(sequences)*info.Dim || len(mix.Weights) != info.Layers || mix.Pooling > backend.Largest ||
		slices.ContainsFunc(mix.Weights, func(w float64) bool { return w-w != 0 }) {
		return errors.New("wrong room, weights or pooling")
	}
	for i, ids := range sequences {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(ids) < 1 || len(ids) > info.MaxTokens || slices.Min(ids) < 0 || slices.Max(ids) >= fakeIDs {
			return errors.New("a wrong sequence")
		}
		v := dst[i*info.Dim : (i+1)*info.Dim]
		f.vector(v, ids, mix)
		if slices.ContainsFunc(v, notFinite) {
			return errors.New("not finite")
		}
	}
	return nil
}

func (f *fakeEncoder) vector(v []float32, ids []int32, mix backend.Mix) {
	tokens := make([][]float64, len(ids))
	for j := range tokens {
		tokens[j] = make([]float64, len(v))
	}
	for layer, w := range mix.Weights {
		if w == 0 {
			continue
		}
		states := f.states(ids, layer, len(v))
		mean, scale, n := 0.0, 1.0, float64(len(ids)*len(v))
		if mix.Norm {
			squares := 0.0
			for _, x := range slices.Concat(states...) {
				mean += x / n
				squares += x * x / n
			}
			scale = 1 / math.Sqrt(squares-mean*mean+1e-12)
		}
		for j := range ids {
			for i := range v {
				tokens[j][i] += w * scale * (states[j][i] - mean)
			}
		}
	}
	for i := range v {
		sum, most := 0.0, math.Inf(-1)
		for j, id := range ids {
			if id != fakePad {
				sum += tokens[j][i]
				most = max(most, tokens[j][i])
			}
		}
		v[i] = float32([]float64{sum / float64(len(ids)), tokens[0][i], most}[mix.Pooling])
	}
}

func TestFakeEncoderConforms(t *testing.T) {
	for _, limit := range []int{3, 12, 600} {
		open := func() (backend.Encoder, error) { return &fakeEncoder{limit: limit}, nil }
		if err := TestEncoder(open, Options{Texts: []string{"with <pad> in it", "<pad>", "<pad> <pad> <pad>"}}); err != nil {
			t.Errorf("at most %d tokens: %v", limit, err)
		}
	}
}

func TestEncoderErrors(t *testing.T) {
	good := func() (backend.Encoder, error) { return &fakeEncoder{limit: 12}, nil }
	for _, tt := range []struct {
		name string
		open func() (backend.Encoder, error)
		o    Options
		want string
	}{
		{"open fails", func() (backend.Encoder, error) { return nil, errOther }, Options{}, "some other error"},
		{"open gives nothing", func() (backend.Encoder, error) { return nil, nil }, Options{}, "no encoder"},
		{"tolerance", good, Options{Tolerance: math.NaN()}, "Tolerance"},
	} {
		if err := TestEncoder(tt.open, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

type (
	tokenizeFunc = func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error)
	poolFunc     = func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error
)

// faultyEncoder is a fakeEncoder with some methods replaced.
type faultyEncoder struct {
	*fakeEncoder
	info     func(backend.EncoderInfo) backend.EncoderInfo
	tokenize tokenizeFunc
	into     func(dst, got []backend.Sequence) // memory that was given
	pool     poolFunc
	close    func(f *fakeEncoder) error
}

func (f *faultyEncoder) Info() backend.EncoderInfo {
	if f.info != nil {
		return f.info(f.fakeEncoder.Info())
	}
	return f.fakeEncoder.Info()
}

func (f *faultyEncoder) Tokenize(ctx context.Context, dst []backend.Sequence, texts []string, most int) ([]backend.Sequence, error) {
	if f.tokenize != nil {
		return f.tokenize(ctx, f.fakeEncoder, texts, most)
	}
	got, err := f.fakeEncoder.split(ctx, texts, most)
	if f.into != nil {
		f.into(dst[:cap(dst)], got)
	}
	return got, err
}

func (f *faultyEncoder) Pool(ctx context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	if f.pool != nil {
		return f.pool(ctx, f.fakeEncoder, dst, sequences, mix)
	}
	return f.fakeEncoder.Pool(ctx, dst, sequences, mix)
}

func (f *faultyEncoder) Close() error {
	if f.close != nil {
		return f.close(f.fakeEncoder)
	}
	return f.fakeEncoder.Close()
}

// An encoderFault is one of a kind, found as the rule that it breaks.
type encoderFault struct {
	name      string
	tolerance float64
	make      func() *faultyEncoder
	want      rule
	where     string // "": as the table has it
}

// Every fault is found as what it is, and for every rule there is a fault.
func TestEncoderFaults(t *testing.T) {
	missing := map[rule]bool{
		noPanic: true, infoName: true, infoDim: true, infoSignature: true, infoSame: true,
		openAgain: true, closeFails: true, closeAgain: true, closeInUse: true,
	}
	for r := infoEncoder; r < numRules; r++ {
		missing[r] = true
	}
	for _, f := range slices.Concat(infoFaults(), tokenizeFaults(), poolFaults(), mixFaults(), otherFaults()) {
		err := TestEncoder(func() (backend.Encoder, error) {
			e := f.make()
			e.fakeEncoder = &fakeEncoder{limit: 30}
			return e, nil
		}, Options{Tolerance: f.tolerance})
		if f.where == "" {
			f.where = ruleTable[f.want].where
		}
		checkFound(t, f.name, err, f.where, f.want)
		delete(missing, f.want)
	}
	for r := range missing {
		t.Errorf("no fault for %s: %s", ruleTable[r].where, r)
	}
}

func infoFaults() (out []encoderFault) {
	info := func(name string, want rule, change func(*backend.EncoderInfo)) {
		out = append(out, encoderFault{name: name, want: want, make: func() *faultyEncoder {
			return &faultyEncoder{info: func(i backend.EncoderInfo) backend.EncoderInfo {
				change(&i)
				return i
			}}
		}})
	}
	info("no name", infoName, func(i *backend.EncoderInfo) { i.Name = "" })
	info("no dimension", infoDim, func(i *backend.EncoderInfo) { i.Dim = 0 })
	info("no signature", infoSignature, func(i *backend.EncoderInfo) { i.Signature = nil })
	info("no limit", infoEncoder, func(i *backend.EncoderInfo) { i.MaxTokens = 0 })
	info("no kind", infoEncoder, func(i *backend.EncoderInfo) { i.Kind = "" })
	info("no layers", infoEncoder, func(i *backend.EncoderInfo) { i.Layers = 0 })
	info("negative positions", infoEncoder, func(i *backend.EncoderInfo) { i.Positions = -1 })
	info("padding -2", infoEncoder, func(i *backend.EncoderInfo) { i.Pad = -2 })
	n := 0
	info("Info counts calls", infoSame, func(i *backend.EncoderInfo) { n++; i.Positions += n })
	shared := mteval.Signature{{Key: "model", Value: "fake"}}
	info("Info's signature is its own", infoSame, func(i *backend.EncoderInfo) { i.Signature = shared })
	out = append(out, encoderFault{name: "no Info after Close", want: infoSame, make: func() *faultyEncoder {
		e := new(faultyEncoder)
		e.info = func(i backend.EncoderInfo) backend.EncoderInfo {
			if e.closed.Load() {
				i.Kind = ""
			}
			return i
		}
		return e
	}})
	return out
}

func tokenizeFaults() (out []encoderFault) {
	add := func(name string, want rule, f tokenizeFunc) {
		out = append(out, encoderFault{name: name, want: want, make: func() *faultyEncoder { return &faultyEncoder{tokenize: f} }})
	}
	changed := func(name string, want rule, change func(out []backend.Sequence, texts []string, most int) []backend.Sequence) {
		add(name, want, func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
			got, err := f.split(ctx, texts, most)
			if err == nil {
				got = change(got, texts, most)
			}
			return got, err
		})
	}
	each := func(name string, want rule, change func(s *backend.Sequence, most int)) {
		changed(name, want, func(out []backend.Sequence, _ []string, most int) []backend.Sequence {
			for i := range out {
				change(&out[i], most)
			}
			return out
		})
	}
	add("fails for bad bytes", tokenizeFails, func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.ToValidUTF8(s, "") != s }) {
			return nil, errOther
		}
		return f.split(ctx, texts, most)
	})
	changed("sorts texts", tokenizeInput, func(out []backend.Sequence, texts []string, _ int) []backend.Sequence {
		slices.Sort(texts)
		return out
	})
	changed("a sequence too few", tokenizeShape, func(out []backend.Sequence, texts []string, _ int) []backend.Sequence {
		return out[:max(1, len(out)-1)]
	})
	changed("a sequence without a text", tokenizeShape, func(out []backend.Sequence, texts []string, _ int) []backend.Sequence {
		if len(texts) == 0 {
			out = make([]backend.Sequence, 1)
		}
		return out
	})
	each("a token above most", tokenizeShape, func(s *backend.Sequence, most int) {
		if s.Cut {
			s.IDs = append(s.IDs, fakeLast)
		}
	})
	each("no special tokens for nothing", tokenizeSpecial, func(s *backend.Sequence, _ int) {
		if len(s.IDs) == 2 {
			s.IDs = s.IDs[:1]
		}
	})
	each("cuts the last special token", tokenizeSpecial, func(s *backend.Sequence, _ int) {
		if s.Cut {
			s.IDs[len(s.IDs)-1] = fakeWords
		}
	})
	each("cuts and says nothing", tokenizeCut, func(s *backend.Sequence, _ int) { s.Cut = false })
	each("cuts at the limit and says nothing", tokenizeCut, func(s *backend.Sequence, most int) {
		s.Cut = s.Cut && most < 30
	})
	each("says cut of texts that just fit", tokenizeCut, func(s *backend.Sequence, most int) { s.Cut = len(s.IDs) == most })
	each("cuts more than it must", tokenizeCut, func(s *backend.Sequence, _ int) {
		if n := len(s.IDs); s.Cut && n > 4 {
			s.IDs = append(s.IDs[:n-2], fakeLast)
		}
	})
	each("keeps another part", tokenizeCut, func(s *backend.Sequence, most int) {
		if s.Cut && most < 30 {
			s.IDs[1]++
		}
	})
	changed("pads to the longest", tokenizeAlone, func(out []backend.Sequence, _ []string, most int) []backend.Sequence {
		longest := 0
		for _, s := range out {
			longest = max(longest, len(s.IDs))
		}
		for i := range out {
			for len(out[i].IDs) < longest {
				out[i].IDs = append(out[i].IDs, fakePad)
			}
		}
		return out
	})
	out = append(out, encoderFault{name: "reads the memory that it is given", want: tokenizeAlone, make: func() *faultyEncoder {
		return &faultyEncoder{into: func(dst, got []backend.Sequence) {
			for i := range min(len(dst), len(got)) {
				got[i].Cut = got[i].Cut || dst[i].Cut
			}
		}}
	}})
	out = append(out, encoderFault{name: "lends its own memory", want: tokenizeEarlier, make: func() *faultyEncoder {
		var lent []backend.Sequence
		return &faultyEncoder{tokenize: func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
			if ctx != background || most != 30 || f.closed.Load() {
				return f.split(ctx, texts, most)
			}
			got, err := f.split(ctx, texts, most)
			if err == nil && len(texts) > 20 {
				if lent != nil {
					clear(lent[0].IDs)
				}
				lent = got
			}
			return got, err
		}}
	}})
	add("takes any most", tokenizeWrong, func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
		return f.split(ctx, texts, min(max(3, most), 30))
	})
	out = append(out, encoderFault{name: "panics below 3 tokens", want: noPanic, where: "Tokenize", make: func() *faultyEncoder {
		return &faultyEncoder{tokenize: func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
			if most < 0 {
				panic("negative")
			}
			return f.split(ctx, texts, most)
		}}
	}})
	add("does not stop", tokenizeCancelled, func(_ context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
		return f.split(background, texts, most)
	})
	add("gives half when cancelled on the way", tokenizeCancelled, func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		got, err := f.split(ctx, texts, most)
		if errors.Is(err, context.Canceled) {
			return make([]backend.Sequence, len(texts)), nil
		}
		return got, err
	})
	out = append(out, encoderFault{name: "tokenizes for one caller at a time", want: tokenizeConcurrent, make: func() *faultyEncoder {
		inUse := new(atomic.Int64)
		return &faultyEncoder{tokenize: func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
			defer inUse.Add(-1)
			if inUse.Add(1); len(texts) > 2 && len(texts) < 20 {
				time.Sleep(10 * time.Millisecond) // for the others to come
			}
			got, err := f.split(ctx, texts, most)
			if inUse.Load() > 1 && err == nil {
				got[0].Cut = !got[0].Cut
			}
			return got, err
		}}
	}})
	add("tokenizes when closed", tokenizeClosed, func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
		return (&fakeEncoder{limit: f.limit}).split(ctx, texts, most)
	})
	return out
}

// pooled is the fault of a Pool that does what is right, and then change.
func pooled(name string, want rule, change func(dst []float32, sequences [][]int32, mix backend.Mix)) encoderFault {
	return poolFault(name, want, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
		err := f.Pool(ctx, dst, sequences, mix)
		if err == nil {
			change(dst, sequences, mix)
		}
		return err
	})
}

func poolFault(name string, want rule, f poolFunc) encoderFault {
	return encoderFault{name: name, want: want, make: func() *faultyEncoder { return &faultyEncoder{pool: f} }}
}

func poolFaults() []encoderFault {
	return []encoderFault{
		poolFault("fails without a sequence", poolFails, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			if len(sequences) == 0 {
				return cmp.Or(f.Pool(ctx, dst, sequences, mix), errOther)
			}
			return f.Pool(ctx, dst, sequences, mix)
		}),
		{name: "panics for empty sequences", want: noPanic, where: "Pool", make: poolFault("", 0, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			for _, s := range sequences {
				_ = s[0]
			}
			return f.Pool(ctx, dst, sequences, mix)
		}).make},
		pooled("sorts sequences", poolInput, func(_ []float32, sequences [][]int32, _ backend.Mix) { slices.SortFunc(sequences, slices.Compare) }),
		pooled("changes ids", poolInput, func(_ []float32, sequences [][]int32, _ backend.Mix) {
			if len(sequences) > 0 {
				sequences[0][0]++
			}
		}),
		pooled("changes weights", poolInput, func(_ []float32, _ [][]int32, mix backend.Mix) { mix.Weights[0]++ }),
		pooled("writes beyond dst", poolOutside, func(dst []float32, _ [][]int32, _ backend.Mix) {
			if cap(dst) > len(dst) {
				dst[:cap(dst)][len(dst)] = 0
			}
		}),
		{name: "keeps weights", want: poolAgain, make: func() *faultyEncoder {
			var kept []float64
			return &faultyEncoder{pool: func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
				err := f.Pool(ctx, dst, sequences, mix)
				if kept != nil && kept[0] != kept[0] && err == nil && len(dst) > 0 {
					dst[0]++
				}
				if kept == nil && len(sequences) == 1 && len(sequences[0]) == 1 { // the last ones
					kept = mix.Weights
				}
				return err
			}}
		}},
		{name: "drifts", want: poolAgain, make: func() *faultyEncoder {
			calls := new(atomic.Int64)
			return &faultyEncoder{pool: func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
				err := f.Pool(ctx, dst, sequences, mix)
				for i := range dst {
					dst[i] *= 1 + float32(calls.Add(1))*1e-6
				}
				return err
			}}
		}},
		poolFault("adds to what dst holds", poolDirty, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			before := slices.Clone(dst)
			err := f.Pool(ctx, dst, sequences, mix)
			for i := range dst {
				dst[i] += before[i]
			}
			return err
		}),
		pooled("padding changes vectors", poolAlone, func(dst []float32, sequences [][]int32, _ backend.Mix) {
			for i := range dst {
				dst[i] += float32(len(sequences)-1) * 1e-6
			}
		}),
		{name: "the batch scales vectors beyond tolerance", want: poolAlone, tolerance: 1e-3, make: pooled("", 0, func(dst []float32, sequences [][]int32, _ backend.Mix) {
			for i := range dst {
				dst[i] *= 1 + float32(len(sequences)-1)*1e-2
			}
		}).make},
		pooled("the largest of the batch", poolAlone, func(dst []float32, sequences [][]int32, mix backend.Mix) {
			for i := 5; i < len(dst) && mix.Pooling == backend.Largest; i++ {
				dst[i] = max(dst[i], dst[i-5])
			}
		}),
		pooled("NaN for long sequences", poolFinite, func(dst []float32, sequences [][]int32, _ backend.Mix) {
			for i, s := range sequences {
				if len(s) == 30 {
					dst[5*i] = float32(math.NaN())
				}
			}
		}),
		poolFault("lets pass what is not finite", poolFinite, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			err := f.Pool(ctx, dst, sequences, mix)
			if err != nil && err.Error() == "not finite" && sequences[0][0] != fakePad {
				return nil
			}
			return err
		}),
		poolFault("does not stop", poolCancelled, func(_ context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			return f.Pool(background, dst, sequences, mix)
		}),
		poolFault("has another error when cancelled", poolCancelled, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			err := f.Pool(ctx, dst, sequences, mix)
			if errors.Is(err, context.Canceled) {
				return errOther
			}
			return err
		}),
		poolFault("gives zeros when cancelled on the way", poolCancelled, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			err := f.Pool(ctx, dst, sequences, mix)
			if errors.Is(err, context.Canceled) {
				clear(dst)
				return nil
			}
			return err
		}),
		{name: "serves one caller at a time", want: poolConcurrent, make: func() *faultyEncoder {
			inUse := new(atomic.Int64)
			return &faultyEncoder{pool: func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
				defer inUse.Add(-1)
				if inUse.Add(1); len(sequences) > 2 && len(sequences) < 20 {
					time.Sleep(10 * time.Millisecond) // for the others to come
				}
				err := f.Pool(ctx, dst, sequences, mix)
				if inUse.Load() > 1 {
					clear(dst)
				}
				return err
			}}
		}},
		poolFault("pools when closed", poolClosed, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			return (&fakeEncoder{limit: f.limit}).Pool(ctx, dst, sequences, mix)
		}),
	}
}

// mixFaults are those of what a vector is, and of what must be refused.
func mixFaults() []encoderFault {
	// another pools another mix.
	another := func(name string, want rule, change func(mix *backend.Mix)) encoderFault {
		return poolFault(name, want, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			mix.Weights = slices.Clone(mix.Weights)
			if len(mix.Weights) == 4 {
				change(&mix)
			}
			return f.Pool(ctx, dst, sequences, mix)
		})
	}
	// refused passes what is wrong in one way, right as it is made by change.
	refused := func(name string, change func(f *fakeEncoder, dst []float32, sequences [][]int32, mix *backend.Mix) ([]float32, [][]int32)) encoderFault {
		return poolFault(name, poolWrong, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			dst, sequences = change(f, dst, sequences, &mix)
			return f.Pool(ctx, dst, sequences, mix)
		})
	}
	ids := func(name string, change func(ids []int32) []int32) encoderFault {
		return refused(name, func(_ *fakeEncoder, dst []float32, sequences [][]int32, _ *backend.Mix) ([]float32, [][]int32) {
			own := make([][]int32, len(sequences))
			for i, s := range sequences {
				own[i] = change(slices.Clone(s))
			}
			return dst, own
		})
	}
	return []encoderFault{
		another("leaves out the embeddings", poolMix, func(mix *backend.Mix) { mix.Weights[0] = 0 }),
		another("stops at the first 0", poolMix, func(mix *backend.Mix) {
			for i := 1; i < 4; i++ {
				if mix.Weights[i-1] == 0 {
					mix.Weights[i] = 0
				}
			}
		}),
		another("weighs layers a softmax", poolMix, func(mix *backend.Mix) {
			sum := 0.0
			for i, w := range mix.Weights {
				mix.Weights[i] = math.Exp(min(w, 1))
				sum += mix.Weights[i]
			}
			for i := range mix.Weights {
				mix.Weights[i] /= sum
			}
		}),
		another("no Norm", poolNorm, func(mix *backend.Mix) { mix.Norm = false }),
		pooled("norms the vector", poolNorm, func(dst []float32, sequences [][]int32, mix backend.Mix) {
			layers := 0
			for _, w := range mix.Weights {
				if w != 0 {
					layers++
				}
			}
			if !mix.Norm || layers != 1 {
				return
			}
			for i := range sequences {
				v := dst[5*i : 5*i+5]
				mean, squares := 0.0, 0.0
				for _, x := range v {
					mean += float64(x) / 5
					squares += float64(x) * float64(x) / 5
				}
				for k, x := range v {
					v[k] = float32((float64(x) - mean) / math.Sqrt(squares-mean*mean+1e-12))
				}
			}
		}),
		another("average for the first", poolPooling, func(mix *backend.Mix) {
			if mix.Pooling == backend.First {
				mix.Pooling = backend.Average
			}
		}),
		another("first for the largest", poolPooling, func(mix *backend.Mix) {
			if mix.Pooling == backend.Largest {
				mix.Pooling = backend.First
			}
		}),
		pooled("sum for the average", poolPooling, func(dst []float32, sequences [][]int32, mix backend.Mix) {
			for i := range dst {
				if mix.Pooling == backend.Average {
					dst[i] *= float32(len(sequences[i/5]))
				}
			}
		}),
		poolFault("counts padding", poolPadding, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			if len(sequences) == 1 && !slices.ContainsFunc(sequences[0], func(id int32) bool { return id != fakePad }) && len(sequences[0]) > 0 {
				sequences = [][]int32{{fakeWords}}
			}
			return f.Pool(ctx, dst, sequences, mix)
		}),
		refused("room to spare", func(_ *fakeEncoder, dst []float32, sequences [][]int32, _ *backend.Mix) ([]float32, [][]int32) {
			return dst[:min(len(dst), 5*len(sequences))], sequences
		}),
		refused("a weight too many", func(_ *fakeEncoder, dst []float32, sequences [][]int32, mix *backend.Mix) ([]float32, [][]int32) {
			mix.Weights = mix.Weights[:min(4, len(mix.Weights))]
			return dst, sequences
		}),
		refused("weights NaN", func(_ *fakeEncoder, dst []float32, sequences [][]int32, mix *backend.Mix) ([]float32, [][]int32) {
			mix.Weights = slices.Clone(mix.Weights)
			for i, w := range mix.Weights {
				if w != w {
					mix.Weights[i] = 0
				}
			}
			return dst, sequences
		}),
		refused("an unknown pooling", func(_ *fakeEncoder, dst []float32, sequences [][]int32, mix *backend.Mix) ([]float32, [][]int32) {
			mix.Pooling = min(mix.Pooling, backend.Largest)
			return dst, sequences
		}),
		ids("an empty sequence", func(ids []int32) []int32 {
			if len(ids) == 0 {
				return []int32{fakePad}
			}
			return ids
		}),
		ids("too long a sequence", func(ids []int32) []int32 { return ids[:min(len(ids), 30)] }),
		ids("an id too large", func(ids []int32) []int32 {
			for k := range ids {
				ids[k] = min(ids[k], fakeIDs-1)
			}
			return ids
		}),
		ids("an id too small", func(ids []int32) []int32 {
			for k := range ids {
				ids[k] = max(ids[k], 0)
			}
			return ids
		}),
	}
}

// otherFaults are those of open and Close.
func otherFaults() []encoderFault {
	instances := new(atomic.Int64)
	return []encoderFault{
		{name: "every instance has other vectors", want: openAgain, make: func() *faultyEncoder {
			n := float32(instances.Add(1))
			return pooled("", 0, func(dst []float32, _ [][]int32, _ backend.Mix) {
				for i := range dst {
					dst[i] *= n
				}
			}).make()
		}},
		{name: "every instance has other tokens", want: openAgain, make: func() *faultyEncoder {
			n := int32(instances.Add(1)) % 7
			return &faultyEncoder{tokenize: func(ctx context.Context, f *fakeEncoder, texts []string, most int) ([]backend.Sequence, error) {
				got, err := f.split(ctx, texts, most)
				for _, s := range got {
					for k := 1; k < len(s.IDs)-1; k++ {
						s.IDs[k] = fakeWords + (s.IDs[k]+n)%400
					}
				}
				return got, err
			}}
		}},
		{name: "every instance has another signature", want: openAgain, make: func() *faultyEncoder {
			n := fmt.Sprint(instances.Add(1))
			return &faultyEncoder{info: func(i backend.EncoderInfo) backend.EncoderInfo {
				i.Signature[0].Value = n
				return i
			}}
		}},
		{name: "Close fails", want: closeFails, make: func() *faultyEncoder {
			return &faultyEncoder{close: func(f *fakeEncoder) error {
				f.Close()
				return errOther
			}}
		}},
		{name: "Close fails the second time", want: closeAgain, make: func() *faultyEncoder {
			return &faultyEncoder{close: func(f *fakeEncoder) error {
				if f.closed.Swap(true) {
					return backend.ErrClosed
				}
				return nil
			}}
		}},
		// Its memory is gone while it works.
		poolFault("Close does not wait", closeInUse, func(ctx context.Context, f *fakeEncoder, dst []float32, sequences [][]int32, mix backend.Mix) error {
			err := f.Pool(ctx, dst, sequences, mix)
			if err == nil && len(sequences) == 2 {
				time.Sleep(20 * time.Millisecond)
			}
			if f.closed.Load() && err == nil {
				clear(dst)
			}
			return err
		}),
	}
}

// A tolerance lets pass what it is for.
func TestEncoderTolerance(t *testing.T) {
	open := func() (backend.Encoder, error) {
		e := pooled("", 0, func(dst []float32, sequences [][]int32, _ backend.Mix) {
			for i := range dst {
				dst[i] *= 1 + float32(len(sequences))*1e-7
			}
		}).make()
		e.fakeEncoder = &fakeEncoder{limit: 30}
		return e, nil
	}
	if err := TestEncoder(open, Options{}); err == nil {
		t.Error("nothing found without a tolerance")
	}
	if err := TestEncoder(open, Options{Tolerance: 1e-4}); err != nil {
		t.Error(err)
	}
}
