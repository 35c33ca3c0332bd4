package files

import (
	"context"
	"io"
	"strings"

	"github.com/mteval/mteval/human"
)

// JudgementOptions are options of [ReadJudgements].
type JudgementOptions struct {
	Options
	// Scale that scores must be on; the zero value is direct assessment's, 0 to 100.
	Scale human.Scale
	// Column is what a header calls the column of the score; "" is "score". A table
	// of adequacy and fluency is read twice.
	Column string
	// Documents reads the scores of whole documents, from Appraise's files that have
	// them beside those of segments.
	Documents bool
	// Shared is what joins the names of systems that gave the same output, "+" in
	// WMT's files: what was said of it is said of each. With "", names are taken
	// whole.
	Shared string
}

// ReadJudgements reads scores that judges gave, in one of three forms, which it tells by
// the first line. The file may be gzipped; "-" is standard input.
//
// A table with tabs and a header that calls columns judge (or rater), system (or sys,
// sys_id), segment (or segid, seg_id, sid, seg, item) and score, in any order and case,
// and if it likes kind (or type), source and target, the languages.
//
// WMT's tables of scores by crowd workers (ad-latest.csv, ad-good-raw.csv,
// ad-csen-good-stnd.csv), whose header has WorkerId: fields with tabs or spaces between.
// The segment is the column sid, or doc_id where whole documents were judged. Files with
// stnd in the name have z scores, and need the scale [human.AnyScore].
//
// Appraise's export, CSV without a header: judge, system, segment, kind, source language,
// target language, score, then the document and True for a score of the whole document,
// else False, in files of campaigns that have documents, and columns that are passed over.
// A segment's number is then one within its document, and Item is the two with "::"
// between.
//
// Kinds are SYSTEM or TGT for a system's output, REPEAT or CHK for one that is repeated,
// BAD_REF or BAD for a degraded one, REF for a reference; empty is SYSTEM.
func ReadJudgements(r io.Reader, name string, o JudgementOptions) ([]human.Judgement, error) {
	return read(r, name, o.Options, o.parser())
}

// OpenJudgements is [ReadJudgements] of a file.
func OpenJudgements(ctx context.Context, path string, o JudgementOptions) ([]human.Judgement, error) {
	return open(ctx, path, o.Options, o.parser())
}

func (o JudgementOptions) parser() parser[[]human.Judgement] {
	return table(func(s *source) ([]human.Judgement, error) { return parseJudgements(s, o) })
}

func parseJudgements(s *source, o JudgementOptions) ([]human.Judgement, error) {
	var js []human.Judgement
	add := func(r *row, j human.Judgement, kind string, score int) error {
		var err error
		if j.Score, err = r.number(score, "score"); err != nil {
			return err
		}
		if err := o.Scale.Check(j.Score); err != nil {
			return r.errorf("%w: set the scale that people were given, or human.AnyScore if scores are standardised already", err)
		}
		var ok bool
		if j.Kind, ok = kindOf(kind); !ok {
			return r.errorf("kind of output %q: want SYSTEM (or TGT), REPEAT (or CHK), BAD_REF (or BAD) or REF", kind)
		}
		shared, err := split(r, j.System, o.Shared)
		if err != nil {
			return err
		}
		for _, j.System = range shared {
			js = append(js, j)
		}
		return nil
	}
	sep := tabs
	form := headed(o, add)
	switch first := s.first; {
	case strings.Contains(strings.ToLower(first), "workerid"):
		sep = spaces
	case strings.Contains(first, ",") && !strings.Contains(first, "\t"):
		sep, form = commas, appraise(o, add)
	}
	if err := rows(s, sep, form); err != nil {
		return nil, err
	}
	if len(js) == 0 {
		return nil, s.empty()
	}
	return js, nil
}

// addJudgement takes a judgement whose kind and score are still text.
type addJudgement func(r *row, j human.Judgement, kind string, score int) error

// headed reads tables with a header.
func headed(o JudgementOptions, add addJudgement) func(r *row) error {
	var h header
	var judge, system, segment, score int
	kind, source, target := -1, -1, -1
	name := strings.ToLower(o.Column)
	if name == "" {
		name = "score"
	}
	return func(r *row) error {
		if h.names == nil {
			h = headerOf(r.fields)
			kind, source, target = h.find("kind", "type"), h.find("source", "input.src"), h.find("target", "input.trg")
			segments := segmentNames
			if h.find(judgeNames[2]) >= 0 {
				segments = []string{"sid", "doc_id"}
			}
			return h.locate(r, column{&judge, judgeNames}, column{&system, systemNames}, column{&segment, segments}, column{&score, []string{name}})
		}
		if err := h.fits(r); err != nil {
			return err
		}
		if err := r.named(judge, system, segment); err != nil {
			return err
		}
		j := human.Judgement{Judge: r.fields[judge], System: r.fields[system], Item: r.fields[segment]}
		if source >= 0 && target >= 0 {
			j.Source, j.Target = r.fields[source], r.fields[target]
		}
		text := ""
		if kind >= 0 {
			text = r.fields[kind]
		}
		return add(r, j, text, score)
	}
}

// appraise reads Appraise's export.
func appraise(o JudgementOptions, add addJudgement) func(r *row) error {
	return func(r *row) error {
		// judge, system, segment, kind, languages, score, start and end
		if len(r.fields) < 9 {
			return r.errorf("%d columns: want at least the nine of Appraise: judge, system, segment, kind, source and target language, score, start, end", len(r.fields))
		}
		if err := r.named(0, 1, 2); err != nil {
			return err
		}
		j := human.Judgement{Judge: r.fields[0], System: r.fields[1], Item: r.fields[2], Source: r.fields[4], Target: r.fields[5]}
		whole := strings.EqualFold(r.fields[8], "true")
		switch {
		case whole || strings.EqualFold(r.fields[8], "false"):
			if err := r.named(7); err != nil {
				return err
			}
			if whole != o.Documents {
				return nil
			}
			if j.Item = r.fields[7]; !whole {
				j.Item += "::" + r.fields[2]
			}
		case !numeric(r.fields[7]):
			return r.errorf("columns 8 and 9 are %q and %q: want a document and whether the score is of all of it, True or False, or the start and the end", r.fields[7], r.fields[8])
		case o.Documents:
			return r.errorf("no document: the file has no scores of whole documents")
		}
		return add(r, j, r.fields[3], 6)
	}
}

func kindOf(text string) (human.Kind, bool) {
	switch strings.ToUpper(text) {
	case "", "SYSTEM", "TGT":
		return human.SystemOutput, true
	case "REPEAT", "CHK":
		return human.Repeat, true
	case "BAD_REF", "BAD-REF", "BAD":
		return human.Degraded, true
	case "REF":
		return human.Reference, true
	}
	return 0, false
}

// split returns the names that are joined in one.
func split(r *row, name, join string) ([]string, error) {
	if join == "" {
		return []string{name}, nil
	}
	names := strings.Split(name, join)
	for _, n := range names {
		if n == "" {
			return nil, r.errorf("%q has an empty name between %q", name, join)
		}
	}
	return names, nil
}
