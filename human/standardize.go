package human

import (
	"math"

	"github.com/mteval/mteval/internal/moments"
)

// Standardize returns the judgements with z scores in place of the scores: the score
// less the judge's mean, divided by the judge's standard deviation (of a sample, n − 1).
// It takes away that some judges are strict and some use little of the scale.
//
// Mean and deviation are over all that the judge scored, degraded outputs and
// references included, as WMT has them for into-English pairs (Graham et al. 2017).
// Those who want them over system outputs only, as WMT21 has them from English, leave
// out the rest first. A judge is taken apart for each language pair.
//
// Judges who gave the same score every time have no z scores, and neither have those with
// a score that is not finite: their judgements are left out, and they are returned as
// dropped.
func Standardize(js []Judgement) (z []Judgement, dropped []Judge) {
	_, places := byDesk(js)
	rulers := make([]*ruler, len(js))
	for _, at := range places {
		k := rulerOf(js, at)
		if !(k.sd > 0) {
			dropped = append(dropped, judge(js, at))
		}
		for _, i := range at {
			rulers[i] = k
		}
	}
	for i, k := range rulers {
		if k.sd > 0 {
			j := js[i]
			j.Score = (j.Score*k.factor - k.mean) / k.sd
			z = append(z, j)
		}
	}
	return z, dropped
}

// A ruler is the mean and the sample standard deviation of a judge's scores times a
// factor, a power of two with which squares neither overflow nor vanish. The deviation is
// 0 if the scores are all equal, and only then, and NaN if one is not finite.
type ruler struct{ factor, mean, sd float64 }

// rulerOf is that of the scores at some places.
func rulerOf(js []Judgement, at []int) *ruler {
	scores := make([]float64, len(at))
	equal := true
	for k, i := range at {
		scores[k] = js[i].Score
		equal = equal && scores[k] == scores[0]
	}
	s := &ruler{factor: 1, mean: scores[0]}
	if equal {
		return s
	}
	s.factor = moments.Unit(scores)
	n := float64(len(at))
	s.mean = 0
	for k := range scores {
		scores[k] *= s.factor
		s.mean += scores[k]
	}
	s.mean /= n
	for _, v := range scores {
		s.sd += (v - s.mean) * (v - s.mean)
	}
	s.sd = math.Sqrt(s.sd / (n - 1))
	return s
}
