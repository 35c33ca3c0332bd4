package ter

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/vocab"
)

// Op is an edit operation, of those that make the reference of the hypothesis.
type Op int

const (
	Match      Op = opMatch      // the words are equal: no edit
	Substitute Op = opSubstitute // a word of the hypothesis for one of the reference
	Delete     Op = opDelete     // a word of the hypothesis that the reference lacks
	Insert     Op = opInsert     // a word of the reference that the hypothesis lacks
)

var ops = [...]string{Match: "match", Substitute: "substitute", Delete: "delete", Insert: "insert"}

// String is the operation's name.
func (o Op) String() string {
	if o < 0 || int(o) >= len(ops) {
		return fmt.Sprintf("Op(%d)", int(o))
	}
	return ops[o]
}

// An Edit is one step of an Alignment.
type Edit struct {
	Op Op
	// Hyp and Ref are the places of the words in Alignment.Hyp and Ref; −1 where
	// there is none.
	Hyp, Ref int
	// Shift says which of Alignment.Shifts was the last to move the word of the
	// hypothesis, −1 if none did.
	Shift int
}

// A Shift moves a run of words of the hypothesis, as the shifts before it have left
// it, and counts as one edit.
type Shift struct {
	Start, Length int
	// Target is the place before which the run goes, in the words as they were
	// before the shift. A target within the run moves it as many words further on.
	Target int
	// Words are the words that are moved, as places in Alignment.Hyp.
	Words []int
}

// An Alignment is the way by which TER makes a reference of a hypothesis.
type Alignment struct {
	// Hyp and Ref are the words, as the options normalize them.
	Hyp, Ref []string
	// Shifts, in the order in which they are made.
	Shifts []Shift
	// Edits of the hypothesis after the shifts, in the order of the words.
	Edits []Edit
	// Errors is the number of edits, shifts included.
	Errors int
	// Limited is true if the search for shifts was ended by its limit; a longer
	// search might find fewer edits.
	Limited bool
}

// Align returns the edits that make the reference of the hypothesis. Texts of any length
// are aligned, to the end: AlignContext can be cancelled, and keeps to Options.MaxTokens.
func (s *Scorer) Align(hyp, ref string) *Alignment {
	free := *s.ready()
	free.opt.MaxTokens = 0
	a, _ := free.AlignContext(context.Background(), hyp, ref) // can't fail
	return a
}

// AlignContext is Align that ends with ctx's error when ctx is cancelled, and with one that
// wraps mteval.ErrTooLong for a text of more than Options.MaxTokens.
func (s *Scorer) AlignContext(ctx context.Context, hyp, ref string) (*Alignment, error) {
	s = s.ready()
	sc := scratch{watch: pace.Of(ctx)}
	var words vocab.Vocab
	split := func(side, line string) (texts []string, ids []uint32, err error) {
		err = s.tokens(&sc, line, func(token []byte) {
			texts = append(texts, string(token))
			ids = append(ids, words.Add(token))
		})
		if err != nil && !limit.OfContext(err) {
			err = fmt.Errorf("%s: %w", side, err)
		}
		return texts, ids, err
	}
	a := new(Alignment)
	var hypIDs, refIDs []uint32
	var err error
	if a.Ref, refIDs, err = split("reference", s.reference(ref)); err != nil {
		return nil, err
	}
	if a.Hyp, hypIDs, err = split("hypothesis", hyp); err != nil {
		return nil, err
	}
	if a.Errors, err = sc.edits(&sc.watch, hypIDs, refIDs); err != nil {
		return nil, err
	}
	a.Limited = sc.limited

	// The words' places, and their last shifts, go through the shifts as the words
	// did.
	place, moved := make([]uint32, len(hypIDs)), make([]int, len(hypIDs))
	for i := range place {
		place[i], moved[i] = uint32(i), -1
	}
	for k, m := range sc.shifts {
		shift := Shift{Start: m.start, Length: m.length, Target: m.target}
		for _, p := range place[m.start : m.start+m.length] {
			shift.Words = append(shift.Words, int(p))
			moved[p] = k
		}
		a.Shifts = append(a.Shifts, shift)
		place = m.apply(nil, place)
	}
	add := func(op, i, j int) {
		e := Edit{Op(op), -1, -1, -1}
		if op != opInsert {
			e.Hyp = int(place[i])
			e.Shift = moved[e.Hyp]
		}
		if op != opDelete {
			e.Ref = j
		}
		a.Edits = append(a.Edits, e)
	}
	if len(refIDs) == 0 {
		for i := range place {
			add(opDelete, i, 0)
		}
		return a, nil
	}
	if err := sc.trace(&sc.watch, add); err != nil {
		return nil, err
	}
	slices.Reverse(a.Edits) // the trace comes from the end
	return a, nil
}
