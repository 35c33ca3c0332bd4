package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/jsonfile"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
)

// An Input is what a run has read.
type Input struct {
	Lines int64  `json:"lines"`  // without the header, those of other shards too
	Bytes int64  `json:"bytes"`  // of text, with the header
	Sum   string `json:"crc32c"` // of these, in hexadecimal
}

// An Option is one that the totals depend on.
type Option struct {
	Name  string `json:"name"` // as errors have it
	Value string `json:"value"`
}

// The formats of records. Who changes what one has gives it another number.
const (
	noteFormat   = "mteval stream progress 1"
	totalsFormat = "mteval stream totals 1"
)

// A record is what a run leaves for a later one: the totals, and in a note what of the output they
// are of.
type record struct {
	Format string  `json:"format"`
	Output *output `json:"output,omitempty"`
	Totals
	Sum string `json:"crc32c"` // of all the rest: see seal
}

// An output is how far a file is.
type output struct {
	Options []Option `json:"options"` // on which the bytes depend, and the totals do not
	Bytes   int64    `json:"bytes"`
	Sum     string   `json:"crc32c"` // of these bytes
	Done    bool     `json:"done"`   // all is there
}

// recordFields are those that each object has.
var recordFields = map[string][]string{
	"":           {"format", "input", "shard", "options", "lines", "errors", "written", "results", "crc32c"},
	"input":      {"lines", "bytes", "crc32c"},
	"shard":      {"number", "of"},
	"options":    {"name", "value"},
	"output":     {"options", "bytes", "crc32c", "done"},
	"results":    {"metric", "score", "signature", "segments", "references", "row"},
	"unfiltered": {"metric", "score", "signature", "segments", "references", "row"},
}

// maxRecord bounds a record, in bytes.
const maxRecord = 16 << 20

// encode is the record as it is written.
func (r *record) encode() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("stream: totals: %w", err)
	}
	return r.seal()
}

// seal sets the checksum, which is that of the record with none.
func (r *record) seal() ([]byte, error) {
	r.Sum = ""
	data, err := r.marshal()
	if err != nil {
		return nil, err
	}
	r.Sum = hexSum(outfile.AddSum(0, data))
	return r.marshal()
}

func (r *record) marshal() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return b.Bytes(), err
}

func hexSum(sum uint32) string { return fmt.Sprintf("%08x", sum) }

func parseSum(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil || hexSum(uint32(n)) != text {
		return 0, fmt.Errorf("%q is no such sum", text)
	}
	return uint32(n), nil
}

// readRecord reads a note or totals. All that is believed of either is checked here.
func readRecord(data []byte, name, format string) (*record, error) {
	f := jsonfile.File{Name: name, Data: sidefile.WithoutBOM(data), What: "a file of mteval stream"}
	var is struct {
		Format string `json:"format"`
	}
	if err := f.Peek(&is); err != nil {
		return nil, err
	}
	if is.Format != format {
		return nil, fmt.Errorf("%s: field format: %q, want %q: it is another file, or of another version of mteval", name, is.Format, format)
	}
	out := new(record)
	end, err := f.Decode(out)
	if err != nil {
		return nil, err
	}
	if err := f.CheckFields(end, recordFields); err != nil {
		return nil, err
	}
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sum := out.Sum
	encoded, err := out.seal()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if out.Sum != sum {
		return nil, fmt.Errorf("%s: field crc32c: the file was changed since it was written", name)
	}
	if err := f.CheckSame(end, encoded); err != nil {
		return nil, err
	}
	return out, nil
}

// check is an error of a field that says what can't be.
func (r *record) check() error {
	if (r.Output != nil) != (r.Format == noteFormat) {
		return errors.New("field output: a note has one, and totals have none")
	}
	if o := r.Output; o != nil {
		if o.Bytes < 0 {
			return fmt.Errorf("field output.bytes: %d", o.Bytes)
		}
		if _, err := parseSum(o.Sum); err != nil {
			return fmt.Errorf("field output.crc32c: %w", err)
		}
	}
	return r.Totals.check()
}

