package app

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/mteval/mteval/report"
)

// FinishBars makes points of bars with intervals, and says so; of none it makes nil.
func FinishBars(b *report.Bars) *report.Bars {
	if len(b.Bars) == 0 {
		return nil
	}
	if slices.ContainsFunc(b.Bars, func(r report.Bar) bool { return r.Interval != nil }) {
		b.Points = true
		b.Axis += ", with 95% intervals"
	}
	return b
}

// MetaTable is a table for people to read: its first row is the header.
type MetaTable struct {
	Title string
	Rows  [][]string
}

// Fixed writes a number with four decimals.
func Fixed(v float64) string { return strconv.FormatFloat(v+0, 'f', 4, 64) } // + 0 makes 0 of −0

// TSVNA is what is undefined, in TSV.
const TSVNA = "NA"

// TSVNumber writes a number with six decimals, for TSV.
func TSVNumber(v float64) string { return strconv.FormatFloat(v+0, 'f', 6, 64) }

// Rounding is the difference up to which numbers are equal.
const Rounding = 1e-9

// Coefficient writes a correlation; one that is undefined is not a number.
func Coefficient(c *float64) string {
	if c == nil {
		return "undefined"
	}
	return fmt.Sprintf("%+.3f", *c)
}
