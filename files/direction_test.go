package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval/metaeval"
)

// Names of the field, and what is made of them.
var namedLower = []string{
	"TER", "ter", "Ter", "WER", "wer", "CER", "MER", "mer", "WIL", "wil", "PER", "CDER", "EED", "CharacTER", "character", "CHARACTER",
	"TERp", "TERp-A", "TERpA", "HTER", "hTER", "mTER", "cpWER", "MetricX", "metricx", "METRICX",
	"MetricX-24-Hybrid-XL", "metricx_23", "MetricX-23-QE-XXL", "metricx-24-hybrid-large-v2p6-bfloat16", "google/metricx-24-hybrid-xl-v2p6",
	"metricx_xxl_MQM_2020", "MetricX-25", "MetricX24", "TER-refA", "ter_1", "ter.2", "TER2", "WER (%)", "TER [↓]", "wer+da", " TER ", "ter_score", "CharacTER-src",
}

var namedHigher = []string{
	"", "score", "COMET", "chrf", "chrF++", "chrF2", "METEOR", "meteor", "METEOR-wnsyn", "character-F", "characterBLEU", "CharacterF1", "glossary", "GlossaryMatch",
	"lossless", "Terminology", "term-accuracy", "terms", "perl", "PERSON", "performance", "merged", "BEER", "BLEURT-20", "BERTScore", "Prism", "YiSi-1", "UniTE",
	"XCOMET-XL", "OpenKiwi", "terror", "water", "wild", "outer", "METER", "feed", "credit", "editor", "metric", "MetricY", "cometkiwi", "GEMBA-MQM", "MaTESe",
	"hLEPOR", "1-accuracy", "wip", "LASER", "bertscore-lexical+da", "multilevel-meteor",
}

var namedNeither = []string{
	"1-TER", "1 - TER", "100-WER", "neg_ter", "NegTER", "negTERScore", "my-ter", "myTER", "TER-normalized", "TERnormalized", "ter_norm", "-TER", "−TER", "~TER", "1/TER", "TER^-1", "TER↑",
	"inverse ter", "ter*-1", "chrf-ter", "1-MetricX", "neg-metricx-24", "myMetricX", "metricx-neg", "1-CharacTER", "OpenKiwi-HTER", "sTER", "iTER", "TERScore-x", "TERs-mine",
	"1_wer", "wer2vec", "invWER", "acc(1-CER)", "per_segment", "per system", "1-cer", "1-mer", "1-wil", "1-PER", "1-eed", "1-cder",
	"edit distance", "edit_distance", "EditDistance", "avg_loss", "Loss", "loss", "NLLLoss", "ErrorRate", "error", "ERROR", "error-rate", "word_error_rate", "errors", "distances", "distance2",
	"Levenshtein", "perplexity", "comet_loss", "my-distance", "FooDistance", "translation edit rate", "Foo↓",
}

func TestDirectionByName(t *testing.T) {
	for want, names := range map[Direction][]string{LowerIsBetter: namedLower, HigherIsBetter: namedHigher, Unsaid: namedNeither} {
		for _, name := range names {
			if got := (Directions{}).of(MetricScores{Name: name, Scores: new(metaeval.Scores)}); got != want {
				t.Errorf("%q: %v, want %v", name, got, want)
			}
		}
	}
}

