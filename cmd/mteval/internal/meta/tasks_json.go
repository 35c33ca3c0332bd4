package meta

import "github.com/mteval/mteval/mtme/tasks"

// tasksJSON is the output of meta --tasks --format json.
type tasksJSON struct {
	Answer string     `json:"answer"`
	Tasks  []taskJSON `json:"tasks"`
	// Metrics that all tasks have, by their average.
	Metrics []averageJSON `json:"metrics"`
	// Comparisons of averages, null where they are not tested.
	Comparisons []betterJSON `json:"comparisons"`
	Signature   string       `json:"signature"`
	Warnings    []string     `json:"warnings"`
}

type taskJSON struct {
	Set           string          `json:"set,omitempty"`
	LanguagePairs []string        `json:"language_pairs"`
	Level         string          `json:"level"`
	Domain        string          `json:"domain,omitempty"`
	Measure       string          `json:"measure"`
	Group         string          `json:"group"`
	Human         string          `json:"human"`
	Weight        float64         `json:"weight"` // of 1
	Systems       [][]string      `json:"systems"`
	Scores        int             `json:"scores"` // people's, that were compared
	Metrics       []taskValueJSON `json:"metrics"`
	Undefined     []string        `json:"undefined,omitempty"`
	Comparisons   []betterJSON    `json:"comparisons"` // null: not tested
}

type taskValueJSON struct {
	Metric  string   `json:"metric"`
	Value   float64  `json:"value"`
	Rank    int      `json:"rank,omitempty"`
	Epsilon *float64 `json:"epsilon,omitempty"`
}

type averageJSON struct {
	Metric   string  `json:"metric"`
	Average  float64 `json:"average"`
	Rank     int     `json:"rank,omitempty"`
	MeanRank float64 `json:"mean_rank,omitempty"`
}

// betterJSON tests whether metric X is better than Y, which is below it.
type betterJSON struct {
	X            string  `json:"x"`
	Y            string  `json:"y"`
	P            float64 `json:"p_value"`
	Permutations int     `json:"permutations,omitempty"`
}

func (s *tasksOutput) json() tasksJSON {
	out := tasksJSON{Answer: s.answer(), Tasks: []taskJSON{}, Metrics: []averageJSON{}, Signature: s.signature.String(), Warnings: append([]string{}, s.warnings...)}
	for _, t := range s.Tasks {
		out.Tasks = append(out.Tasks, taskOf(t))
	}
	var names []string
	for _, m := range s.Metrics {
		names = append(names, m.Metric)
		out.Metrics = append(out.Metrics, averageJSON(m))
	}
	out.Comparisons = betterOf(names, s.P, nil)
	return out
}

func taskOf(t tasks.TaskResult) taskJSON {
	out := taskJSON{
		Set: t.Task.Set, LanguagePairs: t.Task.LanguagePairs, Level: t.Task.Level.String(), Domain: t.Task.Domain,
		Measure: t.Task.Measure.String(), Group: t.Task.Grouping.String(), Human: t.Human, Weight: t.Weight,
		Systems: t.Systems, Scores: t.Scores, Undefined: t.Undefined,
	}
	var names []string
	for _, m := range t.Metrics {
		names = append(names, m.Metric)
		out.Metrics = append(out.Metrics, taskValueJSON(m))
	}
	out.Comparisons = betterOf(names, t.P, t.Permutations)
	return out
}

func betterOf(names []string, p [][]float64, permutations [][]int) (out []betterJSON) {
	for a := range p {
		for b := a + 1; b < len(p); b++ {
			of := betterJSON{X: names[a], Y: names[b], P: p[a][b]}
			if permutations != nil {
				of.Permutations = permutations[a][b]
			}
			out = append(out, of)
		}
	}
	return out
}
