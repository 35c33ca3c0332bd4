package tasks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
	"github.com/mteval/mteval/mtme/tasks"
)

// WMT23's tasks of two language pairs.
func ExampleRun() {
	tree, err := mtme.Open("../testdata/tree")
	if err != nil {
		log.Fatal(err)
	}
	r, err := tasks.Run(context.Background(), tree, tasks.WMT23("en-de", "he-en"), tasks.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range r.Metrics[:3] {
		fmt.Printf("%d %s %.3f\n", m.Rank, m.Metric, m.Average)
	}
	for _, t := range r.Tasks[:3] {
		fmt.Printf("%v: %s is best, with %.3f\n", t.Task, t.Metrics[0].Metric, t.Metrics[0].Value)
	}
	// Output:
	// 1 XCOMET-Ensemble 0.950
	// 1 CometKiwi[noref] 0.935
	// 1 BLEU 0.933
	// en-de,he-en system pairwise_accuracy: BLEU is best, with 0.960
	// en-de system pearson: GEMBA-MQM[noref] is best, with 0.999
	// en-de segment pearson: XCOMET-Ensemble is best, with 0.999
}

// Tasks of one's own, of which those of each level weigh the same.
func ExampleWeigh() {
	all := []tasks.Task{
		{LanguagePairs: []string{"en-de", "he-en"}},
		{LanguagePairs: []string{"en-de"}, Level: tasks.Segment, Measure: tasks.AccEq, Grouping: metaeval.ByItem},
		{LanguagePairs: []string{"he-en"}, Level: tasks.Segment, Measure: tasks.AccEq, Grouping: metaeval.ByItem},
	}
	tasks.Weigh(all, func(t tasks.Task) string { return t.Level.String() })
	for _, t := range all {
		fmt.Printf("%.2f %v\n", t.Weight, t)
	}
	// Output:
	// 0.50 en-de,he-en system pairwise_accuracy
	// 0.25 en-de segment acc_eq by item
	// 0.25 he-en segment acc_eq by item
}
