package files

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// A resultJSON is a system's in what mteval score writes with --format json.
type resultJSON struct {
	System        string        `json:"system"`
	Metric        string        `json:"metric"`
	Score         *float64      `json:"score"`
	Segments      []segmentJSON `json:"segments"`
	LowerIsBetter *bool         `json:"lower_is_better"`
}

type segmentJSON struct {
	Score *float64 `json:"score"`
}

// A rankedJSON is a system in what mteval rank writes with --format json.
type rankedJSON struct {
	System string              `json:"system"`
	Scores map[string]*float64 `json:"scores"`
}

// ours reads what mteval score and rank write; nil is neither.
func (d *document) ours(all []member) ([]MetricScores, error) {
	value := func(key string) *member {
		if i := slices.IndexFunc(all, func(m member) bool { return m.key == key }); i >= 0 {
			return &all[i]
		}
		return nil
	}
	if results := value("results"); results != nil {
		return d.results(results)
	}
	systems, directions := value("systems"), value(directionColumn)
	if systems == nil || directions == nil {
		return nil, nil
	}
	return d.ranked(systems, directions)
}

func (d *document) results(in *member) ([]MetricScores, error) {
	var results []resultJSON
	if err := d.fields(*in, &results); err != nil {
		return nil, err
	}
	t := d.table()
	for _, r := range results {
		segments, from := r.Segments, 1
		if segments == nil {
			segments, from = []segmentJSON{{r.Score}}, 0
		}
		if is := from - 1; len(t.cells) == 0 {
			t.segment = is
		} else if is != t.segment {
			return nil, d.errorf(in.at, "some results have scores of segments, and others have not, such as those of %s by %s and by %s", r.System, r.Metric, results[0].Metric)
		}
		for i, x := range segments {
			item := ""
			if from > 0 {
				item = strconv.Itoa(i + from)
			}
			if err := d.add(t, in, r.Metric, r.System, item, x.Score); err != nil {
				return nil, err
			}
		}
		if r.LowerIsBetter != nil && len(segments) > 0 && !t.said[t.cells[len(t.cells)-1].metric].is(directionOf(*r.LowerIsBetter), d.at) {
			return nil, d.errorf(in.at, "%s of %s is true for one system and false for another", directionColumn, r.Metric)
		}
	}
	if len(t.cells) == 0 {
		return nil, fmt.Errorf("%s: no scores in it", d.name)
	}
	return t.scores(d.name)
}

func (d *document) ranked(in, directions *member) ([]MetricScores, error) {
	var systems []rankedJSON
	if err := d.fields(*in, &systems); err != nil {
		return nil, err
	}
	lower := make(map[string]bool)
	if err := d.fields(*directions, &lower); err != nil {
		return nil, err
	}
	t := d.table()
	for _, s := range systems {
		for _, metric := range slices.Sorted(maps.Keys(s.Scores)) {
			if err := d.add(t, in, metric, s.System, "", s.Scores[metric]); err != nil {
				return nil, err
			}
		}
	}
	for k, metric := range t.metrics.Names {
		if is, ok := lower[metric]; ok {
			t.said[k].direction = directionOf(is)
		}
	}
	if len(t.cells) == 0 {
		return nil, fmt.Errorf("%s: no scores in it", d.name)
	}
	return t.scores(d.name)
}

// table is one of a document's scores, as yet of systems.
func (d *document) table() *metricTable { return &metricTable{segment: -1, header: true} }

// add adds a score to a table.
func (d *document) add(t *metricTable, in *member, metric, system, item string, score *float64) error {
	v := math.NaN()
	switch {
	case metric == "" || system == "":
		return d.errorf(in.at, "a score without a system or a metric")
	case score != nil && math.Abs(*score) > maxScore():
		return d.errorf(in.at, "a score of %s for %s is %v, beyond ±%v", metric, system, *score, maxScore())
	case score != nil:
		v = *score
	}
	t.add(metric, system, item, d.at, v)
	return nil
}
