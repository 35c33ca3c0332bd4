// Command bench does one piece of work and prints how long it took, in seconds, without
// reading files and starting up. bench/race.py runs it in turn with peers.
//
//	bench TASK REF HYP…
//	bench embed|hold MODEL LAYER TEXT
//	bench bertscore MODEL LAYER REF HYP…
//	bench bf16
//
// Models run in pure Go or, with DEVICE=cpu or cuda:0 in the environment and the build tag
// libtorch, on libtorch, with numbers of DTYPE (fp32, bf16, and on libtorch fp16). bf16 prints by
// what pure Go multiplies in bfloat16 here, and why.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/internal/simd"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/ter"
)

var ctx = context.Background()

func main() {
	if len(os.Args) == 2 && os.Args[1] == "bf16" {
		fmt.Println(simd.HowBF16())
		return
	}
	if len(os.Args) == 5 && (os.Args[1] == "embed" || os.Args[1] == "hold") {
		embed(os.Args[1] == "hold", os.Args[2], os.Args[3], lines(os.Args[4]))
		return
	}
	if len(os.Args) > 5 && os.Args[1] == "bertscore" {
		bertScore(os.Args[2], os.Args[3], os.Args[4], os.Args[5:])
		return
	}
	if len(os.Args) < 4 {
		log.Fatal("usage: bench bleu|chrf|ter|wer|samples|bootstrap REF HYP…")
	}
	ref := lines(os.Args[2])
	var systems []mteval.System
	for _, p := range os.Args[3:] {
		systems = append(systems, mteval.System{Name: p, Hyps: lines(p)})
	}
	refs, err := mteval.Segments(ref)
	check(err)
	b, err := bleu.New(bleu.Options{})
	check(err)
	c, err := chrf.New(chrf.Options{})
	check(err)
	w, err := overlap.NewRate(overlap.WER, overlap.Options{})
	check(err)
	var table *mteval.Table
	if os.Args[1] == "samples" {
		table, err = mteval.Systems(ctx, b, refs, systems)
		check(err)
	}

	start := time.Now()
	sum := 0.0
	switch os.Args[1] {
	case "bleu":
		sum = corpora(b, systems, refs)
	case "ter":
		sum = corpora(ter.New(ter.Options{}), systems, refs)
	case "wer":
		sum = corpora(w, systems, refs)
	case "chrf":
		// Sentence scores, which is what fastchrf gives.
		table, err = mteval.Systems(ctx, c, refs, systems)
		check(err)
		for k := range systems {
			for i := range refs {
				sum += table.SegmentScore(k, i)
			}
		}
	case "samples":
		_, err = significance.Bootstrap(ctx, table, significance.Options{})
		check(err)
	case "bootstrap":
		table, err = mteval.Systems(ctx, b, refs, systems)
		check(err)
		_, err = significance.PairedBootstrap(ctx, table, 0, significance.Options{})
		check(err)
	default:
		log.Fatalf("no task %s", os.Args[1])
	}
	fmt.Println(time.Since(start).Seconds(), sum)
}

// open opens a model at a layer.
func open(dir, layer string) backend.Backend {
	n, err := strconv.Atoi(layer)
	check(err)
	o := transformer.Options{Layer: &n, DType: transformer.DType(os.Getenv("DTYPE"))}
	device := os.Getenv("DEVICE")
	if device == "" {
		b, err := transformer.Open(dir, o)
		check(err)
		return b
	}
	b, err := libtorch.Open(dir, libtorch.Options{Options: o, Device: device})
	check(err)
	return b
}

// embed runs texts through a model and prints the wall time and the number of tokens. The
// vectors are copied out, in calls of at most 1,024 texts, or stay on the device. What a
// device does once is left out.
func embed(hold bool, dir, layer string, texts []string) {
	b := open(dir, layer)
	var batch backend.Batch
	if os.Getenv("DEVICE") != "" {
		check(b.Embed(ctx, &batch, texts[:min(len(texts), 64)]))
	}
	start := time.Now()
	tokens := 0
	if hold {
		m, ok := b.(backend.Matcher)
		if !ok {
			log.Fatal("hold needs DEVICE")
		}
		_, err := m.Store(ctx, &batch, texts)
		check(err)
		tokens = len(batch.Tokens)
	} else {
		for lo := 0; lo < len(texts); lo += 1024 {
			check(b.Embed(ctx, &batch, texts[lo:min(len(texts), lo+1024)]))
			tokens += len(batch.Tokens)
		}
	}
	fmt.Println(time.Since(start).Seconds(), tokens)
}

// bertScore scores systems by BERTScore and prints the CPU time, the wall time, and the
// systems' scores.
func bertScore(dir, layer, refPath string, hypPaths []string) {
	s, err := bertscore.New(open(dir, layer), bertscore.Options{OnTruncated: func(string) {}})
	check(err)
	refs, err := mteval.Segments(lines(refPath))
	check(err)
	var systems []mteval.System
	for _, p := range hypPaths {
		systems = append(systems, mteval.System{Name: p, Hyps: lines(p)})
	}
	before, start := cpuTime(), time.Now()
	t, err := mteval.Systems(ctx, s, refs, systems)
	check(err)
	fmt.Print((cpuTime() - before).Seconds(), " ", time.Since(start).Seconds())
	for _, x := range t.Scores() {
		fmt.Print(" ", x)
	}
	fmt.Println()
}

// cpuTime is about what the program has had of all processors, the garbage collector's
// share included.
func cpuTime() time.Duration {
	samples := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}}
	runtime.GC() // brings the figures up to date
	metrics.Read(samples)
	return time.Duration((samples[0].Value.Float64() + samples[1].Value.Float64()) * float64(time.Second))
}

// corpora scores system by system, the references being prepared each time, as a peer
// does that is called once a system.
func corpora(s mteval.Scorer, systems []mteval.System, refs [][]string) float64 {
	sum := 0.0
	for _, sys := range systems {
		r, err := mteval.Corpus(ctx, s, refs, sys.Hyps)
		check(err)
		sum += r.Score
	}
	return sum
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func lines(path string) []string {
	text, err := os.ReadFile(path)
	check(err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
