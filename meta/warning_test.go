package meta

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// tables are people's scores of a, b, c and d on 12 segments, and metrics that see them as
// they do, as the opposite, and all alike.
func tables() (people, good, bad, same *metaeval.Scores) {
	var of [4][]row
	for k, name := range []string{"a", "b", "c", "d"} {
		rows := [4]row{{system: name}, {system: name}, {system: name}, {system: name}}
		for i := range 12 {
			v := float64((30*k + 17*i*i) % 101)
			for t, x := range []float64{v, v + float64(i%3), -v, 1} {
				rows[t].scores = append(rows[t].scores, x)
			}
		}
		for t := range of {
			of[t] = append(of[t], rows[t])
		}
	}
	return table(of[0]...), table(of[1]...), table(of[2]...), table(of[3]...)
}

// but is scores with one changed.
func but(s *metaeval.Scores, system, item int, v float64) *metaeval.Scores {
	out, err := s.Select(s.Systems, s.Items)
	if err != nil {
		panic(err)
	}
	out.Set(system, item, v)
	return out
}

// called is scores whose system or item of a name has another.
func called(s *metaeval.Scores, from, to string) *metaeval.Scores {
	out := but(s, 0, 0, s.At(0, 0))
	for _, names := range []*[]string{&out.Systems, &out.Items} {
		renamed := make([]string, len(*names))
		for i, n := range *names {
			if renamed[i] = n; n == from {
				renamed[i] = to
			}
		}
		*names = renamed
	}
	return out
}

