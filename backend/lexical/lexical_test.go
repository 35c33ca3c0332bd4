package lexical_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/tokenize"
)

func newBackend(t testing.TB, o lexical.Options) *lexical.Backend {
	t.Helper()
	b, err := lexical.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func embed(t testing.TB, b *lexical.Backend, texts ...string) *backend.Batch {
	t.Helper()
	batch := new(backend.Batch)
	if err := b.Embed(context.Background(), batch, texts); err != nil {
		t.Fatal(err)
	}
	return batch
}

// vectors returns the vectors of a text's words.
func vectors(t testing.TB, b *lexical.Backend, text string) [][]float32 {
	t.Helper()
	batch := embed(t, b, text)
	tokens, data := batch.Text(0)
	out := make([][]float32, len(tokens))
	for i := range out {
		out[i] = data[i*batch.Dim : (i+1)*batch.Dim]
	}
	return out
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// zero is a share of the neighbours that leaves them out.
var zero = 0.0

// The vectors of one text to the last bit, on every platform and with every version
// to come: scores that were published depend on them. If this test fails on some
// platform, a sum has another order there or was fused with a product.
func TestGolden(t *testing.T) {
	batch := embed(t, newBackend(t, lexical.Options{}), "Das alte Haus, 3.50 €.", "", "Naïve Köche 漢字 \xff")
	h := sha256.New()
	var b [4]byte
	for _, x := range batch.Data {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(x))
		h.Write(b[:])
	}
	const want = "5bfb6498ad5923be61173f9ad636a8d12a719206a6739330ef3263a956ef7ccf"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("hash of the vectors %s, want %s", got, want)
	}
	// A few of them, to tell by what kind of change the hash is another: the
	// places of the word that are not 0, without neighbours.
	got := make(map[int]uint32)
	for place, x := range vectors(t, newBackend(t, lexical.Options{Neighbour: &zero}), "Haus")[0] {
		if x != 0 {
			got[place] = math.Float32bits(x)
		}
	}
	// <Haus> has 5 + 4 + 3 n-grams and the whole word, 13 in all, each ±1/√13
	// where no two share a place.
	const plus, minus = 0x3e8e00d5, 0xbe8e00d5
	wantBits := map[int]uint32{
		193: plus, 201: plus, 241: plus, 246: plus, 325: plus, 378: plus,
		63: minus, 131: minus, 159: minus, 195: minus, 315: minus, 372: minus, 428: minus,
	}
	if diff := cmp.Diff(wantBits, got); diff != "" {
		t.Errorf("places and bits of Haus (-want +got):\n%s", diff)
	}
}

// naive embeds the words of a text as the package's comment tells it: from maps,
// in float64, with Go's own FNV.
func naive(words []string, dim, minN, maxN int, neighbour float64) [][]float64 {
	scaled := func(v map[uint64]float64) map[uint64]float64 {
		norm := 0.0
		for _, x := range v {
			norm += x * x
		}
		out := make(map[uint64]float64)
		for k, x := range v {
			if norm > 0 {
				out[k] = x / math.Sqrt(norm)
			}
		}
		return out
	}
	var alone []map[uint64]float64
	for _, w := range words {
		marked := "<" + w + ">"
		var starts []int // of characters; one for every byte that is not UTF-8
		for i := range marked {
			starts = append(starts, i)
		}
		starts = append(starts, len(marked))
		grams := []string{marked}
		for i := range starts {
			for n := minN; n <= maxN && i+n < len(starts); n++ {
				grams = append(grams, marked[starts[i]:starts[i+n]])
			}
		}
		count := make(map[uint64]float64)
		for _, g := range grams {
			f := fnv.New64a()
			f.Write([]byte(g))
			// MurmurHash3's last step.
			x := f.Sum64()
			x ^= x >> 33
			x *= 0xff51afd7ed558ccd
			x ^= x >> 33
			x *= 0xc4ceb9fe1a85ec53
			x ^= x >> 33
			if int64(x) < 0 {
				count[x%uint64(dim)]--
			} else {
				count[x%uint64(dim)]++
			}
		}
		alone = append(alone, scaled(count))
	}
	var out [][]float64
	for i := range alone {
		sum := make(map[uint64]float64)
		for j, share := range map[int]float64{i: 1, i - 1: neighbour, i + 1: neighbour} {
			if j >= 0 && j < len(alone) {
				for k, x := range alone[j] {
					sum[k] += share * x
				}
			}
		}
		v := make([]float64, dim)
		for k, x := range scaled(sum) {
			v[k] = x
		}
		out = append(out, v)
	}
	return out
}

