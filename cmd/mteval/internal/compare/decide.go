package compare

import (
	"fmt"
	"strings"

	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/metaeval"
)

// A compareDecision is of one metric, with the texts of the segments that are shown.
type compareDecision struct {
	metric string
	lower  bool // is better
	*compare.Decision
	shown []compare.Decided
	texts [][]compareLine
	lines map[string]int // of each segment, where there are texts
}

// A compareLine is a text of a segment: a system's output, or the source or reference.
type compareLine struct {
	name, text string
	system     bool
}

// decide finds the segments that decide between the systems of --decide.
func (s *compareOutput) decide(metrics []metaeval.Metric) error {
	if s.options.decide == "" {
		return nil
	}
	var systems []string
	for _, m := range metrics {
		systems = append(systems, m.Scores.Systems...)
	}
	systems = app.Unique(systems)
	pair, err := splitPair(s.options.decide, systems)
	if err != nil {
		return err
	}
	for _, m := range metrics {
		d, err := compare.Decide(m, pair[0], pair[1])
		if err != nil {
			return err
		}
		out := compareDecision{metric: m.Name, lower: m.LowerIsBetter, Decision: d, shown: d.Segments[:min(len(d.Segments), s.options.segments)]}
		if s.texts.Lines >= 0 {
			at, err := s.texts.Place(m.Name, m.Scores.Items)
			if err != nil {
				return err
			}
			out.lines = make(map[string]int, len(at))
			for i, item := range m.Scores.Items {
				out.lines[item] = at[i]
			}
			for _, x := range out.shown {
				out.texts = append(out.texts, s.texts.of(out.lines[x.Item], d.A, d.B))
			}
		}
		s.decisions = append(s.decisions, out)
	}
	return nil
}

// splitPair are the two systems that a text names with a comma between, which may be in names too.
func splitPair(text string, systems []string) ([]string, error) {
	known := make(map[string]bool)
	for _, s := range systems {
		known[s] = true
	}
	var found [][]string
	for i, c := range text {
		if a, b := text[:i], text[i:]; c == ',' && known[a] && known[b[1:]] {
			found = append(found, []string{a, b[1:]})
		}
	}
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("--decide %s: it can be read in two ways: choose the systems with --systems, too", text)
	case len(found) == 1 && found[0][0] != found[0][1]:
		return found[0], nil
	}
	return nil, fmt.Errorf("--decide %s: want two systems with a comma between: have %s", text, strings.Join(systems, ", "))
}

// of are the texts there are of a line.
func (t *compareTexts) of(line int, systems ...string) []compareLine {
	var out []compareLine
	if t.source != nil {
		out = append(out, compareLine{"source", t.source[line], false})
	}
	if t.reference != nil {
		out = append(out, compareLine{"reference", t.reference[line], false})
	}
	for _, s := range systems {
		if lines, ok := t.outputs[s]; ok {
			out = append(out, compareLine{s, lines[line], true})
		}
	}
	return out
}

// sentence says how few segments the order hangs on.
func (d *compareDecision) sentence() string {
	on := app.Count(len(d.Segments), "segment")
	if d.Difference == 0 {
		return fmt.Sprintf("%s: %s and %s have the same mean on %s", d.metric, d.A, d.B, on)
	}
	ahead := fmt.Sprintf("%s: %s is ahead of %s by %s", d.metric, d.A, d.B, show.Difference.Format(d.Difference, 0))
	switch d.Needed {
	case len(d.Segments):
		return ahead + ", on each of " + on
	case 1:
		return ahead + " on " + on + "; without the one that speaks most for it, it would not be"
	}
	return ahead + fmt.Sprintf(" on %s; without the %d that speak most for it, it would not be", on, d.Needed)
}
