package ter

import (
	"context"
	"slices"

	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/names"
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
	return names.Of("Op", ops[:], o)
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

// Align returns the edits that make the reference of the hypothesis. It ends with ctx's error
// when ctx is cancelled, and with one that wraps mteval.ErrTooLong for a text of more than
// Options.MaxTokens.
func (s *Scorer) Align(ctx context.Context, ref, hyp string) (*Alignment, error) {
	s = s.ready()
	sc := scratch{watch: pace.Of(ctx)}
	a := new(Alignment)
	var words vocab.Vocab
	var refIDs, hypIDs []uint32
	var err error
	if a.Ref, refIDs, err = s.numbers(&sc, &words, s.reference(ref)); err != nil {
		return nil, limit.Of("ter: reference", err)
	}
	if a.Hyp, hypIDs, err = s.numbers(&sc, &words, hyp); err != nil {
		return nil, limit.Of("ter: hypothesis", err)
	}
	if a.Errors, err = sc.edits(&sc.watch, hypIDs, refIDs); err != nil {
		return nil, err
	}
	a.Limited = sc.limited
	place, moved := a.addShifts(sc.shifts)
	if err := a.addEdits(&sc, place, moved); err != nil {
		return nil, err
	}
	return a, nil
}

// numbers returns the words of a line, and their numbers.
func (s *Scorer) numbers(sc *scratch, words *vocab.Vocab, line string) (texts []string, ids []uint32, err error) {
	err = s.tokens(sc, line, func(token []byte) {
		texts = append(texts, string(token))
		ids = append(ids, words.Add(token))
	})
	return texts, ids, err
}

// addShifts adds the shifts. It returns which word of the hypothesis stands where after them,
// and by word the last shift that moved it, −1 if none did.
func (a *Alignment) addShifts(moves []move) (place []uint32, moved []int) {
	place, moved = make([]uint32, len(a.Hyp)), make([]int, len(a.Hyp))
	for i := range place {
		place[i], moved[i] = uint32(i), -1
	}
	for k, m := range moves {
		shift := Shift{Start: m.start, Length: m.length, Target: m.target}
		for _, p := range place[m.start : m.start+m.length] {
			shift.Words = append(shift.Words, int(p))
			moved[p] = k
		}
		a.Shifts = append(a.Shifts, shift)
		place = m.apply(nil, place)
	}
	return place, moved
}

// addEdits adds the edits after the shifts that addShifts told of.
func (a *Alignment) addEdits(sc *scratch, place []uint32, moved []int) error {
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
	if len(a.Ref) == 0 { // there is no trace
		for i := range place {
			add(opDelete, i, 0)
		}
		return nil
	}
	if err := sc.trace(&sc.watch, add); err != nil {
		return err
	}
	slices.Reverse(a.Edits) // the trace comes from the end
	return nil
}
