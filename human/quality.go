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
	// Degraded is how many degraded outputs the judge scored whose undamaged form was
	// scored too, Drop the mean score that the damage cost, 0 if there is none.
	Degraded int
	Drop     float64
	// P is the p-value of the paired one-sided t-test that the damage costs anything:
	// small for a judge who looks. It is 1 for fewer than two pairs. Where the damage
	// cost the same every time, it is 0 if that is above 0, else 1.
	P float64
}

// judge describes the judge whose judgements are at some places.
func judge(js []Judgement, at []int) Judge {
	first := js[at[0]]
	j := Judge{Name: first.Judge, Source: first.Source, Target: first.Target, Judgements: len(at)}
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
)

var reasons = [...]string{
	NoVariance:      "the same score every time",
	UnnoticedDamage: "degraded outputs are not scored lower",
	NoDegraded:      "fewer than two degraded outputs",
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
	judges := make([]Judge, len(desks))
	for k, at := range places {
		judges[k] = judge(js, at)
		p := pair{desks[k].source, desks[k].target}
		degraded[p] = degraded[p] || judges[k].Degraded > 1
	}
	good := make([]bool, len(js))
	for k, at := range places {
		reason := NoVariance
		if rulerOf(js, at).sd != 0 {
			reason = q.reason(judges[k], degraded[pair{desks[k].source, desks[k].target}])
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

// reason is why a judge whose scores differ is rejected, 0 if not. Degraded says whether any
// judge of the language pair has degraded outputs.
func (q Quality) reason(j Judge, degraded bool) Reason {
	switch {
	case !degraded || q.IgnoreDegraded:
		return 0
	case j.Degraded < 2:
		return NoDegraded
	case !(j.P <= q.MaxP):
		return UnnoticedDamage
	}
	return 0
}