// check is an error of a field that says what can't be.
func (t *Totals) check() error {
	in, s := &t.Input, &t.Shard
	if in.Lines < 0 || in.Bytes < in.Lines {
		return fmt.Errorf("field input: %d lines of %d bytes", in.Lines, in.Bytes)
	}
	if _, err := parseSum(in.Sum); err != nil {
		return fmt.Errorf("field input.crc32c: %w", err)
	}
	if s.Number < 1 || s.Of < s.Number {
		return fmt.Errorf("field shard: %d of %d", s.Number, s.Of)
	}
	if n := s.share(in.Lines); t.Lines != n {
		return fmt.Errorf("field lines: %d, where shard %d of %d has %d of %d", t.Lines, s.Number, s.Of, n, in.Lines)
	}
	if t.Errors < 0 || t.Errors > t.Lines {
		return fmt.Errorf("field errors: %d of %d lines", t.Errors, t.Lines)
	}
	if t.Written < 0 || t.Written > t.Lines {
		return fmt.Errorf("field written: %d of %d lines", t.Written, t.Lines)
	}
	scored := t.Lines - t.Errors
	if t.Reason != "" && scored > 0 {
		return fmt.Errorf("field reason: %d of %d lines have no errors", scored, t.Lines)
	}
	if t.Unfiltered != nil {
		if len(t.Unfiltered) != len(t.Results) {
			return fmt.Errorf("field unfiltered: %d metrics, and %d in results", len(t.Unfiltered), len(t.Results))
		}
		if err := checkResults("unfiltered", t.Unfiltered, scored); err != nil {
			return err
		}
		scored = t.Written
	}
	return checkResults("results", t.Results, scored)
}

// share is how many of so many lines are of the shard.
func (s Shard) share(lines int64) int64 {
	first, of := int64(s.Number), int64(s.Of)
	if lines < first {
		return 0
	}
	return (lines-first)/of + 1
}

// checkResults is an error for results that are not of so many segments.
func checkResults(field string, results []Result, segments int64) error {
	for m := range results {
		r := &results[m]
		fail := func(format string, args ...any) error {
			return fmt.Errorf("field %s: %s: %s", field, r.Metric, fmt.Sprintf(format, args...))
		}
		if r.Segments != segments {
			return fail("%d segments, where %d lines have scores", r.Segments, segments)
		}
		if least, most := r.References[0], r.References[1]; least < 0 || most < least || segments == 0 && most > 0 {
			return fail("references from %d to %d", least, most)
		}
		for _, x := range append([]float64{r.Score}, r.Row...) {
			if x-x != 0 {
				return fail("%v, which is no number", x)
			}
		}
		if slices.ContainsFunc(results[:m], func(o Result) bool { return o.Metric == r.Metric }) {
			return fail("it stands twice")
		}
	}
	return nil
}

// differ says where options are others than here.
func differ(was, here []Option) error {
	for i := range max(len(was), len(here)) {
		var a, b Option
		if i < len(was) {
			a = was[i]
		}
		if i < len(here) {
			b = here[i]
		}
		if a.Name != b.Name {
			a, b = Option{"an option or metric", a.Name}, Option{"", b.Name}
		}
		if a.Value != b.Value {
			return fmt.Errorf("%w: %s was %q, and is %q", ErrOtherOptions, a.Name, a.Value, b.Value)
		}
	}
	return nil
}

