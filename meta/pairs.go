package meta

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
)

// makePairs makes pairs of people's scores of segments.
func (j *segments) makePairs(people *People, ms []Candidate) error {
	if err := j.align(people, ms); err != nil {
		return err
	}
	if err := j.warnJudgements(people); err != nil {
		return err
	}
	r, err := metaeval.DARR(j.human, *j.o.Threshold, metaeval.DARROptions{KeepTies: true})
	if err != nil {
		return err
	}
	j.pairs = r.Pairs
	if len(j.pairs) == 0 {
		return errors.New("meta: no two systems have people's scores of the same segment")
	}
	if r.Ranked == 0 {
		j.Warnings = append(j.Warnings, Warning{Kind: LargeThreshold, Text: fmt.Sprintf("no two scores of a segment differ by %v or more", *j.o.Threshold)})
	}
	j.Pairs = &PairCount{Ranked: r.Ranked, Ties: r.Ties, Threshold: j.o.Threshold}
	j.Systems, j.Human = j.systems, j.human.SystemMeans()
	j.warnUnpaired()
	j.warnAlone()
	return nil
}

// align brings the metrics' scores into the order of people's. What a metric has no score
// for is left out for all, and of people's too.
func (j *segments) align(people *People, ms []Candidate) (err error) {
	given := people.Scores
	j.systems, j.items = given.Systems, given.Items
	if j.human, err = given.Select(given.Systems, given.Items); err != nil { // as some are left out
		return err
	}
	judged := j.human.Present()
	metrics, lost, all, err := align(ms, j.systems, j.items, func(system, item int) bool { return !math.IsNaN(j.human.At(system, item)) })
	if err != nil {
		return err
	}
	if all == judged {
		return notTheSame(given, ms)
	}
	j.metrics = metrics
	j.warnLost("outputs", ms, lost, all, judged)
	mask(j.human, metrics[0].Scores)
	return nil
}

// notTheSame is the error for scores of which none is of what people judged.
func notTheSame(people *metaeval.Scores, ms []Candidate) error {
	for _, m := range ms {
		of, err := m.on(people.Systems, people.Items)
		if err != nil {
			return err
		}
		if of.Scores.Present() == 0 {
			return fmt.Errorf("meta: %s has no score of what people judged: theirs is such as %s, and %s's %s",
				m.Name, example(people.Systems, people.Items), m.Name, example(m.Scores.Systems, m.Scores.Items))
		}
	}
	return errors.New("meta: no output that people judged has scores by every metric")
}

// warnJudgements says if people's scores rest on too few judgements.
func (j *segments) warnJudgements(people *People) error {
	if people.Judgements == nil {
		return nil
	}
	known, err := people.Judgements.Select(j.systems, j.items)
	if err != nil {
		return err
	}
	mask(known, j.human)
	n, err := metaeval.CountJudgements(known)
	if err != nil {
		return err
	}
	if w := n.Warning(); w != "" {
		j.note("%s", w)
	}
	return nil
}

// takePairs takes people's pairs.
func (j *segments) takePairs(p *human.Pairs, ms []Candidate) error {
	j.systems, j.items = p.Systems, p.Items
	for _, m := range ms {
		of, err := m.on(p.Systems, p.Items)
		if err != nil {
			return err
		}
		j.metrics = append(j.metrics, of)
	}
	lost := make([]int, len(ms))
	all := 0
	j.Pairs = &PairCount{}
	for _, c := range p.Pairs {
		some := false
		for m, of := range j.metrics {
			if math.IsNaN(of.Scores.At(c.A, c.Item)) || math.IsNaN(of.Scores.At(c.B, c.Item)) {
				lost[m]++
				some = true
			}
		}
		if some {
			all++
			continue
		}
		j.pairs = append(j.pairs, c)
		if c.Human == 0 {
			j.Pairs.Ties++
		} else {
			j.Pairs.Ranked++
		}
	}
	if len(j.pairs) == 0 {
		return fmt.Errorf("meta: no pair of people's has scores by every metric: theirs is such as %s, and %s's %s",
			example(p.Systems, p.Items), ms[0].Name, example(ms[0].Scores.Systems, ms[0].Scores.Items))
	}
	j.warnLost("pairs", ms, lost, all, len(p.Pairs))
	// By segment, for counts by segment.
	slices.SortStableFunc(j.pairs, func(a, b metaeval.Pair) int { return a.Item - b.Item })
	in := make([]bool, len(p.Systems))
	for _, c := range j.pairs {
		in[c.A], in[c.B] = true, true
	}
	for k, name := range p.Systems {
		if in[k] {
			j.Systems = append(j.Systems, name)
		}
	}
	j.warnUnpaired()
	return nil
}

// warnUnpaired says which systems people did not compare.
func (j *segments) warnUnpaired() {
	at := make(map[string]int)
	for k, name := range j.systems {
		at[name] = k
	}
	compared := make(map[[2]int]bool)
	for _, p := range j.pairs {
		compared[[2]int{min(p.A, p.B), max(p.A, p.B)}] = true
	}
	var missing []string
	all := 0
	for i, a := range j.Systems {
		for _, b := range j.Systems[i+1:] {
			all++
			if x, y := at[a], at[b]; !compared[[2]int{min(x, y), max(x, y)}] {
				missing = append(missing, a+" and "+b)
			}
		}
	}
	if len(missing) > 0 {
		j.note("%d of %d pairs of systems have no segment on which both were judged: %s", len(missing), all, names.Few(missing))
	}
}

// warnAlone says how many segments have no pair.
func (j *segments) warnAlone() {
	alone := 0
	for i := range j.items {
		has := 0
		for k := range j.systems {
			if !math.IsNaN(j.human.At(k, i)) {
				has++
			}
		}
		if has < 2 {
			alone++
		}
	}
	if alone > 0 {
		j.note("%d of %d segments have scores of fewer than two systems, and so no pairs", alone, len(j.items))
	}
}
