package bertscore

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
)

// ReadBaseline reads the baseline of a layer from a file as bert_score has them for its
// models: a header LAYER,P,R,F and a line for each layer, separated by commas or tabs.
// Errors name the line.
func ReadBaseline(r io.Reader, layer int) (*mteval.PRF, error) {
	lines := bufio.NewScanner(r)
	var found *mteval.PRF
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if text == "" {
			continue
		}
		cols := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\t' })
		if len(cols) != 4 {
			return nil, fmt.Errorf("line %d: %d columns, want LAYER,P,R,F", n, len(cols))
		}
		if n == 1 && strings.EqualFold(strings.TrimSpace(cols[0]), "LAYER") {
			continue
		}
		at, err := strconv.Atoi(strings.TrimSpace(cols[0]))
		if err != nil {
			return nil, fmt.Errorf("line %d: layer %q is not a whole number", n, cols[0])
		}
		var v [3]float64
		for i, c := range cols[1:] {
			x, err := strconv.ParseFloat(strings.TrimSpace(c), 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || x >= 1 {
				return nil, fmt.Errorf("line %d: baseline %q is not a number below 1", n, c)
			}
			v[i] = x
		}
		if at == layer {
			if found != nil {
				return nil, fmt.Errorf("line %d: layer %d stands twice", n, layer)
			}
			found = &mteval.PRF{P: v[0], R: v[1], F: v[2]}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("no baseline of layer %d in it", layer)
	}
	return found, nil
}
