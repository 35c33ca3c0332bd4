// Package distributed scores machine translation on a cluster, by Apache Beam: transforms from
// records to the scores of segments, the scores of systems, and their intervals, for any
// mteval.Scorer that a worker can make from a description.
//
//	lines   ── Read ──────────▶ records, and what is none
//	records ── SegmentScores ─▶ rows and scores of segments, and records that have none
//	scores  ── SystemScores ──▶ sums of rows, and their scores
//	scores  ── Bootstrap ─────▶ intervals
//
// It is a module of its own, so that the library does not depend on Beam. Package metrics of it
// registers the metrics that come with mteval; Register takes anybody's.
//
// # Exactness
//
// Records are grouped by segment, so that references are prepared once for all systems, and
// difficulty is estimated by the systems that there are. Rows are added up exactly, whatever
// they hold, and rounded once at the end (Shewchuk 1997): a sum does not depend on how records
// came to be in bundles, nor on their order. Where rows are counts, as those of BLEU, chrF, TER
// and METEOR, it is the sum that one process makes, to the last bit; where they are not, that one
// rounds after each addition and may differ in the last digits.
//
// # What is bad
//
// A record is scored by all metrics or by none. One that has no segment, no reference where a
// metric wants one, no source likewise, a text that a metric refuses, or a segment and system that
// another has, is in the second collection with its position and the reason: nothing is dropped.
// What fails otherwise, such as a model that can't be read, fails the bundle, which Beam
// tries again.
//
// Collections are in the global window: these are transforms for batches.
package distributed