// sameMetrics is an error for totals that are not of these metrics and this filter.
func (x *run) sameMetrics(t *Totals) error {
	var was, here []Option
	for _, o := range t.Options {
		if o.Name == filterOption || slices.Contains(x.names(), o.Name) {
			was = append(was, o)
		}
	}
	for _, o := range x.options() {
		if o.Name == filterOption || slices.Contains(x.names(), o.Name) {
			here = append(here, o)
		}
	}
	if err := differ(was, here); err != nil {
		return err
	}
	for _, of := range []struct {
		field     string
		is, wants []Result
	}{{"results", t.Results, x.state.Results}, {"unfiltered", t.Unfiltered, x.state.Unfiltered}} {
		if len(of.is) != len(of.wants) {
			return fmt.Errorf("field %s: %d metrics, not %d", of.field, len(of.is), len(of.wants))
		}
		for m := range of.is {
			is, want := &of.is[m], &of.wants[m]
			if is.Metric != want.Metric || len(is.Row) != len(want.Row) {
				return fmt.Errorf("field %s: %s with rows of %d numbers, not %s with %d", of.field, is.Metric, len(is.Row), want.Metric, len(want.Row))
			}
			own := *is
			if x.finish(&own, m); own.Signature != is.Signature {
				return fmt.Errorf("field %s: %s has other options there: %s, here %s", of.field, is.Metric, is.Signature, own.Signature)
			}
			if own.Score != is.Score {
				return fmt.Errorf("field %s: %s has the score %v there, and its row gives %v", of.field, is.Metric, is.Score, own.Score)
			}
		}
	}
	return nil
}

const (
	filterOption = "the filter"
	errorOption  = "on errors"
)

// options are those that the totals depend on, beside input and shard.
func (x *run) options() []Option {
	l := x.o.Layout
	filter := ""
	if x.o.Filter != nil {
		filter = x.o.Filter.Text
	}
	out := []Option{
		{"the format", string(l.Format)}, {"no header", strconv.FormatBool(l.NoHeader)}, {"the hypothesis", l.Hypothesis},
		{"the references", fmt.Sprintf("%q", l.References)}, {"the source", l.Source}, {"skipping empty references", strconv.FormatBool(l.SkipEmptyRefs)},
		{errorOption, string(x.o.OnError)}, {filterOption, filter}, {"the most bytes of a line", strconv.FormatInt(x.o.MaxLine, 10)},
	}
	out = append(out, x.o.Also...)
	for _, m := range x.metrics {
		out = append(out, Option{m.info.Name, m.info.Signature.Complete(nil).String()})
	}
	return out
}

// outputOptions are those that only the bytes of the output depend on.
func (x *run) outputOptions() []Option {
	return []Option{
		{"decimals", strconv.Itoa(x.o.Decimals)}, {"compression", strconv.FormatBool(x.o.Pack != nil)},
		{"lines of a block", strconv.Itoa(x.o.blockLines)}, {"bytes of a block", strconv.Itoa(x.o.blockBytes)},
	}
}

// Write writes the totals as JSON, for ReadTotals, with a checksum.
func (t *Totals) Write(w io.Writer) error {
	data, err := (&record{Format: totalsFormat, Totals: *t}).encode()
	if err != nil {
		return err
	}
	// The encoder leaves characters as they are that turn a terminal's text around.
	_, err = io.WriteString(w, escape.Visible(strings.TrimSuffix(string(data), "\n"))+"\n")
	return err
}

// OpenTotals is [ReadTotals] of a file.
func OpenTotals(path string) (*Totals, error) {
	data, err := sidefile.ReadFile(path, maxRecord)
	if err != nil {
		return nil, err
	}
	return decodeTotals(data, path)
}

// ReadTotals reads totals, as Write makes them, which are called by the name. Any that were changed,
// or say what can't be, are an error that says which field it is.
func ReadTotals(r io.Reader, name string) (*Totals, error) {
	data, err := sidefile.ReadAll(r, maxRecord)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return decodeTotals(data, name)
}

func decodeTotals(data []byte, name string) (*Totals, error) {
	r, err := readRecord(data, name, totalsFormat)
	if err != nil {
		return nil, err
	}
	r.Totals.Name = name
	return &r.Totals, nil
}

// completed is a signature with how many references there are.
func completed(s mteval.Signature, refs [2]int) string {
	out := s.Complete(nil)
	if out[0].Value = strconv.Itoa(refs[0]); refs[0] != refs[1] {
		out[0].Value = "var"
	}
	return out.String()
}
