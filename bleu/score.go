package bleu

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
)

// Detail is a BLEU score with its parts. Counts and RefLen are whole numbers, but for rows
// of PrepareAggregate's.
type Detail struct {
	Score      float64   // 0 to 100
	BP         float64   // brevity penalty, 0 to 1
	Counts     []float64 // matches of each order
	Totals     []int     // the output's n-grams of each order
	Precisions []float64 // of each order, smoothed, in per cent
	HypLen     int       // tokens of the output
	RefLen     float64   // tokens of the closest references, or of the mean ones
}

// Ratio is the output's length over the references', 0 where that is 0.
func (d Detail) Ratio() float64 {
	if d.RefLen == 0 {
		return 0
	}
	return float64(d.HypLen) / d.RefLen
}

// Parts is what sacreBLEU says beside the score, "82.4/50.0/45.5/37.5 (BP = 0.943
// ratio = 0.944 hyp_len = 17 ref_len = 18)": the precisions, the brevity penalty, and the
// lengths in tokens, that of mean references to two decimals.
func (d Detail) Parts() string {
	var p strings.Builder
	for i, x := range d.Precisions {
		if i > 0 {
			p.WriteByte('/')
		}
		fmt.Fprintf(&p, "%.1f", x)
	}
	return fmt.Sprintf("%s (BP = %.3f ratio = %.3f hyp_len = %d ref_len = %s)", p.String(), d.BP, d.Ratio(), d.HypLen, length(d.RefLen))
}

// length is a length with as many decimals as it has, two at most.
func length(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// String is sacreBLEU's line, "BLEU = 48.53 " and the parts.
func (d Detail) String() string { return fmt.Sprintf("BLEU = %.2f %s", d.Score, d.Parts()) }

// Detail returns the score of a row, or a sum of rows, with its parts. It panics as Score does.
func (s *Scorer) Detail(row []float64) Detail {
	s = s.ready()
	mteval.CheckRow(row, 2+2*s.order)
	d := Detail{
		Counts:     slices.Clone(row[2 : 2+s.order]),
		Totals:     make([]int, s.order),
		Precisions: make([]float64, s.order),
		HypLen:     int(row[0]),
		RefLen:     row[1],
	}
	for i, n := range row[2+s.order:] {
		d.Totals[i] = int(n)
	}
	d.Score, d.BP = s.score(row, d.Precisions)
	return d
}

// Score returns the BLEU score, 0 to 100, of a row or a sum of rows.
func (s *Scorer) Score(row []float64) float64 {
	s = s.ready()
	mteval.CheckRow(row, 2+2*s.order)
	var p [maxOrder]float64
	score, _ := s.score(row, p[:s.order])
	return score
}

// score fills in the precisions, which must be zero, in per cent, and returns the
// score and the brevity penalty.
func (s *Scorer) score(row, precisions []float64) (score, bp float64) {
	bp = brevity(row[0], row[1])
	counts, totals := row[2:2+s.order], row[2+s.order:]
	// Without any match the score is 0 whatever the smoothing.
	if !anyOf(counts) {
		return 0, bp
	}
	halved, effective := 1.0, s.order
	for n := range precisions {
		count, total := counts[n], totals[n]
		if s.smooth == AddK && n > 0 {
			count += s.value
			total += s.value
		}
		if total == 0 {
			break
		}
		if s.effective {
			effective = n + 1
		}
		switch {
		case count != 0:
			precisions[n] = 100 * count / total
		case s.smooth == Exp:
			halved *= 2
			precisions[n] = 100 / (halved * total)
		case s.smooth == Floor:
			precisions[n] = 100 * s.value / total
		}
	}
	sum, weights := 0.0, 0.0
	for n, p := range precisions[:effective] {
		weight := s.weight(n)
		if weight == 0 {
			continue
		}
		if p == 0 {
			return 0, bp
		}
		sum += weight * math.Log(p)
		weights += weight
	}
	if weights == 0 { // the output is too short for the orders that count
		return 0, bp
	}
	// Rounding can put a perfect score a few units of the last place above
	// 100, where no score may be.
	return min(100, bp*math.Exp(sum/weights)), bp
}

// brevity is the brevity penalty.
func brevity(hyp, ref float64) float64 {
	if !(hyp < ref) {
		return 1
	}
	if hyp > 0 {
		return math.Exp(1 - ref/hyp)
	}
	return 0
}

func anyOf(counts []float64) bool {
	for _, c := range counts {
		if c != 0 {
			return true
		}
	}
	return false
}

// weight is that of an order in the mean.
func (s *Scorer) weight(n int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[n]
}
