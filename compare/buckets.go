package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// A Grouping puts segments into groups: by domain, by document, by length.
type Grouping struct {
	Name string
	// Labels of the segments, by the name of the item. One without a label is in no group.
	Labels map[string]string
	// Order of the groups; those that are not in it follow by name.
	Order []string
}

// A Bucket is a group of segments, of one metric.
type Bucket struct {
	Label    string
	Segments int // on which all systems have scores
	// Means of the systems, in the order of all segments' ranking: that of Result.Systems.
	Means []float64
	// Pairs of systems, those of Result.Pairs.
	Pairs []BucketPair
}

// A BucketPair compares two systems on a bucket. Nothing is adjusted: many buckets make many
// tests, and some p-values are small by chance.
type BucketPair struct {
	A, B int // in Result.Systems
	// Difference of the means, above 0 where A, which is the better on all segments, is the
	// better here.
	Difference float64
	// T and P are those of Student's paired test: see TTest.
	T, P float64
	SegmentCounts
}

// Buckets compares the systems of a metric on each group of segments. Groups without a segment
// that all systems have scores of are left out. Tie is as in Options.
func Buckets(ctx context.Context, m metaeval.Metric, g Grouping, tie float64) ([]Bucket, error) {
	if err := (&Options{Tie: tie}).check(); err != nil {
		return nil, err
	}
	c, err := newContest(m)
	if err != nil {
		return nil, err
	}
	groups := make(map[string][]int)
	for at, i := range c.items {
		if label, ok := g.Labels[m.Scores.Items[i]]; ok {
			groups[label] = append(groups[label], at)
		}
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("compare: by %s, no segment that metric %q has scores of is in any group: labels go by the names of its segments, as %q", g.Name, m.Name, m.Scores.Items[c.items[0]])
	}
	var out []Bucket
	for _, label := range g.order(groups) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, c.bucket(label, groups[label], tie))
	}
	return out, nil
}

// order returns the labels that groups have.
func (g *Grouping) order(groups map[string][]int) []string {
	var out, rest []string
	place := make(map[string]bool)
	for _, label := range g.Order {
		if groups[label] != nil && !place[label] {
			out = append(out, label)
		}
		place[label] = true
	}
	for label := range groups {
		if !place[label] {
			rest = append(rest, label)
		}
	}
	slices.Sort(rest)
	return append(out, rest...)
}

// bucket compares the systems on some of c.items.
func (c *contest) bucket(label string, items []int, tie float64) Bucket {
	out := Bucket{Label: label, Segments: len(items), Means: make([]float64, len(c.systems))}
	for _, i := range items {
		for k, v := range c.of(i) {
			out.Means[k] += v
		}
	}
	for k := range out.Means {
		out.Means[k] /= float64(len(items))
	}
	tied := c.tie(tie)
	differences := make([]float64, len(items))
	for a := range c.systems {
		for b := a + 1; b < len(c.systems); b++ {
			p := BucketPair{A: a, B: b, Difference: c.up(out.Means[a] - out.Means[b])}
			for at, i := range items {
				row := c.of(i)
				differences[at] = c.up(row[a] - row[b])
				p.add(differences[at], tied)
			}
			t := pairedT(differences, c.grain())
			p.T, p.P = t.T, t.P.P
			out.Pairs = append(out.Pairs, p)
		}
	}
	return out
}
