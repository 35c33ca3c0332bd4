package human

import "math"

// Standardize returns the judgements with z scores in place of the scores: the score
// less the judge's mean, divided by the judge's standard deviation (of a sample, n − 1).
// It takes away that some judges are strict and some use little of the scale.
//
// Mean and deviation are over all that the judge scored, degraded outputs and
// references included, as WMT has them for into-English pairs (Graham et al. 2017).
// Those who want them over system outputs only, as WMT21 has them from English, leave
// out the rest first. A judge is taken apart for each language pair.
//
// Judges who gave the same score every time have no z scores: their judgements are left
// out, and they are returned as dropped.
func Standardize(js []Judgement) (z []Judgement, dropped []Judge) {
	_, places := byDesk(js)
	type scale struct{ mean, sd float64 }
	scales := make([]scale, len(js))
	for _, at := range places {
		mean, sd := meanSD(js, at)
		if !(sd > 0) {
			dropped = append(dropped, judge(js, at))
		}
		for _, i := range at {
			scales[i] = scale{mean, sd}
		}
	}
	for i, s := range scales {
		if s.sd > 0 {
			j := js[i]
			j.Score = (j.Score - s.mean) / s.sd
			z = append(z, j)
		}
	}
	return z, dropped
}

// meanSD is the mean and the sample standard deviation of the scores at some places,
// the deviation 0 if they are all equal.
func meanSD(js []Judgement, at []int) (mean, sd float64) {
	n := float64(len(at))
	equal := true
	for _, i := range at {
		mean += js[i].Score
		equal = equal && js[i].Score == js[at[0]].Score
	}
	if equal {
		return js[at[0]].Score, 0
	}
	mean /= n
	for _, i := range at {
		sd += (js[i].Score - mean) * (js[i].Score - mean)
	}
	return mean, math.Sqrt(sd / (n - 1))
}
