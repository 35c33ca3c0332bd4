package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/ranking"
)

// humanFormats are the kinds of files of what people said.
var humanFormats = []string{"scores", "systems", "wmt-segments", "wmt-systems", "pairs"}

// formatNames says them in words.
var formatNames = map[string]string{
	"scores": "scores of segments", "systems": "scores of systems",
	"wmt-segments": "WMT's scores of segments", "wmt-systems": "WMT's scores of systems", "pairs": "pairs",
}

// people is what people said. One of scores, pairs and systems is there at least.
type people struct {
	path, format string
	// read says what was read.
	read string
	// column is raw or z, of WMT's files.
	column string
	// scores of segments, and how many judgements each rests on, if that is known.
	scores, judgements *metaeval.Scores
	pairs              *human.Pairs
	// systems has scores of systems, with one item, and systemsPath where they are from
	// if that is another file.
	systems     *metaeval.Scores
	systemsPath string
}

// names are the systems that people judged.
func (p *people) names() []string {
	var out []string
	if p.scores != nil {
		out = append(out, p.scores.Systems...)
	}
	if p.pairs != nil {
		out = append(out, p.pairs.Systems...)
	}
	if p.systems != nil {
		out = append(out, p.systems.Systems...)
	}
	return unique(out)
}

// describe says what is there.
func (p *people) describe() string {
	var b strings.Builder
	if p.path != "" {
		fmt.Fprintf(&b, "%s: %s", p.path, formatNames[p.format])
		if p.column != "" {
			fmt.Fprintf(&b, " (%s)", p.column)
		}
	}
	switch {
	case p.scores != nil:
		fmt.Fprintf(&b, ", %d of %d systems on %d segments", present(p.scores), len(p.scores.Systems), len(p.scores.Items))
	case p.pairs != nil:
		fmt.Fprintf(&b, ", %d of %d systems on %d segments", len(p.pairs.Pairs), len(p.pairs.Systems), len(p.pairs.Items))
	case p.systemsPath == "":
		fmt.Fprintf(&b, ", %d", len(p.systems.Systems))
	}
	if p.systemsPath != "" {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: scores of systems, %d", p.systemsPath, len(p.systems.Systems))
	}
	return b.String()
}

