package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/rows"
)

// A Metric is one that lines are scored with.
//
// Its methods are the Scorer's, which panics where there is none.
type Metric struct {
	mteval.Scorer
	// Corpus scores the sum of all rows, for the totals; nil is the Scorer itself. BLEU's is one
	// without effective order.
	Corpus mteval.Scorer
}

// check returns an error for a scorer that is nil or has no width.
func (m *Metric) check() error {
	if err := rows.CheckScorer(m.Scorer); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	if err := contract.Option("Corpus", m.Corpus); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	return nil
}

// corpus is the scorer of sums.
func (m *Metric) corpus() mteval.Scorer {
	if m.Corpus != nil {
		return m.Corpus
	}
	return m.Scorer
}

// OnError says what becomes of a line that can't be read or scored.
type OnError string

// The ways.
const (
	// Fail ends the run at the first such line, and is the zero value, too.
	Fail OnError = "fail"
	// Skip leaves such lines out. Where all lines, two or more, have errors, and the run is of no shard, it
	// ends with ErrNoScores, as with Null.
	Skip OnError = "skip"
	// Null gives such a line empty cells, or null in JSON. A line that has no place for them (it
	// is no JSON object, its columns are not as many as those of others, or it is longer than
	// the limit) ends the run.
	Null OnError = "null"
)

// A Filter chooses the lines that are written.
type Filter struct {
	// Text says what it does, so that a run goes on with the same filter only.
	Text string
	// Variables are those that Keep takes the values of, each one of those of [Variables].
	Variables []string
	// Keep says whether a line is written. It keeps no values, and is called by several
	// goroutines at a time. An error is one of the line. A line with an error has no
	// scores, and is not written, whatever OnError says.
	Keep func(values []float64) (bool, error)
}

// A Shard is one of several parts of the lines: line k (from 1, without the header) is of shard
// (k−1) mod Of + 1. So the lines of the shards' outputs, one of each in turn, are the whole.
type Shard struct {
	Number int `json:"number"` // from 1 to Of; the zero value is all lines
	Of     int `json:"of"`
}

// Options of a run. What has no zero value that it says something of must be there.
type Options struct {
	Metrics []Metric // with names that differ, one at least
	Layout  Layout
	OnError OnError
	Filter  *Filter // nil: all lines are written
	Shard   Shard
	// Also are options on which the scores depend and that no metric's signature has, such as a limit
	// of tokens: a run that goes on, and totals that are added, must have the same.
	Also []Option
	// MaxLine bounds a line, in bytes; 0 is [files.MaxLine].
	MaxLine int64
	// Decimals of the scores; negative: 6 in a table, and in JSON as many as it takes to read the
	// same number again. No more than 100.
	Decimals int
	// Name of the input, for errors.
	Name string
	// Report, unless it is nil, is told of lines with errors where OnError is not Fail, in order.
	Report func(err *files.LineError)
	// End, unless it is nil, is given the totals when all lines are written, and before RunFile
	// puts the file at its path. With an error of it the run fails, and one that goes on calls it
	// again.
	End func(*Totals) error
	// Pack, unless it is nil, appends the data to dst, compressed as a member of its own: members
	// one after the other must be compressed data, too. It is called by several goroutines at a
	// time. Also no data must make a member. Without it lines that come slowly are written some
	// 100 milliseconds after they came; with it a member waits for its last line, so that the
	// output does not depend on time.
	Pack func(dst, data []byte) ([]byte, error)
	// Workers is how many blocks are scored at a time; not positive: GOMAXPROCS.
	Workers int

	blockLines, blockBytes int // 0: the standard
	checkpoint             time.Duration
}

// The standard size of a block: enough for a model to work on and for a member to be compressed
// well, and little enough for memory.
const (
	blockLines = 512
	blockBytes = 1 << 18
)

const maxDecimals = 100

// Run scores the lines of r, which may be of gzip data, and writes them to w. It returns the
// totals also with an error, of the lines that were written till then. Errors of lines are
// *[files.LineError]. After an error r may be read from once more.
func Run(ctx context.Context, r io.Reader, w io.Writer, o Options) (*Totals, error) {
	x, err := newRun(o)
	if err != nil {
		return nil, err
	}
	if contract.Nil(w) {
		return nil, fmt.Errorf("stream: %w", contract.ErrNoWriter)
	}
	if err := checkReader(r); err != nil {
		return nil, err
	}
	err = x.run(ctx, r, w)
	return &x.state.Totals, err
}

