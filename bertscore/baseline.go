package bertscore

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/lines"
)

// ReadBaseline reads the baseline of a layer from a file as bert_score has them for its
// models: a header LAYER,P,R,F and a line for each layer, separated by commas or tabs.
// Errors name the line.
func ReadBaseline(r io.Reader, layer int) (*mteval.PRF, error) {
	scan := bufio.NewScanner(r)
	var found *mteval.PRF
	n := 1
	for ; scan.Scan(); n++ {
		text := scan.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		cols := strings.Split(strings.ReplaceAll(text, "\t", ","), ",")
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
			x, err := lines.ParseNumber(strings.TrimSpace(c))
			if err != nil || x < -1 || x >= 1 {
				return nil, fmt.Errorf("line %d: baseline %q is not a number from -1 up and below 1", n, c)
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
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	if found == nil {
		return nil, fmt.Errorf("no baseline of layer %d in it", layer)
	}
	return found, nil
}
