package human

import (
	"math"
	"slices"

	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/student"
)

// A Judge is what a judge's own scores say of the judge.
type Judge struct {
	Name, Source, Target string
	Judgements           int
	// Mean and Variance (of a sample, n − 1) of all the judge's scores. The variance
	// of fewer than two is 0.
	Mean, Variance float64
	// Repeats is how often the judge scored a system's output again, marked as a
	// repeat or not, and RepeatDifference the mean absolute difference from the score
	// the first time, 0 if there is none.
	Repeats          int
	RepeatDifference float64
	// Degraded is how many degraded outputs the judge scored whose undamaged form was
	// scored too, Drop the mean score that the damage cost, 0 if there is none.
	Degraded int
	Drop     float64
	// P is the p-value of the paired one-sided t-test that the damage costs anything:
	// small for a judge who looks. It is 1 for fewer than two pairs. Where the damage
	// cost the same every time, it is 0 if that is above 0, else 1.
	P float64
}

// Judges describes the judges, in the order of their first judgement, each taken apart
// for each language pair.
func Judges(js []Judgement) []Judge {
	_, places := byDesk(js)
	var out []Judge
	for _, at := range places {
		out = append(out, judge(js, at, rulerOf(js, at)))
	}
	return out
}

// judge describes the judge whose judgements are at some places, with this ruler.
func judge(js []Judgement, at []int, k *ruler) Judge {
	first := js[at[0]]
	sd := k.sd / k.factor
	j := Judge{Name: first.Judge, Source: first.Source, Target: first.Target,
		Judgements: len(at), Mean: k.mean / k.factor, Variance: sd * sd}
	for _, r := range repeats(js, at) {
		j.Repeats++
		j.RepeatDifference += math.Abs(r[1] - r[0])
	}
	if j.Repeats > 0 {
		j.RepeatDifference /= float64(j.Repeats)
	}
	lower := drops(js, at)
	j.Degraded = len(lower)
	j.Drop, j.P = pairedT(lower)
	return j
}

// repeats returns the judge's first score of an output with each later one of it.
func repeats(js []Judgement, at []int) [][2]float64 {
	first := make(map[output]float64)
	var out [][2]float64
	for _, i := range at {
		if js[i].Kind != SystemOutput && js[i].Kind != Repeat {
			continue
		}
		if s, ok := first[js[i].output()]; ok {
			out = append(out, [2]float64{s, js[i].Score})
		} else {
			first[js[i].output()] = js[i].Score
		}
	}
	return out
}

// drops returns how much lower each degraded output was scored than the output itself:
// the first degraded form of an output against its first score, the second against the
// second, and so on.
func drops(js []Judgement, at []int) []float64 {
	whole := make(map[output][]float64)
	for _, i := range at {
		if js[i].Kind == SystemOutput {
			o := js[i].output()
			whole[o] = append(whole[o], js[i].Score)
		}
	}
	var out []float64
	for _, i := range at {
		if js[i].Kind == Degraded {
			o := js[i].output()
			if s := whole[o]; len(s) > 0 {
				out = append(out, s[0]-js[i].Score)
				whole[o] = s[1:]
			}
		}
	}
	return out
}

// pairedT returns the mean of differences and the p-value of the t-test that it is not
// above 0.
func pairedT(d []float64) (mean, p float64) {
	if len(d) == 0 {
		return 0, 1
	}
	n := float64(len(d))
	for _, x := range d {
		mean += x / n
	}
	if len(d) < 2 {
		return mean, 1
	}
	if slices.Min(d) == slices.Max(d) {
		if d[0] > 0 {
			return d[0], 0
		}
		return d[0], 1
	}
	ss, u := 0.0, moments.Unit(d) // squares of what is small would vanish
	for _, x := range d {
		ss += (x*u - mean*u) * (x*u - mean*u)
	}
	tail := student.Tails(mean*u/math.Sqrt(ss/(n-1)/n), n-1) / 2
	if mean < 0 {
		tail = 1 - tail
	}
	return mean, tail
}

