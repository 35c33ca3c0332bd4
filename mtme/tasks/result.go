package tasks

// A Result is how far metrics agree with people on tasks.
type Result struct {
	// Tasks, in the order given.
	Tasks []TaskResult
	// Metrics that all tasks have, by their average, best first.
	Metrics []Average
	// P[a][b], for a < b in the order of Metrics, is the p-value of metric a being better
	// than b on average. Nil without tests, or where a task is not tested.
	P [][]float64
}

// A TaskResult is how far metrics agree on one task.
type TaskResult struct {
	Task Task
	// Weight is its part of the average.
	Weight float64
	// Human is the kind of people's scores.
	Human string
	// Systems by language pair, and Scores, how many of people's are compared.
	Systems [][]string
	Scores  int
	// Metrics, best first; of equal ones by name.
	Metrics []Value
	// Undefined are metrics for which the measure is not defined.
	Undefined []string
	// P[a][b], for a < b in the order of Metrics, is the p-value of metric a being better
	// than b, and Permutations[a][b] of how many. Nil without tests.
	P            [][]float64
	Permutations [][]int

	// draws[a][b] are the differences of a and b with their scores swapped, as parts of the
	// measure's range.
	draws [][][]float64
}

// A Value is how far a metric agrees on a task.
type Value struct {
	// Metric is its name, followed by [noref] if it uses no reference.
	Metric string
	Value  float64
	// Rank is from 1, and 0 without tests.
	Rank int
	// Epsilon is the tie threshold of AccEq.
	Epsilon *float64
}

// An Average is a metric's, over tasks.
type Average struct {
	Metric string
	// Average of the values, brought to between 0 and 1, by weight.
	Average float64
	// Rank is from 1, and 0 where Result.P is nil.
	Rank int
	// MeanRank is that of the ranks in tasks, by weight, and 0 where Result.P is nil.
	MeanRank float64
}
