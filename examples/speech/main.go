// Command speech is difficulty for another task than translation: several recognisers of
// speech, and which of them gets the words that most of them miss.
//
// Its metric is its own (see WER), so that it shows what a task needs to bring along.
// A recogniser has no vote on its own words, and one that comes later is scored with the
// weights of the first ones.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// What was said, and what the recognisers made of it. All of it is invented.
var (
	said = []string{
		"the ferry to heligoland leaves at half past nine",
		"mind the gap between the train and the platform",
		"doctor iyer will see you in room fourteen",
		"the archive keeps letters by amalie dietrich",
		"we had twelve millimetres of rain before noon",
	}
	recognisers = []mteval.System{
		{Name: "brook", Hyps: []string{
			"the ferry to heligoland leaves at half past nine",
			"mind the gap between the train and a platform",
			"doctor iyer will see you in room forty",
			"an archive keeps letters by amalie dietrich",
			"we had twelve millimetres of rain before noon",
		}},
		{Name: "fjord", Hyps: []string{
			"the ferry to helicopter land leaves at half past nine",
			"mind the gap between the train and the platform",
			"doctor higher will see you in room fourteen",
			"the archive keeps letters by a molly dietrich",
			"we had twelve millimetres of rain before noon",
		}},
		{Name: "lagoon", Hyps: []string{
			"the ferry to hell go land leaves at half past nine",
			"mind the gap between the train and the platform",
			"doctor ear will see you in room fourteen",
			"the archive keeps letters by emily dietrich",
			"we had twelve millimetres of rain before noon",
		}},
		{Name: "delta", Hyps: []string{
			"a ferry to heligoland leaves at half past nine",
			"mind the gap between a train and the platform",
			"doctor iyer will see you in the room for ten",
			"the archive keep letters by emily dietrich",
			"we had twelve millimetre of rain before noon",
		}},
	}
	later = mteval.System{Name: "geyser", Hyps: []string{
		"the ferry to heligoland leaves at half nine",
		"mind the gap between the train and the platform",
		"doctor ire will see you in room fourteen",
		"the archive keeps letters by amalie dietrich",
		"we had twelve millimetres of rain before noon",
	}}
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer) error {
	refs, err := mteval.Segments(said)
	if err != nil {
		return err
	}
	m, err := WER{}.PrepareMatch(ctx, refs)
	if err != nil {
		return err
	}
	matchings, err := mteval.MatchSystems(ctx, m, recognisers)
	if err != nil {
		return err
	}
	weights, err := difficulty.EstimateFrom(matchings, nil, difficulty.Function{})
	if err != nil {
		return err
	}

	// A word of the wrong text weighs what the word does that it stands for.
	o := difficulty.Normalized()
	o.LeaveOneOut = true
	aware, err := difficulty.New(WER{}, weights, o)
	if err != nil {
		return err
	}
	wer := matchings.Table(WER{})
	for k, s := range recognisers {
		v := aware.PRF(matchings.Sum(aware, k))
		fmt.Fprintf(w, row, s.Name, wer.Scores()[k], v.P, v.R, v.F)
	}
	if err := scoreLater(ctx, w, refs, weights, o); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nmost difficult words, and who has them:")
	for _, h := range hardest(matchings, weights, 4) {
		fmt.Fprintf(w, "%.2f  %-11s %v\n", h.difficulty, h.word, h.right)
	}
	return nil
}

const row = "%-7s WER %.3f  by difficulty P %.3f R %.3f F %.3f\n"

// scoreLater scores the recogniser that comes later, which changes nothing for the others.
func scoreLater(ctx context.Context, w io.Writer, refs [][]string, weights *difficulty.Weights, o difficulty.Options) error {
	o.LeaveOneOut = false
	aware, err := difficulty.New(WER{}, weights, o)
	if err != nil {
		return err
	}
	plain, err := mteval.Corpus(ctx, WER{}, refs, later.Hyps)
	if err != nil {
		return err
	}
	r, err := mteval.Corpus(ctx, aware, refs, later.Hyps)
	if err != nil {
		return err
	}
	v := aware.PRF(r.Sum)
	fmt.Fprintf(w, row, later.Name, plain.Score, v.P, v.R, v.F)
	return nil
}

type hard struct {
	word       string
	difficulty float64
	right      []string
}

// hardest returns the n most difficult words, with the systems that have them.
func hardest(ms *mteval.Matchings, w *difficulty.Weights, n int) []hard {
	var all []hard
	for i := range ms.Len() {
		d := w.Of(i, 0)
		for j, t := range ms.RefTokens(i)[0] {
			h := hard{word: t.Text, difficulty: d[j]}
			for k, name := range ms.Systems {
				if ms.At(k, i).Pairings[0].Ref[j].Sim == 1 {
					h.right = append(h.right, name)
				}
			}
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b hard) int { return cmp.Compare(b.difficulty, a.difficulty) })
	return all[:n]
}
