package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"strings"

	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/distributed"
	"github.com/mteval/mteval/internal/jsonline"
)

// options are what flags say.
type options struct {
	inputs, metrics, given, aware list
	read                          distributed.ReadOptions
	references                    list
	output                        string
	shards                        int
	bootstrap                     distributed.BootstrapOptions
	maxTokens                     int
	pool                          int
}

// A text is a flag that may not be empty, as a shell leaves it where a variable is not set: it would
// be taken for one that is not given.
type text string

func (t *text) String() string { return string(*t) }

func (t *text) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return errEmpty
	}
	*t = text(s)
	return nil
}

var errEmpty = errors.New("the value is empty: give one, or leave the flag out")

// A list is a flag that is repeated. No part of a value, between commas or before and behind a =, is
// empty, but in a pattern of files or the JSON of options.
type list struct {
	all  []string
	each func(s string) []string // the parts of a value; nil: it is one
}

func (l *list) String() string { return strings.Join(l.all, " ") }

func (l *list) Set(s string) error {
	parts := []string{s}
	if l.each != nil {
		parts = l.each(s)
	}
	for _, p := range parts {
		if strings.TrimSpace(p) == "" {
			return errEmpty
		}
	}
	l.all = append(l.all, s)
	return nil
}

func commas(s string) []string { return strings.Split(s, ",") }

func pair(s string) []string { return strings.SplitN(s, "=", 2) }

func newOptions(fs *flag.FlagSet) *options {
	o := new(options)
	o.metrics.each, o.given.each = commas, pair
	o.aware.each = func(s string) []string { return append(pair(s), commas(s)...) }
	fs.Var(&o.inputs, "input", "`pattern` of files to read, local, gs:// or s3:// (repeat for several)")
	fs.Var((*text)(&o.read.Format), "format", "tsv or jsonl (default by the files' names and first lines)")
	fs.Var((*text)(&o.read.Columns.Hypothesis), "hypothesis", "`column` or field of hypotheses (default hypothesis)")
	fs.Var(&o.references, "reference", "`column` or field of references (default reference or references; repeat for several)")
	fs.Var(&o.references, "r", "`column`: --reference")
	fs.BoolVar(&o.read.Columns.SkipEmptyRefs, "skip-empty-refs", false, "an empty one of several references is a missing one, not an empty one")
	fs.Var((*text)(&o.read.Columns.Source), "source", "`column` or field of sources (default source)")
	fs.Var((*text)(&o.read.Columns.Segment), "segment", "`column` or field that names the segment (default segment)")
	fs.Var((*text)(&o.read.Columns.System), "system", "`column` or field that names the system (default system)")
	fs.Var((*text)(&o.read.Columns.ID), "record-id", "`column` or field that names the record (default id)")
	fs.IntVar(&o.read.MaxLine, "max-line", 64<<20, "longest line in `bytes`")
	fs.Var(&o.metrics, "m", "`metrics`, with commas between (repeat for several): "+strings.Join(distributed.Registered(), ", "))
	fs.Var(&o.metrics, "metrics", "`metrics`: -m")
	fs.Var(&o.given, "metric-options", "`METRIC=JSON`: options of a metric (repeat for several)")
	fs.Var(&o.aware, "difficulty", "`METRIC=FORM`: a metric aware of difficulty, too; the form is paper, normalized, combined or released, with ,leave-one-out behind it or not (repeat for several)")
	fs.IntVar(&o.maxTokens, "max-tokens", 100_000, "most `tokens` of a text, of metrics whose options do not say; 0: no limit")
	fs.Var((*text)(&o.output), "o", "`prefix` of files to write: .systems.jsonl, .intervals.jsonl, .segments-…, .bad-…")
	fs.Var((*text)(&o.output), "output", "`prefix`: -o")
	fs.IntVar(&o.shards, "shards", 1, "`files` that segments' scores, and what is bad, are written to; a worker has one in memory")
	fs.IntVar(&o.bootstrap.Samples, "bootstrap", 0, "`samples` of segments for intervals; 0: none")
	fs.BoolVar(&o.bootstrap.Poisson, "bootstrap-poisson", false, "draw segments by Poisson's distribution, for systems whose rows do not fit in a worker's memory")
	fs.Uint64Var(&o.bootstrap.Seed, "seed", 12345, "`seed` of the samples")
	fs.IntVar(&o.pool, "worker-pool", -1, "do nothing but give workers to a job server that asks at this `port` of localhost, 0 for any (--environment_type EXTERNAL of the job)")
	return o
}