func TestAgainstNaive(t *testing.T) {
	words := rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{"a", "Haus", "Hauses", "aaaaaa", "<", "<a>", "ß", "漢字", "e\u0301", "\xff", "a\xc3", "👩‍👩‍👧"}),
		rapid.StringMatching(`[a-zäöü]{1,12}`),
	), 0, 6)
	rapid.Check(t, func(r *rapid.T) {
		text := words.Draw(r, "words")
		dim := 1 << rapid.IntRange(1, 9).Draw(r, "log dim")
		minN := rapid.IntRange(1, 4).Draw(r, "MinN")
		maxN := rapid.IntRange(minN, 7).Draw(r, "MaxN")
		neighbour := rapid.Float64Range(-.9, .9).Draw(r, "neighbour")
		b := newBackend(t, lexical.Options{Tokenizer: tokenize.None, Dim: dim, MinN: minN, MaxN: maxN, Neighbour: &neighbour})
		got := vectors(t, b, strings.Join(text, " "))
		want := naive(text, dim, minN, maxN, neighbour)
		if len(got) != len(want) {
			r.Fatalf("%d vectors for %d words", len(got), len(want))
		}
		for i, v := range got {
			norm := dot(v, v)
			for k, x := range v {
				// A sum that all but cancels out is scaled up with
				// its rounding; there is nothing to compare then.
				if math.Abs(float64(x)-want[i][k]) > 1e-6 && norm > 0 && !cancels(text, i, dim, minN, maxN, neighbour) {
					r.Fatalf("word %d, place %d: %v, want %v", i, k, x, want[i][k])
				}
			}
		}
	})
	// The defaults are what the options say.
	text := strings.Fields("Das alte Haus steht da .")
	got, want := vectors(t, newBackend(t, lexical.Options{}), strings.Join(text, " ")), naive(text, 512, 2, 4, .6)
	for i := range want {
		for k := range want[i] {
			if math.Abs(float64(got[i][k])-want[i][k]) > 1e-6 {
				t.Errorf("word %d, place %d: %v, want %v", i, k, got[i][k], want[i][k])
			}
		}
	}
}

// cancels says whether a word and its neighbours add up to next to nothing.
func cancels(words []string, i, dim, minN, maxN int, neighbour float64) bool {
	sum := make([]float64, dim)
	for j := max(0, i-1); j <= min(len(words)-1, i+1); j++ {
		share := neighbour
		if j == i {
			share = 1
		}
		for k, x := range naive(words[j:j+1], dim, minN, maxN, 0)[0] {
			sum[k] += share * x
		}
	}
	norm := 0.0
	for _, x := range sum {
		norm += x * x
	}
	return norm < 1e-12
}

// A vector has length 1, or 0 where nothing is left of it.
func TestNorms(t *testing.T) {
	minus := -1.0
	zeros := 0
	for _, o := range []lexical.Options{
		{}, {Dim: 2}, {Dim: 2, Neighbour: &zero}, {Dim: 1 << 16}, {Neighbour: &minus}, {MinN: 1, MaxN: 1}, {MinN: 20, MaxN: 30}, {Tokenizer: tokenize.Char},
	} {
		b := newBackend(t, o)
		// Of the same word three times, Neighbour −1 leaves nothing of the
		// first.
		for _, text := range []string{"The quick brown fox, 3.5 times; and it's \xff\xfe!", "aa aa", "x", "no no no"} {
			for i, v := range vectors(t, b, text) {
				switch norm := math.Sqrt(dot(v, v)); {
				case norm == 0:
					zeros++
				case math.Abs(norm-1) > 1e-6:
					t.Errorf("%s: word %d of %q has length %v", b.Info().Signature, i, text, norm)
				}
			}
		}
	}
	if zeros < 3 {
		t.Errorf("%d vectors of zeros: the case is not tested", zeros)
	}
	for _, v := range vectors(t, newBackend(t, lexical.Options{}), "The quick brown fox, 3.5 times; and it's no no no!") {
		if dot(v, v) == 0 {
			t.Error("a vector of zeros with the default options")
		}
	}
}

