//go:build unix

package transformer

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert/berttest"
)

// Open takes memory for the matrices once, in the order that products need, and for one layer
// more as the file has it: not for one more with each layer, nor for the table of words, whose rows
// are read where they stand. Elsewhere than here it takes that of the file as well.
func TestOpenMemory(t *testing.T) {
	const hidden, inter, vocab, layers = 192, 768, 6_000, 12
	const matrices = layers * (4*hidden*hidden + 2*hidden*inter)
	texts := []string{"5 17 99 2000", "", "5999 3 1 1 1 77"}
	last := layers
	numbers := map[string][]float32{} // of the vectors
	for _, tt := range []struct {
		dtype string // of the file
		shift int
		run   DType
		want  int // numbers of four bytes
	}{
		{"F32", 0, Float32, matrices + 3*hidden*hidden},
		{"F32", 0, BFloat16, matrices/2 + 3*hidden*hidden},
		{"F32", 3, Float32, matrices + matrices/layers},
		{"F16", 0, Float32, matrices + matrices/layers},
		{"BF16", 0, BFloat16, matrices/2 + matrices/layers},
	} {
		s := size{hidden: hidden, inter: inter, vocab: vocab, layers: layers, dtype: tt.dtype, shift: tt.shift}
		dir := s.write(t, "bert", nil)
		o := Options{Layer: &last, Tokenizer: berttest.Numbers{}, TokenizerName: "numbers", DType: tt.run}
		for _, as := range []string{"backend", "encoder"} {
			var open func() error
			var b *Backend
			if as == "backend" {
				open = func() (err error) { b, err = Open(dir, o); return err }
			} else {
				files := backend.EncoderFiles{Dir: berttest.Tokenized(t, dir, "WordPiece")}
				open = func() error {
					e, err := OpenEncoder(files, EncoderOptions{DType: tt.run})
					if err == nil {
						err = e.Close()
					}
					return err
				}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := open()
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			got, most := after.TotalAlloc-before.TotalAlloc, uint64(4*tt.want)+2<<20
			if got > most {
				t.Errorf("%s of %s in %s: %d bytes, want %d at most", as, tt.dtype, tt.run, got, most)
			}
			if b == nil {
				continue
			}
			defer b.Close()
			var batch backend.Batch
			if err := b.Embed(t.Context(), &batch, texts); err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprint(tt.dtype, tt.run)
			if d := cmp.Diff(numbers[key], batch.Data); numbers[key] != nil && d != "" {
				t.Errorf("numbers of %s that stand beside multiples of four give other vectors (-want +got):\n%s", tt.dtype, d)
			}
			numbers[key] = batch.Data
		}
	}
}
