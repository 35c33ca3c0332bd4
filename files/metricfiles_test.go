package files

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/metaeval"
)

// What the programs of neural metrics write.
func TestOpenMetricFiles(t *testing.T) {
	two := func(name string, systems []string, values ...float64) MetricScores {
		return MetricScores{Name: name, Scores: &metaeval.Scores{Systems: systems, Items: []string{"1", "2"}, Values: values}}
	}
	more := func(m MetricScores) MetricScores { m.Direction = HigherIsBetter; return m }
	ab := []string{"a", "b"}
	nan := math.NaN()
	for _, tt := range []struct {
		name  string
		files map[string]string
		args  string
		want  []MetricScores
		wrong string
	}{
		{"comet-score", map[string]string{"out.txt": "hyp/a.de\tSegment 0\tscore: 0.8125\nhyp/b.de\tSegment 0\tscore: 0.5000\nhyp/a.de\tSegment 1\tscore: 0.2500\nhyp/b.de\tSegment 1\tscore: -0.1250\nhyp/a.de\tscore: 0.5312\nhyp/b.de\tscore: 0.1875\nPredictions saved in: x.json.\n"},
			"out.txt", []MetricScores{two("COMET", ab, .8125, .25, .5, -.125)}, ""},
		{"comet-score, systems alone", map[string]string{"out.txt": "a.de\tscore: 0.5312\nb.de\tscore: 0.1875\n"},
			"out.txt", []MetricScores{{Name: "COMET", Scores: &metaeval.Scores{Systems: ab, Items: []string{""}, Values: []float64{.5312, .1875}}, SystemsOnly: true}}, ""},
		{"comet-score, a run for each system", map[string]string{"1.txt": "a.de\tSegment 0\tscore: 1\na.de\tSegment 1\tscore: 2\n", "2.txt": "b.de\tSegment 0\tscore: 3\nb.de\tSegment 1\tscore: 4\n"},
			"1.txt 2.txt", []MetricScores{two("COMET", ab, 1, 2, 3, 4)}, ""},
		{"comet-score, other segments", map[string]string{"1.txt": "a.de\tSegment 0\tscore: 1\na.de\tSegment 1\tscore: 2\n", "2.txt": "b.de\tSegment 0\tscore: 3\n"},
			"1.txt 2.txt", nil, "of 2 segments, $T/2.txt of 1"},
		{"comet-score twice", map[string]string{"out.txt": "a.de\tSegment 0\tscore: 1\na.de\tSegment 0\tscore: 2\n"}, "out.txt", nil, "out.txt:2: a second score of system a.de on segment 1"},
		{"comet-score --to_json", map[string]string{"c.json": `{
    "hyp/a.de": [
        {"src": "x", "mt": "y", "COMET": 0.5, "errors": [{"text": "y"}]},
        {"src": "x", "mt": "y", "COMET": 0.25}
    ],
    "hyp/b.de": [{"src": "x", "mt": "y", "COMET": 1.5}, {"src": "x", "mt": "y", "COMET": 0}]
}`}, "c.json", []MetricScores{two("COMET", ab, .5, .25, 1.5, 0)}, ""},
		{"comet-score --to_json, short", map[string]string{"c.json": `{"a.de": [{"COMET": 0.5}, {"COMET": 0.5}], "b.de": [{"COMET": 0.5}]}`}, "c.json", nil, "a.de has 2 segments, b.de has 1"},
		{"not a number", map[string]string{"c.json": "{\"a.de\": [\n{\"COMET\": NaN}]}"}, "c.json", nil, "c.json:2: invalid character 'N'"},
		{"a line break in a text", map[string]string{"c.json": "{\"a.de\": [\n{\"mt\": \"y\n\", \"COMET\": 1}]}"}, "c.json", nil, "c.json:2: invalid character '\\n' in string"},
		{"not the right kind", map[string]string{"c.json": "{\"a.de\": [\n{\"COMET\": \"x\"}]}"}, "c.json", nil, "c.json:2: string, where a float64 is wanted"},
		{"twice", map[string]string{"c.json": "{\"a.de\": [{\"COMET\": 1}],\n\"a.de\": [{\"COMET\": 1}]}"}, "c.json", nil, `c.json:2: "a.de" stands here a second time`},
		{"an empty name", map[string]string{"c.json": `{"": [{"COMET": 1}]}`}, "c.json", nil, "c.json: a system has an empty name"},
		{"a field twice", map[string]string{"c.json": "{\"a.de\": [{\"COMET\": 1}],\n\"b.de\": [{\"COMET\": 1, \"mt\": \"x\", \"COMET\": 2}]}"}, "c.json", nil, `c.json:2: field "COMET" stands there twice`},
		{"in other letters", map[string]string{"c.json": `{"a.de": [{"comet": 1}]}`}, "c.json", nil, `c.json:1: field "comet": there is no such field, but COMET`},
		{"comet-compare, in other letters", map[string]string{"c.json": `{"translations": [{"Name": "a.de", "scores": [1]}]}`}, "c.json", nil, `c.json:1: field "Name": there is no such field, but name`},
		{"MetricX, in other letters", map[string]string{"m.jsonl": `{"prediction": 1, "System_ID": "a"}`}, "m.jsonl", nil, `m.jsonl:1: field "System_ID": there is no such field, but system_id`},
		{"MetricX, both letters", map[string]string{"m.jsonl": `{"prediction": 1}` + "\n" + `{"prediction": 1, "Prediction": 2}`}, "m.jsonl", nil, `m.jsonl:2: field "Prediction": there is no such field, but prediction`},
		{"MetricX, a field twice", map[string]string{"m.jsonl": `{"prediction": 1, "prediction": 2}`}, "m.jsonl", nil, `m.jsonl:1: field "prediction" stands there twice`},
		{"MetricX, an empty name", map[string]string{"m.jsonl": `{"prediction": 1, "system_id": ""}`}, "m.jsonl", nil, "m.jsonl:1: system_id or segment_id is empty"},
		{"cut off", map[string]string{"c.json": "{\"a.de\": [\n{\"COMET\": 1},"}, "c.json", nil, "unexpected end of JSON input"},
		{"other JSON", map[string]string{"c.json": `{"a.de": [{"score": 1}]}`}, "c.json", nil, "no scores in it"},
		{"comet-compare --to_json", map[string]string{"c.json": `{"model": "m", "statistical_results": [], "source": ["x", "x"],
  "translations": [{"name": "a.de", "mt": ["y", "y"], "scores": [1, 2]}, {"name": "b.de", "mt": ["y", "y"], "scores": [3, 4]}]}`},
			"c.json", []MetricScores{two("COMET", ab, 1, 2, 3, 4)}, ""},
		{"MetricX", map[string]string{"a.jsonl": `{"source": "x", "hypothesis": "y", "prediction": 1.5}` + "\n" + `{"hypothesis": "y", "prediction": 2}` + "\n", "m.jsonl": `{"prediction": 3}` + "\n" + `{"prediction": 4}`},
			"a.jsonl b=m.jsonl", []MetricScores{two("MetricX", ab, 1.5, 2, 3, 4)}, ""},
		{"MetricX, behind blanks", map[string]string{"m.jsonl": "\n  " + `{"system_id": "a", "prediction": 1}` + "\n" + `{"system_id": "a", "prediction": 2}` + "\n" + ` {"system_id": "b", "prediction": 3}` + "\n" + `{"system_id": "b", "prediction": 4}`},
			"m.jsonl", []MetricScores{two("MetricX", ab, 1, 2, 3, 4)}, ""},
		{"MetricX, systems by turns", map[string]string{"m.jsonl": `{"system_id": "a", "prediction": 1}` + "\n" + `{"system_id": "b", "prediction": 3}` + "\n" + `{"system_id": "a", "prediction": 2}` + "\n" + `{"system_id": "b", "prediction": 4}`},
			"m.jsonl", []MetricScores{two("MetricX", ab, 1, 2, 3, 4)}, ""},
		{"MetricX with names", map[string]string{"m.jsonl": `{"system_id": "a", "segment_id": 1, "prediction": 1}` + "\n" + `{"system_id": "a", "segment_id": 2, "prediction": 2}` + "\n" + `{"system_id": "b", "segment_id": 2, "prediction": 4}`},
			"m.jsonl", []MetricScores{two("MetricX", ab, 1, 2, nan, 4)}, ""},
		{"MetricX, broken", map[string]string{"m.jsonl": `{"prediction": 3}` + "\n" + `{"prediction"`}, "m.jsonl", nil, "m.jsonl:2: unexpected end"},
		{"mt-metrics-eval", map[string]string{"chrF-refA.seg.score": "b\t1\nb\t2\na\t3\na\tNone\n"}, "chrF-refA.seg.score", []MetricScores{more(two("chrF-refA", []string{"b", "a"}, 1, 2, 3, nan))}, ""},
		{"mt-metrics-eval, short", map[string]string{"m.seg.score": "b\t1\nb\t2\na\t3\n"}, "m.seg.score", nil, "m.seg.score:2: a second score of b, which has one on line 1"},
		{"as sent to WMT19", map[string]string{"m.seg.score": "chrF\tde-en\tnewstest2019\ta\t1\t1\nchrF\tde-en\tnewstest2019\ta\t2\t2\nchrF\tde-en\tnewstest2019\tb\t1\t3\nchrF\tde-en\tnewstest2019\tb\t2\t4\n"},
			"m.seg.score", []MetricScores{more(two("chrF", ab, 1, 2, 3, 4))}, ""},
		{"as sent to WMT21", map[string]string{"m.seg.score": "m\tzh-en\tnewstest2021\tnews\tref-A\ta\t1\t1\tnon-ensemble\tno\nm\tzh-en\tnewstest2021\tnews\tref-A\ta\t2\tNA\tnon-ensemble\tno\n"},
			"m.seg.score", []MetricScores{more(MetricScores{Name: "m", Scores: &metaeval.Scores{Systems: []string{"a"}, Items: []string{"1", "2"}, Values: []float64{1, nan}}})}, ""},
		{"as sent to WMT, two pairs", map[string]string{"m.seg.score": "m\tzh-en\tt\ta\t1\t1\nm\tde-en\tt\ta\t1\t1\n"}, "m.seg.score", nil, "m.seg.score:2: the language pair is de-en, before it was zh-en: give a file of one"},
		{"as sent to WMT, two references", map[string]string{"m.seg.score": "m\tzh-en\tt\tA\ta\t1\t1\nm\tzh-en\tt\tB\ta\t1\t1\n"}, "m.seg.score", nil, "m.seg.score:2: a second score of system a on segment 1, which has one on line 1 (of one"},
		{"a column for each metric", map[string]string{"m.tsv": "sys\tseg\tmt\tCOMET\tx\na\t1\tDas ist\t1\t\nb\t1\t3\t3\t\na\t2\t?\t2\t\nb\t2\t?\tNA\t\n"},
			"m.tsv", []MetricScores{two("COMET", ab, 1, 2, 3, nan)}, ""},
		{"a column for each metric, of texts", map[string]string{"m.tsv": "sys\tseg\tmt\tref\na\t1\tx\ty\n"}, "m.tsv", nil, "m.tsv:2: no column has a number"},
		{"a column for each metric, twice", map[string]string{"m.tsv": "sys\tseg\tm\tm\na\t1\t1\t2\n"}, "m.tsv", nil, "m.tsv:1: two columns are called m"},
		{"with commas", map[string]string{"m.csv": "\"system\",segment,mt,m,n\na,1,\"so, so\",1,4\na,2,x,2,3\nb,1,y,3,2\nb,2,z,4,1\n"},
			"m.csv", []MetricScores{two("m", ab, 1, 2, 3, 4), two("n", ab, 4, 3, 2, 1)}, ""},
		{"with commas, a row for each score", map[string]string{"m.csv": "system,segment,score\na,1,1\na,2,2\nb,1,3\nb,2,4\n"}, "m.csv", []MetricScores{two("m", ab, 1, 2, 3, 4)}, ""},
		// df.pivot(index="segment", columns="system", values="score").to_csv(…) of pandas, and with a
		// reset index, which has no name.
		{"a column for each system", map[string]string{"m.csv": "segment,a,\"b, c\"\n1,1,3\n2,2,\n"}, "m.csv", []MetricScores{two("m", []string{"a", "b, c"}, 1, 2, 3, nan)}, ""},
		{"a column for each system, no name of the index", map[string]string{"m.tsv": "\ta\tref\tb\n1\t1\tx\t3\n2\t2\ty\t4\n"}, "m.tsv", []MetricScores{two("m", ab, 1, 2, 3, 4)}, ""},
		{"a column for each system, a segment twice", map[string]string{"m.csv": ",a,b\n1,1,3\n1,2,4\n"}, "m.csv", nil, "m.csv:3: a second row of segment 1, which has one on line 2"},
		{"a column for each system, one twice", map[string]string{"m.csv": ",a,a\n1,1,3\n"}, "m.csv", nil, "m.csv:2: two columns are called a in the header"},
		{"a column for each system, short", map[string]string{"m.csv": ",a,b\n1,1\n"}, "m.csv", nil, "m.csv:2: 2 columns, the header has 3"},
		{"a column for each system, no number", map[string]string{"m.csv": ",a,b\n1,x,y\n"}, "m.csv", nil, "m.csv:2: no column has a number"},
		{"a column for each system, a text", map[string]string{"m.csv": ",a,b\n1,1,2\n2,1,y\n"}, "m.csv", nil, "m.csv:3: the score of b is \"y\", which is no finite number"},
		{"a column for each system, no rows", map[string]string{"m.csv": "segment,a,b\n"}, "m.csv", nil, "m.csv: no scores in it"},
		{"a row for each segment, of one system", map[string]string{"a.tsv": "seg_id\tscore\n1\t1\n2\t2\n", "b.tsv": "seg_id\tscore\n1\t3\n2\t4\n"}, "a.tsv b.tsv", []MetricScores{two("score", ab, 1, 2, 3, 4)}, ""},
		{"a row for each segment, of one system and metric", map[string]string{"a.csv": "segment,COMET\n1,1\n2,2\n", "b.csv": "segment,COMET\n1,3\n2,4\n"}, "a.csv b.csv", []MetricScores{two("COMET", ab, 1, 2, 3, 4)}, ""},
		{"a score twice", map[string]string{"m.tsv": "system\tsegment\tscore\tscore\na\t1\t1\t2\n"}, "m.tsv", nil, "m.tsv:1: two columns are called score"},
		{"systems of a metric twice", map[string]string{"m.tsv": "system\tm\tm\na\t1\t2\n"}, "m.tsv", nil, "m.tsv:1: two columns are called m"},
		{"segments by another name", map[string]string{"m.csv": "system,Segment ID,score\na,1,1\na,2,2\n"}, "m.csv", nil, "m.csv:3: a second row of system a, which has one on line 2: for scores of segments there must be a column segment"},
		{"segments from 0 and from 1", map[string]string{"a.jsonl": "{\"prediction\": 1, \"segment_id\": 0}\n{\"prediction\": 2, \"segment_id\": 1}\n", "b.jsonl": "{\"prediction\": 3}\n{\"prediction\": 4}\n"}, "a.jsonl b.jsonl", []MetricScores{two("MetricX", ab, 1, 2, 3, 4)}, ""},
		{"a text", map[string]string{"m.txt": "Das ist ein Text.\n"}, "m.txt", nil, "m.txt:1: this begins none of the scores"},
		{"a score a line", map[string]string{"a.txt": "1\n2\n", "b.txt": "3\nNA\n\n"}, "a.txt b.txt", []MetricScores{two("score", ab, 1, 2, 3, nan)}, ""},
		{"a score a line, with a gap", map[string]string{"a.txt": "1\n\n2\n"}, "a.txt", nil, "a.txt:2: a blank line among scores"},
		{"a score a line, more of one", map[string]string{"a.txt": "1\n2\n", "b.txt": "3\n"}, "a.txt b.txt", nil, "files of one metric must be of the same segments"},
		{"one system twice", map[string]string{"a.txt": "1\n2\n", "b.txt": "3\n4\n"}, "s=a.txt s=b.txt", nil, "both have scores of a metric score for the system s"},
		{"tables of segments with names", map[string]string{"1.tsv": "system\tsegment\tmetric\tscore\na\tx\tm\t1\na\ty\tm\t2\n", "2.tsv": "system\tsegment\tmetric\tscore\nb\ty\tm\t4\nb\tx\tm\t3\n"},
			"1.tsv 2.tsv", []MetricScores{{Name: "m", Scores: &metaeval.Scores{Systems: ab, Items: []string{"x", "y"}, Values: []float64{1, 2, 3, 4}}}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var args []string
			for _, a := range strings.Fields(tt.args) {
				name, file, named := strings.Cut(a, "=")
				if !named {
					name, file = "", a
				} else {
					name += "="
				}
				args = append(args, name+filepath.Join(dir, file))
			}
			got, err := OpenMetricFiles(t.Context(), args, Options{})
			if tt.wrong != "" {
				if want := strings.ReplaceAll(tt.wrong, "$T", dir); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), dir) {
					t.Errorf("%v, want %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
