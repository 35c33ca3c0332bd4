// Command make writes made-up translations as TSV.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"github.com/mteval/mteval/distributed/internal/synthetic"
)

func main() {
	segments := flag.Int("segments", 1000, "how many")
	systems := flag.Int("systems", 2, "how many translate each")
	flag.Parse()
	w := bufio.NewWriter(os.Stdout)
	fmt.Fprintln(w, "system\tsegment\thypothesis\treference")
	for i := range *segments {
		for _, r := range synthetic.Segment(i, *systems) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.System, r.Segment, r.Hypothesis, r.References[0])
		}
	}
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
