package multilevel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/conllu"
)

// Thresholds returns the thresholds under which a share of segments with these values of F
// is, each at least shares[i] of them: the smallest value that so many are not above. The
// paper's shares are .25 low and .2 high, thresholds .25 and .8. Shares are from above 0 to
// 1, and none is below the one before.
func Thresholds(f []float64, shares ...float64) ([]float64, error) {
	if len(f) == 0 {
		return nil, errors.New("multilevel: thresholds of no segments")
	}
	if len(shares) > MaxLevels-1 {
		return nil, fmt.Errorf("multilevel: %d shares: want %d at most", len(shares), MaxLevels-1)
	}
	sorted := slices.Clone(f)
	slices.Sort(sorted)
	if math.IsNaN(sorted[0]) {
		return nil, errors.New("multilevel: thresholds of values with NaN")
	}
	out := make([]float64, len(shares))
	for i, share := range shares {
		if !(share > 0 && share <= 1) || i > 0 && share < shares[i-1] {
			return nil, fmt.Errorf("multilevel: shares %v: want numbers above 0, to 1, each as large as the one before", shares)
		}
		// .3 of 10 segments is 3 of them, though .3·10 is a bit more than 3.
		n := math.Ceil(share*float64(len(sorted)) - 1e-9)
		out[i] = sorted[max(0, min(len(sorted)-1, int(n)-1))]
	}
	return out, nil
}

// IntoEnglish returns the options of METEOR for translations into English: α of the
// paper's Table 3, and the classifier by words and triples, or by words only if there is
// no parser.
//
// The paper's thresholds are not published. These put 25% of the segments of WMT19's
// lt-en, gu-en and kk-en, all systems, 34,192 in all, on the low level and 19% on the high
// one: with METEOR's words under its full normalization, which ignores case, and the
// triples of spaCy's en_core_web_sm 3.8.0 as they are (scripts/parse_conllu.py).
func IntoEnglish(p conllu.Parser) Options {
	o := Options{Levels: alphas(.93, .81, .75), Thresholds: []float64{.46, .74}, Parser: p}
	if p != nil {
		o.Thresholds = []float64{.28, .58}
	}
	return o
}

// OutOfEnglish returns the options of METEOR for translations out of English: α of Table
// 3, and the classifier by words. The thresholds have the same shares of WMT19's en-de, all
// 22 systems, 43,934 segments.
func OutOfEnglish() Options {
	return Options{Levels: alphas(.99, .90, .81), Thresholds: []float64{.59, .84}}
}

// alphas are three levels with METEOR's α.
func alphas(values ...float64) []Level {
	var out []Level
	for _, v := range values {
		out = append(out, Level{Values: map[string]float64{"alpha": v}})
	}
	return out
}
