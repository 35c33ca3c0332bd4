package meteor

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
)

// width is the length of a row.
const width = 23

// The places in a row.
const (
	rowHyp = iota // lengths
	rowRef
	rowHypFunction // function words
	rowRefFunction
	rowStages     // four for each stage, see Stage
	rowChunks     = rowStages + 4*maxModules
	rowHypMatched = rowChunks + 1
	rowRefMatched = rowChunks + 2
)

// Statistics are all that a score is made of, in the order of a row, and of what the
// program prints with -ssOut: lengths, function words, four numbers for each of four
// stages, chunks, and matched words. With Options.Characters lengths and
// the stages' numbers are in characters; chunks and matched words never are.
type Statistics struct {
	HypLength, RefLength     float64
	HypFunction, RefFunction float64 // of it, function words
	Stages                   [maxModules]Stage
	// Chunks are the runs of matches that are in the same order on both sides. A
	// hypothesis whose words are all matched with all of the reference's, in one
	// chunk, has no penalty; it has 0 here, so that it adds none in a sum.
	Chunks                 float64
	HypMatched, RefMatched float64 // words
}

// A Stage is what one module matched: content and function words of each side.
type Stage struct {
	HypContent, RefContent, HypFunction, RefFunction float64
}

// Statistics returns the statistics of a row or a sum of rows. It panics as Score does.
func (s *Scorer) Statistics(row []float64) Statistics {
	mteval.CheckRow(row, width)
	out := Statistics{
		HypLength: row[rowHyp], RefLength: row[rowRef],
		HypFunction: row[rowHypFunction], RefFunction: row[rowRefFunction],
		Chunks: row[rowChunks], HypMatched: row[rowHypMatched], RefMatched: row[rowRefMatched],
	}
	for i := range out.Stages {
		r := row[rowStages+4*i:]
		out.Stages[i] = Stage{r[0], r[1], r[2], r[3]}
	}
	return out
}

// Row returns the statistics as a row.
func (s Statistics) Row() []float64 {
	row := make([]float64, 0, width)
	row = append(row, s.HypLength, s.RefLength, s.HypFunction, s.RefFunction)
	for _, g := range s.Stages {
		row = append(row, g.HypContent, g.RefContent, g.HypFunction, g.RefFunction)
	}
	return append(row, s.Chunks, s.HypMatched, s.RefMatched)
}

// String is the program's line of statistics of one segment.
func (s Statistics) String() string {
	if s.Chunks == 0 && s.HypMatched > 0 {
		s.Chunks = 1 // the program leaves out the one chunk when it adds up
	}
	var out []string
	for _, v := range s.Row() {
		out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return strings.Join(out, " ")
}

// Detail is a score with its parts: see Params.
type Detail struct {
	Score             float64 // 0 to 1
	Precision, Recall float64 // 0 to 1
	F1, Fmean         float64 // 0 to 1
	Penalty           float64 // 0 to 1
}

// String is one line of the score and its parts.
func (d Detail) String() string {
	return fmt.Sprintf("METEOR = %.4f (P = %.4f R = %.4f F1 = %.4f Fmean = %.4f penalty = %.4f)", d.Score, d.Precision, d.Recall, d.F1, d.Fmean, d.Penalty)
}

// Score returns the score of a row or a sum of rows, 0 to 1. A side without words, or
// nothing that matches, gives 0.
func (s *Scorer) Score(row []float64) float64 { return s.Detail(row).Score }

// Detail returns the score of a row, or a sum of rows, with its parts. What is not
// defined, such as the precision of no words, is 0. It panics as Score does.
func (s *Scorer) Detail(row []float64) Detail {
	mteval.CheckRow(row, width)
	delta := s.params.Delta
	length := func(all, function float64) float64 { return delta*(all-function) + (1-delta)*function }
	hyp, ref := 0.0, 0.0
	for i := range s.modules {
		r := row[rowStages+4*i : rowStages+4*i+4]
		hyp += s.weights[i] * delta * r[0]
		ref += s.weights[i] * delta * r[1]
	}
	for i := range s.modules {
		r := row[rowStages+4*i : rowStages+4*i+4]
		hyp += s.weights[i] * (1 - delta) * r[2]
		ref += s.weights[i] * (1 - delta) * r[3]
	}
	var d Detail
	if l := length(row[rowHyp], row[rowHypFunction]); l > 0 {
		d.Precision = hyp / l
	}
	if l := length(row[rowRef], row[rowRefFunction]); l > 0 {
		d.Recall = ref / l
	}
	d.F1 = mteval.PRF{P: d.Precision, R: d.Recall}.FBeta(1)
	d.Fmean = s.fmean(d.Precision, d.Recall)
	if matched := row[rowHypMatched] + row[rowRefMatched]; matched > 0 {
		d.Penalty = s.params.Gamma * math.Pow(row[rowChunks]/(matched/2), s.params.Beta)
	}
	d.Score = max(0, d.Fmean*(1-d.Penalty))
	return d
}

// fmean is 1 / ((1−α)/P + α/R), 0 where that is not defined.
func (s *Scorer) fmean(p, r float64) float64 {
	if p <= 0 || r <= 0 {
		return 0
	}
	return 1 / ((1-s.params.Alpha)/p + s.params.Alpha/r)
}
