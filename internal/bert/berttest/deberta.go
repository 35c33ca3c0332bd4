package berttest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/shareddata"
)

// goldenStates are the hidden states of a model on texts.
type goldenStates struct {
	MaxLength int `json:"max_length"`
	Rows      []struct {
		ID     string
		IDs    []int32 `json:"input_ids"`
		Offset int
	}
	states [][]float32 // by layer, [tokens of all rows][hidden]
}

func readStates(t *testing.T, root, name string) *goldenStates {
	t.Helper()
	var e goldenStates
	shareddata.ReadJSON(t, filepath.Join(root, "expect", name+".json"), &e)
	data, err := os.ReadFile(filepath.Join(root, "expect", name+".npy"))
	if err != nil {
		t.Fatal(err)
	}
	length := int(binary.LittleEndian.Uint16(data[8:]))
	shape := regexp.MustCompile(`'<f4'.*False.*\((\d+), (\d+), (\d+)\)`).FindSubmatch(data[10 : 10+length])
	if shape == nil {
		t.Fatalf("%s.npy: %s", name, data[10:10+length])
	}
	layers, _ := strconv.Atoi(string(shape[1]))
	numbers := make([]float32, (len(data)-10-length)/4)
	if err := binary.Read(bytes.NewReader(data[10+length:]), binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	for l := range layers {
		e.states = append(e.states, numbers[len(numbers)/layers*l:len(numbers)/layers*(l+1)])
	}
	return &e
}

// GoldenDeberta checks the golden models of DeBERTa, all layers: from ids, and from text
// with their own tokenizers, with tokenizer.json and without.
func GoldenDeberta(t *testing.T, open Open) {
	root := shareddata.Path(t, "golden", "comet")
	lines := make(map[string]string)
	for _, line := range shareddata.ReadLines(t, filepath.Join(root, "lines.jsonl")) {
		var one struct{ ID, Text string }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		lines[one.ID] = one.Text
	}
	for _, name := range []string{"deberta-v1", "deberta-v2-conv"} {
		e := readStates(t, root, name)
		bare := Damage(t, filepath.Join(root, name), nil)
		if err := os.Remove(filepath.Join(bare, "tokenizer.json")); err != nil {
			t.Fatal(err)
		}
		for layer := range e.states {
			for _, dir := range []string{filepath.Join(root, name), bare} {
				e.check(t, open, dir, bert.Options{Layer: &layer}, lines)
			}
			e.check(t, open, bare, bert.Options{Layer: &layer, Tokenizer: Numbers{}, TokenizerName: "numbers"}, nil)
		}
	}
}

// check compares the vectors of one layer, of texts by their rows' names, nil: ids.
func (e *goldenStates) check(t *testing.T, open Open, dir string, o bert.Options, lines map[string]string) {
	t.Helper()
	b := open.open(t, dir, o)
	var texts []string
	for _, row := range e.Rows {
		if lines == nil {
			texts = append(texts, text(row.IDs))
		} else {
			texts = append(texts, lines[row.ID])
		}
	}
	var batch backend.Batch
	if err := b.Embed(t.Context(), &batch, texts); err != nil {
		t.Fatal(err)
	}
	worst, where := 0.0, ""
	for i, row := range e.Rows {
		if lines != nil && strings.TrimSpace(texts[i]) != texts[i] {
			continue // Embed leaves out white space around a text
		}
		tokens, vectors := batch.Text(i)
		if len(tokens) != len(row.IDs) {
			t.Errorf("%s, %q: %d tokens, want %d", dir, texts[i], len(tokens), len(row.IDs))
			continue
		}
		for j, want := range e.states[*o.Layer][row.Offset*batch.Dim:][:len(vectors)] {
			if d := math.Abs(float64(vectors[j] - want)); d > worst || d != d {
				worst, where = d, fmt.Sprintf("%s, token %d", row.ID, j/batch.Dim)
			}
		}
	}
	if !(worst <= 2e-5) {
		t.Errorf("%s, layer %d: off by %g at %s", dir, *o.Layer, worst, where)
	}
	t.Logf("%s, layer %d: off by %.2g", filepath.Base(dir), *o.Layer, worst)
}
