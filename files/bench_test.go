package files

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkReadScores(b *testing.B) {
	var text strings.Builder
	for s := range 100 {
		for i := range 2000 {
			fmt.Fprintf(&text, "system-%d\tdoc.%d::%d\t%.4f\n", s, i/10, i, float64(i)/7)
		}
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := from(ReadScores, text.String()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadText(b *testing.B) {
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "This is sentence %d of a text that has as many words as others, für alle.\n", i)
	}
	for name, text := range map[string]string{"plain": text.String(), "gzip": zip(b, text.String())} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := from(ReadText, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
