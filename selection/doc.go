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
// The methods, but for Difficulty, are those of Zouhar, Cui and Sachan, "How to Select
// Datapoints for Efficient Human Evaluation of NLG Models?" (TACL 2025), and of their
// program, subset2evaluate 1.0.27, whose utilities they give. Variance is that of
// variance-aware test sets (Zhan, Liu, Wong and Chao, NeurIPS 2021).
//
// A segment without any score, a system without any text and the like have a utility that
// is said where the method is; there is none that is not a finite number.
package selection