func TestContext(t *testing.T) {
	b := newBackend(t, lexical.Options{})
	text := vectors(t, b, "the cat saw the cat near the dog")
	same := vectors(t, b, "see the cat saw a bird") // "cat" with the same neighbours
	for _, tt := range []struct {
		name   string
		a, b   []float32
		lo, hi float64
	}{
		{"the same word in the same context", text[1], same[2], 1 - 1e-6, 1 + 1e-6},
		{"the same word in another context", text[1], text[4], .5, .99},
		{"the same word at the end", text[1], vectors(t, b, "the cat")[1], .5, .99},
		{"different words", text[1], vectors(t, b, "zyx")[0], -.2, .2},
	} {
		if got := dot(tt.a, tt.b); got < tt.lo || got > tt.hi {
			t.Errorf("%s: %v is not in %v to %v", tt.name, got, tt.lo, tt.hi)
		}
	}
	// Only the nearest neighbours have a share.
	if diff := cmp.Diff(text[1], same[2]); diff != "" {
		t.Errorf("the same context (-want +got):\n%s", diff)
	}
	alone := newBackend(t, lexical.Options{Neighbour: &zero})
	words := vectors(t, alone, "the cat saw the cat near the dog")
	if !cmp.Equal(words[1], words[4]) || !cmp.Equal(words[0], words[6]) {
		t.Error("without neighbours equal words have different vectors")
	}
	if got := dot(words[0], words[1]); got > .9 {
		t.Errorf("similarity %v of different words", got)
	}
	// What the package's comment says of spelling.
	word := func(s string) []float32 { return vectors(t, alone, s)[0] }
	near, far := dot(word("Haus"), word("Hauses")), dot(word("Haus"), word("Gebäude"))
	if near < .5 || far > .2 {
		t.Errorf("Haus and Hauses %v, Haus and Gebäude %v", near, far)
	}
}

func TestNewErrors(t *testing.T) {
	nan, big, small := math.NaN(), 1.01, -1.01
	for _, o := range []lexical.Options{
		{Dim: -1}, {Dim: 1}, {Dim: 3}, {Dim: 500}, {Dim: 1 << 17},
		{MinN: -1, MaxN: 2}, {MinN: 3, MaxN: 2},
		{Neighbour: &nan}, {Neighbour: &big}, {Neighbour: &small},
	} {
		if b, err := lexical.New(o); err == nil || b != nil || !strings.HasPrefix(err.Error(), "lexical: ") {
			t.Errorf("New(%+v) = %v, %v", o, b, err)
		}
	}
}

