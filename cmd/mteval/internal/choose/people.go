package choose

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/selection"
)

// judge brings people's scores into the order of the segments, and leaves out the systems without.
func (in *selectInput) judge(ctx context.Context) (err error) {
	if in.tree != nil {
		in.Human, err = in.Human.Select(app.SystemNames(in.Systems), in.Segments)
		return err
	}
	if in.Human == nil {
		if err := in.readPeople(ctx); err != nil {
			return err
		}
	}
	fit, err := in.Judge(in.options.human, in.Human)
	in.noteSystems(in.options.human, fit)
	in.run.Systems = in.Systems
	return err
}

// readPeople reads --human.
func (in *selectInput) readPeople(ctx context.Context) error {
	o := in.options
	reading := in.app.Reading()
	reading.Beside = in.lines()
	f, err := files.OpenPeople(ctx, o.human, files.PeopleOptions{Options: reading, Form: o.humanFormat, Pair: o.pair})
	if errors.Is(err, files.ErrSingleJudges) {
		return fmt.Errorf("%w, or say with --human-format what it is", err)
	}
	if err != nil {
		return app.Advise(err)
	}
	if f.Pairs != nil {
		if in.Human, err = selection.NetWins(f.Pairs); err != nil {
			return fmt.Errorf("%s: %w", o.human, err)
		}
		return nil
	}
	if o.pair != "" {
		return errors.New("--lp is of a file of pairs, or of --mtme")
	}
	if o.humanScore != "" && !f.Form.TwoScores() {
		return errors.New("--human-score is of WMT's files, which have two scores, or of --mtme")
	}
	if in.Human, _ = f.SegmentScores(o.humanScore == "z"); in.Human == nil {
		return fmt.Errorf("%s has %s: --evaluate needs those of segments, or pairs", o.human, f.Form.Title())
	}
	return nil
}
