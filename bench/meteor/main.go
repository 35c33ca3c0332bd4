//go:build unix

// Command meteor scores one system by METEOR as meteor-1.5.jar does. It prints, in
// seconds, the wall time and the CPU time of reading the paraphrases and of scoring, both
// sides from text, and then the system's score. bench/meteor.py runs it in turn with
// the jar.
//
//	meteor JAR REF HYP [PARAPHRASES]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"syscall"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meteor"
)

func main() {
	if len(os.Args) != 4 && len(os.Args) != 5 {
		log.Fatal("usage: meteor JAR REF HYP [PARAPHRASES]")
	}
	o := meteor.Options{Normalization: meteor.Full}
	var err error
	o.Resources, err = meteor.OpenJar(os.Args[1])
	check(err)
	ref, err := files.OpenText(context.Background(), os.Args[2], files.Options{})
	check(err)
	hyp, err := files.OpenText(context.Background(), os.Args[3], files.Options{})
	check(err)
	refs, err := mteval.Segments(ref.Lines)
	check(err)

	times(func() {
		if len(os.Args) == 5 {
			o.Paraphrases, err = meteor.OpenParaphrases(context.Background(), os.Args[4])
			check(err)
		}
	})
	s, err := meteor.New(o) // without paraphrases its stages are exact, stem and synonym
	check(err)
	var rows []float64
	times(func() {
		prepared, err := s.Prepare(context.Background(), refs)
		check(err)
		rows, err = prepared.Append(context.Background(), nil, nil, hyp.Lines)
		check(err)
	})
	sum := make([]float64, s.Width())
	for i, v := range rows {
		sum[i%len(sum)] += v
	}
	fmt.Println(s.Score(sum))
}

// times prints how long work took: wall time, and CPU time of all threads.
func times(work func()) {
	cpu := func() time.Duration {
		var u syscall.Rusage
		check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before, start := cpu(), time.Now()
	work()
	wall := time.Since(start)
	fmt.Print(wall.Seconds(), " ", (cpu() - before).Seconds(), " ")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
