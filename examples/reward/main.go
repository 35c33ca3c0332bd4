// Command reward gives rewards to the sampled outputs of a model in training: each output's
// sentence chrF less the mean of its prompt's samples. References are prepared once, buffers are
// used again, and an output that loops can't hold the training up: the metric has a limit on
// the words of a text, and each call the context of its step.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// A rewarder scores samples. Each goroutine has its own; they share scorer and prepared.
type rewarder struct {
	scorer   mteval.Scorer
	prepared mteval.Prepared
	segs     []int
	rows     []float64
}

// rewards appends the rewards of a prompt's samples to dst. A sample over the limit gets the
// lowest score, 0.
func (r *rewarder) rewards(ctx context.Context, dst []float64, prompt int, samples []string) ([]float64, error) {
	start, sum := len(dst), 0.0
	r.segs = append(r.segs[:0], prompt)
	for k := range samples {
		rows, err := r.prepared.Append(ctx, r.rows[:0], r.segs, samples[k:k+1])
		score := 0.0
		switch {
		case err == nil:
			r.rows, score = rows, r.scorer.Score(rows)
		case !errors.Is(err, mteval.ErrTooLong):
			return dst[:start], err // the step was cancelled, or took too long
		}
		dst = append(dst, score)
		sum += score
	}
	for k := range dst[start:] {
		dst[start+k] -= sum / float64(len(samples))
	}
	return dst, nil
}

func run(ctx context.Context, w io.Writer) error {
	scorer, err := chrf.New(chrf.Options{MaxTokens: 512})
	if err != nil {
		return err
	}
	prepared, err := scorer.Prepare(ctx, [][]string{
		{"The lock keeper opened the gate at six."},
		{"Nobody had told her about the strike."},
	})
	if err != nil {
		return err
	}
	sampled := [][]string{
		{"The lock keeper opened the gate at six.", "The lock guard opened a gate.", strings.Repeat("the gate ", 10_000)},
		{"Nobody told her about the strike.", "No one knew.", ""},
	}
	r := &rewarder{scorer: scorer, prepared: prepared}
	var rewards []float64 // used again for every prompt
	for prompt, samples := range sampled {
		step, cancel := context.WithTimeout(ctx, time.Minute)
		rewards, err = r.rewards(step, rewards[:0], prompt, samples)
		cancel()
		if err != nil {
			return err
		}
		for k, x := range rewards {
			fmt.Fprintf(w, "%+6.2f  %.40s\n", x, samples[k])
		}
	}
	return nil
}
