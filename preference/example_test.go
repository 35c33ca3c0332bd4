package preference_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/tokenize"
)

// Evidence of the metrics that the embedded calibration adds up, and what people would say. So
// few segments are fewer than it was fitted on.
func ExampleCalibration_Judge() {
	ctx := context.Background()
	refs := [][]string{
		{"The bank closed its branch by the river last year."}, {"Nobody expected the minister to resign on Sunday."},
		{"She has been waiting for the train for two hours."}, {"The new bridge will be opened to traffic in May."},
	}
	systems := []mteval.System{
		{Name: "first", Hyps: []string{
			"The bank closed its river branch last year.", "Nobody expected that the minister would resign on Sunday.",
			"She has been waiting two hours for the train.", "The new bridge will open to traffic in May.",
		}},
		{Name: "second", Hyps: []string{
			"The bank shut its branch on the river last year.", "Nobody has expected the minister to resign Sunday.",
			"She waits for the train since two hours.", "The new bridge is opened for traffic in May.",
		}},
		{Name: "third", Hyps: []string{
			"The bench closed the river.", "Nobody waited for the minister.", "She waits two hours.", "The new bridge is in May.",
		}},
	}
	evidence, err := collect(ctx, refs, systems)
	if err != nil {
		log.Fatal(err)
	}
	r, err := preference.Default().Judge(evidence)
	if err != nil {
		log.Fatal(err)
	}
	groups, err := r.Groups(.7)
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range r.Order() {
		fmt.Println(r.Systems[k], "of group", groups[k])
	}
	fmt.Println("as many as in a campaign:", len(r.Outside) == 0)
	// Output:
	// first of group 1
	// second of group 1
	// third of group 2
	// as many as in a campaign: false
}

// collect makes the evidence: BERTScore over lexical vectors, difficulty among the systems over
// the same, and chrF.
func collect(ctx context.Context, refs [][]string, systems []mteval.System) ([]*preference.Evidence, error) {
	vectors, err := lexical.New(lexical.Options{Tokenizer: tokenize.V13a})
	if err != nil {
		return nil, err
	}
	plain, err := bertscore.New(vectors, bertscore.Options{})
	if err != nil {
		return nil, err
	}
	prepared, err := plain.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	matchings, err := mteval.MatchSystems(ctx, prepared, systems)
	if err != nil {
		return nil, err
	}
	field, err := difficulty.NewField(plain, matchings, difficulty.Options{LeaveOneOut: true, Average: difficulty.MeanF}, difficulty.Function{})
	if err != nil {
		return nil, err
	}
	all := make([]int, len(systems))
	for k := range all {
		all[k] = k
	}
	poll, err := field.Poll(ctx, all, nil)
	if err != nil {
		return nil, err
	}
	hard, err := poll.Table(ctx)
	if err != nil {
		return nil, err
	}
	characters, err := chrf.New(chrf.Options{})
	if err != nil {
		return nil, err
	}
	letters, err := mteval.Systems(ctx, characters, refs, systems)
	if err != nil {
		return nil, err
	}
	var out []*preference.Evidence
	for _, table := range []*mteval.Table{matchings.Table(plain), hard, letters} {
		e, err := preference.FromTable(ctx, table)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// A calibration of one's own judgements, here of one metric and two sets.
func ExampleFit() {
	evidence := func(better float64) []*preference.Evidence {
		return []*preference.Evidence{{
			Metric: "ours", Systems: []string{"a", "b", "c"}, Segments: 1000,
			Z: [][]float64{{0, better, 9}, {-better, 0, 8}, {-9, -8, 0}},
		}}
	}
	sets := []preference.Set{
		{Name: "2024-en-de", Campaign: "2024", Human: []float64{82, 80, 71}, Evidence: evidence(3)},
		{Name: "2025-en-de", Campaign: "2025", Human: []float64{77, 79, 70}, Evidence: evidence(2)},
	}
	c, err := preference.Fit(context.Background(), sets, preference.FitOptions{Note: "direct assessments of our own, 0 to 100"})
	if err != nil {
		log.Fatal(err)
	}
	r, err := c.Judge(evidence(4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("people prefer a to b: %.2f, to c: %.2f\n", r.P[0][1], r.P[0][2])
	record, _ := c.Record("ours", nil, 1000)
	band := record.Band(8.5)
	fmt.Printf("people agreed with %d of %d pairs like it\n", band.Agreed, band.Pairs)
	// Output:
	// people prefer a to b: 0.64, to c: 0.79
	// people agreed with 4 of 4 pairs like it
}
