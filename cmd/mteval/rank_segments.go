package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/outfile"
)

// details gives the scores of single outputs in parts.
type details struct {
	base mteval.MatchScorer
	ms   *mteval.Matchings
	// order holds the systems' indices in the order of the ranking, scorers the
	// one of each: with leave-one-out not all have a vote that can be taken out.
	order   []int
	scorers []*difficulty.Scorer
	voters  []int
}

func newDetails(base mteval.MatchScorer, ms *mteval.Matchings, o difficulty.Options, da *difficulty.Scorer, voters, order []int) (*details, error) {
	d := &details{base, ms, order, make([]*difficulty.Scorer, len(order)), voters}
	others := da
	if o.LeaveOneOut {
		o.LeaveOneOut = false
		field, err := difficulty.NewField(base, ms, o, difficulty.Function{})
		if err != nil {
			return nil, err
		}
		if others, err = field.Scorer(voters); err != nil {
			return nil, err
		}
	}
	for i, k := range order {
		d.scorers[i] = others
		if slices.Contains(voters, k) {
			d.scorers[i] = da
		}
	}
	return d, nil
}

// name is that of the i-th system of the ranking.
func (d *details) name(i int) string { return d.ms.Systems[d.order[i]] }

// plain is the base metric's score of the i-th system's output for a segment.
func (d *details) plain(i, segment int) float64 {
	return d.base.Score(d.base.AppendMatch(nil, segment, d.ms.RefTokens(segment), d.ms.At(d.order[i], segment)))
}

// score is the difficulty-aware score of the i-th system's output for a segment.
func (d *details) score(i, segment int) float64 {
	s := d.scorers[i]
	return s.Score(s.AppendMatch(nil, segment, d.ms.RefTokens(segment), d.ms.At(d.order[i], segment)))
}

func (d *details) detail(i, segment int) difficulty.Detail {
	return d.scorers[i].Detail(segment, d.ms.RefTokens(segment), d.ms.At(d.order[i], segment))
}

// segmentFlags are those of --segments.
type segmentFlags struct{ path, format string }

func (f *segmentFlags) add(fs *pflag.FlagSet) {
	flags.Var(fs, flags.Output(&f.path), "segments", "file to write each token's difficulty, similarity and share of the score to")
	flags.Var(fs, flags.Enum(&f.format, "", "format", "jsonl", "tsv"), "segments-format", "format of --segments: jsonl, tsv (default that of its name)").OptionOf("segments")
}

// check tells the format by the name of the file.
func (f *segmentFlags) check() error {
	if f.path == "" || f.format != "" {
		return nil
	}
	switch filepath.Ext(f.path) {
	case ".tsv":
		f.format = "tsv"
	case ".jsonl", ".json", ".ndjson":
		f.format = "jsonl"
	default:
		return fmt.Errorf("--segments %s: the name does not tell the format: end it with .jsonl or .tsv, or give --segments-format", f.path)
	}
	return nil
}

// outputJSON is a line of JSON: a system's output for a segment. Segments and
// references count from 1, tokens and bytes from 0.
type outputJSON struct {
	Segment    int    `json:"segment"`
	System     string `json:"system"`
	Base       number `json:"base"`
	Precision  number `json:"precision"`
	Recall     number `json:"recall"`
	F          number `json:"f"`
	Reference  int    `json:"reference"`
	Hypothesis []part `json:"hypothesis_tokens"`
	Ref        []part `json:"reference_tokens"`
}

// A part is a token with its numbers. Match is the index of the token on the other
// side that it matches best.
type part struct {
	Token      string  `json:"token"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	Weight     float32 `json:"weight"`
	Difficulty float64 `json:"difficulty"`
	Similarity float64 `json:"similarity"`
	Match      *int    `json:"match"`
	Alone      bool    `json:"alone"`
	Share      float64 `json:"share"`
}

// A number is null where there is none: the released program's F can be infinite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if x := float64(n); x-x != 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func newParts(tokens []difficulty.Part) []part {
	out := make([]part, len(tokens))
	for i, t := range tokens {
		out[i] = part{t.Text, t.Start, t.End, t.Weight, t.Difficulty, t.Sim, nil, t.Alone, t.Share}
		if t.To >= 0 {
			out[i].Match = &tokens[i].To
		}
	}
	return out
}

// write writes the file, an output at a time.
func (f *segmentFlags) write(ctx context.Context, d *details) error {
	if f.path == "" {
		return nil
	}
	file, err := outfile.Create(ctx, f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	if f.format == "tsv" {
		io.WriteString(w, "segment\tsystem\tside\treference\ttoken\ttext\tstart\tend\tweight\tdifficulty\tsimilarity\tmatch\talone\tshare\n")
	}
	for s := range d.ms.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range d.order {
			v := d.detail(i, s)
			out := outputJSON{s + 1, d.name(i), number(d.plain(i, s)), number(v.P), number(v.R), number(v.F), v.Reference + 1, newParts(v.Hyp), newParts(v.Ref)}
			if f.format == "tsv" {
				out.tsv(w)
			} else if err := writeJSON(w, out); err != nil {
				return err
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Commit()
}

// tsv writes a line for each token. Errors stay in w.
func (o *outputJSON) tsv(w *bufio.Writer) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for _, side := range []struct {
		name  string
		parts []part
	}{{"hypothesis", o.Hypothesis}, {"reference", o.Ref}} {
		for k, t := range side.parts {
			match := ""
			if t.Match != nil {
				match = strconv.Itoa(*t.Match)
			}
			w.WriteString(strings.Join([]string{strconv.Itoa(o.Segment), cell(o.System), side.name, strconv.Itoa(o.Reference),
				strconv.Itoa(k), cell(t.Token), strconv.Itoa(t.Start), strconv.Itoa(t.End), number(float64(t.Weight)),
				number(t.Difficulty), number(t.Similarity), match, strconv.FormatBool(t.Alone), number(t.Share)}, "\t") + "\n")
		}
	}
}