func checkReader(r io.Reader) error {
	if contract.Nil(r) {
		return fmt.Errorf("stream: %w", contract.ErrNoReader)
	}
	return nil
}

// A run is a call of Run or RunFile.
type run struct {
	o         Options
	metrics   []metric
	values    []variable // of the filter
	from      Totals     // where it begins
	begun     bool       // whether its output has something already
	state     state
	save      func() error
	lastSaved time.Time
}

// A metric with what is asked of it for each block.
type metric struct {
	Metric
	info   mteval.Info
	width  int
	inputs mteval.Inputs
	source mteval.SourceScorer // nil: it is given no sources
}

func newRun(o Options) (*run, error) {
	x := &run{o: o}
	if len(o.Metrics) == 0 {
		return nil, errors.New("stream: no metric")
	}
	if o.Decimals > maxDecimals {
		return nil, fmt.Errorf("stream: %d decimals: want at most %d", o.Decimals, maxDecimals)
	}
	if s := o.Shard; s != (Shard{}) && (s.Of < 1 || s.Number < 1 || s.Number > s.Of) {
		return nil, fmt.Errorf("stream: no shard %d of %d", s.Number, s.Of)
	}
	switch o.OnError {
	case "":
		x.o.OnError = Fail
	case Fail, Skip, Null:
	default:
		return nil, fmt.Errorf("stream: OnError %q is none of %s, %s, %s", o.OnError, Fail, Skip, Null)
	}
	if x.o.Shard.Of == 0 {
		x.o.Shard = Shard{1, 1}
	}
	if x.o.MaxLine <= 0 {
		x.o.MaxLine = files.MaxLine
	}
	if x.o.blockLines <= 0 {
		x.o.blockLines = blockLines
	}
	if x.o.blockBytes <= 0 {
		x.o.blockBytes = blockBytes
	}
	x.o.Workers = parallel.Workers(o.Workers)
	if err := x.setMetrics(); err != nil {
		return nil, err
	}
	if err := x.setValues(); err != nil {
		return nil, err
	}
	x.state.Totals = x.newTotals()
	return x, nil
}

// setMetrics looks at what the metrics read, and whether the layout has it.
func (x *run) setMetrics() error {
	l := &x.o.Layout
	if l.Hypothesis == "" {
		return errors.New("stream: no column of hypotheses is named")
	}
	if i := slices.Index(l.References, ""); i >= 0 {
		return fmt.Errorf("stream: reference %d names no column", i+1)
	}
	var names []string
	for _, m := range x.o.Metrics {
		if err := m.check(); err != nil {
			return err
		}
		one := metric{Metric: m, info: m.Info(), width: m.Width(), inputs: mteval.InputsOf(m.Scorer)}
		name := one.info.Name
		if slices.Contains(names, name) {
			return fmt.Errorf("stream: two metrics are called %s", name)
		}
		names = append(names, name)
		if m.Corpus != nil && m.Corpus.Width() != one.width {
			return fmt.Errorf("stream: %s has rows of %d numbers, and of %d for the corpus", name, one.width, m.Corpus.Width())
		}
		source, reads := m.Scorer.(mteval.SourceScorer)
		if reads && l.Source != "" && one.inputs.Sources != mteval.Unused {
			one.source = source
		}
		switch {
		case len(l.References) == 0 && one.inputs.References == mteval.Required:
			return fmt.Errorf("%s: %w: it reads references", name, mteval.ErrNoReference)
		case one.source == nil && (one.inputs.Sources == mteval.Required || reads && len(l.References) == 0):
			return fmt.Errorf("%s: %w: it reads what was translated", name, mteval.ErrNoSource)
		}
		x.metrics = append(x.metrics, one)
	}
	return nil
}

// names are those of the metrics.
func (x *run) names() []string {
	var out []string
	for _, m := range x.metrics {
		out = append(out, m.info.Name)
	}
	return out
}

// setValues looks for the filter's variables.
func (x *run) setValues() error {
	if x.o.Filter == nil {
		return nil
	}
	all, err := x.variables()
	if err != nil {
		return err
	}
	for _, name := range x.o.Filter.Variables {
		i := slices.IndexFunc(all, func(v variable) bool { return v.name == name })
		if i < 0 {
			var have []string
			for _, v := range all {
				have = append(have, v.name)
			}
			return fmt.Errorf("stream: no variable %q: have %s", name, strings.Join(have, ", "))
		}
		x.values = append(x.values, all[i])
	}
	if x.o.Filter.Keep == nil {
		return errors.New("stream: the Filter has no Keep: leave Filter nil to write all lines")
	}
	return nil
}
