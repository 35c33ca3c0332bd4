package selection_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/selection"
)

func lines(t *testing.T, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// blocks reads a seg.score
func blocks(t *testing.T, path string) map[string][]float64 {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string][]float64{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		w := strings.Fields(sc.Text())
		v := math.NaN()
		if w[1] != "None" {
			if v, err = strconv.ParseFloat(w[1], 64); err != nil {
				t.Fatal(err)
			}
		}
		out[w[0]] = append(out[w[0]], v)
	}
	return out
}

type set struct {
	name    string
	human   *metaeval.Scores
	systems []mteval.System
	refs    []string
	src     []string
	docs    []string
	metrics []metaeval.Metric
}

func (s *set) run(t *testing.T) {
	ctx := t.Context()
	refs, err := mteval.Segments(s.refs)
	if err != nil {
		t.Fatal(err)
	}
	table, err := mteval.Systems(ctx, newChrF(t), refs, s.systems)
	if err != nil {
		t.Fatal(err)
	}
	m := metaeval.TableSegments(table)
	m.Name = "our chrF"
	m.Scores.Items = s.human.Items
	s.metrics = append(s.metrics, m)
	var cs []selection.Candidate
	add := func(name string, u []float64, err error) []float64 {
		if err != nil {
			t.Fatal(name, err)
		}
		cs = append(cs, selection.Candidate{Name: name, Utilities: u})
		return u
	}
	// longer sources, the plain rival of every method
	length := make([]float64, len(s.src))
	for i, l := range s.src {
		length[i] = float64(len(strings.Fields(l)))
	}
	add("source length", length, nil)
	wd, err := selection.WordDiversity(ctx, s.systems)
	wd = add("diversity words", wd, err)
	cd, err := selection.Diversity(ctx, s.systems, newChrF(t))
	add("diversity chrF", cd, err)
	f, _ := overlap.NewF(overlap.FOptions{})
	pm, err := f.PrepareMatch(ctx, refs)
	if err != nil {
		t.Fatal(err)
	}
	w, err := difficulty.Estimate(ctx, pm, s.systems)
	if err != nil {
		t.Fatal(err)
	}
	df, err := selection.Difficulty(w)
	df = add("difficulty", df, err)
	for _, m := range s.metrics {
		a, err := selection.Average(m)
		add("average "+m.Name, a, err)
		v, err := selection.Variance(m)
		v = add("variance "+m.Name, v, err)
		c, err := selection.Consistency(m)
		c = add("consistency "+m.Name, c, err)
		sum, err := selection.Sum(selection.Term{Utilities: v}, selection.Term{Utilities: c})
		add("var+cons "+m.Name, sum, err)
		sum, err = selection.Sum(selection.Term{Utilities: v}, selection.Term{Utilities: wd})
		add("var+div "+m.Name, sum, err)
		sum, err = selection.Sum(selection.Term{Utilities: v}, selection.Term{Utilities: df})
		add("var+diff "+m.Name, sum, err)
	}
	words := make([]int, len(length))
	for i := range words {
		words[i] = int(length[i])
	}
	for _, docs := range [][]string{nil} {
		if docs == nil && s.docs == nil {
		}
		e, err := selection.Evaluate(ctx, s.human, cs, selection.EvaluateOptions{Lengths: words, Random: 200})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("## %s, documents %v: %d systems, %d segments, %d clusters\n", s.name, docs != nil, len(s.human.Systems), e.Segments, e.Clusters)
		r := e.Random
		fmt.Printf("%-26s %.3f [%.3f %.3f]  %.2f [%.2f %.2f] ", "random", r.Kendall.Mean, r.Kendall.Low, r.Kendall.High, r.Clusters.Mean, r.Clusters.Low, r.Clusters.High)
		for i := range e.Sizes {
			if i%3 == 0 {
				fmt.Printf(" %d:%.2f[%.2f %.2f]/%.1f", e.Sizes[i], r.Kendalls[i].Mean, r.Kendalls[i].Low, r.Kendalls[i].High, r.ClusterCounts[i].Mean)
			}
		}
		fmt.Println()
		for _, c := range e.Curves {
			fmt.Printf("%-26s %.3f above %.3f  %.2f above %.3f  ", c.Name, c.Kendall, c.KendallAbove, c.Clusters, c.ClustersAbove)
			for i := range e.Sizes {
				if i%3 == 0 {
					fmt.Printf(" %d:%.2f/%.0f", e.Sizes[i], c.Points[i].Kendall, c.Points[i].Clusters)
				}
			}
			fmt.Println()
		}
		if s.docs == nil {
			return
		}
	}
}

func TestCurvesWMT23(t *testing.T) {
	root, _ := filepath.Glob("/tmp/mtme-j/mtme*/wmt23")
	for _, c := range []struct {
		lp, ref string
		drop    []string
	}{{"en-de", "refA", []string{"refA", "synthetic_ref"}}, {"he-en", "refB", []string{"refB", "refA"}}} {
		s := &set{name: "WMT23 " + c.lp}
		gold := blocks(t, root[0]+"/human-scores/"+c.lp+".mqm.seg.score")
		var names []string
		for n, vs := range gold {
			any := slices.ContainsFunc(vs, func(v float64) bool { return !math.IsNaN(v) })
			if any && !slices.Contains(c.drop, n) {
				names = append(names, n)
			}
		}
		sort.Strings(names)
		s.human = metric(gold, names).Scores
		s.refs = lines(t, root[0]+"/references/"+c.lp+"."+c.ref+".txt")
		s.src = lines(t, root[0]+"/sources/"+c.lp+".txt")
		s.docs = lines(t, root[0]+"/documents/"+c.lp+".docs")
		for _, n := range names {
			s.systems = append(s.systems, mteval.System{Name: n, Hyps: lines(t, root[0]+"/system-outputs/"+c.lp+"/"+n+".txt")})
		}
		for _, n := range []string{"MetricX-23-" + c.ref, "COMET-" + c.ref, "CometKiwi-src"} {
			m := metric(blocks(t, root[0]+"/metric-scores/"+c.lp+"/"+n+".seg.score"), names)
			m.Name = n
			s.metrics = append(s.metrics, m)
		}
		s.run(t)
	}
}

func TestCurvesWMT19(t *testing.T) {
	for _, l := range []string{"gu", "kk", "lt"} {
		dir := "/work/shared/data/wmt19-" + l + "-en"
		s := &set{name: "WMT19 " + l + "-en", refs: lines(t, dir+"/ref.en"), src: lines(t, dir+"/src."+l)}
		net := map[string][]float64{}
		for _, row := range lines(t, dir+"/human-segment-darr.tsv")[1:] {
			w := strings.Split(row, "\t")
			sid, _ := strconv.Atoi(w[1])
			for k, n := range w[2:4] {
				if net[n] == nil {
					net[n] = make([]float64, len(s.refs))
				}
				net[n][sid-1] += float64(1 - 2*k)
			}
		}
		judged := make([]bool, len(s.refs))
		var names []string
		for n, vs := range net {
			names = append(names, n)
			for i, v := range vs {
				judged[i] = judged[i] || v != 0
			}
		}
		for _, vs := range net {
			for i := range vs {
				if !judged[i] {
					vs[i] = math.NaN()
				}
			}
		}
		sort.Strings(names)
		s.human = metric(net, names).Scores
		for _, n := range names {
			s.systems = append(s.systems, mteval.System{Name: n, Hyps: lines(t, dir+"/sys/"+n+".txt")})
		}
		s.run(t)
	}
}
