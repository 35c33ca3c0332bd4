package score

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/preference"
)

// JSON is the output of score --format json.
type JSON struct {
	Answer  string       `json:"answer"`
	Results []resultJSON `json:"results"`
	// Calibration is the signature of the one that People comes from.
	Calibration string `json:"calibration,omitempty"`
}

type resultJSON struct {
	System        string  `json:"system"`
	Metric        string  `json:"metric"`
	Score         float64 `json:"score"`
	LowerIsBetter bool    `json:"lower_is_better"`
	Signature     string  `json:"signature"`
	// BLEU is what it is made of.
	BLEU *bleuJSON `json:"bleu,omitempty"`
	// Confidence holds the mean and 95% interval of bootstrap samples.
	Confidence *intervalJSON `json:"confidence,omitempty"`
	// P of the paired test against the first system.
	P        *float64               `json:"p_value,omitempty"`
	People   *preference.Difference `json:"people,omitempty"`
	Segments []segmentJSON          `json:"segments,omitempty"`
	// Levels are the numbers of segments on each level.
	Levels map[string]int `json:"levels,omitempty"`
	Parts  []setPartJSON  `json:"parts,omitempty"` // of a test set
}

type intervalJSON struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type segmentJSON struct {
	Score float64  `json:"score"`
	P     *float64 `json:"p,omitempty"`
	R     *float64 `json:"r,omitempty"`
	F     *float64 `json:"f,omitempty"`
}

// A scoreColumn is what there is to print of a metric: a result for each system.
type scoreColumn struct {
	table     *mteval.Table
	info      mteval.Info
	fields    mteval.Signature
	signature string // of the fields
	results   []resultJSON
}

const sacrebleuJSON = "sacrebleu-json"

var scoreFormats = []string{"text", "tsv", "latex", "json", sacrebleuJSON}

func (o *scoreOptions) print(w io.Writer, columns []*scoreColumn, systems int) error {
	var b strings.Builder
	switch {
	case o.output == "json":
		out := JSON{Answer: o.answer(columns), Results: make([]resultJSON, 0, systems*len(columns))}
		for k := range systems {
			for _, c := range columns {
				out.Results = append(out.Results, c.results[k])
			}
		}
		if o.toldPeople(columns) {
			out.Calibration = o.calibration.Signature().String()
		}
		return safe.JSON(w, out)
	case o.sentences:
		o.printSentences(&b, columns, systems)
	case o.scoreOnly:
		for k := range systems {
			for _, c := range columns {
				b.WriteString(app.Format(c.info, c.results[k].Score, o.width) + "\n")
			}
		}
	case o.output == "tsv":
		o.printRows(&b, columns, systems)
	case o.output == sacrebleuJSON:
		o.printSacreBLEU(&b, columns, systems)
	default:
		o.printSystems(&b, columns, systems)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// number is a score where programs read it: they take the digits that people do not want.
func (o *scoreOptions) number(x float64) string {
	width := o.width
	if width < 0 {
		width = 6
	}
	return strconv.FormatFloat(x, 'f', width, 64)
}

// printSentences writes a row for each segment. TSV has a header, and where a metric has P, R and F a
// column of each for all.
func (o *scoreOptions) printSentences(b *strings.Builder, columns []*scoreColumn, systems int) {
	table := o.output == "tsv"
	parts := slices.ContainsFunc(columns, func(c *scoreColumn) bool {
		return slices.ContainsFunc(c.results[0].Segments, func(s segmentJSON) bool { return s.P != nil })
	})
	if table {
		header := []string{"system", "metric", "segment", "score", "lower_is_better"}
		if parts {
			header = append(header, "precision", "recall", "f")
		}
		safe.TSV(b, header)
	}
	for k := range systems {
		for _, c := range columns {
			r := c.results[k]
			for i, s := range r.Segments {
				fields := []string{r.System, r.Metric, strconv.Itoa(i + 1), o.number(s.Score)}
				if table {
					fields = append(fields, strconv.FormatBool(r.LowerIsBetter))
				}
				switch {
				case s.P != nil:
					fields = append(fields, o.number(*s.P), o.number(*s.R), o.number(*s.F))
				case table && parts:
					fields = append(fields, "", "", "")
				}
				if o.scoreOnly {
					fields = fields[3:4]
				}
				safe.TSV(b, fields)
			}
		}
	}
}

// printRows writes a row for each system and metric, one number a cell, empty where there is
// none.
func (o *scoreOptions) printRows(b *strings.Builder, columns []*scoreColumn, systems int) {
	header := []string{"system", "metric", "score"}
	if o.intervals() {
		header = append(header, "mean", "low", "high")
	}
	if o.paired != "" {
		header = append(header, "p")
	}
	safe.TSV(b, append(header, "lower_is_better", "signature"))
	for k := range systems {
		for _, c := range columns {
			r := c.results[k]
			row := []string{r.System, r.Metric, o.number(r.Score)}
			if i := r.Confidence; i != nil {
				row = append(row, o.number(i.Mean), o.number(i.Low), o.number(i.High))
			}
			switch {
			case r.P != nil:
				row = append(row, app.TSVNumber(*r.P))
			case o.paired != "":
				row = append(row, "")
			}
			safe.TSV(b, append(row, strconv.FormatBool(r.LowerIsBetter), r.Signature))
		}
	}
}

func (o *scoreOptions) printSystems(b *strings.Builder, columns []*scoreColumn, systems int) {
	header := []string{"system"}
	for _, c := range columns {
		header = append(header, c.info.Name)
	}
	rows := [][]string{header}
	for k := range systems {
		row := []string{columns[0].results[k].System}
		for _, c := range columns {
			row = append(row, o.cell(c, k))
		}
		rows = append(rows, row)
	}
	before := ""
	if o.output == "latex" {
		safe.LaTeX(b, rows)
		before = "% "
	} else {
		safe.Grid(b, rows)
		printBLEU(b, columns)
		o.printPeople(b, columns)
		b.WriteByte('\n')
		o.printSetParts(b, columns)
	}
	for _, c := range columns {
		fmt.Fprintf(b, "%s%s: %s\n", before, c.info.Name, safe.Visible(c.signature))
	}
	if o.toldPeople(columns) {
		fmt.Fprintf(b, "people: %s\n", safe.Visible(o.calibration.Signature().String()))
	}
}

// cell is the score of a system with its interval and p-value.
func (o *scoreOptions) cell(c *scoreColumn, system int) string {
	number := func(x float64) string { return app.Format(c.info, x, o.width) }
	r := c.results[system]
	text := number(r.Score)
	if i := r.Confidence; i != nil {
		text += " (" + number(i.Mean) + " ± " + number((i.High-i.Low)/2) + ")"
	}
	if r.P != nil {
		text += fmt.Sprintf(" p=%.4f", *r.P)
		if significant(*r.P) {
			text += "*"
		}
	}
	return text
}
