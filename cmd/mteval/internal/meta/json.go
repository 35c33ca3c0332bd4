package meta

import (
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
)

// JSON is the output of meta --format json.
type JSON struct {
	Answer string     `json:"answer"`
	Level  string     `json:"level"`
	People peopleJSON `json:"people"`
	// Systems that were compared, with people's scores; null: there is none.
	Systems []metaSystemJSON `json:"systems"`
	Pairs   *pairsJSON       `json:"pairs,omitempty"`
	Metrics []metaMetricJSON `json:"metrics"`
	// Comparisons of two metrics, by measure.
	Comparisons []comparisonJSON `json:"comparisons"`
	Sweep       []sweepJSON      `json:"sweep,omitempty"`
	// Ratings are the errors that people marked, of --ratings.
	Ratings   []marksJSON `json:"ratings,omitempty"`
	Signature string      `json:"signature"`
	Warnings  []string    `json:"warnings"`
}

type peopleJSON struct {
	File       string `json:"file,omitempty"`
	Format     string `json:"format,omitempty"`
	Score      string `json:"score,omitempty"`
	SystemFile string `json:"system_file,omitempty"`
	// Tree that they are of.
	Tree *treeJSON `json:"tree,omitempty"`
}

type treeJSON struct {
	Set          string   `json:"set"`
	LanguagePair string   `json:"language_pair"`
	References   []string `json:"references"`
	Domain       string   `json:"domain,omitempty"`
	Document     string   `json:"document,omitempty"`
	Segments     int      `json:"segments"` // that people judged
}

type metaSystemJSON struct {
	System string             `json:"system"`
	Human  *float64           `json:"human"`
	Scores map[string]float64 `json:"scores,omitempty"`
}

type pairsJSON struct {
	Ranked    int64    `json:"ranked"`
	Ties      int64    `json:"ties"`
	Threshold *float64 `json:"threshold"`
}

type metaMetricJSON struct {
	Metric string `json:"metric"`
	// Reference of a metric of a tree, src for none.
	Reference     string                  `json:"reference,omitempty"`
	LowerIsBetter bool                    `json:"lower_is_better"`
	Measures      map[string]*measureJSON `json:"measures"` // null: undefined
	Epsilon       *float64                `json:"epsilon,omitempty"`
	TauEpsilon    *float64                `json:"tau_epsilon,omitempty"`
	// Counts of pairs: [human][metric], each worse, tied, better.
	Counts *metaeval.Counts `json:"counts,omitempty"`
	// PairsOfSystems is how many of them the pairwise accuracy is of, and Agree on how
	// many the metric agrees.
	Agree          *int64 `json:"agree,omitempty"`
	PairsOfSystems *int64 `json:"pairs_of_systems,omitempty"`
}

type measureJSON struct {
	Value float64 `json:"value"`
	// P that a correlation of systems is 0, two-sided.
	P *float64 `json:"p_value,omitempty"`
	// Groups that it is the mean over, and how many are undefined, which are left out.
	Groups    int      `json:"groups,omitempty"`
	Undefined int      `json:"undefined,omitempty"`
	Low       *float64 `json:"low,omitempty"`
	High      *float64 `json:"high,omitempty"`
	Cluster   *int     `json:"cluster,omitempty"`
}

type comparisonJSON struct {
	Measure    string  `json:"measure"`
	X          string  `json:"x"`
	Y          string  `json:"y"`
	Difference float64 `json:"difference"`
	P          float64 `json:"p_value"`
	Adjusted   float64 `json:"adjusted_p_value"`
}

type sweepJSON struct {
	Threshold float64           `json:"threshold"`
	Ranked    int64             `json:"ranked"`
	Ties      int64             `json:"ties"`
	Metrics   []sweepMetricJSON `json:"metrics"`
}

type sweepMetricJSON struct {
	Metric  string              `json:"metric"`
	Kendall map[string]*float64 `json:"kendall"` // by form; null: undefined
}

func (s *metaOutput) json() JSON {
	out := JSON{
		Answer:      s.answer(),
		Level:       s.options.Level,
		People:      s.people.json(),
		Pairs:       (*pairsJSON)(s.Pairs),
		Comparisons: []comparisonJSON{},
		Signature:   s.Signature.String(),
		Warnings:    append([]string{}, s.warnings...),
	}
	for k := range s.Systems {
		out.Systems = append(out.Systems, s.systemJSON(k))
	}
	for _, m := range s.Metrics {
		out.Metrics = append(out.Metrics, s.metricJSON(m))
	}
	for _, m := range s.marks {
		out.Ratings = append(out.Ratings, marksJSON{m.System, m.score, m.Rated, m.ErrorFree, m.Errors})
	}
	for _, c := range s.Comparisons {
		out.Comparisons = append(out.Comparisons, comparisonJSON(c))
	}
	for _, p := range s.Sweep {
		j := sweepJSON{Threshold: p.Threshold, Ranked: p.Ranked, Ties: p.Ties}
		for _, m := range s.Metrics {
			k := sweepMetricJSON{m.Name, make(map[string]*float64)}
			for f, form := range s.options.Forms {
				k.Kendall[form.Name] = sweepTau(p, m.Name, f)
			}
			j.Metrics = append(j.Metrics, k)
		}
		out.Sweep = append(out.Sweep, j)
	}
	return out
}

func (s *metaOutput) systemJSON(k int) metaSystemJSON {
	j := metaSystemJSON{System: s.Systems[k]}
	if s.Human != nil && s.Human[k]-s.Human[k] == 0 {
		j.Human = &s.Human[k]
	}
	for _, m := range s.Metrics {
		if m.Systems != nil && m.Systems[k]-m.Systems[k] == 0 {
			if j.Scores == nil {
				j.Scores = make(map[string]float64)
			}
			j.Scores[m.Name] = m.Systems[k]
		}
	}
	return j
}

func (s *metaOutput) metricJSON(m meta.MetricResult) metaMetricJSON {
	j := metaMetricJSON{Metric: m.Name, LowerIsBetter: m.LowerIsBetter, Measures: make(map[string]*measureJSON), Epsilon: m.Epsilon, TauEpsilon: m.TauEpsilon, Counts: m.Counts}
	j.Reference = s.people.referenceOf(m.Name)
	if m.Accuracy != nil {
		j.Agree, j.PairsOfSystems = &m.Accuracy.Agree, &m.Accuracy.Pairs
	}
	for _, x := range s.Measures {
		f := m.Values[x.Key]
		if f == nil {
			j.Measures[x.Key] = nil
			continue
		}
		v := &measureJSON{Value: f.Value, P: f.P, Groups: f.Groups, Undefined: f.Undefined}
		if f.Interval != nil {
			v.Low, v.High = &f.Interval.Low, &f.Interval.High
		}
		if f.Cluster > 0 {
			v.Cluster = &f.Cluster
		}
		j.Measures[x.Key] = v
	}
	return j
}
