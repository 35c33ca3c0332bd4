// Command significance prints how long 1,000 permutations take, in seconds, and the
// p-value. bench/significance.py runs it in turn with NumPy and SciPy.
//
//	significance FILE SYSTEMS LEVEL COEFFICIENT
//
// The file holds the scores of two metrics, then people's, of each system on each item,
// system by system, as little-endian float64. PERM-BOTH compares the metrics; with the
// LEVEL pairs, all pairs of systems are compared by the first metric.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: significance FILE SYSTEMS LEVEL COEFFICIENT")
	}
	data, err := os.ReadFile(os.Args[1])
	check(err)
	systems, err := strconv.Atoi(os.Args[2])
	check(err)
	outputs := len(data) / 8 / 3
	var scores [3]*metaeval.Scores
	for i := range scores {
		scores[i] = metaeval.NewScores(numbers(systems), numbers(outputs/systems))
		for j := range outputs {
			scores[i].Values[j] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*(i*outputs+j):]))
		}
	}
	x, y := metaeval.Metric{Name: "x", Scores: scores[0]}, metaeval.Metric{Name: "y", Scores: scores[1]}
	ctx := context.Background()
	if os.Args[3] == "pairs" {
		start := time.Now()
		p, err := significance.PairwiseP(ctx, x, significance.Options{})
		check(err)
		fmt.Println(time.Since(start).Seconds(), p[0][1])
		return
	}
	m := significance.Measure{
		Coefficient: map[string]significance.Coefficient{
			"pearson": significance.Pearson, "spearman": significance.Spearman, "kendall": significance.Kendall,
		}[os.Args[4]],
		Segments: os.Args[3] != "system",
		Grouping: map[string]metaeval.Grouping{"item": metaeval.ByItem, "by-system": metaeval.BySystem}[os.Args[3]],
	}
	start := time.Now()
	d, err := significance.PermutationTest(ctx, scores[2], x, y, m, significance.SwapOutputs, significance.Options{})
	check(err)
	fmt.Println(time.Since(start).Seconds(), d.P)
}

func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
