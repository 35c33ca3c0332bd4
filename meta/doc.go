// Package meta judges metrics: it says how far their scores agree with people's, and which
// of them differ.
//
// Systems compares scores of systems: correlations, pairwise accuracies, and tests of
// Pearson's correlation. Segments compares scores of segments: WMT's forms of Kendall's tau
// on pairs of systems, acc_eq and correlations. Both take what people said and any number
// of metrics, from whatever they were computed by:
//
//	People ─────────┐
//	                ├─▶ Systems, Segments ─▶ Result
//	Metric, Metric ─┘
//
// Tables need not be of the same systems and segments, nor have them in the same order.
// All metrics are compared on the same outputs: what one has no score for is left out for
// all. What is left out, and what looks like a mistake, are the warnings of a Result.
//
// # Measures
//
// A measure is called
//
//	pearson, spearman, kendall    correlations; kendall is tau-b
//	tau_c                         Kendall's tau-c
//	pairwise_accuracy             of pairs of systems (Kocmi et al. 2021)
//	soft_pairwise_accuracy        Thompson et al. 2024; needs people's scores of segments
//	kendall_4a … kendall_5        forms of WMT's Kendall, by their name
//	acc_eq, tau_eq                with tie calibration (Deutsch et al. 2023); tau_eq is 2·acc_eq − 1
//	acc_eq_0                      acc_eq with only equal scores as ties
//	pairwise_difference_pearson   of differences between systems on a segment
//
// Agreement is positive for an error metric too, but for kendall_5: see metaeval.Table5.
//
// Soft pairwise accuracy is mt-metrics-eval's, by metaeval.PermutationPValues and its standard
// seed, where every system has every score of the segments that people judged; it is there
// without tests too, of 1,000 permutations. Where a score is missing it is of the permutations
// of package significance and of Options.Seed, which do without.
//
// # Tests
//
// Metrics in order of agreement make clusters: one begins a new cluster if a metric of the
// one before is significantly better, p-values adjusted by Holm's method for all pairs of
// metrics. Results depend on the seed, and on the order of the systems and segments, not on
// the number of workers.
package meta
