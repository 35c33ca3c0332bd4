package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/outfile"
)

// A selectList is the segments that were chosen.
type selectList struct {
	in        *selectInput
	method    selectMethod
	utilities []float64
	lengths   []int // nil: there is no text to count words of
	chosen    []int
	// What could not be chosen: chosen before, without any output, or the same as one before.
	before, blank, repeated int
}

// skip says which segments can't be chosen.
func (l *selectList) skip(ctx context.Context) ([]bool, error) {
	out := make([]bool, len(l.in.segments))
	before := make(map[string]bool)
	for _, path := range l.in.options.after {
		names, err := files.OpenSegmentNames(ctx, path, l.in.segments, l.in.work.app.reading())
		if err != nil {
			return nil, advise(err)
		}
		for _, name := range names {
			before[name] = true
		}
	}
	for i, name := range l.in.segments {
		if out[i] = before[name]; out[i] {
			l.before++
		}
	}
	if l.in.work.systems == nil {
		return out, nil
	}
	// Outputs alone do not tell repetitions: "Yes." is right for more than one source. Within a
	// document they are read in their place.
	tell := !l.in.options.whole && (l.in.sources != nil || l.in.work.corpus.Refs != nil)
	// What was chosen before stands for its repetitions, too.
	seen := make(map[string]bool)
	for _, old := range []bool{true, false} {
		for i := range out {
			if out[i] != old {
				continue
			}
			texts, blank := l.in.texts(i)
			switch {
			case old:
				seen[texts] = true
			case blank:
				out[i] = true
				l.blank++
			case seen[texts] && tell:
				out[i] = true
				l.repeated++
			}
			if !old && !out[i] {
				seen[texts] = true
			}
		}
	}
	return out, nil
}

// texts are the source and outputs of a segment as one text, and whether there is no output to
// judge.
func (in *selectInput) texts(i int) (all string, blank bool) {
	blank = true
	var b strings.Builder
	if in.sources != nil {
		b.WriteString(in.sources[i])
	} else if in.work.corpus.Refs != nil {
		b.WriteString(strings.Join(in.work.corpus.Refs[i], "\n"))
	}
	for _, s := range in.work.systems {
		blank = blank && strings.TrimSpace(s.Hyps[i]) == ""
		b.WriteString("\n" + s.Hyps[i])
	}
	return b.String(), blank
}

// nothing says why nothing was chosen.
func (l *selectList) nothing() error {
	if l.before+l.blank+l.repeated == len(l.in.segments) {
		return fmt.Errorf("there is nothing left to choose of %s: %s", count(len(l.in.segments), "segment"), l.leftOut())
	}
	if l.in.options.whole {
		return errors.New("no document fits into the budget: give more, or leave --whole-documents out")
	}
	return errors.New("no segment fits into the budget of words")
}

// leftOut says what could not be chosen, "" if all could.
func (l *selectList) leftOut() string {
	var parts []string
	if l.before > 0 {
		parts = append(parts, fmt.Sprintf("%d chosen before", l.before))
	}
	if l.blank > 0 {
		parts = append(parts, fmt.Sprintf("%d without any output", l.blank))
	}
	if l.repeated > 0 {
		parts = append(parts, fmt.Sprintf("%d with the same texts as another", l.repeated))
	}
	return strings.Join(parts, ", ")
}

// signature says how the list was made.
func (l *selectList) signature() mteval.Signature {
	o := l.in.options
	sig := mteval.Signature{{Key: "method", Value: l.in.resolved(l.method)}}
	if o.number > 0 {
		sig = append(sig, mteval.Field{Key: "n", Value: strconv.Itoa(o.number)})
	}
	if o.words > 0 {
		_, what := l.in.countedTexts()
		sig = append(sig, mteval.Field{Key: "words", Value: strconv.Itoa(o.words)}, mteval.Field{Key: "of", Value: what}, mteval.Field{Key: "tok", Value: o.wordTokenizer})
	}
	if o.whole {
		sig = append(sig, mteval.Field{Key: "documents", Value: "whole"})
	}
	if l.before > 0 {
		sig = append(sig, mteval.Field{Key: "after", Value: strconv.Itoa(l.before)})
	}
	if slices.ContainsFunc(l.method.terms, func(t methodTerm) bool { return t.name == "random" }) {
		sig = append(sig, mteval.Field{Key: "seed", Value: strconv.FormatUint(o.seed, 10)})
	}
	return append(sig, mteval.Field{Key: "version", Value: "mteval-" + mteval.Version})
}