// Who says it, in the order in which they count.
func TestDirections(t *testing.T) {
	for name, tt := range map[string]struct {
		files  map[string]string
		said   Directions
		want   string // LowerIsBetter of each
		wrong  string
		closed bool // a DirectionError
	}{
		"by name":              {files: map[string]string{"ter.tsv": "a\t1\t1\n", "chrf.tsv": "a\t1\t1\n"}, want: "chrf false, ter true"},
		"of no name":           {files: map[string]string{"ter.txt": "1\n2\n"}, want: "score false"},
		"said, lower":          {files: map[string]string{"chrf.tsv": "a\t1\t1\n"}, said: Directions{Lower: []string{"chrf"}}, want: "chrf true"},
		"said, higher":         {files: map[string]string{"ter.tsv": "a\t1\t1\n"}, said: Directions{Higher: []string{"ter"}}, want: "ter false"},
		"said against a file":  {files: map[string]string{"m.tsv": "system\tsegment\tmetric\tscore\tlower_is_better\na\t1\tx\t1\ttrue\n"}, said: Directions{Higher: []string{"x"}}, want: "x false"},
		"said against a rule":  {files: map[string]string{"x.seg.score": "a\t1\na\t2\n"}, said: Directions{Lower: []string{"x"}}, want: "x true"},
		"said of what is open": {files: map[string]string{"1-TER.tsv": "a\t1\t1\n"}, said: Directions{Higher: []string{"1-TER"}}, want: "1-TER false"},
		"said twice":           {files: map[string]string{"ter.tsv": "a\t1\t1\n"}, said: Directions{Higher: []string{"ter"}, Lower: []string{"ter"}}, wrong: "metric ter: less of it can't be better and more, too"},
		"said of none":         {files: map[string]string{"ter.tsv": "a\t1\t1\n"}, said: Directions{Higher: []string{"TER"}}, wrong: "no metric TER: have ter"},
		"open":                 {files: map[string]string{"1-TER.tsv": "a\t1\t1\n"}, wrong: "1-TER: by its name it may be an error metric", closed: true},
		"open twice":           {files: map[string]string{"m.tsv": "system\tsegment\tneg_ter\tavg_loss\na\t1\t1\t2\n"}, wrong: "neg_ter, avg_loss: by its name", closed: true},

		"mt-metrics-eval":               {files: map[string]string{"TER-refA.seg.score": "a\t1\na\t2\nb\t1\nb\t2\n"}, want: "TER-refA false"},
		"mt-metrics-eval, open":         {files: map[string]string{"1-TER-refA.seg.score": "a\t1\na\t2\nb\t1\nb\t2\n"}, want: "1-TER-refA false"},
		"mt-metrics-eval, systems":      {files: map[string]string{"TER-refA.sys.score": "a\t1\nb\t2\n"}, want: "TER-refA.sys false"},
		"two columns":                   {files: map[string]string{"TER.tsv": "a\t1\na\t2\nb\t1\nb\t2\n"}, want: "TER true"},
		"called as in the tree":         {files: map[string]string{"TER-refA.tsv": "a\t-1\na\t-2\nb\t-1\nb\t.5\n"}, want: "TER-refA false"},
		"called as in the tree, errors": {files: map[string]string{"TER-refA.tsv": "a\t1\na\t2\nb\t1\nb\t.5\n"}, want: "TER-refA true"},
		"sent to WMT":                   {files: map[string]string{"TER.seg.score": "TER\tde-en\tnewstest2019\ta\t1\t1\n"}, want: "TER false"},
		"sent to WMT, other name":       {files: map[string]string{"x.tsv": "1-TER\tzh-en\tnewstest2021\tnews\tref-A\ta\t1\t1\tnon-ensemble\tno\n"}, want: "1-TER false"},
		"WMT's table":                   {files: map[string]string{"de-en.metric-TER.segment.tsv": "SYS\tSEGID\tSCORE\na\td::1\t-0.5\nb\td::1\t0\n"}, want: "de-en.metric-TER.segment false"},
		"WMT's table, errors":           {files: map[string]string{"ter.tsv": "SYS\tSEGID\tSCORE\na\td::1\t0.5\nb\td::1\t0\n"}, want: "ter true"},
		"such a table of others":        {files: map[string]string{"neg_ter.tsv": "sys\tsegid\tscore\na\td::1\t-0.5\nb\td::1\t0\n"}, wrong: "neg_ter: by its name", closed: true},
		"MetricX":                       {files: map[string]string{"a.jsonl": "{\"prediction\": 1}\n", "b.jsonl": "{\"prediction\": 2}\n"}, want: "MetricX true"},
		"COMET":                         {files: map[string]string{"c.json": `{"a.de": [{"COMET": 0.5}]}`}, want: "COMET false"},

		"a column":                        {files: map[string]string{"m.tsv": "system\tmetric\tsegment\tscore\tlower_is_better\na\tx\t1\t1\ttrue\na\tter\t1\t1\tFALSE\na\t1-TER\t1\t1\tTrue\na\ty\t1\t1\t\n"}, want: "x true, ter false, 1-TER true, y false"},
		"a column, with commas":           {files: map[string]string{"m.csv": "lower_is_better,system,metric,score\ntrue,a,x,1\n,b,x,2\n"}, want: "x true"},
		"a column, of no metric":          {files: map[string]string{"m.csv": "system,segment,score,lower_is_better\na,1,1,True\nb,1,2,True\n"}, want: "m true"},
		"a column, of systems":            {files: map[string]string{"x.csv": "system,score,lower_is_better\na,1,True\nb,2,True\n"}, want: "x true"},
		"a column, two ways":              {files: map[string]string{"m.tsv": "system\tmetric\tscore\tlower_is_better\na\tx\t1\ttrue\nb\tx\t1\tfalse\n"}, wrong: "m.tsv:3: lower_is_better is false, and for the same metric on line 2 it is not"},
		"a column, neither":               {files: map[string]string{"m.tsv": "system\tmetric\tscore\tlower_is_better\na\tx\t1\tyes\n"}, wrong: `m.tsv:2: lower_is_better is "yes": want true or false`},
		"a column, twice":                 {files: map[string]string{"m.tsv": "system\tmetric\tscore\tlower_is_better\tlower_is_better\na\tx\t1\ttrue\ttrue\n"}, wrong: "m.tsv:1: two columns are called lower_is_better"},
		"a column for each, of systems":   {files: map[string]string{"m.tsv": "system\tx\tx_lower_is_better\tter\ty\na\t1\ttrue\t2\t3\n"}, want: "x true, ter true, y false"},
		"one for all, of systems":         {files: map[string]string{"m.tsv": "system\tx\tlower_is_better\ny\t1\ttrue\n"}, want: "x true"},
		"a column for each, of segments":  {files: map[string]string{"m.tsv": "system\tsegment\tx\tx_lower_is_better\tter\na\t1\t1\ttrue\t2\n"}, want: "x true, ter true"},
		"a row for each segment":          {files: map[string]string{"x.csv": "segment,a,b,lower_is_better\n1,1,2,True\n2,1,2,True\n"}, want: "x true"},
		"a row for each, of one metric":   {files: map[string]string{"a.csv": "segment,x,x_lower_is_better\n1,1,True\n"}, want: "x true"},
		"what rank prints":                {files: map[string]string{"m.tsv": "system\tgroup\tabove_next\tbest\tx\tx_rank\tx_lower_is_better\ty\ty_rank\ty_lower_is_better\na\t1\t\t1\t3\t1\ttrue\t3\t1\tfalse\n"}, want: "x true, y false"},
		"what rank printed":               {files: map[string]string{"m.tsv": "system\tgroup\tabove_next\tbest\tter\tter_rank\na\t1\t\t1\t3\t1\n"}, want: "ter true"},
		"what score printed":              {files: map[string]string{"m.tsv": "a\tter\t1\t.5\na\tchrf\t1\t.5\n"}, want: "ter true, chrf false"},
		"JSON of score":                   {files: map[string]string{"s.json": `{"answer": "", "results": [{"system": "a", "metric": "x", "score": 1, "lower_is_better": true}, {"system": "a", "metric": "ter", "score": 1}]}`}, want: "x true, ter true"},
		"JSON of score, segments":         {files: map[string]string{"s.json": `{"answer": "", "results": [{"system": "a", "metric": "x", "score": 1, "lower_is_better": true, "segments": [{"score": 1}, {"score": null}]}]}`}, want: "x true"},
		"JSON of score, mixed":            {files: map[string]string{"s.json": `{"results": [{"system": "a", "metric": "x", "score": 1}, {"system": "a", "metric": "y", "score": 1, "segments": [{"score": 1}]}]}`}, wrong: "s.json:1: some results have scores of segments"},
		"JSON of score, a field twice":    {files: map[string]string{"s.json": `{"results": [{"system": "a", "metric": "x", "score": 1, "lower_is_better": true, "lower_is_better": false}]}`}, wrong: "s.json:1: field \"lower_is_better\" stands there twice"},
		"JSON of score, two ways":         {files: map[string]string{"s.json": `{"results": [{"system": "a", "metric": "x", "score": 1, "lower_is_better": true}, {"system": "b", "metric": "x", "score": 1, "lower_is_better": false}]}`}, wrong: "s.json:1: lower_is_better of x is true for one system and false for another"},
		"JSON of score, twice":            {files: map[string]string{"s.json": `{"results": [{"system": "a", "metric": "x", "score": 1}, {"system": "a", "metric": "x", "score": 1}]}`}, wrong: "s.json:1: a second score of x for system a"},
		"JSON of score, nothing":          {files: map[string]string{"s.json": `{"results": []}`}, wrong: "s.json: no scores in it"},
		"JSON of score, no name":          {files: map[string]string{"s.json": `{"results": [{"metric": "x", "score": 1}]}`}, wrong: "s.json:1: a score without a system or a metric"},
		"JSON of score, huge":             {files: map[string]string{"s.json": `{"results": [{"system": "a", "metric": "x", "score": 1e200}]}`}, wrong: "s.json:1: a score of x for a is 1e+200"},
		"JSON of rank":                    {files: map[string]string{"r.json": `{"systems": [{"system": "a", "scores": {"x": 1, "y": 2}}, {"system": "b", "scores": {"x": 3, "y": 2}}], "lower_is_better": {"x": true, "y": false}}`}, want: "x true, y false"},
		"JSON of others":                  {files: map[string]string{"o.json": `{"systems": [{"system": "a", "scores": {"x": 1}}]}`}, wrong: "mteval score or rank --format json"},
		"files that agree":                {files: map[string]string{"1.tsv": "system\tmetric\tscore\tlower_is_better\na\tter\t1\ttrue\n", "2.tsv": "system\tmetric\tscore\nb\tter\t1\n"}, want: "ter true"},
		"files of which one says it":      {files: map[string]string{"1.tsv": "system\tmetric\tscore\na\t1-TER\t1\n", "2.tsv": "system\tmetric\tscore\tlower_is_better\nb\t1-TER\t1\tfalse\n"}, want: "1-TER false"},
		"files that disagree":             {files: map[string]string{"1.tsv": "system\tmetric\tscore\tlower_is_better\na\tx\t1\ttrue\n", "2.tsv": "system\tmetric\tscore\tlower_is_better\nb\tx\t1\tfalse\n"}, said: Directions{Lower: []string{"x"}}, wrong: "1.tsv has scores of a metric x of which less is better, and $T/2.tsv of one of the same name of which more is better"},
		"files that disagree with a name": {files: map[string]string{"1.tsv": "system\tmetric\tscore\na\tter\t1\n", "2.tsv": "system\tmetric\tscore\tlower_is_better\nb\tter\t1\tfalse\n"}, wrong: "1.tsv has scores of a metric ter of which less is better"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			for name, text := range tt.files {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			slices.Sort(paths)
			ms, err := OpenMetricFiles(t.Context(), paths, Options{})
			var metrics []metaeval.Metric
			if err == nil {
				metrics, err = tt.said.Metrics(ms)
			}
			if tt.wrong != "" {
				if want := strings.ReplaceAll(tt.wrong, "$T", dir); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %s", err, want)
				}
				if open := (*DirectionError)(nil); errors.As(err, &open) != tt.closed {
					t.Errorf("%T", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, m := range metrics {
				if m.Scores != ms[i].Scores {
					t.Errorf("other scores of %s", m.Name)
				}
				got = append(got, fmt.Sprintf("%s %t", m.Name, m.LowerIsBetter))
			}
			if got := strings.Join(got, ", "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// However a name of an error metric is written, with anything around it, it is never one of which
// more is better without anybody saying so; and where nothing of the kind stands in a name, more is.
func TestDirectionOfAnyName(t *testing.T) {
	sign := rapid.SampledFrom([]string{"-", "_", " ", ".", "/", "(", "*", "^", "1", "−", "↓", "↑", "+", "\t"})
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom(append(append([]string{}, errorMetrics...), "error", "loss", "distance")).Draw(t, "word")
		word = rapid.SampledFrom([]string{word, strings.ToLower(word), strings.ToUpper(word)}).Draw(t, "case")
		if strings.EqualFold(word, "CharacTER") {
			word = "CharacTER"
		}
		name := rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "before") + sign.Draw(t, "sign") + word + sign.Draw(t, "sign") + rapid.StringMatching(`[A-Za-z0-9]{0,4}`).Draw(t, "behind")
		if got := (Directions{}).of(MetricScores{Name: name, Scores: new(metaeval.Scores)}); got == HigherIsBetter {
			t.Fatalf("%q: %v", name, got)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`([b-dg-kn-su-z]{1,5}[-_ +0-9]?){0,4}`).Draw(t, "name") // none of the words can be made of these
		if got := (Directions{}).of(MetricScores{Name: name, Scores: new(metaeval.Scores)}); got != HigherIsBetter {
			t.Fatalf("%q: %v", name, got)
		}
	})
}

func FuzzDirection(f *testing.F) {
	for _, name := range append(append(namedLower, namedHigher...), namedNeither...) {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m := MetricScores{Name: name, Scores: new(metaeval.Scores)}
		metrics, err := Directions{}.Metrics([]MetricScores{m})
		if open := (*DirectionError)(nil); (err != nil) != errors.As(err, &open) || err == nil && metrics[0].LowerIsBetter != isErrorMetric(name) {
			t.Errorf("%q: %v, %v", name, metrics, err)
		}
		for _, d := range []Directions{{Lower: []string{name}}, {Higher: []string{name}}} {
			if metrics, err := d.Metrics([]MetricScores{m}); err != nil || metrics[0].LowerIsBetter != (d.Lower != nil) {
				t.Errorf("%q: %v, %v", name, metrics, err)
			}
		}
	})
}
