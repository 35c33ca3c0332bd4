// Package mteval scores machine translation against reference translations and
// is the contract that every metric of the module keeps.
//
// # Shape of a metric
//
// A metric does the work on the references once, turns every hypothesis into a
// row of numbers, and turns a row, or a sum of rows, into a score:
//
//	references ── Scorer.Prepare ──▶ Prepared
//	hypotheses ── Prepared.Append ─▶ rows, one a segment
//	rows       ── added up ────────▶ one row
//	row        ── Scorer.Score ────▶ score
//
// BLEU's row holds lengths and n-gram counts, BERTScore's holds P, R, F and 1.
// Because rows add up, a corpus score, a sentence score, a bootstrap sample, an
// n-best list and K systems against one set of references are the same few
// calls, and no reference is analysed twice.
//
// [Corpus], [Sentence] and [Systems] are those calls for the usual cases. A loop
// that scores millions of hypotheses against the same references keeps the
// [Prepared] and calls Append with a buffer of its own.
//
// # Sources
//
// A metric that reads what was translated, beside references or in their place, is a
// SourceScorer. WithSources gives it the sources; it then goes wherever a Scorer goes.
//
// # Matching tokens
//
// A metric that pairs up tokens (word overlap, BERTScore, METEOR) can also
// implement [MatchScorer]. Package difficulty reweighs any such metric by how
// many systems miss a token.
//
// # Misuse
//
// Arguments that make no sense are errors: a nil Scorer, io.Reader or other interface (or a nil
// pointer in one), a Scorer that breaks its contract, a number that can't be. Where a function
// has no error to return it panics, and its comment says of what. So do a nil receiver and a nil
// context, as in the standard library.
//
// # Packages
//
// Metrics: bleu, chrf, ter, overlap (F of words, WER and its kin), meteor,
// bertscore, dreem and comet. None depends on another.
//
// Over any metric: difficulty weighs tokens by how many systems miss them, multilevel
// gives each level of quality parameters of its own, and tunable is the contract of
// metrics with parameters.
//
// Below metrics: tokenize has the standard tokenizers (tokenize/jamecab apart, for its
// dictionary; tokenize/komecab and tokenize/spm read dictionaries and SentencePiece models
// from disk), conllu parses, and backend is what embeds tokens for bertscore, with
// backend/lexical (the default), backend/transformer, backend/libtorch and backend/cache.
//
// Judging: significance says how sure a difference is, preference how likely it is that
// people agree with it, human is about judgements, metaeval has the measures of agreement
// with them, and ranking sets systems' ranks beside people's.
//
// Engines, each with a command over it: scoring (metrics over texts, with tests, rankings and
// calibrations), study (what difficulty-aware scoring is worth on a set of systems), meta (which metrics agree with people), mtme/tasks (which do on
// WMT's sets of tasks), compare (which systems differ, by scores alone), selection (which
// segments people should judge), stream (any number of lines, scored as they come), and tune,
// whose results tune/tuned reads. Without one: mbr
// (which of many candidates the others agree with most), and mert, which tunes the weights of
// a decoder's n-best lists.
//
// Around these: files reads what people and tools write, testsets has sacreBLEU's test sets,
// mtme reads and writes mt-metrics-eval's tree, report makes pages, and scorertest and
// backend/backendtest are the kits that a metric or a backend of anyone's must pass.
//
// # Concurrency
//
// Scorers, Prepared and Matcher values are immutable after they are made and
// safe for concurrent use. Results do not depend on the number of workers.
package mteval

// Version is the version of this module. It is the last field of every complete
// [Signature].
const Version = "0.1.0"
