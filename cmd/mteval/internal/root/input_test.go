package root_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/scoring"
)

// Errors of metrics name the flags that help.
func TestAdviseMetric(t *testing.T) {
	at := &scoring.TextError{Metric: "dreem", Place: "ref.de:17", Err: errors.New("bad tree")}
	long, cut := *at, *at
	long.Err = fmt.Errorf("%w: 120000 tokens, more than the limit of 100000", mteval.ErrTooLong)
	cut.Err = fmt.Errorf("%w (512 tokens)", backend.ErrTruncated)
	for _, tt := range []struct {
		err  error
		want string
	}{
		{at, "ref.de:17: dreem: bad tree"},
		{fmt.Errorf("--method x: %w", &long), "--method x: ref.de:17: text is too long: 120000 tokens, more than the limit of 100000 (--max-tokens)"},
		{&cut, "ref.de:17: dreem: text is longer than the model takes (the option long=cut scores its beginning)"},
		{&scoring.MissingError{Metric: "comet", Sources: true}, "comet: no source: it reads what was translated: name its file with --source"},
		{&scoring.MissingError{Metric: "comet", Sources: true, References: true}, "comet: no source, and no reference: name files with --source or -r"},
		{&scoring.MissingError{Metric: "bleu", References: true}, "bleu reads references: name a file with -r"},
		{long.Err, long.Err.Error()},
	} {
		if got := app.AdviseMetric(tt.err); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.err, got, tt.want)
		}
	}
}
