package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
)

// printSacreBLEU writes what sacreBLEU does with --format json: of one system an object for
// each metric, of several a list of systems. Where it has no form, for metrics and intervals
// that are not its own, this is the nearest that it has.
func (o *scoreOptions) printSacreBLEU(b *strings.Builder, columns []*scoreColumn, systems int) {
	columns = slices.Clone(columns)
	slices.SortFunc(columns, func(x, y *scoreColumn) int { return strings.Compare(x.info.Name, y.info.Name) })
	if systems > 1 {
		var list []string
		for k := range systems {
			list = append(list, o.sacreSystem(columns, k).String())
		}
		b.WriteString(ascii(indented("["+strings.Join(list, ",")+"]", "    ")) + "\n")
		return
	}
	var list []string
	for _, c := range columns {
		list = append(list, indented(o.sacreScore(c).String(), " "))
	}
	if len(list) == 1 {
		b.WriteString(list[0] + "\n")
		return
	}
	b.WriteString("[\n" + strings.Join(list, ",\n") + "\n]\n")
}

// sacreScore is the score of the one system.
func (o *scoreOptions) sacreScore(c *scoreColumn) *object {
	r := c.results[0]
	rounded := func(x float64) float64 {
		v, _ := strconv.ParseFloat(o.sacreNumber(c, x), 64)
		return v
	}
	signature := c.fields.String()
	var out object
	out.text("name", c.sacreName())
	out.Number("score", rounded(r.Score))
	out.text("signature", signature)
	// It tells no mean of 0.
	if i := r.Confidence; i != nil && i.Mean > 0 {
		half := .5 * (i.High - i.Low)
		out.Number("confidence_mean", rounded(i.Mean))
		out.Number("confidence_var", rounded(half))
		out.text("confidence", "μ = "+o.sacreNumber(c, i.Mean)+" ± "+o.sacreNumber(c, half))
	}
	if r.BLEU != nil {
		out.text("verbose_score", r.BLEU.parts)
	}
	for _, f := range c.fields {
		if !out.has(f.Key) {
			out.text(f.Key, f.Value)
		}
	}
	return &out
}

// sacreSystem is one of several systems: texts of its scores, or what tests say of them, whole.
func (o *scoreOptions) sacreSystem(columns []*scoreColumn, system int) *object {
	var out object
	out.text("system", o.sacreSystems[system])
	for _, c := range columns {
		r := c.results[system]
		if o.paired == "" && !o.confidence {
			out.text(c.sacreName(), o.sacreNumber(c, r.Score))
			continue
		}
		var test object
		test.Number("score", r.Score)
		p, mean, half := math.NaN(), math.NaN(), math.NaN()
		if r.P != nil {
			p = *r.P
		}
		if i := r.Confidence; i != nil {
			mean, half = i.Mean, .5*(i.High-i.Low)
		}
		test.Number("p_value", p)
		test.Number("mean", mean)
		test.Number("ci", half)
		out.add(c.sacreName(), test.String())
	}
	return &out
}

// sacreNames are what sacreBLEU calls systems: their files as they were typed, and columns of
// standard input by number, of which a baseline has none.
func (o *scoreOptions) sacreNames(t *app.Texts, systems []mteval.System) []string {
	out := app.SystemNames(systems)
	switch {
	case t.Columns && o.paired != "":
		for k := 1; k < len(out); k++ {
			out[k] = fmt.Sprintf("System %d", k)
		}
	case !t.Columns && len(t.Outputs) == len(out): // of SGML a file may have several
		for k, path := range app.OutputPaths(t.Outputs) {
			if path == t.Outputs[k] {
				out[k] = path
			}
		}
	}
	switch {
	case o.paired == "":
	case t.Columns:
		out[0] = "Baseline"
	default:
		out[0] = "Baseline: " + out[0]
	}
	return out
}

// sacreNumber has as many decimals as sacreBLEU gives, more on a scale that it does not know.
func (o *scoreOptions) sacreNumber(c *scoreColumn, x float64) string {
	width := o.width
	if width < 0 && c.info.Scale == 100 {
		width = 1
	}
	return app.Format(c.info, x, width)
}

// sacreName is what sacreBLEU calls a metric, with chrF's β and a + for each order of words.
func (c *scoreColumn) sacreName() string {
	switch name := c.info.Name; name {
	case "bleu", "ter":
		return strings.ToUpper(name)
	case "chrf", "chrf++":
		beta := c.fields.Get("beta")
		if beta == "" {
			beta = "2"
		}
		words, _ := strconv.Atoi(c.fields.Get("nw"))
		return "chrF" + beta + strings.Repeat("+", words)
	default:
		return name
	}
}

// An object is one of JSON whose keys have an order.
type object struct{ keys, values []string }

func (o *object) add(key, value string) {
	o.keys, o.values = append(o.keys, key), append(o.values, value)
}

func (o *object) has(key string) bool { return slices.Contains(o.keys, key) }

func (o *object) text(key, value string) { o.add(key, quoted(value)) }

// Number adds a number as Python writes it, 30.0 for 30, and null for what is none.
func (o *object) Number(key string, x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		o.add(key, "null")
		return
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if size := math.Abs(x); size == 0 || 1e-4 <= size && size < 1e16 {
		if text = strconv.FormatFloat(x, 'f', -1, 64); !strings.Contains(text, ".") {
			text += ".0"
		}
	}
	o.add(key, text)
}

func (o *object) String() string {
	var members []string
	for i, k := range o.keys {
		members = append(members, quoted(k)+":"+o.values[i])
	}
	return "{" + strings.Join(members, ",") + "}"
}

// quoted is a string of JSON, without characters that a terminal obeys.
func quoted(s string) string {
	var b strings.Builder
	// Writing to it can't fail.
	_ = safe.JSON(&b, s)
	return strings.TrimSuffix(b.String(), "\n")
}

// indented is JSON with a line for each member.
func indented(text, by string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", by); err != nil {
		panic(fmt.Sprintf("mteval: %v", err)) // it was written here
	}
	return b.String()
}

// ascii escapes what is not ASCII, all of which stands in strings.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r <= '~' {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}
