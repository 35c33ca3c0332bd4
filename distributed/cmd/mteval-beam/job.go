package main

import (
	"encoding/json"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mteval/mteval/distributed"
	"github.com/mteval/mteval/distributed/internal/shards"
)

func init() {
	beam.RegisterType(reflect.TypeFor[segmentFn]())
	register.DoFn1x3[distributed.SegmentScore, string, string, error](&segmentFn{})
	register.Function1x3(badLine)
	register.Function1x3(systemLine)
	register.Function1x3(intervalLine)
}

// build makes the pipeline.
func (j *job) build(s beam.Scope) {
	records, lines := distributed.Read(s, j.inputs, j.read)
	scores, refused := distributed.SegmentScores(s, records, j.descriptions)
	systems := distributed.SystemScores(s, scores, j.descriptions)
	shards.Write(s, j.output+".segments", j.shards, beam.ParDo(s, &segmentFn{j.names}, scores))
	shards.Write(s, j.output+".bad", j.shards, beam.ParDo(s, badLine, beam.Flatten(s, lines, refused)))
	shards.Write(s, j.output+".systems", 0, beam.ParDo(s, systemLine, systems))
	if j.bootstrap != nil {
		intervals := distributed.Bootstrap(s, scores, j.descriptions, *j.bootstrap)
		shards.Write(s, j.output+".intervals", 0, beam.ParDo(s, intervalLine, intervals))
	}
}

// segmentFn makes a line of the scores of a segment.
type segmentFn struct{ Names []string }

func (f *segmentFn) ProcessElement(x distributed.SegmentScore) (key, line string, err error) {
	scores := make(map[string]float64, len(f.Names))
	for k, name := range f.Names {
		scores[name] = x.Scores[k]
	}
	b, err := json.Marshal(struct {
		System  string             `json:"system"`
		Segment string             `json:"segment"`
		ID      string             `json:"id,omitempty"`
		Scores  map[string]float64 `json:"scores"`
	}{x.System, x.Segment, x.ID, scores})
	return x.Segment, string(b), err
}

func badLine(x distributed.Bad) (key, line string, err error) {
	b, err := json.Marshal(x)
	return x.File + x.Segment, string(b), err
}

func systemLine(x distributed.SystemScore) (key, line string, err error) {
	b, err := json.Marshal(x)
	return x.System, string(b), err
}

func intervalLine(x distributed.Interval) (key, line string, err error) {
	b, err := json.Marshal(x)
	return x.System, string(b), err
}
