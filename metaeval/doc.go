// Package metaeval measures how far scores agree with human judgements.
//
// TableSegments and TableSystems make a Metric of a mteval.Table, whatever it was computed
// by. Package meta judges several metrics at once, with tests.
//
// # Correlations
//
// Pearson, Spearman, and Kendall's tau-a, tau-b and tau-c of two lists of numbers, and
// their p-values. SystemLevel and SegmentLevel apply any of them to Scores.
//
// # WMT's Kendall
//
// From human Scores DARR makes pairs of which people found one better, or both equal;
// CountPairs counts how a metric's scores compare with them, and a KendallForm turns the
// counts into a tau:
//
//	human Scores ── DARR ──▶ pairs ── CountPairs ──▶ Counts ── KendallForm.Tau ──▶ tau
//	                                      ▲
//	                               metric's Scores
//
// Table4a, Table4b, Table4c and Table5 are the forms of "Towards a Better Evaluation of
// Metrics for Machine Translation", any other is a value. Sweep does it for many
// thresholds at once.
//
// # Newer measures
//
// PairwiseAccuracy (Kocmi et al. 2021), AccEq and CalibrateTies (Deutsch et al. 2023),
// SoftPairwiseAccuracy and PermutationPValues for it (Thompson et al. 2024),
// PairwiseDifferencePearson; and Outliers (Mathur et al. 2020). Scores.GroupMeans makes
// scores of documents.
//
// # Direction
//
// Human scores are better where they are higher. Whether a metric's are is part of a
// Metric, and is never guessed; Oriented turns scores round. Agreement is positive for an
// error metric too, but for Table5, which the paper defines so that an error metric that
// agrees is negative.
//
// All functions are pure, and safe for concurrent use.
package metaeval
