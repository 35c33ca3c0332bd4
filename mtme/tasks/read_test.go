package tasks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

func TestRead(t *testing.T) {
	got, err := Read(strings.NewReader(`[
  {"language_pairs": ["en-de", "he-en"], "measure": "pairwise_accuracy", "weight": 2},
  {"set": "wmt23", "language_pairs": ["en-de"], "level": "segment", "measure": "acc_eq", "group": "item",
   "systems": {"en-de": ["B", "A"]}},
  {"language_pairs": ["en-de"], "level": "document", "measure": "kendall", "domain": "news", "group": "none",
   "human": "da-sqm", "rules": {"reference": "refA", "human": true, "outliers": ["synthetic_ref"]}}
]`), "tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	want := []Task{
		{LanguagePairs: []string{"en-de", "he-en"}, Weight: 2},
		{Set: "wmt23", LanguagePairs: []string{"en-de"}, Level: Segment, Measure: AccEq, Grouping: metaeval.ByItem,
			Systems: map[string][]string{"en-de": {"B", "A"}}},
		{LanguagePairs: []string{"en-de"}, Level: Document, Measure: Kendall, Domain: "news", Human: "da-sqm",
			Rules: &mtme.Rules{Reference: "refA", Human: true, Outliers: []string{"synthetic_ref"}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestReadErrors(t *testing.T) {
	const pair = `"language_pairs": ["en-de"], "measure": "pearson"`
	for text, want := range map[string]string{
		``:                    "t.json: the file is empty",
		`[]`:                  "t.json: no tasks",
		`{}`:                  "t.json:1: not a list of tasks",
		`[{` + pair:           "t.json:1: the file is cut short",
		`[{` + pair + `}] []`: "t.json:1: more after the end",
		"[{" + pair + "},\n{" + pair + `, "metric": "x"}]`:                                          "t.json:2: field \"metric\": there is no such field",
		"[{" + pair + "},\n{" + pair + `, "group": null}]`:                                          "t.json:2: field group: null",
		"[{" + pair + "},\n{" + pair + `, "set": 3}]`:                                               "t.json:2: field set: a number",
		`[{` + pair + `, "domain": ""}]`:                                                            "t.json:1: field domain: an empty text",
		`[{` + pair + `, "group": " "}]`:                                                            "t.json:1: field group: an empty text",
		`[{` + pair + `, "systems": {"en-de": ["A", ""]}}]`:                                         "t.json:1: field en-de: an empty text",
		`[{"measure": "pearson"}]`:                                                                  "t.json: task 1: language_pairs: there is none",
		`[{"language_pairs": ["en-de"]}]`:                                                           "t.json: task 1: measure: there is none",
		`[{"language_pairs": ["en-de"], "measure": "bleu"}]`:                                        `t.json: task 1: measure: unknown "bleu": it is one of [pairwise_accuracy`,
		`[{` + pair + `}, {` + pair + `, "level": "sys"}]`:                                          `t.json: task 2: level: unknown "sys": it is one of [system segment document]`,
		`[{` + pair + `, "group": "line"}]`:                                                         `task 1: group: unknown "line"`,
		`[{` + pair + `, "group": "item"}]`:                                                         "task 1: group: item is of segments",
		`[{` + pair + `, "weight": -1}]`:                                                            "task 1: weight: -1",
		`[{"language_pairs": ["a", "b"], "measure": "kendall"}]`:                                    "task 1: language_pairs: kendall is of one",
		`[{"language_pairs": ["a", "a"], "measure": "pairwise_accuracy"}]`:                          "task 1: language_pairs: a stands twice",
		`[{"language_pairs": ["a"], "measure": "pairwise_accuracy", "level": "segment"}]`:           "task 1: level: pairwise_accuracy is of systems",
		`[{"language_pairs": ["a"], "measure": "acc_eq"}]`:                                          "task 1: level: acc_eq is of segments",
		`[{"language_pairs": ["a"], "measure": "pairwise_difference_pearson", "level": "segment"}]`: "task 1: group: pairwise_difference_pearson is by item",
	} {
		if _, err := Read(strings.NewReader(text), "t.json"); err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "t.json: "), strings.TrimPrefix(want, "t.json: ")) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	if _, err := Open("no/such.json"); err == nil || !strings.Contains(err.Error(), "no/such.json") {
		t.Errorf("error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`[{"language_pairs": ["en-de"], "measure": "pearson", "systems": {"en-de": []}}]`)
	f.Add(`[{"language_pairs": ["en-de"], "measure": "acc_eq", "level": "segment", "weight": 1e999}]`)
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := Read(strings.NewReader(text), "t.json")
		if (err == nil) != (len(tasks) > 0) {
			t.Fatalf("%d tasks, error %v", len(tasks), err)
		}
		for _, task := range tasks {
			if err := task.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
