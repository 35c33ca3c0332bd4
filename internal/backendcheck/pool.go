package backendcheck

import (
	"errors"
	"fmt"
	"math"

	"github.com/mteval/mteval/backend"
)

// Mix checks a mix for an encoder of so many layers.
func Mix(m *backend.Mix, layers int) error {
	if len(m.Weights) != layers {
		return fmt.Errorf("%d weights for %d layers, the embeddings being one", len(m.Weights), layers)
	}
	for i, w := range m.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("the weight of layer %d is %v", i, w)
		}
	}
	if m.Pooling > backend.Largest {
		return errors.New("an unknown pooling")
	}
	return nil
}

// Pool checks what an encoder whose model has so many ids was given to pool.
func Pool(info *backend.EncoderInfo, ids int, dst []float32, sequences [][]int32, m *backend.Mix) error {
	if err := Mix(m, info.Layers); err != nil {
		return err
	}
	if len(dst) != len(sequences)*info.Dim {
		return fmt.Errorf("room for %d numbers, and %d vectors have %d each", len(dst), len(sequences), info.Dim)
	}
	for i, s := range sequences {
		if len(s) < 1 || len(s) > info.MaxTokens {
			return fmt.Errorf("sequence %d has %d tokens, and 1 to %d are possible", i+1, len(s), info.MaxTokens)
		}
		for _, id := range s {
			if id < 0 || int(id) >= ids {
				return fmt.Errorf("sequence %d has token %d, and the model has %d", i+1, id, ids)
			}
		}
	}
	return nil
}
