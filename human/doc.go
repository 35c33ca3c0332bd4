// Package human turns what people said of translations into scores of segments and systems.
// Package files reads it.
//
// # Kinds of judgement
//
//   - [Judgement]: a score for one output by one judge. Adequacy and fluency are whole
//     numbers from 1 to 5 ([FivePoint]), direct assessment (DA) is 0 to 100.
//     [Filter] leaves out judges who can't be relied on, [Standardize] turns the scores
//     of each judge into z scores, [Average] averages them by segment.
//   - [Pairs]: which of two outputs is better, or neither: from WMT's DARR files, or
//     asked for directly. [Pairs.Counts] adds them up, [ExpectedWins] ranks systems by them.
//   - [MQMError]: an error that a judge marked in an output, with its category and
//     severity. [MQMJudgements] adds up their weights.
//
// # Direct assessment, as WMT does it
//
//	judgements, err := files.OpenJudgements(ctx, "ad-latest.csv", files.JudgementOptions{})
//	kept, rejected := human.Filter(judgements, human.Quality{})
//	z, dropped := human.Standardize(kept)
//	segments, n, err := human.Average(z)
//	systems := segments.SystemMeans()
//
// A system's score is the mean of its segments' scores, and a segment's the mean of
// its judgements: a segment that many people judged does not count for more. [SegmentScores]
// has such averages as WMT publishes them.
//
// # Agreement
//
// [CohenKappa] is for two judges, or for one judge who judged twice ([Repeats]),
// [Krippendorff] for any number ([ByOutput]).
//
// Everything here is a pure function of its arguments, safe for concurrent use as long
// as nobody changes them, and gives the same result every time.
package human
