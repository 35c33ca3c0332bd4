// Package mtme reads and writes the tree of mt-metrics-eval, in which WMT's metrics task
// keeps what it judges metrics by:
//
//	wmt23/sources/en-de.txt                           a segment a line
//	wmt23/documents/en-de.docs                        DOMAIN tab DOCUMENT, of each segment
//	wmt23/references/en-de.refA.txt
//	wmt23/system-outputs/en-de/SYSTEM.txt             references that are judged are here too
//	wmt23/human-scores/en-de.mqm.seg.score            or .sys, .domain
//	wmt23/human-scores/en-de.mqm.merged.seg.rating    errors that raters marked
//	wmt23/metric-scores/en-de/METRIC-REF.seg.score    or .sys, .domain
//
// REF is the reference that a metric used, or src for none. In this tree more is better,
// of metrics' scores too: error metrics are negated.
//
//	Open ──▶ Tree ──Set──▶ Set ──Load──▶ Pair ──Human, Metric──────────▶ metaeval.Scores
//	                                      └──ReadRatings──RatingScores──▶
//
// [RulesOf] says which reference, human scores and systems WMT judges metrics by.
//
// Load reads the texts of a language pair and the names of its score files; these are read
// when they are asked for. What is wrong with a file is a [files.LineError].
package mtme
