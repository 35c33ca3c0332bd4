package tasks

import (
	"fmt"
	"io"
	"slices"

	"github.com/mteval/mteval/internal/jsonfile"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// A fileTask is a Task as files have it.
type fileTask struct {
	Set           string              `json:"set"`
	LanguagePairs []string            `json:"language_pairs"`
	Level         string              `json:"level"`
	Domain        string              `json:"domain"`
	Measure       string              `json:"measure"`
	Group         string              `json:"group"`
	Human         string              `json:"human"`
	Rules         *fileRules          `json:"rules"`
	Systems       map[string][]string `json:"systems"`
	Weight        float64             `json:"weight"`
}

type fileRules struct {
	Reference string   `json:"reference"`
	Human     bool     `json:"human"`
	Outliers  []string `json:"outliers"`
}

// maxFile is more than any list of tasks has.
const maxFile = 16 << 20

// Open is Read of a file.
func Open(path string) ([]Task, error) { return sidefile.Load(path, Read) }

// Read reads tasks, a list in JSON:
//
//	[
//	  {"language_pairs": ["en-de", "he-en"], "measure": "pairwise_accuracy", "weight": 2},
//	  {"language_pairs": ["en-de"], "level": "segment", "measure": "acc_eq", "group": "item"},
//	  {"language_pairs": ["en-de"], "level": "document", "measure": "kendall", "domain": "news",
//	   "human": "da-sqm", "rules": {"reference": "refA", "human": true, "outliers": ["synthetic_ref"]}}
//	]
//
// The fields are those of Task: set, language_pairs, level (system, segment or document),
// domain, measure (as Measure.String has it), group (none, item or system), human, rules,
// systems, an object with lists by language pair, and weight. All but language_pairs and measure
// can be left out. Name is that of the file, for errors.
func Read(r io.Reader, name string) ([]Task, error) {
	data, err := sidefile.ReadAll(r, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := jsonfile.File{Name: name, Data: sidefile.WithoutBOM(data), What: "a list of tasks", Filled: true}
	var all []fileTask
	end, err := f.Decode(&all)
	if err != nil {
		return nil, err
	}
	if err := f.CheckFields(end, nil); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no tasks", name)
	}
	var out []Task
	for i, from := range all {
		t, err := from.task()
		if err == nil {
			err = t.check()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: task %d: %w", name, i+1, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func (f fileTask) task() (Task, error) {
	t := Task{Set: f.Set, LanguagePairs: f.LanguagePairs, Domain: f.Domain, Human: f.Human, Systems: f.Systems, Weight: f.Weight}
	if f.Rules != nil {
		t.Rules = &mtme.Rules{Reference: f.Rules.Reference, Human: f.Rules.Human, Outliers: f.Rules.Outliers}
	}
	var err error
	if t.Measure, err = named("measure", f.Measure, measureList()...); err != nil {
		return t, err
	}
	if f.Level != "" {
		if t.Level, err = named("level", f.Level, System, Segment, Document); err != nil {
			return t, err
		}
	}
	if f.Group != "" {
		t.Grouping, err = named("group", f.Group, metaeval.NoGrouping, metaeval.ByItem, metaeval.BySystem)
	}
	return t, err
}

func measureList() (out []Measure) {
	for m := range measures {
		out = append(out, Measure(m))
	}
	return out
}

// named returns the value with this name.
func named[T fmt.Stringer](field, name string, all ...T) (none T, err error) {
	if i := slices.IndexFunc(all, func(v T) bool { return v.String() == name }); i >= 0 {
		return all[i], nil
	}
	if name == "" {
		return none, fmt.Errorf("%s: there is none: give one of %v", field, all)
	}
	return none, fmt.Errorf("%s: unknown %q: it is one of %v", field, name, all)
}
