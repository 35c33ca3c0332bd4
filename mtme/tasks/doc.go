// Package tasks judges metrics as WMT's metrics task does, on several tasks at once: a Task
// is a measure of agreement with people, at one level, of a language pair. Its metrics have
// values and ranks, and over all tasks an average, of values brought to between 0 and 1.
//
//	mtme.Tree ──┐
//	            ├──Run──▶ Result: values, ranks and p-values by task, averages with ranks
//	[]Task ─────┘
//
// WMT23 and WMT24OnWMT23 are WMT's sets of tasks; Read reads others from a file.
//
// # Significance
//
// Differences are tested by PERM-BOTH (Deutsch, Dror and Roth, TACL 2021) as
// mt-metrics-eval has it: scores are standardized, and those of two metrics swapped by the
// toss of a coin for each output; p is the share of permutations whose difference is at
// least that of the metrics as they are. AccEq swaps verdicts on pairs of outputs (Deutsch,
// Foster and Freitag, EMNLP 2023). The coins are those of NumPy's numpy.random.seed, tossed for
// each pair of metrics after the other, and a test stops after 100 permutations where p is
// below 0.02 or above 0.5. So p-values are those that mt-metrics-eval has from the same seed,
// with systems in the same order, which here is sorted.
//
// From the best metric down, one begins a new rank if any of the present one is significantly
// better. p-values are not adjusted for there being many.
package tasks