// present counts the scores that there are.
func present(s *metaeval.Scores) int {
	n := 0
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

func (a *app) readPeople(ctx context.Context, o *metaOptions) (*people, error) {
	p := &people{}
	if o.human != "" {
		if err := a.readHumanFile(ctx, o, p); err != nil {
			return nil, err
		}
	}
	if o.humanScore != "" && p.column == "" {
		return nil, errors.New("--human-score is of WMT's files, which have two scores")
	}
	if o.pair != "" && p.pairs == nil {
		return nil, errors.New("--lp is of a file of pairs")
	}
	if o.humanSystem != "" {
		if p.systems != nil {
			return nil, fmt.Errorf("%s has scores of systems already: leave --human-system out", p.path)
		}
		hs, err := a.readHuman(ctx, o.humanSystem, nil)
		if err != nil {
			return nil, err
		}
		p.systems, p.systemsPath = systemScores(hs), o.humanSystem
	}
	p.read = p.describe()
	return p, nil
}

// exclude leaves out systems.
func (p *people) exclude(excluded func(system string) bool) error {
	if len(slices.DeleteFunc(p.names(), excluded)) == 0 {
		return errors.New("--exclude leaves no system")
	}
	for _, s := range []**metaeval.Scores{&p.scores, &p.judgements, &p.systems} {
		if *s == nil {
			continue
		}
		var err error
		if *s, err = (*s).Select(slices.DeleteFunc(slices.Clone((*s).Systems), excluded), (*s).Items); err != nil {
			return err
		}
	}
	if p.pairs == nil {
		return nil
	}
	out := &human.Pairs{Items: p.pairs.Items}
	at := make([]int, len(p.pairs.Systems))
	for k, name := range p.pairs.Systems {
		at[k] = -1
		if !excluded(name) {
			at[k] = len(out.Systems)
			out.Systems = append(out.Systems, name)
		}
	}
	for _, c := range p.pairs.Pairs {
		if c.A, c.B = at[c.A], at[c.B]; c.A >= 0 && c.B >= 0 {
			out.Pairs = append(out.Pairs, c)
		}
	}
	p.pairs = out
	return nil
}

func (a *app) readHumanFile(ctx context.Context, o *metaOptions, p *people) error {
	p.path, p.format = o.human, o.humanFormat
	if p.format == "" {
		if readOnce(o.human) {
			return fmt.Errorf("--human %s: say what it is with --human-format, as it can't be read twice", o.human)
		}
		f, err := a.read(ctx, o.human)
		if err != nil {
			return err
		}
		if p.format, err = humanFormatOf(o.human, firstLine(f.Lines)); err != nil {
			return err
		}
	}
	column := func(fallback string) string {
		if p.column = o.humanScore; p.column == "" {
			p.column = fallback
		}
		return p.column
	}
	var err error
	switch p.format {
	case "scores":
		p.scores, err = await(ctx, func() (*metaeval.Scores, error) { return human.ReadScores(o.human) })
	case "systems":
		var hs []ranking.Human
		if hs, err = a.readHuman(ctx, o.human, nil); err == nil {
			p.systems = systemScores(hs)
		}
	case "wmt-segments":
		var s *human.SegmentScores
		if s, err = await(ctx, func() (*human.SegmentScores, error) { return human.ReadSegments(o.human) }); err != nil {
			return err
		}
		fallback := "raw"
		if o.level == "system" {
			fallback = "z"
		}
		p.scores, p.judgements = s.Raw, s.N
		if column(fallback) == "z" {
			p.scores = s.Z
		}
	case "wmt-systems":
		var all []human.SystemScore
		if all, err = await(ctx, func() ([]human.SystemScore, error) { return human.ReadSystems(o.human) }); err != nil {
			return err
		}
		z := column("z") == "z"
		var hs []ranking.Human
		for _, s := range all {
			h := ranking.Human{System: s.System, Score: s.Raw}
			if z {
				h.Score = s.Z
			}
			hs = append(hs, h)
		}
		p.systems = systemScores(hs)
	case "pairs":
		p.pairs, err = await(ctx, func() (*human.Pairs, error) { return human.ReadPairs(o.human, o.pair) })
	}
	if err == nil && o.level == "segment" && p.systems != nil {
		return fmt.Errorf("%s has scores of systems: --level segment needs those of segments, or pairs", o.human)
	}
	return err
}

// systemScores makes one item of scores of systems.
func systemScores(hs []ranking.Human) *metaeval.Scores {
	var names []string
	for _, h := range hs {
		names = append(names, h.System)
	}
	s := metaeval.NewScores(names, []string{""})
	for k, h := range hs {
		s.Set(k, 0, h.Score)
	}
	return s
}

// humanFormatOf tells by its first line what a file is.
func humanFormatOf(path, line string) (string, error) {
	fields := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return strings.ContainsRune("\t ,\"", r) })
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(fields, n) })
	}
	hasOne := func(names []string) bool { return slices.ContainsFunc(names, func(n string) bool { return has(n) }) }
	switch {
	case has("raw.scr", "z.scr", "n.all"):
		return "wmt-systems", nil
	case has("raw.scr", "z.scr"):
		return "wmt-segments", nil
	case has("better", "worse"), has("a", "b", "result"):
		return "pairs", nil
	case hasOne([]string{"judge", "rater", "workerid", "judgeid", "severity"}):
		return "", fmt.Errorf("%s: judgements of single judges: give averages of them, as package human makes, or say with --human-format what it is", path)
	case strings.Count(line, "\t") == 1:
		return "systems", nil
	}
	return "scores", nil // whose reader says what is wrong with it
}

// readOnce says whether a file is standard input, a pipe or the like.
func readOnce(path string) bool {
	at, err := os.Stat(path)
	return path == "-" || err == nil && !at.Mode().IsRegular() && !at.IsDir()
}

// firstLine is the first that is not blank.
func firstLine(lines []string) string {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return l
		}
	}
	return ""
}
