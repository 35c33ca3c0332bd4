package human

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/internal/names"
)

// A Kind says what a judge was shown.
type Kind uint8

const (
	// SystemOutput is a system's output, shown to the judge for the first time.
	SystemOutput Kind = iota
	// Repeat is a system's output shown once more, to see whether the judge says the
	// same again. It counts as a judgement of the system like any other.
	Repeat
	// Degraded is a system's output that was damaged on purpose, to see whether the
	// judge notices. System and Item are those of the output.
	Degraded
	// Reference is a human translation shown among the outputs.
	Reference
)

var kinds = [...]string{SystemOutput: "SYSTEM", Repeat: "REPEAT", Degraded: "BAD_REF", Reference: "REF"}

// String is the name that WMT has for the kind: SYSTEM, REPEAT, BAD_REF or REF.
func (k Kind) String() string { return names.Of("Kind", kinds[:], k) }

// A Judgement is a score that a judge gave to an output.
type Judgement struct {
	Judge, System string
	// Item is the segment, or the document where whole documents were judged.
	Item string
	// Source and Target are the languages, "" where they were not said.
	Source, Target string
	Kind           Kind
	// Score is on the scale that was asked for, or a z score: on [AnyScore] at least.
	Score float64
}

// A Scale is what scores can be. The zero value is the scale of direct assessment, 0
// to 100.
type Scale struct {
	Min, Max float64
	Whole    bool // whole numbers only
}

// FivePoint is the scale of adequacy (5: all meaning, 4: most, 3: much, 2: little, 1:
// none) and of fluency (5: flawless, 4: good, 3: non-native, 2: disfluent, 1:
// incomprehensible): whole numbers from 1 to 5 (Koehn and Monz 2006).
func FivePoint() Scale { return Scale{Min: 1, Max: 5, Whole: true} }

// AnyScore is a scale with room for every score that can be calculated with, ±1e100. It
// is for scores that are standardised already.
func AnyScore() Scale { return Scale{Min: -1e100, Max: 1e100} }

// Check returns an error for a score that is not on the scale.
func (s Scale) Check(score float64) error {
	if s == (Scale{}) {
		s.Max = 100
	}
	switch {
	case math.IsNaN(score) || math.IsInf(score, 0):
		return fmt.Errorf("score %v is not finite", score)
	case score < s.Min || score > s.Max:
		return fmt.Errorf("score %v is outside the scale from %v to %v", score, s.Min, s.Max)
	case s.Whole && score != math.Trunc(score):
		return fmt.Errorf("score %v is between two points of the scale from %v to %v", score, s.Min, s.Max)
	}
	return nil
}

// A desk is a judge at work on one language pair. Whoever judges two language pairs
// is two judges: the scales people use differ between them.
type desk struct{ judge, source, target string }

func (j *Judgement) desk() desk { return desk{j.Judge, j.Source, j.Target} }

// output is an output that was judged.
type output struct{ source, target, system, item string }

func (j *Judgement) output() output { return output{j.Source, j.Target, j.System, j.Item} }

// byDesk returns the judges in the order in which they come, and the places of each
// one's judgements.
func byDesk(js []Judgement) ([]desk, [][]int) {
	at := make(map[desk]int)
	var desks []desk
	var places [][]int
	for i := range js {
		d := js[i].desk()
		k, ok := at[d]
		if !ok {
			k = len(desks)
			at[d] = k
			desks = append(desks, d)
			places = append(places, nil)
		}
		places[k] = append(places[k], i)
	}
	return desks, places
}
