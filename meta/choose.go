package meta

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
)

// choose finds the systems that people and all metrics have scores of.
func (j *systems) choose(outliers bool) error {
	scores, err := j.people.ofSystems()
	if err != nil {
		return err
	}
	means := scores.SystemMeans()
	judged := make(map[string]bool)
	lacking := make([][]string, len(j.given))
	for k, name := range scores.Systems {
		if math.IsNaN(means[k]) {
			continue
		}
		judged[name] = true
		whole := true
		for i, m := range j.given {
			if !m.scoresOf(name) {
				lacking[i] = append(lacking[i], name)
				whole = false
			}
		}
		if whole {
			j.Systems = append(j.Systems, name)
		}
	}
	for i, m := range j.given {
		if len(lacking[i]) > 0 {
			j.note("%s has no score of %s: left out for all metrics", m.Name, names.Few(lacking[i]))
		}
	}
	j.warnUnjudged(judged)
	if len(j.Systems) < 2 {
		first := j.given[0]
		return fmt.Errorf("meta: %d systems have scores by people and by every metric: people's are %s, %s's %s",
			len(j.Systems), names.Few(scores.Systems), first.Name, names.Few(first.Scores.Systems))
	}
	if err := j.leaveApart(scores); err != nil {
		return err
	}
	if outliers {
		if err := j.leaveOutliers(scores); err != nil {
			return err
		}
	}
	j.warnHumans()
	j.scores, err = scores.Select(j.Systems, scores.Items)
	return err
}

// ofSystems returns people's scores of systems, or what they are to be made from.
func (p *People) ofSystems() (*metaeval.Scores, error) {
	switch {
	case p.Systems != nil:
		return p.Systems, nil
	case p.Scores != nil:
		return p.Scores, nil
	}
	counts, err := p.Pairs.Counts()
	if err != nil {
		return nil, fmt.Errorf("meta: people's pairs: %w", err)
	}
	wins, err := human.ExpectedWins(len(p.Pairs.Systems), counts)
	if err != nil {
		return nil, fmt.Errorf("meta: people's pairs: %w", err)
	}
	scores := metaeval.NewScores(p.Pairs.Systems, []string{""})
	copy(scores.Values, wins)
	return scores, scores.Check()
}

// warnUnjudged says of which systems there are metrics' scores and none of people.
func (j *systems) warnUnjudged(judged map[string]bool) {
	var unjudged []string
	for _, m := range j.given {
		for _, name := range m.Scores.Systems {
			if !judged[name] && !slices.Contains(unjudged, name) {
				unjudged = append(unjudged, name)
			}
		}
	}
	if len(unjudged) > 0 {
		j.note("%s: scored by a metric and not by people, left out", names.Few(unjudged))
	}
}

// leaveApart leaves out the systems of which people judged other outputs than metrics have
// scores of, so that no mean is of other outputs than people's. If that is so of nearly all,
// the segments have other names.
func (j *systems) leaveApart(people *metaeval.Scores) error {
	if !j.byMeans() {
		return nil
	}
	common, err := people.Select(j.Systems, people.Items)
	if err != nil {
		return err
	}
	for _, m := range j.given {
		if m.SystemsOnly {
			continue
		}
		of, err := m.on(j.Systems, people.Items)
		if err != nil {
			return err
		}
		mask(common, of.Scores)
	}
	var apart, rest []string
	for k, mean := range common.SystemMeans() {
		if math.IsNaN(mean) {
			apart = append(apart, j.Systems[k])
		} else {
			rest = append(rest, j.Systems[k])
		}
	}
	if len(apart) > 0 && len(rest) > 1 {
		j.note("%s: people judged no output that all metrics have a score of, left out", names.Few(apart))
		j.Systems = rest
	}
	return nil
}

func (j *systems) leaveOutliers(scores *metaeval.Scores) error {
	in, err := scores.Select(j.Systems, scores.Items)
	if err != nil {
		return err
	}
	at, err := metaeval.Outliers(in.SystemMeans(), 0)
	if errors.Is(err, metaeval.ErrUndefined) {
		j.note("more than half of the systems have the same human score: outliers are not defined")
		return nil
	}
	if err != nil || len(at) == 0 {
		return err
	}
	var outliers, rest []string
	for k, name := range j.Systems {
		if slices.Contains(at, k) {
			outliers = append(outliers, name)
		} else {
			rest = append(rest, name)
		}
	}
	j.note("%s: outliers by human score, left out", strings.Join(outliers, ", "))
	j.Systems = rest
	return nil
}
