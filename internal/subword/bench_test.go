package subword_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/subword"
)

// plainLines are lines for benchmarks: without ../shared, some of our own.
func plainLines(b *testing.B, name string) []string {
	var lines []string
	s := bufio.NewScanner(bytes.NewReader(shareddata.ReadFile(b, shareddata.Path(b, "golden", "tokenizer", "lines-"+name+".jsonl.gz"))))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var x expected
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			b.Fatal(err)
		}
		if x.Kind == "en" || x.Kind == "de" || x.Kind == "fr" {
			lines = append(lines, x.Text)
		}
	}
	return lines
}

func BenchmarkEncode(b *testing.B) {
	for _, name := range []string{"minilm", "mbert", "roberta", "xlmr", "xlmr_spm"} {
		b.Run(name, func(b *testing.B) {
			k := openShared(b, name)
			lines := plainLines(b, name)
			var pieces []subword.Piece
			bytes, n := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				line := lines[n%len(lines)]
				pieces = k.Encode(pieces[:0], line)
				n++
				bytes += len(line)
			}
			b.SetBytes(int64(bytes / n))
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"mbert", "roberta", "xlmr_spm"} {
		b.Run(name, func(b *testing.B) {
			data := shareddata.ReadFile(b, shareddata.Path(b, "golden", "tokenizer", name+".tokenizer.json.gz"))
			for b.Loop() {
				if _, err := subword.Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseVocab(b *testing.B) {
	data := shareddata.ReadFile(b, filepath.Join(minilm(b), "vocab.txt"))
	for b.Loop() {
		if _, err := subword.ParseVocab(data, subword.VocabOptions{LowerCase: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// Encode allocates nothing once its memory has grown, and it has seen the unknown pieces that
// normalization changed. Expressions of a file, of which there is none here, allocate.
func TestEncodeAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	r := readRecorded(t)
	text := strings.Repeat("The kettle hums, and the bäckerin's \u2103 cafe\u0301 文字 [MASK] waits. ", 4) + "\xff"
	for base := range r.Tokenizers {
		k := r.open(t, base)
		var pieces []subword.Piece
		if n := kit.Allocations(func() { pieces, _, _ = k.EncodeSpaced(t.Context(), pieces[:0], text, 1000) }); n > 0 {
			t.Errorf("%s: %v allocations", base, n)
		}
	}
}
