package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Words returns how many words each text has, words being what space divides. Chinese, Japanese and
// Thai have next to none: give texts in which a tokenizer of package tokenize put the spaces.
func Words(texts []string) []float64 {
	out := make([]float64, len(texts))
	for i, t := range texts {
		out[i] = float64(len(strings.Fields(t)))
	}
	return out
}

// MeanWords returns how many words the outputs of each segment have on average, of all
// systems: outputs are by system and segment. So a bucket holds the same segments for all
// systems.
func MeanWords(outputs [][]string) ([]float64, error) {
	if len(outputs) == 0 {
		return nil, fmt.Errorf("compare: no outputs to count words of")
	}
	out := make([]float64, len(outputs[0]))
	for k, texts := range outputs {
		if len(texts) != len(out) {
			return nil, fmt.Errorf("compare: system %d has %d outputs, the first one %d", k+1, len(texts), len(out))
		}
		for i, n := range Words(texts) {
			out[i] += n
		}
	}
	for i := range out {
		out[i] /= float64(len(outputs))
	}
	return out, nil
}

// RarestWords returns how often the rarest word of each text stands in a corpus, such as the
// training data, or the texts themselves. Words are what space divides, as they are written: see
// Words. A text without a word has NaN.
func RarestWords(texts, corpus []string) []float64 {
	counts := make(map[string]int)
	for _, t := range texts {
		for w := range strings.FieldsSeq(t) {
			counts[w] = 0
		}
	}
	for _, t := range corpus {
		for w := range strings.FieldsSeq(t) {
			if n, ok := counts[w]; ok {
				counts[w] = n + 1
			}
		}
	}
	out := make([]float64, len(texts))
	for i, t := range texts {
		out[i] = math.NaN()
		for w := range strings.FieldsSeq(t) {
			if n := float64(counts[w]); !(out[i] <= n) {
				out[i] = n
			}
		}
	}
	return out
}

// LengthCuts and FrequencyCuts are the bounds of Ranges of lengths in words and of frequencies
// of words that compare-mt (Neubig et al., NAACL 2019) has.
func LengthCuts() []float64    { return []float64{10, 20, 30, 40, 50, 60} }
func FrequencyCuts() []float64 { return []float64{1, 2, 3, 4, 5, 10, 100, 1000} }

// Ranges groups segments by a number of each: below the first cut, from it to below the
// second, and so on. A NaN is in no group. Items are the segments' names, as scores have them.
func Ranges(name string, items []string, numbers, cuts []float64) (Grouping, error) {
	if len(items) != len(numbers) {
		return Grouping{}, fmt.Errorf("compare: by %s, there are %d numbers of %d segments", name, len(numbers), len(items))
	}
	for i, cut := range cuts {
		if math.IsNaN(cut) || math.IsInf(cut, 0) || i > 0 && cut <= cuts[i-1] {
			return Grouping{}, fmt.Errorf("compare: by %s, cuts %v: each must be above the one before it", name, cuts)
		}
	}
	g := Grouping{Name: name, Labels: make(map[string]string, len(items))}
	for at := range len(cuts) + 1 {
		g.Order = append(g.Order, rangeLabel(cuts, at))
	}
	for i, x := range numbers {
		if math.IsNaN(x) {
			continue
		}
		at, is := slices.BinarySearch(cuts, x)
		if is {
			at++
		}
		g.Labels[items[i]] = g.Order[at]
	}
	return g, nil
}

// rangeLabel names the numbers before cut at, from the one before it, as compare-mt does.
func rangeLabel(cuts []float64, at int) string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	switch {
	case len(cuts) == 0:
		return "all"
	case at == 0:
		return "<" + number(cuts[0])
	case at == len(cuts):
		return ">=" + number(cuts[at-1])
	}
	return "[" + number(cuts[at-1]) + "," + number(cuts[at]) + ")"
}
