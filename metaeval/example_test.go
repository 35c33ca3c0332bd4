package metaeval_test

import (
	"fmt"
	"log"

	"github.com/mteval/mteval/metaeval"
)

// Direct assessments of three systems on two segments, and an error metric's scores.
func assessed() (*metaeval.Scores, metaeval.Metric) {
	systems, segments := []string{"A", "B", "C"}, []string{"1", "2"}
	human := metaeval.NewScores(systems, segments)
	human.Values = []float64{
		90, 80,
		60, 75,
		30, 20,
	}
	ter := metaeval.NewScores(systems, segments)
	ter.Values = []float64{
		.2, .3,
		.4, .3,
		.4, .8,
	}
	return human, metaeval.Metric{Name: "TER", Scores: ter, LowerIsBetter: true}
}

// WMT's Kendall in all forms of the paper.
func Example() {
	human, ter := assessed()
	ranking, err := metaeval.DARR(human, metaeval.DARRThreshold, metaeval.DARROptions{KeepTies: true})
	if err != nil {
		log.Fatal(err)
	}
	counts, _, err := metaeval.CountPairs(ranking.Pairs, ter.Scores, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ranking.Ranked, "ranked,", ranking.Ties, "tied")
	for _, f := range metaeval.KendallForms() {
		tau, err := f.Tau(counts, ter.LowerIsBetter)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("Table %s: %.3f\n", f.Name, tau)
	}
	// Output:
	// 5 ranked, 1 tied
	// Table 4a: 1.000
	// Table 4b: 0.800
	// Table 4c: 0.600
	// Table 5: -0.833
}

// A matrix of one's own: a metric's tie is half an error.
func ExampleMatrix() {
	half := metaeval.Table4b().Accuracy
	half[0][1] = metaeval.Cell{Add: -.5, Counted: true}
	half[2][1] = metaeval.Cell{Add: -.5, Counted: true}
	form := metaeval.NegatedFirst("half", half)
	tau, err := form.Tau(metaeval.Counts{{40, 10, 0}, {}, {0, 10, 40}}, false)
	fmt.Println(tau, err)
	// Output: 0.7 <nil>
}

// How the threshold on people's scores changes what a metric is judged on.
func ExampleSweep() {
	human, ter := assessed()
	points, err := metaeval.Sweep(human, []float64{1, 25, 50}, []metaeval.SweepMetric{{Metric: ter}},
		[]metaeval.KendallForm{metaeval.Table4c()}, metaeval.DARROptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range points {
		fmt.Printf("%v: %d pairs, %.2f\n", p.Threshold, p.Ranked, *p.Metrics[0].Taus[0])
	}
	// Output:
	// 1: 6 pairs, 0.33
	// 25: 5 pairs, 0.60
	// 50: 3 pairs, 1.00
}

// Kendall's tau-b on each segment, averaged.
func ExampleSegmentLevel() {
	human, ter := assessed()
	a, err := metaeval.SegmentLevel(human, ter, metaeval.ByItem, metaeval.Kendall)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f over %d segments\n", a.Value, a.Groups)
	// Output: 0.816 over 2 segments
}

// acc_eq with tie calibration.
func ExampleCalibrateTies() {
	human, ter := assessed()
	epsilon, a, err := metaeval.CalibrateTies(human, ter, metaeval.ByItem)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f with ties up to %v\n", a.Value, epsilon)
	// Output: 0.667 with ties up to 0
}

func ExampleOutliers() {
	systems := []string{"A", "B", "C", "D", "E"}
	human := []float64{.21, .18, .09, .11, -1.77}
	out, err := metaeval.Outliers(human, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range out {
		fmt.Println(systems[k])
	}
	// Output: E
}

func ExampleKendallTest() {
	t, err := metaeval.KendallTest([]float64{1, 2, 3, 4, 5}, []float64{2, 1, 3, 4, 5}, metaeval.KendallAuto)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("tau %.1f, p = %.4f\n", t.Correlation, t.P)
	// Output: tau 0.8, p = 0.0833
}