// A job is what a pipeline does.
type job struct {
	inputs       []string
	read         distributed.ReadOptions
	descriptions []distributed.Description
	names        []string
	output       string
	shards       int
	bootstrap    *distributed.BootstrapOptions
}

// job checks the options.
func (o *options) job() (*job, error) {
	if len(o.inputs.all) == 0 {
		return nil, errors.New("no --input: a pattern of files to read")
	}
	if o.output == "" {
		return nil, errors.New("no -o: a prefix of files to write")
	}
	if o.shards < 1 || o.shards > 99_999 {
		return nil, fmt.Errorf("--shards %d is not in 1 to 99999", o.shards)
	}
	j := &job{inputs: o.inputs.all, read: o.read, output: o.output, shards: o.shards}
	j.read.Columns.References = o.references.all
	if err := j.read.Check(); err != nil {
		return nil, err
	}
	if o.bootstrap.Samples != 0 {
		if err := o.bootstrap.Check(); err != nil {
			return nil, err
		}
		j.bootstrap = &o.bootstrap
	} else if o.bootstrap.Poisson {
		return nil, errors.New("--bootstrap-poisson without --bootstrap")
	}
	given, err := o.metricOptions()
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	describe := func(metric string) distributed.Description {
		used[metric] = true
		return distributed.Description{Metric: metric, Options: given(metric)}
	}
	for _, names := range o.metrics.all {
		for name := range strings.SplitSeq(names, ",") {
			j.descriptions = append(j.descriptions, describe(name))
		}
	}
	for _, a := range o.aware.all {
		metric, form, _ := strings.Cut(a, "=")
		d := describe(metric)
		if d.Difficulty, err = difficultyOf(form); err != nil {
			return nil, fmt.Errorf("--difficulty %s: %w", a, err)
		}
		j.descriptions = append(j.descriptions, d)
	}
	for _, g := range o.given.all {
		if metric, _, _ := strings.Cut(g, "="); !used[metric] {
			return nil, fmt.Errorf("--metric-options %s: no such metric is asked for", g)
		}
	}
	if err := distributed.Check(j.descriptions); err != nil {
		return nil, err
	}
	for _, d := range j.descriptions {
		j.names = append(j.names, d.ScoreName())
	}
	return j, nil
}

// metricOptions returns what gives the options of a metric.
func (o *options) metricOptions() (func(metric string) json.RawMessage, error) {
	all := map[string]map[string]json.RawMessage{}
	for _, g := range o.given.all {
		metric, text, ok := strings.Cut(g, "=")
		var fields map[string]json.RawMessage
		if !ok || json.Unmarshal([]byte(text), &fields) != nil || fields == nil {
			return nil, fmt.Errorf("--metric-options %s: want METRIC={…}, a JSON object", g)
		}
		if err := jsonline.CheckKeys(text, &fields); err != nil {
			return nil, fmt.Errorf("--metric-options %s: %w", metric, err)
		}
		if all[metric] != nil {
			return nil, fmt.Errorf("--metric-options of %s twice", metric)
		}
		all[metric] = fields
	}
	if o.maxTokens < 0 {
		return nil, fmt.Errorf("--max-tokens %d is below 0", o.maxTokens)
	}
	return func(metric string) json.RawMessage {
		fields := maps.Clone(all[metric])
		if fields == nil {
			fields = map[string]json.RawMessage{}
		}
		if _, ok := fields["max-tokens"]; !ok {
			fields["max-tokens"] = json.RawMessage(fmt.Sprint(o.maxTokens))
		}
		out, _ := json.Marshal(fields) // of values that were read
		return out
	}, nil
}

func difficultyOf(form string) (*difficulty.Options, error) {
	name, own, _ := strings.Cut(form, ",")
	var out difficulty.Options
	switch name {
	case "paper":
		out = difficulty.Paper()
	case "normalized":
		out = difficulty.Normalized()
	case "combined":
		out = difficulty.Combined()
	case "released":
		out = difficulty.Released()
	default:
		return nil, fmt.Errorf("no form %q: there are paper, normalized, combined and released", name)
	}
	switch own {
	case "":
	case "leave-one-out":
		out.LeaveOneOut = true
	default:
		return nil, fmt.Errorf("%q behind the form: only leave-one-out may be", own)
	}
	return &out, nil
}
