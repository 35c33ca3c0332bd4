package distributed

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
)

// wide says that its rows are of another width than they are.
type wide struct {
	mteval.Scorer
	width int
}

func (w wide) Width() int { return w.width }

// A metric that breaks its contract is an error that names it.
func TestBrokenMetric(t *testing.T) {
	made := map[string]mteval.Scorer{"nothing": nil, "a nil pointer": (*chrf.Scorer)(nil), "no width": wide{new(chrf.Scorer), 0}, "a large width": wide{new(chrf.Scorer), 1 << 30}, "another width": wide{new(chrf.Scorer), 5}}
	Register("broken", func(_ context.Context, options json.RawMessage) (mteval.Scorer, func() error, error) {
		var which string
		err := json.Unmarshal(options, &which)
		return made[which], nil, err
	})
	for which, want := range map[string]string{
		"nothing": "no metric", "a nil pointer": "no metric", "no width": "rows of 0 numbers", "a large width": "rows of 1073741824 numbers",
		"another width": "appended 18 numbers for 1 hypotheses",
	} {
		options, err := json.Marshal(which)
		if err != nil {
			t.Fatal(err)
		}
		all, err := openMetrics(t.Context(), []Description{{Metric: "broken", Options: options}})
		if err == nil {
			g := newGroup([]Record{{Hypothesis: "a", References: []string{"a"}}})
			_, err = all[0].call(t.Context(), []*group{g}, 0, func(side) bool { return true }, false)
			_ = closeMetrics(all)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", which, err, want)
		}
	}
}
