// Package selection chooses the segments of a test set that people should judge, where
// they can't judge all, and says what a way of choosing is worth.
//
// A method gives each segment a utility, more of it being more worth judging; Choose takes
// the segments of the highest, within a budget of segments or words:
//
//	scores, outputs ── Average, Variance, Diversity, … ─▶ utilities ── Choose ─▶ segments
//	                                                          │
//	people's scores of all segments ──────────────────────────┴─ Evaluate ─▶ Curves
//
// The methods, but for Difficulty and the numbers of Random, are those of Zouhar, Cui and
// Sachan, "How to Select Datapoints for Efficient Human Evaluation of NLG Models?" (TACL 2025),
// and of their program, subset2evaluate 1.0.27, whose utilities they give. Variance is that of
// variance-aware test sets (Zhan, Liu, Wong and Chao, NeurIPS 2021).
//
// A Set has the texts and scores of a test set in one order, leaves out what can't be judged and
// what was chosen before, and says what a choice costs. A Method is read from words, such as
// consistency+2*variance.
//
// # What they are worth
//
// On five sets of WMT, MQM of 2023 and relative rankings of 2019, no method ranks the
// systems reliably better than random choice does. Variance and consistency added up tell more
// systems apart on the same number of segments in 8 of 11 cases, and on the same number of
// words in 4; variance alone in 5 of either. In part that is length: long segments, which cost
// more, tell more systems apart on the sets of 2023. Methods are to be compared at equal cost.
// docs/select.md has the figures.
//
// A utility is a finite number whatever the texts; a segment without any score of a metric
// is an error. All functions are safe for concurrent use.
package selection
