package misuse

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/mbr"
	"github.com/mteval/mteval/mert"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/selection"
	"github.com/mteval/mteval/stream"
	"github.com/mteval/mteval/study"
	"github.com/mteval/mteval/tokenize/spm"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune"
)

// runStream scores a line with some options changed.
func runStream(in io.Reader, w io.Writer, set func(*stream.Options)) error {
	o := stream.Options{Metrics: []stream.Metric{{Scorer: new(chrf.Scorer)}}, Layout: stream.Layout{Hypothesis: "1", References: []string{"2"}, NoHeader: true}}
	if set != nil {
		set(&o)
	}
	_, err := stream.Run(context.Background(), in, w, o)
	return err
}

// What the errors, and the panics, of single mistakes say.
func TestMessages(t *testing.T) {
	ctx := context.Background()
	refs, hyps := [][]string{{"a b"}, {"c"}}, []string{"a b", "c"}
	line := func() io.Reader { return strings.NewReader("a b\ta b\n") }
	options := func(set func(*stream.Options)) func() error {
		return func() error { return runStream(line(), io.Discard, set) }
	}
	for want, do := range map[string]func() error{
		"stream: the Filter has no Keep": options(func(o *stream.Options) { o.Filter = new(stream.Filter) }),
		"stream: no reader":              func() error { return runStream(nil, io.Discard, nil) },
		"stream: no writer":              func() error { return runStream(line(), nil, nil) },
		"stream: no metric: it is nil":   options(func(o *stream.Options) { o.Metrics = []stream.Metric{{}} }),
		"stream: Corpus is a nil *bleu.Scorer": options(func(o *stream.Options) {
			o.Metrics = []stream.Metric{{Scorer: new(bleu.Scorer), Corpus: (*bleu.Scorer)(nil)}}
		}),
		"stream: 1073741824 decimals": options(func(o *stream.Options) { o.Decimals = 1 << 30 }),
		`stream: metric "m" has rows of 0 numbers`: options(func(o *stream.Options) {
			o.Metrics = []stream.Metric{{Scorer: broken{name: "m"}}}
		}),
		`metric "m" appended 2 numbers for 1 hypotheses: its Width is 1`: options(func(o *stream.Options) {
			o.Metrics = []stream.Metric{{Scorer: broken{name: "m", width: 1, numbers: 2}}}
		}),
		"the reader says that it read -1 bytes":    func() error { return runStream(lying(-1), io.Discard, nil) },
		"the reader says that it read 65537 bytes": func() error { return runStream(lying(1<<16+1), io.Discard, nil) },
		"totals 1 are nil": func() error {
			_, err := stream.Add(stream.Options{Metrics: []stream.Metric{{Scorer: new(chrf.Scorer)}}, Layout: stream.Layout{Hypothesis: "1", References: []string{"2"}}}, nil)
			return err
		},
		"no metric: it is nil": func() error { _, err := mteval.Corpus(ctx, nil, refs, hyps); return err },
		`metric "m" has rows of 1099511627776 numbers`: func() error {
			_, err := mteval.Systems(ctx, broken{name: "m", width: huge}, refs, []mteval.System{{Hyps: hyps}})
			return err
		},
		`metric "m" appended 4 numbers for 2 hypotheses: its Width is 3`: func() error {
			_, err := mteval.Corpus(ctx, broken{name: "m", width: 3, numbers: 2}, refs, hyps)
			return err
		},
		`metric "m" gave a NaN in the row of hypothesis 1`: func() error {
			_, err := mteval.Corpus(ctx, broken{name: "m", width: 1, numbers: 1, number: math.NaN()}, refs, hyps)
			return err
		},
		`metric "m": its Prepare returned nil`: func() error {
			_, err := mteval.Corpus(ctx, broken{name: "m", width: 1, nothing: true}, refs, hyps)
			return err
		},
		"panic: mteval: NewTable of 1 systems and -1 segments": func() error {
			mteval.NewTable(new(bleu.Scorer), []string{"a"}, -1)
			return nil
		},
		"panic: mteval: NewTable of 1 systems and 1099511627776 segments": func() error {
			mteval.NewTable(new(bleu.Scorer), []string{"a"}, huge)
			return nil
		},
		"panic: mteval: NewTable: no metric": func() error { mteval.NewTable(nil, nil, 0); return nil },
		"mert: no metric": func() error {
			_, err := mert.New(ctx, nil, refs, [][]mert.Candidate{{{Text: "a"}}, {{Text: "b"}}})
			return err
		},
		`mert: metric "m" appended 4 numbers for 2 hypotheses`: func() error {
			_, err := mert.New(ctx, broken{name: "m", width: 1, numbers: 2}, refs, [][]mert.Candidate{{{Text: "a"}}, {{Text: "b"}}})
			return err
		},
		"mbr: the Decoder was not made by New": func() error {
			_, err := new(mbr.Decoder).Decode(ctx, mbr.Segment{Candidates: hyps})
			return err
		},
		"mbr: no Result to set": func() error {
			d, err := mbr.New(new(chrf.Scorer), mbr.Options{})
			if err != nil {
				return err
			}
			return d.DecodeTo(ctx, nil, mbr.Segment{Candidates: hyps})
		},
		`mbr: metric "m" appended 4 numbers`: func() error {
			d, err := mbr.New(brokenPairs{broken{name: "m", width: 1, numbers: 2}}, mbr.Options{})
			if err != nil {
				return err
			}
			_, err = d.Decode(ctx, mbr.Segment{Candidates: hyps, References: []string{"d"}})
			return err
		},
		`mbr: metric "m": the utility of candidate 1 is NaN`: func() error {
			d, err := mbr.New(broken{name: "m", width: 1, numbers: 1, number: math.NaN()}, mbr.Options{})
			if err != nil {
				return err
			}
			_, err = d.Decode(ctx, mbr.Segment{Candidates: hyps})
			return err
		},
		"cache: the Encoder was not made with NewEncoder": func() error {
			_, err := new(cache.Encoder).Tokenize(ctx, nil, hyps, 0)
			return err
		},
		"cache: no encoder: it is nil": func() error { _, err := cache.NewEncoder((*cache.Encoder)(nil), cache.Options{}); return err },
		"backendtest: no open":         func() error { return backendtest.Test(nil, backendtest.Options{}) },
		"panic: selection: Random for -1 segments": func() error {
			selection.Random(-1, 0)
			return nil
		},
		"panic: selection: Random for 1099511627776 segments": func() error {
			selection.Random(huge, 0)
			return nil
		},
		"study: the order of 1099511627776 systems": func() error { _, err := study.ChanceOf(huge, .05); return err },
		"study: alpha NaN":                          func() error { _, err := study.ChanceOf(5, math.NaN()); return err },
		"tune: no files":                            func() error { _, err := tune.OpenFiles(ctx, nil, tune.SetOptions{}); return err },
		"tunable: 2 statistics were appended for 1 texts": func() error {
			_, err := tunable.Keep(ctx, brokenTunable{broken{width: 1, numbers: 2}}, refs[1:], nil, hyps[1:])
			return err
		},
		"multilevel: a mix of two metrics: no metric": func() error {
			_, err := multilevel.NewMix((*bleu.Scorer)(nil), new(chrf.Scorer), .5)
			return err
		},
		"bleu: Tokenizer is a nil *spm.Tokenizer": func() error {
			_, err := bleu.New(bleu.Options{Tokenizer: (*spm.Tokenizer)(nil)})
			return err
		},
		"files: 1073741824 columns": func() error { _, err := (&files.Text{Lines: hyps}).Columns(1 << 30); return err },
		"files: a Text of references or outputs is nil": func() error {
			_, err := files.NewCorpus([]*files.Text{nil}, nil)
			return err
		},
		"x:1: no reader: it is nil": func() error { _, err := files.ReadScores(nil, "x", files.Options{}); return err },
	} {
		if got := message(do); !strings.Contains(got, want) {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
}

// lying is a reader that says so of how much it read.
type lying int

func (n lying) Read([]byte) (int, error) { return int(n), nil }

// A million workers are no million goroutines.
func TestManyWorkers(t *testing.T) {
	var most atomic.Int64
	err := runStream(strings.NewReader(strings.Repeat("a b\ta b\n", 20_000)), io.Discard, func(o *stream.Options) {
		o.Workers = 1_000_000
		o.Filter = &stream.Filter{Keep: func([]float64) (bool, error) {
			most.Store(max(most.Load(), int64(runtime.NumGoroutine())))
			return true, nil
		}}
	})
	if n := most.Load(); err != nil || n == 0 || n > 1000 {
		t.Errorf("%d goroutines, %v", n, err)
	}
}

// message is that of an error, or after "panic: " of a panic.
func message(do func() error) (out string) {
	defer func() {
		if p := recover(); p != nil {
			out = fmt.Sprint("panic: ", p)
		}
	}()
	return fmt.Sprint(do())
}
