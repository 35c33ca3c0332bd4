// Command metaeval prints how long Kendall's tau-b of the pairs in a file takes, in
// seconds, and its value. bench/metaeval.py runs it in turn with SciPy.
//
// The file holds n values of x, then n of y, as little-endian float64.
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"
	"time"

	"github.com/mteval/mteval/metaeval"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: metaeval FILE")
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	v := make([]float64, len(data)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	start := time.Now()
	tau, err := metaeval.Kendall(v[:len(v)/2], v[len(v)/2:])
	took := time.Since(start)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(took.Seconds(), tau)
}
