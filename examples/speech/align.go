package main

import (
	"context"
	"slices"
	"strings"

	"github.com/mteval/mteval"
)

// WER is the word error rate as a metric that matches tokens: all that difficulty
// needs of a task that the library knows nothing of. A word of the least-cost alignment
// is linked with the one that it is aligned with, with similarity 1 if they are equal
// and 0 if not, and an inserted or a deleted one with none.
//
// A row is the number of errors and that of reference words, of the reference with the
// lowest rate.
type WER struct{}

var _ mteval.MatchScorer = WER{}

var signature = mteval.Signature{{Key: "tok", Abbr: "tok", Value: "space"}}

// Width is the length of a row.
func (WER) Width() int { return 2 }

// Info describes the metric.
func (WER) Info() mteval.Info {
	return mteval.Info{Name: "aligned-wer", Signature: signature, Scale: 1, LowerIsBetter: true}
}

// Score is errors by reference words. References without a word count as one.
func (WER) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	return row[0] / max(1, row[1])
}

// Prepare splits the references into words.
func (s WER) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	m, err := s.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	return mteval.PrepareMatched(s, m), nil
}

// PrepareMatch splits the references into words.
func (WER) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := make(matcher, len(refs))
	for i, texts := range refs {
		for _, text := range texts {
			m[i] = append(m[i], words(text))
		}
	}
	return m, ctx.Err()
}

// AppendMatch counts the errors of an alignment.
func (s WER) AppendMatch(dst []float64, _ int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	var best [2]float64
	for r, tokens := range refs {
		errors := 0.0
		for _, l := range m.Pairings[r].Hyp {
			if l.Sim == 0 {
				errors++ // a substitution or an insertion
			}
		}
		for _, l := range m.Pairings[r].Ref {
			if l.To < 0 {
				errors++ // a deletion
			}
		}
		row := [2]float64{errors, float64(len(tokens))}
		if r == 0 || s.Score(row[:]) < s.Score(best[:]) {
			best = row
		}
	}
	return append(dst, best[:]...)
}

// words are what stands between white space, with their places.
func words(text string) []mteval.Token {
	var out []mteval.Token
	at := 0
	for w := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], w)
		out = append(out, mteval.Token{Text: w, Start: at, End: at + len(w), Weight: 1})
		at += len(w)
	}
	return out
}

// matcher holds the words of the references.
type matcher [][][]mteval.Token // [segment][reference][word]

func (m matcher) Len() int { return len(m) }

func (m matcher) RefTokens(segment int) [][]mteval.Token { return m[segment] }

func (m matcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m), segs, hyps); err != nil {
		return err
	}
	for k, text := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		hyp := words(text)
		out[k] = mteval.Matching{Tokens: hyp}
		for _, ref := range m[seg] {
			out[k].Pairings = append(out[k].Pairings, align(hyp, ref))
		}
	}
	return ctx.Err()
}

// align links two texts by the alignment with the fewest errors.
func align(hyp, ref []mteval.Token) mteval.Pairing {
	// cost[i][j] is that of the first i words of hyp and j of ref.
	cost := make([][]int, len(hyp)+1)
	for i := range cost {
		cost[i] = make([]int, len(ref)+1)
		for j := range cost[i] {
			switch {
			case i == 0:
				cost[i][j] = j
			case j == 0:
				cost[i][j] = i
			default:
				cost[i][j] = min(cost[i-1][j-1]+differ(hyp[i-1], ref[j-1]), cost[i-1][j]+1, cost[i][j-1]+1)
			}
		}
	}
	none := []mteval.Link{{To: -1}}
	p := mteval.Pairing{Hyp: slices.Repeat(none, len(hyp)), Ref: slices.Repeat(none, len(ref))}
	for i, j := len(hyp), len(ref); i > 0 && j > 0; {
		switch d := differ(hyp[i-1], ref[j-1]); cost[i][j] {
		case cost[i-1][j-1] + d:
			i, j = i-1, j-1
			p.Hyp[i] = mteval.Link{To: int32(j), Sim: float32(1 - d)}
			p.Ref[j] = mteval.Link{To: int32(i), Sim: float32(1 - d)}
		case cost[i-1][j] + 1:
			i--
		default:
			j--
		}
	}
	return p
}

func differ(a, b mteval.Token) int {
	if a.Text == b.Text {
		return 0
	}
	return 1
}
