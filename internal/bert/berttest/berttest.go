// Package berttest compares backends that run BERT-family models with recorded values of
// the reference implementation.
package berttest

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/shareddata"
)

// Numbers is a tokenizer for texts that are the ids themselves, "12 7 3"; none of them
// special.
type Numbers struct{}

func (Numbers) EncodeMax(dst []bert.Piece, text string, max int) ([]bert.Piece, bool) {
	at := 0
	for n, f := range strings.Fields(text) {
		if n == max {
			return dst, true
		}
		id, err := strconv.Atoi(f)
		if err != nil {
			panic(err)
		}
		start := at + strings.Index(text[at:], f)
		at = start + len(f)
		dst = append(dst, bert.Piece{ID: int32(id), Text: f, Start: start, End: at})
	}
	return dst, false
}

func text(ids []int32) string {
	var out []string
	for _, id := range ids {
		out = append(out, fmt.Sprint(id))
	}
	return strings.Join(out, " ")
}

// expected are hidden states that the reference implementation gave.
type expected struct {
	Cases []struct {
		Text   string
		IDs    []int32
		Hidden [][][]float32 // [layer][token][first Numbers]
	}
}

func readExpected(t *testing.T, path string) *expected {
	t.Helper()
	var e expected
	shareddata.ReadJSON(t, path, &e)
	if len(e.Cases) == 0 {
		t.Fatal("no cases")
	}
	return &e
}

// Open opens a model's folder. The texts of o.Tokenizer and o.Layer are set.
type Open func(dir string, o bert.Options) (backend.Backend, error)

func (open Open) open(t *testing.T, dir string, o bert.Options) backend.Backend {
	t.Helper()
	b, err := open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// checkModel compares every layer of every case, all in one call and each alone: these
// may be `alone` apart, 0 being equality.
func checkModel(t *testing.T, open Open, dir, file string, tolerance, alone float64) {
	e := readExpected(t, filepath.Join(dir, file))
	for layer := range e.Cases[0].Hidden {
		b := open.open(t, dir, bert.Options{Layer: &layer, Tokenizer: Numbers{}, TokenizerName: "numbers"})
		var texts []string
		for _, c := range e.Cases {
			texts = append(texts, text(c.IDs))
		}
		var all backend.Batch
		if err := b.Embed(t.Context(), &all, texts); err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, c := range e.Cases {
			var one backend.Batch
			if err := b.Embed(t.Context(), &one, texts[i:i+1]); err != nil {
				t.Fatal(err)
			}
			tokens, data := all.Text(i)
			if len(tokens) != len(c.IDs) {
				t.Fatalf("%d tokens of %d ids", len(tokens), len(c.IDs))
			}
			for j := range data {
				if math.Abs(float64(data[j]-one.Data[j])) > alone {
					t.Fatalf("layer %d, case %d: number %d is %v among others and %v alone", layer, i, j, data[j], one.Data[j])
				}
			}
			for j, want := range c.Hidden[layer] {
				for k, w := range want {
					worst = max(worst, math.Abs(float64(data[j*all.Dim+k]-w)))
				}
			}
		}
		if worst > tolerance {
			t.Errorf("layer %d is off by %g", layer, worst)
		}
	}
}

// Own checks the models in the folder root, whose hidden states scripts/record_models.py
// recorded, rounded to 5 decimals.
func Own(t *testing.T, open Open, root string, alone float64) {
	dirs, err := filepath.Glob(filepath.Join(root, "*", "config.json"))
	if err != nil || len(dirs) != 15 {
		t.Fatalf("%d models, %v", len(dirs), err)
	}
	for _, d := range dirs {
		t.Run(filepath.Base(filepath.Dir(d)), func(t *testing.T) { checkModel(t, open, filepath.Dir(d), "expected.json", 2.5e-5, alone) })
	}
}

// Golden checks the golden models, with ids for texts.
func Golden(t *testing.T, open Open, alone float64) {
	root := shareddata.Path(t, "golden", "models")
	dirs, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(dirs) != 7 {
		t.Fatalf("%d models, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { checkModel(t, open, dir, "expected.json.gz", 2e-5, alone) })
	}
}

// GoldenText checks the golden models with their own tokenizers, from text.
func GoldenText(t *testing.T, open Open) {
	root := shareddata.Path(t, "golden", "models")
	for _, name := range []string{"bert", "roberta", "xlm-roberta", "distilbert", "mpnet"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(root, name)
			e := readExpected(t, filepath.Join(dir, "expected.json.gz"))
			layer := 1
			b := open.open(t, dir, bert.Options{Layer: &layer, NoPrefixSpace: true})
			for i, c := range e.Cases {
				if strings.TrimSpace(c.Text) != c.Text {
					continue // Embed leaves out white space around a text
				}
				var batch backend.Batch
				if err := b.Embed(t.Context(), &batch, []string{c.Text}); err != nil {
					t.Fatal(err)
				}
				if len(batch.Tokens) != len(c.IDs) {
					t.Errorf("case %d, %q: %d tokens, want %d", i, c.Text, len(batch.Tokens), len(c.IDs))
					continue
				}
				for j, hidden := range c.Hidden[layer] {
					for k, w := range hidden {
						if x := batch.Data[j*batch.Dim+k]; math.Abs(float64(x-w)) > 2e-5 {
							t.Errorf("case %d, token %d: number %d is %v, want %v", i, j, k, x, w)
						}
					}
				}
			}
		})
	}
}

// Letters is a tokenizer that makes a piece of every character that is not white space, between special ones.
type Letters struct{}

func (Letters) EncodeMax(dst []bert.Piece, text string, max int) ([]bert.Piece, bool) {
	dst = append(dst, bert.Piece{ID: 2, Text: "[CLS]", Special: true})
	cut := false
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		start := i
		i += width
		if unicode.IsSpace(r) {
			continue
		}
		if len(dst) == max-1 {
			cut = true
			break
		}
		dst = append(dst, bert.Piece{ID: 4 + r%80, Text: string(r), Start: start, End: i})
	}
	return append(dst, bert.Piece{ID: 3, Text: "[SEP]", Special: true}), cut
}