// Quality says which judges to rely on. The zero value is WMT's: where there are
// degraded outputs, a judge must score them lower than the same outputs undamaged, by
// the paired t-test with p ≤ 0.05. Judges who gave the same score every time are always
// rejected.
type Quality struct {
	// MaxP is the largest p-value of the test with degraded outputs; 0 is 0.05.
	MaxP float64
	// IgnoreDegraded leaves that test out. It is also left out where no judge of the
	// language pair scored two degraded outputs.
	IgnoreDegraded bool
	// MaxVariance is how many times the median of the variances of the judges of the
	// language pair, those without any left out, a judge's variance may be; 0: there
	// is no limit.
	MaxVariance float64
	// MaxRepeat is the largest mean absolute difference, in points of the scale,
	// between two scores of a judge for one output; 0: there is no limit. A judge
	// without repeats passes.
	MaxRepeat float64
}

// A Reason why a judge was rejected.
type Reason uint8

const (
	// NoVariance: the same score every time, or one judgement only.
	NoVariance Reason = iota + 1
	// UnnoticedDamage: degraded outputs are not scored lower.
	UnnoticedDamage
	// NoDegraded: fewer than two degraded outputs, where other judges have them.
	NoDegraded
	// HighVariance: the variance is over Quality.MaxVariance.
	HighVariance
	// Inconsistent: the repeats are further apart than Quality.MaxRepeat.
	Inconsistent
)

var reasons = [...]string{
	NoVariance:      "the same score every time",
	UnnoticedDamage: "degraded outputs are not scored lower",
	NoDegraded:      "fewer than two degraded outputs",
	HighVariance:    "high variance",
	Inconsistent:    "repeats differ",
}

func (r Reason) String() string { return names.Of("Reason", reasons[:], r) }

// A Rejection is a judge who was rejected, for the first reason that was found, in the
// order of the constants.
type Rejection struct {
	Judge
	Reason Reason
}

// Filter returns the judgements of judges to rely on, in their order, and the judges
// who were rejected.
func Filter(js []Judgement, q Quality) (kept []Judgement, rejected []Rejection) {
	if q.MaxP == 0 {
		q.MaxP = 0.05
	}
	desks, places := byDesk(js)
	type pair struct{ source, target string }
	degraded := make(map[pair]bool)
	variances := make(map[pair][]float64)
	judges, constant := make([]Judge, len(desks)), make([]bool, len(desks))
	for k, at := range places {
		r := rulerOf(js, at)
		judges[k], constant[k] = judge(js, at, r), r.sd == 0
		p := pair{desks[k].source, desks[k].target}
		degraded[p] = degraded[p] || judges[k].Degraded > 1
		if judges[k].Variance > 0 {
			variances[p] = append(variances[p], judges[k].Variance)
		}
	}
	medians := make(map[pair]float64)
	for p, v := range variances {
		medians[p] = median(v)
	}
	good := make([]bool, len(js))
	for k, at := range places {
		p := pair{desks[k].source, desks[k].target}
		reason := NoVariance
		if !constant[k] {
			reason = q.reason(judges[k], degraded[p], medians[p])
		}
		if reason != 0 {
			rejected = append(rejected, Rejection{judges[k], reason})
			continue
		}
		for _, i := range at {
			good[i] = true
		}
	}
	for i := range js {
		if good[i] {
			kept = append(kept, js[i])
		}
	}
	return kept, rejected
}

// reason is why a judge whose scores differ is rejected, 0 if not: degraded says whether
// any judge has degraded outputs, variance is the median of the judges' variances.
func (q Quality) reason(j Judge, degraded bool, variance float64) Reason {
	test := degraded && !q.IgnoreDegraded
	switch {
	case test && j.Degraded > 1 && !(j.P <= q.MaxP):
		return UnnoticedDamage
	case test && j.Degraded < 2:
		return NoDegraded
	case q.MaxVariance > 0 && j.Variance > q.MaxVariance*variance:
		return HighVariance
	case q.MaxRepeat > 0 && j.RepeatDifference > q.MaxRepeat:
		return Inconsistent
	}
	return 0
}

// median is the median of some values, which it sorts.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
