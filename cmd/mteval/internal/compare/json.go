package compare

import (
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/significance"
)

// JSON is the output of compare --format json.
type JSON struct {
	Answer    string         `json:"answer"` // those of the metrics
	Metrics   []comparedJSON `json:"metrics"`
	Signature string         `json:"signature"`
	Warnings  []string       `json:"warnings"`
}

type comparedJSON struct {
	Metric        string                `json:"metric"`
	Answer        string                `json:"answer"`
	LowerIsBetter bool                  `json:"lower_is_better"`
	Segments      int                   `json:"segments"`
	Missing       int                   `json:"missing"`
	Systems       []comparedSystemJSON  `json:"systems"`
	Pairs         []comparedPairJSON    `json:"pairs"`
	Groups        []compareGroupingJSON `json:"groups,omitempty"`
	Decision      *decisionJSON         `json:"decision,omitempty"`
}

type comparedSystemJSON struct {
	System  string  `json:"system"`
	Cluster int     `json:"cluster"`
	Mean    float64 `json:"mean"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// comparedPairJSON is of two systems, the better mean first.
type comparedPairJSON struct {
	System        string     `json:"system"`
	Other         string     `json:"other"`
	Difference    float64    `json:"difference"`
	Low           float64    `json:"low"`
	High          float64    `json:"high"`
	Randomization pValueJSON `json:"ar"`
	Bootstrap     pValueJSON `json:"bs"`
	T             tTestJSON  `json:"t"`
	Wins          int        `json:"wins"`
	Ties          int        `json:"ties"`
	Losses        int        `json:"losses"`
}

type pValueJSON struct {
	P        float64 `json:"p_value"`
	Adjusted float64 `json:"adjusted_p_value"`
}

type tTestJSON struct {
	T        float64 `json:"t"`
	P        float64 `json:"p_value"`
	Adjusted float64 `json:"adjusted_p_value"`
}

type compareGroupingJSON struct {
	By     string             `json:"by"`
	Groups []compareGroupJSON `json:"groups"`
}

type compareGroupJSON struct {
	Group    string          `json:"group"`
	Segments int             `json:"segments"`
	Systems  []groupMeanJSON `json:"systems"`
}

// groupMeanJSON is a system's mean; Behind is how far the best on all segments is ahead there.
type groupMeanJSON struct {
	System string   `json:"system"`
	Mean   float64  `json:"mean"`
	Behind float64  `json:"behind"`
	P      *float64 `json:"p_value,omitempty"`
}

type decisionJSON struct {
	System     string        `json:"system"`
	Other      string        `json:"other"`
	Difference float64       `json:"difference"`
	Needed     int           `json:"needed"`
	Segments   []decidedJSON `json:"segments"`
}

type decidedJSON struct {
	Segment    string  `json:"segment"`
	Score      float64 `json:"score"`
	OtherScore float64 `json:"other_score"`
	Difference float64 `json:"difference"`
	// Source, Reference and the outputs by system, as far as they were given.
	Source    *string           `json:"source,omitempty"`
	Reference *string           `json:"reference,omitempty"`
	Outputs   map[string]string `json:"outputs,omitempty"`
}

func (s *compareOutput) json() JSON {
	out := JSON{Answer: s.summary(), Metrics: []comparedJSON{}, Signature: s.signature().String(), Warnings: append([]string{}, s.warnings...)}
	for i := range s.results {
		r := &s.results[i]
		j := comparedJSON{Metric: r.Metric, Answer: s.answer(r), LowerIsBetter: r.LowerIsBetter, Segments: r.Segments, Missing: r.Missing}
		for _, x := range r.Systems {
			j.Systems = append(j.Systems, comparedSystemJSON{x.Name, x.Cluster, x.Mean, x.Interval.Low, x.Interval.High})
		}
		for _, p := range r.Pairs {
			j.Pairs = append(j.Pairs, comparedPair(r, &p, p.Interval))
		}
		for g, buckets := range s.buckets[i] {
			j.Groups = append(j.Groups, groupsJSON(r, s.groupings[i][g].Name, buckets))
		}
		if len(s.decisions) > 0 {
			j.Decision = s.decisions[i].json()
		}
		out.Metrics = append(out.Metrics, j)
	}
	return out
}

func comparedPair(r *compare.Result, p *compare.Pair, of significance.Interval) comparedPairJSON {
	return comparedPairJSON{
		System: r.Systems[p.A].Name, Other: r.Systems[p.B].Name, Difference: p.Difference, Low: of.Low, High: of.High,
		Randomization: pValueJSON{p.Randomization.P, p.Randomization.Holm}, Bootstrap: pValueJSON{p.Bootstrap.P, p.Bootstrap.Holm}, T: tTestJSON{p.T.T, p.T.P.P, p.T.Holm},
		Wins: p.Wins, Ties: p.Ties, Losses: p.Losses,
	}
}

func groupsJSON(r *compare.Result, by string, buckets []compare.Bucket) compareGroupingJSON {
	out := compareGroupingJSON{By: by}
	for _, b := range buckets {
		j := compareGroupJSON{Group: b.Label, Segments: b.Segments}
		for k, mean := range b.Means {
			m := groupMeanJSON{System: r.Systems[k].Name, Mean: mean}
			if k > 0 {
				m.Behind, m.P = b.Pairs[k-1].Difference, &b.Pairs[k-1].P
			}
			j.Systems = append(j.Systems, m)
		}
		out.Groups = append(out.Groups, j)
	}
	return out
}

func (d *compareDecision) json() *decisionJSON {
	out := &decisionJSON{System: d.A, Other: d.B, Difference: d.Difference, Needed: d.Needed}
	for i, x := range d.shown {
		j := decidedJSON{Segment: x.Item, Score: x.A, OtherScore: x.B, Difference: x.Difference}
		if d.texts != nil {
			j.setTexts(d.texts[i])
		}
		out.Segments = append(out.Segments, j)
	}
	return out
}

func (j *decidedJSON) setTexts(lines []compareLine) {
	for _, l := range lines {
		switch {
		case l.system:
			if j.Outputs == nil {
				j.Outputs = make(map[string]string)
			}
			j.Outputs[l.name] = l.text
		case l.name == "source":
			j.Source = &l.text
		default:
			j.Reference = &l.text
		}
	}
}