func TestInfo(t *testing.T) {
	half := .5
	for _, tt := range []struct {
		o           lexical.Options
		dim         int
		long, short string
	}{
		{lexical.Options{}, 512, "backend:lexical|tok:13a|dim:512|ngram:2-4|neighbour:0.6", "b:lexical|tok:13a|d:512|n:2-4|nb:0.6"},
		{lexical.Options{Workers: 3}, 512, "backend:lexical|tok:13a|dim:512|ngram:2-4|neighbour:0.6", "b:lexical|tok:13a|d:512|n:2-4|nb:0.6"},
		{
			lexical.Options{Tokenizer: tokenize.Char, Lowercase: true, Dim: 65536, MinN: 1, MaxN: 3, Neighbour: &half}, 65536,
			"backend:lexical|tok:char|dim:65536|ngram:1-3|neighbour:0.5|case:lc", "b:lexical|tok:char|d:65536|n:1-3|nb:0.5|c:lc",
		},
		{lexical.Options{Dim: 2, Neighbour: &zero}, 2, "backend:lexical|tok:13a|dim:2|ngram:2-4|neighbour:0", "b:lexical|tok:13a|d:2|n:2-4|nb:0"},
	} {
		info := newBackend(t, tt.o).Info()
		if got := info.Signature.String(); got != tt.long {
			t.Errorf("signature %s, want %s", got, tt.long)
		}
		if got := info.Signature.Short(); got != tt.short {
			t.Errorf("short signature %s, want %s", got, tt.short)
		}
		info.Signature = nil
		if diff := cmp.Diff(backend.Info{Name: "lexical", ModelFree: true, Dim: tt.dim}, info); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestTokens(t *testing.T) {
	tok := func(text string, start, end int) mteval.Token {
		return mteval.Token{Text: text, Start: start, End: end, Weight: 1}
	}
	for _, tt := range []struct {
		name, text string
		o          lexical.Options
		want       []mteval.Token
	}{
		{"13a", " Das Haus, 3.50 €.", lexical.Options{}, []mteval.Token{
			tok("Das", 1, 4), tok("Haus", 5, 9), tok(",", 9, 10), tok("3.50", 11, 15), tok("€", 16, 19), tok(".", 19, 20)}},
		{"entities", `A&amp;B &quot;x&quot; &lt;5`, lexical.Options{}, []mteval.Token{
			tok("A", 0, 1), tok("&", 1, 6), tok("B", 6, 7), tok(`"`, 8, 14), tok("x", 14, 15), tok(`"`, 15, 21), tok("<", 22, 26), tok("5", 26, 27)}},
		{"skipped", "a<skipped>b c", lexical.Options{}, []mteval.Token{tok("ab", 0, 11), tok("c", 12, 13)}},
		{"none", "Haus, &amp; Hof", lexical.Options{Tokenizer: tokenize.None}, []mteval.Token{
			tok("Haus,", 0, 5), tok("&amp;", 6, 11), tok("Hof", 12, 15)}},
		{"lower case", "ÜBER İ ΟΔΟΣ", lexical.Options{Lowercase: true}, []mteval.Token{
			// İ grows to three bytes; the place is that in the text.
			tok("über", 0, 5), tok("i̇", 6, 8), tok("οδος", 9, 17)}},
		{"no tokens", " \t\u00a0", lexical.Options{}, nil},
		{"nothing", "", lexical.Options{}, nil},
	} {
		batch := embed(t, newBackend(t, tt.o), tt.text)
		if diff := cmp.Diff(tt.want, batch.Tokens, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", tt.name, tt.text, diff)
		}
		if batch.Len() != 1 || len(batch.Data) != len(tt.want)*batch.Dim || len(batch.Truncated) != 0 {
			t.Errorf("%s: %d texts, %d numbers, truncated %v", tt.name, batch.Len(), len(batch.Data), batch.Truncated)
		}
	}
	// Case is ignored in the vectors too.
	lower := newBackend(t, lexical.Options{Lowercase: true})
	if diff := cmp.Diff(vectors(t, lower, "das haus"), vectors(t, lower, "DAS Haus")); diff != "" {
		t.Errorf("lower case (-das haus +DAS Haus):\n%s", diff)
	}
	if cmp.Equal(vectors(t, newBackend(t, lexical.Options{}), "haus"), vectors(t, newBackend(t, lexical.Options{}), "Haus")) {
		t.Error("case is ignored by default")
	}
	// The entity and what it stands for are the same word.
	plain := newBackend(t, lexical.Options{})
	if diff := cmp.Diff(vectors(t, plain, "A & B"), vectors(t, plain, "A&amp;B")); diff != "" {
		t.Errorf("entities (-plain +entity):\n%s", diff)
	}
}

// equal compares batches, faster than package cmp does.
func equal(a, b *backend.Batch) bool {
	return a.Dim == b.Dim && slices.Equal(a.Data, b.Data) && slices.Equal(a.Offsets, b.Offsets) &&
		slices.Equal(a.Tokens, b.Tokens) && slices.Equal(a.Truncated, b.Truncated)
}

// Texts are embedded alike alone and in a batch, with any number of workers, into
// memory that was used before, and at the same time.
func TestVectorsDependOnNothingElse(t *testing.T) {
	var texts []string
	for i := range 90 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("word%d and it's %d.%d, ", i%7, i, i), i%5))
	}
	one := newBackend(t, lexical.Options{Workers: 1, Dim: 64})
	want := embed(t, one, texts...)
	for i, text := range texts {
		wantTokens, wantData := want.Text(i)
		gotTokens, gotData := embed(t, one, text).Text(0)
		if !slices.Equal(wantTokens, gotTokens) || !slices.Equal(wantData, gotData) {
			t.Errorf("%q is another alone", text)
		}
	}
	many := newBackend(t, lexical.Options{Workers: 16, Dim: 64})
	used := embed(t, many, "something else", "that was there before")
	used.Truncated = []int{1}
	for range 2 {
		if err := many.Embed(t.Context(), used, texts); err != nil {
			t.Fatal(err)
		}
		if !equal(want, used) {
			t.Error("another batch in memory used before")
		}
	}
	if err := many.Embed(t.Context(), used, nil); err != nil || used.Len() != 0 || len(used.Tokens) != 0 || len(used.Data) != 0 {
		t.Errorf("no texts: %d texts, %d tokens, error %v", used.Len(), len(used.Tokens), err)
	}
	var wg sync.WaitGroup
	var wrong atomic.Int32
	for range 4 {
		wg.Go(func() {
			got := new(backend.Batch)
			if err := many.Embed(context.Background(), got, texts); err != nil || !equal(want, got) {
				wrong.Add(1)
			}
		})
	}
	wg.Wait()
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d of 4 concurrent calls gave another batch", n)
	}
}

