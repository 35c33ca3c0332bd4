package comet

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/backend"
)

// newMix returns how a model makes a text's vector of an encoder's layers.
func newMix(get getter, s *settings, layers int) (backend.Mix, error) {
	m := backend.Mix{Weights: make([]float64, layers)}
	switch s.pool {
	case "avg":
	case "cls", "default":
		m.Pooling = backend.First
	case "max":
		m.Pooling = backend.Largest
	default:
		return m, fmt.Errorf("pool: %.40q is not avg, cls, max or default", s.pool)
	}
	if s.layer != mix {
		if s.layer >= layers {
			return m, fmt.Errorf("%s: %d is not in 0 to %d, the encoder's last", s.layerKey(), s.layer, layers-1)
		}
		m.Weights[s.layer] = 1
	} else if err := mixed(get, s, &m); err != nil {
		return m, err
	}
	if s.pool == "default" { // the last layer's, whatever the mix
		clear(m.Weights)
		m.Weights[layers-1], m.Norm = 1, false
	}
	return m, nil
}

// mixed sets the weights to those that the checkpoint has.
func mixed(get getter, s *settings, m *backend.Mix) error {
	gamma, err := get("layerwise_attention.gamma", 1)
	if err != nil {
		return err
	}
	for i := range m.Weights {
		scalar, err := get(fmt.Sprintf("layerwise_attention.scalar_parameters.%d", i), 1)
		if err != nil {
			return err
		}
		m.Weights[i] = float64(scalar[0])
	}
	if s.sparse {
		sparsemax(m.Weights)
	} else {
		softmax(m.Weights)
	}
	for i := range m.Weights {
		m.Weights[i] *= float64(gamma[0])
	}
	m.Norm = s.layerNorm
	return nil
}

func softmax(x []float64) {
	top, sum := slices.Max(x), 0.0
	for i := range x {
		x[i] = math.Exp(x[i] - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

// sparsemax is that of Martins and Astudillo (2016): the point of the simplex nearest to x,
// max(x-τ, 0).
func sparsemax(x []float64) {
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	sum, tau := 0.0, 0.0
	for j, v := range sorted {
		sum += v
		if n := float64(j + 1); 1+n*v > sum {
			tau = (sum - 1) / n
		}
	}
	for i := range x {
		x[i] = max(x[i]-tau, 0)
	}
}
