package rank

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/outfile"
)

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

// write writes the file, if there is one, an output at a time.
func (f *segmentFlags) write(ctx context.Context, p *difficulty.Poll) error {
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
	systems := p.Systems()
	for s := range p.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, name := range systems {
			v := p.Detail(i, s)
			out := outputJSON{s + 1, name, number(p.BaseScore(i, s)), number(v.P), number(v.R), number(v.F), v.Reference + 1, newParts(v.Hyp), newParts(v.Ref)}
			if f.format == "tsv" {
				out.tsv(w)
			} else if err := safe.JSON(w, out); err != nil {
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
			w.WriteString(strings.Join([]string{strconv.Itoa(o.Segment), safe.Cell(o.System), side.name, strconv.Itoa(o.Reference),
				strconv.Itoa(k), safe.Cell(t.Token), strconv.Itoa(t.Start), strconv.Itoa(t.End), number(float64(t.Weight)),
				number(t.Difficulty), number(t.Similarity), match, strconv.FormatBool(t.Alone), number(t.Share)}, "\t") + "\n")
		}
	}
}