func TestEmbedErrors(t *testing.T) {
	b := newBackend(t, lexical.Options{})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Embed(cancelled, new(backend.Batch), []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if err := b.Embed(t.Context(), nil, []string{"a"}); err == nil {
		t.Error("no error for no batch")
	}
	before := b.Info()
	for range 2 {
		if err := b.Close(); err != nil {
			t.Errorf("Close: error %v", err)
		}
	}
	if err := b.Embed(t.Context(), new(backend.Batch), []string{"a"}); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("closed: error %v", err)
	}
	if diff := cmp.Diff(before, b.Info()); diff != "" {
		t.Errorf("info (-before +after Close):\n%s", diff)
	}
}

// A long text, or one long word, is left when ctx is cancelled, and what was in use then
// serves other texts.
func TestCancelledWithinAText(t *testing.T) {
	b := newBackend(t, lexical.Options{MaxN: 1 << 20, Workers: 1})
	want := embed(t, b, "the cat sat")
	for name, text := range map[string]string{
		"a text": strings.Repeat("word ", 50_000),
		"a word": strings.Repeat("a", 50_000), // all n-grams are 20 TB
	} {
		for _, after := range []int64{3, 4, 10} {
			if err := b.Embed(kit.NewCountdown(after), new(backend.Batch), []string{text}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", name, err)
			}
			if got := embed(t, b, "the cat sat"); !equal(got, want) {
				t.Errorf("%s: another batch after it was cancelled", name)
			}
		}
	}
}

func TestZeroBackend(t *testing.T) {
	var b lexical.Backend
	if err := b.Embed(t.Context(), new(backend.Batch), []string{"a"}); err == nil {
		t.Error("no error for a Backend not made with New")
	}
	if info := b.Info(); info.Dim != 0 {
		t.Errorf("Info %+v", info)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// No text makes Embed fail or its tokens leave the text.
func FuzzEmbed(f *testing.F) {
	for _, seed := range []string{"", "Das Haus.", "&amp;&lt;<skipped>-\n", "\xff\xc3", "İ ß ς", "1.5,a.b"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, lower bool) {
		batch := embed(t, newBackend(t, lexical.Options{Lowercase: lower, Dim: 16}), text)
		at := 0
		for _, x := range batch.Tokens {
			if x.Text == "" || x.Start < at || x.End > len(text) || x.Start >= x.End {
				t.Errorf("token %+v after byte %d of %d", x, at, len(text))
			}
			at = x.End
			if utf8.ValidString(text) && !utf8.ValidString(text[x.Start:x.End]) {
				t.Errorf("token %+v begins or ends within a character", x)
			}
		}
		for _, x := range batch.Data {
			if math.IsNaN(float64(x)) || x < -1.0001 || x > 1.0001 {
				t.Fatalf("a vector with %v", x)
			}
		}
	})
}
