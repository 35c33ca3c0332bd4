// Command mteval scores machine translation, ranks systems and judges metrics.
//
//	mteval score -r REF [-r REF2 …] [-m bleu,bertscore] HYP…
//	mteval stream [-m bleu,chrf] [FILE] [-o FILE]
//	mteval rank  -r REF [-r REF2 …] [--human FILE] SYS…
//	mteval study -r REF --human FILE SYS…
//	mteval meta  --human FILE --scores FILE… [--level system|segment]
//	mteval compare --scores FILE…
//	mteval select -n N [-r REF] [--scores FILE] SYS…
//	mteval tune  -m METRIC --data DIR… [--test DIR…] -o FILE
//	mteval calibrate FOLDER… -o FILE
//	mteval metrics [METRIC]
//	mteval model get NAME
//
// It exits with status 0, with 2 where the input or the options are wrong (and then
// prints no score), with 1 where the output can't be written, and with 130 where it was
// interrupted or terminated. Files that it writes are there whole or not at all, and none of
// them may be one that it reads.
//
// In text, TSV, LaTeX and messages, control characters, line ends and what turns the direction
// of text are written as JSON has them (\t, \n, \u001b), bytes that are not UTF-8 as \xff, and
// in tables a backslash as \\: names of files and systems forge no row.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mteval/mteval/cmd/mteval/internal/root"
)

// grace is how long a command that was interrupted may take to leave no half-written file.
const grace = time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program the hard way.
	context.AfterFunc(ctx, stop)
	// Whoever reads the output may stop doing so, which is an error like any other.
	signal.Ignore(syscall.SIGPIPE)
	done := make(chan int, 1)
	go func() { done <- root.Run(ctx, os.Args[1:], os.Stdout, os.Stderr) }()
	select {
	case status := <-done:
		os.Exit(status)
	case <-ctx.Done():
	}
	// Not all that can take long looks at ctx: a read from a disk that does not answer, a
	// write to a pipe that nobody empties.
	select {
	case status := <-done:
		os.Exit(status)
	case <-time.After(grace):
		fmt.Fprintln(os.Stderr, "mteval: interrupted")
		os.Exit(root.Interrupted)
	}
}
