package bert

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/weights"
)

// OpenEncoder opens the model of an encoder, of which all layers are wanted. Errors name the
// file and the field.
func OpenEncoder(f backend.EncoderFiles, workers int) (*Model, error) {
	c, err := readConfig(f.Dir)
	if err != nil {
		return nil, err
	}
	m := &Model{Config: c, Layer: c.Layers, MaxTokens: c.maxTokens(), dir: f.Dir, weights: f.Weights, root: f.Root, opt: Options{Workers: workers}}
	if m.MaxTokens < 3 {
		return nil, fmt.Errorf("%s: max_position_embeddings %d leaves no room for a text", filepath.Join(f.Dir, "config.json"), c.Positions)
	}
	if f.Weights == "" {
		m.files, err = weights.OpenDir(f.Dir)
	} else {
		m.files, err = weights.OpenFile(f.Weights)
	}
	if err != nil {
		return nil, err
	}
	if err := m.open(); err != nil {
		m.files.Close()
		return nil, err
	}
	return m, nil
}

// EncoderInfo describes the model as an encoder of this name, in numbers of this type. It waits
// as Info does.
func (m *Model) EncoderInfo(name, dtype string) (backend.EncoderInfo, error) {
	config, err := sidefile.ReadFile(filepath.Join(m.dir, "config.json"), maxConfig)
	if err != nil {
		return backend.EncoderInfo{}, err
	}
	weights, err := m.hash()
	if err != nil {
		return backend.EncoderInfo{}, err
	}
	return backend.EncoderInfo{
		Info: backend.Info{
			Name: name,
			Signature: mteval.Signature{
				{Key: "model", Abbr: "m", Value: m.Kind + "-" + weights},
				{Key: "config", Abbr: "cfg", Value: short(sha256.Sum256(config))},
				{Key: "tok", Abbr: "tok", Value: m.tokenizer},
				{Key: "dtype", Abbr: "dt", Value: dtype},
			},
			Dim:       m.Hidden,
			MaxTokens: m.MaxTokens,
		},
		Kind:      m.Kind,
		Layers:    m.Layers + 1,
		Positions: m.Positions,
		Pad:       m.pad(),
	}, nil
}

// source is where the weights are.
func (m *Model) source() string { return cmp.Or(m.weights, m.dir) }

// pad is the tokenizer's id for padding, which it has where a text spells it; -1: none.
func (m *Model) pad() int32 {
	for _, name := range []string{"<pad>", "[PAD]"} {
		pieces, _ := m.tok.EncodeMax(nil, name, m.MaxTokens)
		for _, p := range pieces {
			if p.Text == name {
				return p.ID
			}
		}
	}
	return -1
}
