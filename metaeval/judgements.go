package metaeval

import "fmt"

// EnoughJudgements is how many judgements a direct assessment of a segment needs to be
// reproducible (Ma et al. 2019).
const EnoughJudgements = 15

// Judgements describes how many judgements scores of segments rest on.
type Judgements struct {
	// Scores is how many scores have a judgement, Few how many of these have fewer
	// than EnoughJudgements.
	Scores, Few int
	// Median number of judgements of a score.
	Median float64
}

// CountJudgements takes the number of judgements of each system's output for each item;
// missing ones and 0 are no score.
func CountJudgements(n *Scores) (Judgements, error) {
	if err := n.checkValues(); err != nil {
		return Judgements{}, fmt.Errorf("metaeval: judgements: %w", err)
	}
	var j Judgements
	var all []float64
	for i, v := range n.Values {
		switch {
		case v < 0:
			return Judgements{}, fmt.Errorf("metaeval: %v judgements of system %s on item %s", v, n.Systems[i/len(n.Items)], n.Items[i%len(n.Items)])
		case v > 0: // not for NaN
			all = append(all, v)
			if v < EnoughJudgements {
				j.Few++
			}
		}
	}
	j.Scores = len(all)
	if len(all) > 0 {
		j.Median = median(all)
	}
	return j, nil
}

// Warning says that scores rest on too few judgements, "" where none does.
func (j Judgements) Warning() string {
	if j.Few == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d scores of segments rest on fewer than %d judgements (median %v): correlations with them are not reproducible",
		j.Few, j.Scores, EnoughJudgements, j.Median)
}
