package bertscore

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/sidefile"
)

// OpenBaseline reads the baseline of a layer from a file, as ReadBaseline does.
func OpenBaseline(path string, layer int) (*mteval.PRF, error) {
	return sidefile.Load(path, func(r io.Reader, name string) (*mteval.PRF, error) { return ReadBaseline(r, name, layer) })
}

// maxBaseline bounds a table of baselines, in bytes; those of bert_score have a few thousand.
const maxBaseline = 1 << 20

// ReadBaseline reads the baseline of a layer as bert_score has them for its models: a
// header LAYER,P,R,F and a line for each layer, separated by commas or tabs. Each is a
// number from -1 up and below 1. Errors begin with the name and the line.
func ReadBaseline(r io.Reader, name string, layer int) (*mteval.PRF, error) {
	in := lines.NewReader(r, lines.Limits{Line: maxBaseline, Text: maxBaseline})
	var found *mteval.PRF
	for {
		text, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, in.Line(), err)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		n := in.Line()
		cols := strings.Split(strings.ReplaceAll(text, "\t", ","), ",")
		if n == 1 && len(cols) == 4 && strings.EqualFold(strings.TrimSpace(cols[0]), "LAYER") {
			continue
		}
		at, b, err := parseBaseline(cols)
		if err == nil && at == layer && found != nil {
			err = fmt.Errorf("layer %d stands twice", layer)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if at == layer {
			found = b
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%s: no baseline of layer %d in it", name, layer)
	}
	return found, nil
}

// parseBaseline reads the columns of a line.
func parseBaseline(cols []string) (layer int, b *mteval.PRF, err error) {
	if len(cols) != 4 {
		return 0, nil, fmt.Errorf("%d columns, want LAYER,P,R,F", len(cols))
	}
	if layer, err = strconv.Atoi(strings.TrimSpace(cols[0])); err != nil {
		return 0, nil, fmt.Errorf("layer %q is not a whole number", cols[0])
	}
	var v [3]float64
	for i, c := range cols[1:] {
		x, err := lines.ParseNumber(strings.TrimSpace(c))
		if err != nil || x < -1 || x >= 1 {
			return 0, nil, fmt.Errorf("baseline %q is not a number from -1 up and below 1", c)
		}
		v[i] = x
	}
	return layer, &mteval.PRF{P: v[0], R: v[1], F: v[2]}, nil
}