func TestWarnings(t *testing.T) {
	people, good, bad, same := tables()
	lower := func(name string, s *metaeval.Scores) Candidate {
		m := metric(name, s)
		m.LowerIsBetter = true
		return m
	}
	alone := metric("alone", ofSystems(1, 2, 3, 4))
	alone.SystemsOnly = true
	few := People{Scores: table(row{"a", []float64{.1, .3}}, row{"b", []float64{.2}}, row{"c", []float64{nan, .4}})}
	given := People{Pairs: &human.Pairs{Systems: []string{"a", "b", "c"}, Items: []string{"1", "2", "3"}, Pairs: []metaeval.Pair{
		{Item: 0, A: 0, B: 1, Human: -1}, {Item: 1, A: 1, B: 2, Human: -1}, {Item: 2, A: 0, B: 1, Human: -1}}}}
	judgements := but(people, 0, 0, 3)
	for i := range judgements.Values {
		judgements.Values[i] = 3
	}
	segless := metaeval.NewScores([]string{"a", "b", "c", "d"}, []string{"x"})
	copy(segless.Values, []float64{1, 2, 3, 5})
	const pairs = "1 of 3 pairs of systems have no segment on which both were judged: "
	unpaired := func(two string) Warning { return Warning{Text: pairs + two} }
	text := func(s string) []Warning { return []Warning{{Text: s}} }
	var sets []Candidate
	for i := range 12 {
		sets = append(sets, metric("set"+strconv.Itoa(i), good))
	}
	const tooFew = " are too few: after Holm's correction for 66 pairs of metrics no difference can be significant at 0.05"
	for name, tt := range map[string]struct {
		segments bool
		people   People
		metrics  []Candidate
		outliers bool
		want     []Warning
	}{
		"none":                  {false, People{Scores: people}, []Candidate{metric("good", good)}, false, nil},
		"none of segments":      {true, People{Scores: people}, []Candidate{metric("good", good)}, false, nil},
		"translations":          {false, People{Scores: called(people, "d", "Human-A.0")}, []Candidate{metric("good", called(good, "d", "Human-A.0"))}, false, []Warning{{Kind: HumanNames, Text: "Human-A.0: human translations, by their names, which WMT leaves out"}}},
		"translations, 2":       {true, People{Scores: called(people, "d", "Human-A.0")}, []Candidate{metric("good", called(good, "d", "Human-A.0"))}, false, []Warning{{Kind: HumanNames, Text: "Human-A.0: human translations, by their names, which WMT leaves out"}}},
		"bad":                   {true, People{Scores: people}, []Candidate{metric("bad", bad)}, false, []Warning{{Kind: LooksLower, Text: "bad is high where people's scores are low", Metric: "bad"}}},
		"good as an error":      {true, People{Scores: people}, []Candidate{lower("good", good)}, false, []Warning{{Kind: LooksHigher, Text: "good is high where people's scores are high, but was taken for an error metric", Metric: "good"}}},
		"bad as an error":       {true, People{Scores: people}, []Candidate{lower("bad", bad)}, false, nil},
		"same":                  {true, People{Scores: people}, []Candidate{metric("same", same)}, false, text("same ties every pair: it says nothing")},
		"same, systems":         {false, People{Scores: people}, []Candidate{metric("same", same)}, false, text("same gives every system the same score, which says nothing")},
		"holes":                 {true, People{Scores: people}, []Candidate{metric("holes", but(good, 0, 3, nan)), metric("good", good)}, false, text("1 of 48 outputs have no score by some metric (holes 1): left out for all metrics")},
		"holes, systems":        {false, People{Scores: people}, []Candidate{metric("holes", but(good, 0, 3, nan)), metric("good", good)}, false, text("1 of 48 outputs have no score by some metric (holes 1): left out for all metrics")},
		"holes in pairs":        {true, given, []Candidate{metric("holes", but(good, 0, 2, nan))}, false, []Warning{{Text: "1 of 3 pairs have no score by some metric (holes 1): left out for all metrics"}, unpaired("a and c")}},
		"unjudged":              {false, People{Systems: ofSystems(3, 2, 1)}, []Candidate{metric("good", good)}, false, text("d: scored by a metric and not by people, left out")},
		"lacking":               {false, People{Scores: people}, []Candidate{metric("lacking", called(good, "d", "dd")), metric("good", good)}, false, []Warning{{Text: "lacking has no score of d: left out for all metrics"}, {Text: "dd: scored by a metric and not by people, left out"}}},
		"large threshold":       {true, few, []Candidate{metric("good", good)}, false, []Warning{{Kind: LargeThreshold, Text: "no two scores of a segment differ by 25 or more"}, unpaired("b and c")}},
		"one system a segment":  {true, People{Scores: but(but(but(people, 1, 0, nan), 2, 0, nan), 3, 0, nan)}, []Candidate{metric("good", good)}, false, text("1 of 12 segments have scores of fewer than two systems, and so no pairs")},
		"few judgements":        {true, People{Scores: people, Judgements: judgements}, []Candidate{metric("good", good)}, false, text("48 of 48 scores of segments rest on fewer than 15 judgements (median 3): correlations with them are not reproducible")},
		"outlier":               {false, People{Systems: ofSystems(.9, .8, .7, -9)}, []Candidate{metric("good", good)}, true, text("d: outliers by human score, left out")},
		"no outliers":           {false, People{Systems: ofSystems(1, 1, 1, 2)}, []Candidate{metric("good", good)}, true, text("more than half of the systems have the same human score: outliers are not defined")},
		"more than judged":      {false, few, []Candidate{metric("good", good)}, false, []Warning{{Text: "d: scored by a metric and not by people, left out"}, {Text: "metrics have scores of outputs that people did not judge (good 32): left out of the means"}, {Text: "no soft pairwise accuracy: significance: the test is undefined: people has no item with scores of both b and c"}}},
		"few samples":           {true, People{Scores: people}, sets, false, []Warning{{Kind: FewSamples, Text: "100 samples" + tooFew, Samples: 1320}}},
		"few permutations":      {false, People{Scores: people}, sets, false, []Warning{{Kind: FewSamples, Text: "100 permutations" + tooFew, Samples: 1320}}},
		"no segments in common": {false, People{Systems: ofSystems(1, 2, 3, 4)}, []Candidate{metric("good", good), metric("segless", segless)}, false, text("metrics have no segments in common: each has the mean of its own as score of a system")},
		"other segments":        {false, People{Scores: people}, []Candidate{metric("segless", segless)}, false, text("metrics have no scores of what people judged of some system, which is such as segment 1, and segless's x: means of metrics are over all segments")},
		"beside systems":        {false, People{Scores: people}, []Candidate{metric("good", good), alone}, false, nil},
	} {
		var r *Result
		var err error
		if tt.segments {
			r, err = Segments(ctx, tt.people, tt.metrics, SegmentOptions{Options: Options{Samples: 100}})
		} else {
			r, err = Systems(ctx, tt.people, tt.metrics, SystemOptions{Options: Options{Samples: 100}, Outliers: tt.outliers})
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(tt.want, r.Warnings); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