// words of the segments that were chosen, and of all.
func (l *selectList) words() (chosen, all int) {
	for _, n := range l.lengths {
		all += n
	}
	for _, i := range l.chosen {
		if l.lengths != nil {
			chosen += l.lengths[i]
		}
	}
	return chosen, all
}

// write writes the list, and says on standard error what it is.
func (l *selectList) write(ctx context.Context) error {
	o, a := l.in.options, l.in.work.app
	var b strings.Builder
	var err error
	switch o.output {
	case "tsv":
		err = l.table(func(cells []string) error { safe.TSV(&b, cells); return nil })
	case "csv":
		w := csv.NewWriter(&b)
		if err = l.table(w.Write); err == nil {
			w.Flush()
			err = w.Error()
		}
	case "jsonl":
		err = l.jsonLines(&b)
	case "json":
		err = safe.JSON(&b, l.json())
	default:
		l.text(&b)
	}
	if err != nil {
		return err
	}
	if o.path != "" {
		err = outfile.Write(ctx, o.path, []byte(b.String()))
	} else {
		_, err = io.WriteString(a.stdout, b.String())
	}
	if err != nil {
		return err
	}
	l.summary()
	return nil
}

// summary says on standard error what was chosen.
func (l *selectList) summary() {
	a := l.in.work.app
	line := fmt.Sprintf("%d of %s", len(l.chosen), count(len(l.in.segments), "segment"))
	if part, all := l.words(); all > 0 {
		_, what := l.in.countedTexts()
		line += fmt.Sprintf(", %d of %d words of the %s (%.1f%%)", part, all, what, 100*float64(part)/float64(all))
	}
	if l.in.options.whole {
		line += fmt.Sprintf(", in %s", count(len(l.documents()), "document"))
	}
	if systems := l.in.work.systems; systems != nil {
		line += fmt.Sprintf(", of %s", count(len(systems), "system"))
		line += ": " + l.outputs()
	}
	a.note("%s", line)
	if text := l.leftOut(); text != "" {
		a.note("left out: %s", text)
	}
	if same := l.same(); same != "" {
		a.note("warning: %s", same)
	}
	for _, p := range l.in.signed {
		a.note("%s: %s", p.Name, p.Signature)
	}
	a.note("%s", l.signature())
}

// outputs says how many there are to judge, one that several systems gave being one.
func (l *selectList) outputs() string {
	all, different := 0, 0
	for _, i := range l.chosen {
		seen := make(map[string]bool)
		for _, s := range l.in.work.systems {
			seen[s.Hyps[i]] = true
		}
		all, different = all+len(l.in.work.systems), different+len(seen)
	}
	if all == different {
		return count(all, "output") + " to judge"
	}
	return fmt.Sprintf("%s to judge, %d of them different", count(all, "output"), different)
}

// documents are those of the segments that were chosen.
func (l *selectList) documents() []string {
	var out []string
	for _, i := range l.chosen {
		out = append(out, l.in.documents[i])
	}
	return unique(out)
}

// same says that utilities do not choose, if they are all equal.
func (l *selectList) same() string {
	if len(l.utilities) < 2 || slices.Min(l.utilities) < slices.Max(l.utilities) {
		return ""
	}
	why := ""
	if systems := l.in.work.systems; len(systems) == 1 {
		why = fmt.Sprintf(": %s is alone, and there is nothing that it differs from; average and difficulty do for one system", systems[0].Name)
	}
	return fmt.Sprintf("%s gives all segments the same utility, and the first were chosen%s", l.method.text, why)
}
