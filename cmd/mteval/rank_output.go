package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/ranking"
)

type rankJSON struct {
	Systems []systemJSON `json:"systems"`
	// Correlation by metric; empty without human scores.
	Correlation map[string]correlationJSON `json:"correlation"`
	// RankDifferences is the sum of absolute rank differences by metric.
	RankDifferences map[string]int    `json:"rank_differences"`
	TopK            []topKJSON        `json:"top_k"`
	Signature       map[string]string `json:"signature"`
	Warnings        []string          `json:"warnings,omitempty"`
}

type systemJSON struct {
	System    string             `json:"system"`
	Human     *float64           `json:"human"`
	HumanRank *int               `json:"human_rank"`
	Scores    map[string]float64 `json:"scores"`
	Ranks     map[string]int     `json:"ranks"`
	// Differences is the human rank less the metric's, by metric.
	Differences map[string]int `json:"rank_differences,omitempty"`
}

type correlationJSON struct {
	Pearson  *float64 `json:"pearson"`
	Spearman *float64 `json:"spearman"`
	Kendall  *float64 `json:"kendall"`
}

type topKJSON struct {
	K           int                        `json:"k"`
	Correlation map[string]correlationJSON `json:"correlation"`
}

func rankingJSON(r *ranking.Result, signatures []mteval.Signature, warnings []string) rankJSON {
	correlations := func(cs []ranking.Coefficients) map[string]correlationJSON {
		out := make(map[string]correlationJSON)
		for m, c := range cs {
			out[r.Metrics[m].Name] = correlationJSON(c)
		}
		return out
	}
	out := rankJSON{
		Correlation:     correlations(r.Correlations),
		RankDifferences: make(map[string]int),
		TopK:            []topKJSON{},
		Signature:       make(map[string]string),
		Warnings:        warnings,
	}
	for m, sig := range signatures {
		out.Signature[r.Metrics[m].Name] = sig.String()
	}
	for m, d := range r.Differences {
		out.RankDifferences[r.Metrics[m].Name] = d
	}
	for _, s := range r.Systems {
		j := systemJSON{System: s.Name, Human: s.Human, Scores: make(map[string]float64), Ranks: make(map[string]int)}
		if s.Human != nil {
			j.HumanRank = &s.HumanRank
			j.Differences = make(map[string]int)
		}
		for m, info := range r.Metrics {
			j.Scores[info.Name] = s.Scores[m]
			j.Ranks[info.Name] = s.Ranks[m]
			if s.Human != nil {
				j.Differences[info.Name] = s.Differences[m]
			}
		}
		out.Systems = append(out.Systems, j)
	}
	for _, k := range r.Curve {
		out.TopK = append(out.TopK, topKJSON{k.K, correlations(k.Correlations)})
	}
	return out
}

// rankingText writes what a terminal shows.
func rankingText(r *ranking.Result, signatures []mteval.Signature) string {
	var b strings.Builder
	safe.Grid(&b, rankingRows(r))
	if len(r.Correlations) > 0 {
		b.WriteString("\n" + rankingKey + "\n\nCorrelation with people (+1: the same order, -1: the opposite)\n")
		safe.Grid(&b, correlationRows(r))
	}
	if len(r.Curve) > 0 {
		b.WriteString("\nThe same for the K best systems by human score, difficulty estimated among them (Kendall / Pearson)\n")
		safe.Grid(&b, curveRows(r))
	}
	b.WriteByte('\n')
	for m, sig := range signatures {
		fmt.Fprintf(&b, "%s: %s\n", r.Metrics[m].Name, safe.Visible(sig.String()))
	}
	return b.String()
}

const rankingKey = "#: rank; ±: places higher (+) or lower (-) than people put the system"

// rankingRows is Table 2 of the paper, as far as there are human scores.
func rankingRows(r *ranking.Result) [][]string {
	human := len(r.Correlations) > 0
	head := []string{"system"}
	if human {
		head = append(head, "human", "#")
	}
	for _, m := range r.Metrics {
		head = append(head, m.Name, "#")
		if human {
			head = append(head, "±")
		}
	}
	rows := [][]string{head}
	for _, s := range r.Systems {
		row := []string{s.Name}
		if human {
			if s.Human != nil {
				row = append(row, strconv.FormatFloat(*s.Human, 'f', -1, 64), strconv.Itoa(s.HumanRank))
			} else {
				row = append(row, "–", "–")
			}
		}
		for m, info := range r.Metrics {
			row = append(row, format(info, s.Scores[m], -1), strconv.Itoa(s.Ranks[m]))
			switch {
			case human && s.Human == nil:
				row = append(row, "–")
			case human:
				row = append(row, difference(s.Differences[m]))
			}
		}
		rows = append(rows, row)
	}
	if human {
		row := []string{"sum of |±|", "", ""}
		for _, d := range r.Differences {
			row = append(row, "", "", strconv.Itoa(d))
		}
		rows = append(rows, row)
	}
	return rows
}

func correlationRows(r *ranking.Result) [][]string {
	rows := [][]string{{"metric", "Pearson", "Spearman", "Kendall"}}
	for m, c := range r.Correlations {
		rows = append(rows, []string{r.Metrics[m].Name, coefficient(c.Pearson), coefficient(c.Spearman), coefficient(c.Kendall)})
	}
	return rows
}

func curveRows(r *ranking.Result) [][]string {
	head := []string{"K"}
	for _, m := range r.Metrics {
		head = append(head, m.Name)
	}
	rows := [][]string{head}
	for _, k := range r.Curve {
		row := []string{strconv.Itoa(k.K)}
		for _, c := range k.Correlations {
			row = append(row, coefficient(c.Kendall)+" / "+coefficient(c.Pearson))
		}
		rows = append(rows, row)
	}
	return rows
}

func difference(d int) string {
	if d == 0 {
		return "="
	}
	return fmt.Sprintf("%+d", d)
}

// coefficient writes a correlation; one that is undefined is not a number.
func coefficient(c *float64) string {
	if c == nil {
		return "undefined"
	}
	return fmt.Sprintf("%+.3f", *c)
}
