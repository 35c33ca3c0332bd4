package overlap

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/editdist"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/vocab"
)

// Rate is one of the error rates.
type Rate int

// The error rates; see the package's doc.
const (
	WER Rate = iota
	MER
	WIL
	CER
	PER
)

var rates = [...]string{WER: "wer", MER: "mer", WIL: "wil", CER: "cer", PER: "per"}

// String is the rate's name in lower case.
func (r Rate) String() string {
	return names.Of("Rate", rates[:], r)
}

// RateScorer is an error rate with fixed options. It implements mteval.Scorer; lower
// is better, 0 is perfect, and 1 is as many errors as words. A row of WER, CER and PER
// is the errors and the reference's length; of MER and WIL the matches, substitutions,
// deletions and insertions. The zero value is WER with the zero Options.
type RateScorer struct {
	rate    Rate
	split   splitter
	workers int
	sig     mteval.Signature
}

var _ mteval.Scorer = (*RateScorer)(nil)

// NewRate returns an error rate with these options.
func NewRate(rate Rate, o Options) (*RateScorer, error) {
	if rate < WER || rate > PER {
		return nil, fmt.Errorf("overlap: no error rate %v", rate)
	}
	if err := contract.Option("Tokenizer", o.Tokenizer); err != nil {
		return nil, fmt.Errorf("overlap: %w", err)
	}
	split := newSplitter(o, rate == CER)
	return &RateScorer{rate, split, o.Workers, split.signature()}, nil
}

// Width is the length of a row.
func (s *RateScorer) Width() int {
	if s.rate == MER || s.rate == WIL {
		return 4
	}
	return 2
}

// Info describes the scorer.
func (s *RateScorer) Info() mteval.Info {
	return mteval.Info{Name: s.rate.String(), Signature: orStandard(s.sig), Scale: 1, LowerIsBetter: true}
}

// Score returns the rate of a row or a sum of rows: from 0 up, for MER and WIL to 1.
func (s *RateScorer) Score(row []float64) float64 {
	mteval.CheckRow(row, s.Width())
	switch s.rate {
	case MER:
		errors := row[1] + row[2] + row[3]
		if errors == 0 {
			return 0
		}
		return errors / (row[0] + errors)
	case WIL:
		hits := row[0]
		ref, hyp := hits+row[1]+row[2], hits+row[1]+row[3]
		switch {
		case ref == 0 && hyp == 0:
			return 0
		case hits == 0:
			return 1
		}
		return 1 - hits/ref*(hits/hyp)
	}
	return row[0] / max(1, row[1])
}

// Prepare splits the references into words or characters.
func (s *RateScorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return prepare(ctx, &s.split, refs, s.Width(), s.workers, s.fill, s.Score, true)
}

func (s *RateScorer) fill(row []float64, p *editdist.Pattern, ids []uint32, sc *scratch) error {
	switch s.rate {
	case WER, CER:
		n, err := p.Distance(&sc.watch, ids, &sc.align)
		row[0], row[1] = float64(n), float64(p.Len())
		return err
	case PER:
		n, err := p.Common(&sc.watch, ids, &sc.align)
		row[0], row[1] = float64(max(p.Len(), len(ids))-n), float64(p.Len())
		return err
	}
	clear(row)
	steps, err := p.Align(&sc.watch, ids, &sc.align)
	for _, op := range steps {
		row[op]++
	}
	return err
}

// A Step of an Alignment: a word of the reference and one of the hypothesis, as places
// in Ref and Hyp, −1 where there is none.
type Step struct {
	Op       Op
	Ref, Hyp int
}

// Op says what became of a word.
type Op uint8

// The operations.
const (
	Match        = Op(editdist.Match)
	Substitution = Op(editdist.Substitution)
	Deletion     = Op(editdist.Deletion)  // a word of the reference that the hypothesis lacks
	Insertion    = Op(editdist.Insertion) // a word of the hypothesis that the reference lacks
)

var ops = [...]string{Match: "match", Substitution: "substitution", Deletion: "deletion", Insertion: "insertion"}

// String is the operation's name.
func (o Op) String() string { return names.Of("Op", ops[:], o) }

// An Alignment shows the least errors by which a hypothesis differs from a reference.
type Alignment struct {
	Ref, Hyp []string // words, or characters for CER
	Steps    []Step
	// Counts of the steps by Op.
	Matches, Substitutions, Deletions, Insertions int
}

// Align returns the alignment that MER and WIL count, and WER and CER have the length
// of. (PER knows no order of words, and counts none.) Of several as short it is the one of
// jiwer. It ends with ctx's error when ctx is cancelled, and with one that wraps
// mteval.ErrTooLong for a text of more than Options.MaxTokens.
func (s *RateScorer) Align(ctx context.Context, ref, hyp string) (*Alignment, error) {
	sc := scratch{watch: pace.Of(ctx)}
	a := new(Alignment)
	var words vocab.Vocab
	var refIDs, hypIDs []uint32
	var err error
	if a.Ref, refIDs, err = s.symbols(&sc, &words, ref); err != nil {
		return nil, limit.Of("overlap: reference", err)
	}
	if a.Hyp, hypIDs, err = s.symbols(&sc, &words, hyp); err != nil {
		return nil, limit.Of("overlap: hypothesis", err)
	}
	p := editdist.NewPattern(refIDs)
	ops, err := p.Align(&sc.watch, hypIDs, &sc.align)
	if err != nil {
		return nil, err
	}
	a.add(ops)
	return a, nil
}

// symbols returns the words or characters of a line, and the symbols that stand for them.
func (s *RateScorer) symbols(sc *scratch, words *vocab.Vocab, line string) (texts []string, ids []uint32, err error) {
	if s.rate == CER {
		ids, err = s.split.characters(sc, nil, line)
		for _, symbol := range ids {
			texts = append(texts, vocab.Text(symbol))
		}
		return texts, ids, err
	}
	err = s.split.tokens(sc, line, func(token []byte) {
		texts = append(texts, string(token))
		ids = append(ids, words.Add(token))
	})
	return texts, ids, err
}

// add adds steps to an alignment without any.
func (a *Alignment) add(ops []editdist.Op) {
	i, j := 0, 0
	for _, op := range ops {
		step := Step{Op(op), -1, -1}
		if op != editdist.Insertion {
			step.Ref = i
			i++
		}
		if op != editdist.Deletion {
			step.Hyp = j
			j++
		}
		switch op {
		case editdist.Match:
			a.Matches++
		case editdist.Substitution:
			a.Substitutions++
		case editdist.Deletion:
			a.Deletions++
		case editdist.Insertion:
			a.Insertions++
		}
		a.Steps = append(a.Steps, step)
	}
}
