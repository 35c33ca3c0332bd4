package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/internal/jsonline"
)

// metricXMetric is what scores are called that MetricX's program wrote.
const metricXMetric = "MetricX"

// maxScore is how large a score may be.
func maxScore() float64 { return human.AnyScore().Max }

// A predicted is a line of MetricX's output: what its input had, and the prediction.
type predicted struct {
	Prediction *float64        `json:"prediction"`
	Source     json.RawMessage `json:"source"`
	Hypothesis json.RawMessage `json:"hypothesis"`
	Reference  json.RawMessage `json:"reference"`
	System     json.RawMessage `json:"system_id"`
	Segment    json.RawMessage `json:"segment_id"`
}

// isPredicted says whether a line is one of MetricX's.
func isPredicted(line string) bool {
	var p struct {
		Prediction json.RawMessage `json:"prediction"`
	}
	return strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &p) == nil && p.Prediction != nil
}

// parseMetricX reads lines of JSON with a prediction. Without system_id they are all of one
// system, and without segment_id each system's are its segments in order.
func parseMetricX(s *source) ([]MetricScores, error) {
	var g grid.Grid
	var values []float64
	var at []int
	count := make(map[string]int)
	for {
		line, n, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if blank(line) {
			continue
		}
		var p predicted
		err = json.Unmarshal([]byte(line), &p)
		if err == nil {
			err = jsonline.CheckKeys(line, &p)
		}
		if err == nil && (string(p.System) == `""` || string(p.Segment) == `""`) {
			err = errors.New("system_id or segment_id is empty: name it, or leave the field out")
		}
		if err != nil {
			return nil, &LineError{s.name, n, err}
		}
		v := math.NaN()
		if p.Prediction != nil {
			v = *p.Prediction
		}
		if math.Abs(v) > maxScore() {
			return nil, &LineError{s.name, n, fmt.Errorf("the prediction is %v, beyond ±%v", v, maxScore())}
		}
		system, item := identifier(p.System), identifier(p.Segment)
		if len(p.Segment) > 0 && p.Segment[0] != '"' {
			item = strings.TrimSuffix(item, ".0") // as pandas writes numbers of which some are missing
		}
		count[system]++
		switch numbered := item == ""; {
		case len(values) == 0 && numbered:
			s.numbering.form = counted
		case len(values) == 0:
			s.numbering.form = metricX
		case numbered != (s.numbering.form == counted):
			return nil, &LineError{s.name, n, errors.New("segment_id is in some lines and not in others: want it in all or in none")}
		}
		if item == "" {
			item = fmt.Sprint(count[system])
		}
		s.addJSONText(sourceText, system, item, p.Source, n)
		s.addJSONText(referenceText, system, item, p.Reference, n)
		s.addJSONText(outputText, system, item, p.Hypothesis, n)
		g.Add(system, item)
		values, at = append(values, v), append(at, n)
	}
	scores, err := filled(s.name, &g, values, at)
	if err != nil {
		return nil, err
	}
	return []MetricScores{{Name: metricXMetric, Scores: scores}}, nil
}

// identifier is a name or a number, "" where there is none.
func identifier(raw json.RawMessage) string {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	return string(raw)
}
