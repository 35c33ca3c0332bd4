package metrics_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/mteval/mteval/distributed"
	_ "github.com/mteval/mteval/distributed/metrics"
)

func TestMain(m *testing.M) { ptest.Main(m) }

// Every metric scores with its defaults and with options, and refuses options that it does not
// have.
func TestMetrics(t *testing.T) {
	options := map[string][]string{
		"bleu":      {`{"tokenize":"intl","smoothing":"floor","smooth-value":0.2,"max-order":2,"effective-order":true,"lowercase":true}`},
		"chrf":      {`{"char-order":4,"word-order":1,"beta":3}`},
		"chrf++":    {`{"lowercase":true}`},
		"ter":       {`{"normalized":true,"no-punct":true}`},
		"meteor":    {`{"language":"de","normalize":true}`, `{"task":"adq"}`},
		"bertscore": {`{"rescale":{"P":0.1,"R":0.1,"F":0.1}}`, `{"model":"../../backend/transformer/testdata/bert","layer":1,"cut":true}`},
	}
	wrong := map[string][]string{
		"bleu": {`{"Tokenize":"intl"}`, `{"tokenize":"13a","tokenize":"intl"}`, `{"tokenize":"none such"}`, `{"smoothing":"none such"}`, `{"max-order":-1}`}, "chrf++": {`{"word-order":1}`},
		"meteor": {`{"task":"none such"}`}, "bertscore": {`{"layer":1}`, `{"model":"none such"}`},
	}
	for _, name := range distributed.Registered() {
		for _, o := range append([]string{"", `{"max-tokens":100}`}, options[name]...) {
			if err := score(name, o); err != nil {
				t.Errorf("%s with %s: %v", name, o, err)
			}
		}
		for _, o := range append([]string{`{"none such":1}`, `[]`, `{} {}`}, wrong[name]...) {
			if err := score(name, o); err == nil || !strings.Contains(err.Error(), "metric "+name) {
				t.Errorf("%s with %s: %v, want an error", name, o, err)
			}
		}
	}
}

func score(metric, options string) error {
	d := distributed.Description{Metric: metric}
	if options != "" {
		d.Options = json.RawMessage(options)
	}
	if err := distributed.Check([]distributed.Description{d}); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	records := beam.CreateList(s, []distributed.Record{{Segment: "1", Hypothesis: "a small test", References: []string{"a small test"}}})
	scores, bad := distributed.SegmentScores(s, records, []distributed.Description{d})
	passert.Count(s, scores, "scores", 1)
	passert.Empty(s, bad)
	_, err := beam.Run(context.Background(), "prism", p)
	return err
}
