package meta

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/meta"
)

// people is what people said, and where it is from.
type people struct {
	meta.People
	path        string
	form        files.Form
	column      string // raw or z, of WMT's files
	systemsPath string // of Systems, if that is another file
	// tree that it is of, nil: none. It has no scores of the level by metrics that are left.
	tree    *judgedPair
	part    treePart
	systems bool // whether it is of systems
	left    []string
}

func readPeople(ctx context.Context, a *app.App, o *app.MetaOptions) (*people, error) {
	p := &people{}
	if o.Human != "" {
		if err := readHumanFile(ctx, a, o, p); err != nil {
			return nil, err
		}
	}
	if o.HumanScore != "" && p.column == "" {
		return nil, errors.New("--human-score is of WMT's files, which have two scores")
	}
	if o.Pair != "" && p.Pairs == nil {
		return nil, errors.New("--lp is of a file of pairs")
	}
	if o.HumanSystem == "" {
		return p, nil
	}
	if p.Systems != nil {
		return nil, fmt.Errorf("%s has scores of systems already: leave --human-system out", p.path)
	}
	var err error
	p.Systems, err = files.OpenSystems(ctx, o.HumanSystem, nil, a.Reading())
	p.systemsPath = o.HumanSystem
	return p, app.Advise(err)
}

// readHumanFile reads what stands in --human.
func readHumanFile(ctx context.Context, a *app.App, o *app.MetaOptions, p *people) error {
	f, err := files.OpenPeople(ctx, o.Human, files.PeopleOptions{Options: a.Reading(), Form: o.HumanFormat, Pair: o.Pair})
	switch {
	case errors.Is(err, files.ErrSingleJudges):
		return fmt.Errorf("%w, or say with --human-format what it is", err)
	case err != nil:
		return app.Advise(err)
	}
	column := o.HumanScore
	if column == "" {
		column = map[string]string{"segment": "raw", "system": "z"}[o.Level]
	}
	p.path, p.form, p.Pairs = o.Human, f.Form, f.Pairs
	if f.Form.TwoScores() {
		p.column = column
	}
	p.Scores, p.Judgements = f.SegmentScores(column == "z")
	if p.Systems = f.SystemScores(column == "z"); p.Systems != nil && o.Level == "segment" {
		return fmt.Errorf("%s has scores of systems: --level segment needs those of segments, or pairs", o.Human)
	}
	return nil
}

// judged are the segments that people judged, which metrics' are lined up with; nil if what they said of
// systems counts.
func (p *people) judged(level string) *files.Segments {
	switch {
	case level == "system" && (p.Systems != nil || p.Pairs != nil):
	case p.Pairs != nil:
		return &files.Segments{Name: p.path, Items: p.Pairs.Items}
	case p.Scores != nil:
		return &files.Segments{Name: p.path, Items: p.Scores.Items}
	}
	return nil
}

// locate says which file an error of what people said, beside metrics, is about.
func (p *people) locate(ctx context.Context, err error) error {
	path := p.path
	if path == "" {
		path = p.systemsPath
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// describe says what is there.
func (p *people) describe() string {
	if p.tree != nil {
		return p.describeTree()
	}
	var b strings.Builder
	if p.path != "" {
		fmt.Fprintf(&b, "%s: %s", p.path, p.form.Title())
		if p.column != "" {
			fmt.Fprintf(&b, " (%s)", p.column)
		}
	}
	switch {
	case p.Scores != nil:
		fmt.Fprintf(&b, ", %d of %d systems on %d segments", p.Scores.Present(), len(p.Scores.Systems), len(p.Scores.Items))
	case p.Pairs != nil:
		fmt.Fprintf(&b, ", %d of %d systems on %d segments", len(p.Pairs.Pairs), len(p.Pairs.Systems), len(p.Pairs.Items))
	case p.systemsPath == "":
		fmt.Fprintf(&b, ", %d", p.Systems.Present())
	}
	if p.systemsPath != "" {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: scores of systems, %d", p.systemsPath, p.Systems.Present())
	}
	return b.String()
}
