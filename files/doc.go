// Package files reads what evaluation takes: texts of a corpus, tables of scores, and what
// people said of translations, in the forms of WMT and in plain ones.
//
// Each kind of file has two functions. Read… takes an [io.Reader] and the name that errors
// call it by, Open… a path, "-" being standard input, and a context that ends it, even while
// it waits for a pipe:
//
//   - [OpenText], [OpenCorpus]: a segment a line, or WMT's SGML and XML; references and systems'
//     outputs. [Outputs] and [SystemNames] say what systems are called.
//   - [OpenScores]: a table of the scores of systems on segments, people's or a metric's.
//   - [OpenSystems]: scores of systems, in two columns or WMT's.
//   - [OpenMetrics], [OpenMetricFiles]: scores of one metric or of several, as mteval score prints
//     them too, COMET's and MetricX's programs, and mt-metrics-eval. [Directions] says of which
//     less is better.
//   - [OpenWMTSegments], [OpenWMTSystems]: WMT's direct assessments, by segment and by system.
//   - [OpenJudgements], [OpenRated], [OpenPairs], [OpenMQM]: what single people
//     said, for package human.
//   - [OpenPeople]: any of the files that people's scores come in, told by its header.
//   - [OpenNBest]: the candidates of a decoder, with a model's features, for package mert.
//   - [FindFolder], [FindJudged]: the files of a folder of references, outputs and judgements.
//
// # All files
//
// A file is plain text or gzip, which is told by its first bytes: gzip data of several members
// are one text, and zero bytes behind them are passed over. It is UTF-8 unless [Options].Encoding
// says otherwise; a byte order mark before it is removed, and Options.Note told. Lines end with
// LF or CR LF, with or without one at the end. In tables, blank lines are passed over, and so is
// space around fields.
//
// A number is in decimal notation, within ±1e100. A score that is empty, NA, NaN or None, in
// any case, is missing in a table of scores, NaN in the result; a single judgement must have
// one.
//
// # Segments
//
// Segments are called as in the file, or by their place in it, from 1. Numbers may begin with 0 in one
// file and with 1 in another: [OpenMetricFiles], and [OpenPeople] with [Options].Beside, line them
// up with each other and with what stands there, and tell Options.Note of it; [Options].FirstSegment says
// how. comet-score's are from 1 in any case, and so are MetricX's where nothing else is beside them.
//
// # Limits
//
// Files are read line by line, and checked as they are. A line longer than Options.MaxLine, a
// text larger than Options.MaxText, and gzip data that expand to more than 100 times their
// size (and to more than 16 MiB, or MaxLine if that is more) end reading with an error; of the
// first two it wraps [ErrTooLarge].
//
// # Errors
//
// Errors begin with the file's name. Where one is about a line, it is a [LineError], and so
// begins with file and line. Of bytes that are none of the encoding it wraps [ErrEncoding].
package files
