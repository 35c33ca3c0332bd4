package overlap_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/overlap"
)

const (
	ref = "the cat sat on the mat"
	hyp = "the cat sit on mat now"
)

// The error rates of speech recognition.
func ExampleNewRate() {
	for rate := overlap.WER; rate <= overlap.PER; rate++ {
		s, err := overlap.NewRate(rate, overlap.Options{})
		if err != nil {
			log.Fatal(err)
		}
		r, err := mteval.Sentence(context.Background(), s, []string{ref}, hyp)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %.3f\n", rate, r.Score)
	}
	// Output:
	// wer 0.500
	// mer 0.500
	// wil 0.750
	// cer 0.318
	// per 0.333
}

// Precision, recall and F of words.
func ExampleNewF() {
	s, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := mteval.Sentence(context.Background(), s, []string{ref}, "the cat sat")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", s.PRF(r.Sum))
	// Output:
	// {P:1 R:0.5 F:0.6666666666666666}
}

// Where the hypothesis differs.
func ExampleRateScorer_Align() {
	s, err := overlap.NewRate(overlap.WER, overlap.Options{})
	if err != nil {
		log.Fatal(err)
	}
	a, err := s.Align(context.Background(), ref, hyp)
	if err != nil {
		log.Fatal(err)
	}
	word := func(words []string, at int) string {
		if at < 0 {
			return "-"
		}
		return words[at]
	}
	for _, step := range a.Steps {
		if step.Op != overlap.Match {
			fmt.Println(step.Op, word(a.Ref, step.Ref), word(a.Hyp, step.Hyp))
		}
	}
	// Output:
	// substitution sat sit
	// substitution the mat
	// substitution mat now
}
