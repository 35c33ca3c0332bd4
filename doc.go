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
// # Matching tokens
//
// A metric that pairs up tokens (word overlap, BERTScore, METEOR) can also
// implement [MatchScorer]. Package difficulty reweighs any such metric by how
// many systems miss a token.
//
// # Parameters
//
// A metric with parameters to tune (METEOR) implements [Parameterised]: its rows do not
// depend on them, and [Keep] gives the scores of kept rows under any.
//
// # Packages
//
// The metrics are packages of their own: bleu, chrf, ter, overlap (word F, WER and
// its kin), meteor, bertscore, and difficulty over any that matches tokens. Package tokenize
// has the standard tokenizers, backend what embeds tokens for bertscore. Package
// significance says how sure a difference is, human reads and scales human judgements,
// metaeval and ranking compare scores with them, report writes tables and plots as HTML,
// and scorertest is the kit that a metric of anyone's must
// pass.
//
// # Concurrency
//
// Scorers, Prepared and Matcher values are immutable after they are made and
// safe for concurrent use. Results do not depend on the number of workers.
package mteval

// Version is the version of this module. It is the last field of every complete
// [Signature].
const Version = "0.1.0"
