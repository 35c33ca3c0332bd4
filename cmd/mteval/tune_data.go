package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tune"
)

// judgedFiles finds the files of a folder or a file of --data or --test. A table of texts with
// scores is the one of Human, and has no others.
func (o *tuneOptions) judgedFiles(path string) (*files.Folder, error) {
	at, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: no such folder or file", path)
	case !at.IsDir():
		return &files.Folder{Human: path}, nil
	}
	names := []string{"human-system.tsv"}
	switch o.fit.Objective {
	case tune.Kendall:
		names = []string{"human-segment-darr.tsv", "human-segment.tsv"}
	case tune.Pearson:
		names = []string{"human-segment.tsv"}
	}
	f, err := files.FindFolder(path, names...)
	if err != nil {
		return nil, fmt.Errorf("%w (--objective %s)", err, o.fit.Objective)
	}
	return f, nil
}

// readJudged reads a folder or a file of --data or --test.
func (a *app) readJudged(ctx context.Context, o *tuneOptions, path string) (*tune.Set, *corpus, error) {
	f, err := o.judgedFiles(path)
	switch {
	case err != nil:
		return nil, nil, err
	case f.Refs == nil:
		return a.readRated(ctx, o, path)
	}
	return a.readSet(ctx, o, filepath.Base(filepath.Clean(path)), f)
}

// readRated reads a table of texts with scores. Each row is a segment.
func (a *app) readRated(ctx context.Context, o *tuneOptions, path string) (*tune.Set, *corpus, error) {
	if o.fit.Objective != tune.Pearson {
		return nil, nil, fmt.Errorf("%s: rows of texts with scores are for --objective pearson, not %s", path, o.fit.Objective)
	}
	rows, err := files.OpenRated(ctx, path, a.reading())
	if err != nil {
		return nil, nil, advise(err)
	}
	s := &tune.Set{Name: files.SystemName(path), Systems: []mteval.System{{}}}
	for _, r := range rows {
		source := r.Source
		if source == "" {
			source = r.Reference // the translation of it
		}
		s.Sources = append(s.Sources, source)
		s.Refs = append(s.Refs, []string{r.Reference})
		s.Systems[0].Hyps = append(s.Systems[0].Hyps, r.Hypothesis)
		s.Scores = append(s.Scores, r.Score)
	}
	return s, &corpus{refs: s.Refs, systems: s.Systems, refPaths: []string{path}, paths: map[string]string{"": path}, rows: true}, nil
}

// readSet reads references, outputs and what people said of them.
func (a *app) readSet(ctx context.Context, o *tuneOptions, name string, f *files.Folder) (*tune.Set, *corpus, error) {
	texts, err := a.readCorpus(ctx, f.Refs, f.Outputs)
	if err != nil {
		return nil, nil, err
	}
	level := "segment"
	if o.fit.Objective == tune.SystemPearson || o.fit.Objective == tune.Accuracy {
		level = "system"
	}
	var p people
	if err := a.readHumanFile(ctx, &metaOptions{human: f.Human, level: level}, &p); err != nil {
		return nil, nil, err
	}
	j := &judgedSet{
		app: a, o: o, files: f, at: make(map[string]int, len(texts.systems)),
		set: &tune.Set{Name: name, Refs: texts.refs, Systems: slices.Clone(texts.systems)},
	}
	for k, sys := range texts.systems {
		j.at[sys.Name] = k
	}
	add := j.addPairs
	switch {
	case level == "system":
		add = j.addSystems
	case o.fit.Objective == tune.Pearson:
		add = j.addScores
	}
	if err := add(ctx, &p); err != nil {
		return nil, nil, err
	}
	return j.set, texts, nil
}

// A judgedSet is a set of texts to which what people said of them is added.
type judgedSet struct {
	*app
	o     *tuneOptions
	files *files.Folder
	set   *tune.Set
	at    map[string]int // the systems, by name
}

// places says where systems and segments of people's are.
func (j *judgedSet) places(ctx context.Context, names, items []string) (system, segment []int, err error) {
	for _, name := range names {
		k, ok := j.at[name]
		if !ok {
			return nil, nil, j.lineOf(ctx, j.files.Human, name, fmt.Errorf("system %s has no output here", name))
		}
		system = append(system, k)
	}
	for _, item := range items {
		n, err := strconv.Atoi(item)
		if err != nil || n < 1 || n > len(j.set.Refs) {
			return nil, nil, j.lineOf(ctx, j.files.Human, item, fmt.Errorf("segment %s is not the number of a line of %s, from 1 to %d", item, j.files.Refs[0], len(j.set.Refs)))
		}
		segment = append(segment, n-1)
	}
	return system, segment, nil
}

// addSystems adds scores of systems.
func (j *judgedSet) addSystems(ctx context.Context, p *people) error {
	scores := p.systems
	if scores == nil && p.scores != nil {
		scores = p.scores
	}
	if scores == nil {
		return fmt.Errorf("%s has pairs: --objective %s needs scores of systems", j.files.Human, j.o.fit.Objective)
	}
	system, _, err := j.places(ctx, scores.Systems, nil)
	if err != nil {
		return err
	}
	j.set.SystemScores = slices.Repeat([]float64{math.NaN()}, len(j.set.Systems))
	for k, v := range scores.SystemMeans() {
		j.set.SystemScores[system[k]] = v
	}
	if scores == p.scores {
		if _, segment, err := j.places(ctx, nil, scores.Items); err != nil {
			j.note("%v: the metric's scores are of all segments", err)
		} else {
			j.keepJudged(j.set, scores, segment, j.files.Human)
		}
	}
	return nil
}

// addScores adds scores of segments.
func (j *judgedSet) addScores(ctx context.Context, p *people) error {
	if p.scores == nil {
		return fmt.Errorf("%s has pairs: --objective pearson needs scores of segments", j.files.Human)
	}
	system, segment, err := j.places(ctx, p.scores.Systems, p.scores.Items)
	if err != nil {
		return err
	}
	n := len(j.set.Refs)
	j.set.Scores = slices.Repeat([]float64{math.NaN()}, len(j.set.Systems)*n)
	for k := range system {
		for i := range segment {
			j.set.Scores[system[k]*n+segment[i]] = p.scores.At(k, i)
		}
	}
	return nil
}

// addPairs adds pairs, of scores of segments if people gave these.
func (j *judgedSet) addPairs(ctx context.Context, p *people) error {
	pairs := p.pairs
	if pairs == nil {
		r, err := metaeval.DARR(p.scores, j.o.threshold, metaeval.DARROptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", j.files.Human, err)
		}
		pairs = &human.Pairs{Systems: p.scores.Systems, Items: p.scores.Items, Pairs: r.Pairs}
	} else if j.o.set.Changed("threshold") {
		return fmt.Errorf("%s has pairs: leave --threshold out", j.files.Human)
	}
	system, segment, err := j.places(ctx, pairs.Systems, pairs.Items)
	if err != nil {
		return err
	}
	for _, c := range pairs.Pairs {
		c.A, c.B, c.Item = system[c.A], system[c.B], segment[c.Item]
		j.set.Pairs = append(j.set.Pairs, c)
	}
	return nil
}

// keepJudged leaves out of a set the segments of which people judged no output, so that the
// metric's scores of systems are of what people's are of. The segments of scores are given.
func (a *app) keepJudged(s *tune.Set, scores *metaeval.Scores, segment []int, path string) {
	judged := make([]int, len(s.Refs)) // outputs
	systems := 0
	for k, mean := range scores.SystemMeans() {
		if math.IsNaN(mean) {
			continue
		}
		systems++
		for i, at := range segment {
			if !math.IsNaN(scores.At(k, i)) {
				judged[at]++
			}
		}
	}
	kept := tune.Set{Systems: make([]mteval.System, len(s.Systems))}
	same := true
	for i, n := range judged {
		if n == 0 {
			continue
		}
		same = same && n == systems
		kept.Refs = append(kept.Refs, s.Refs[i])
		for k, sys := range s.Systems {
			kept.Systems[k].Hyps = append(kept.Systems[k].Hyps, sys.Hyps[i])
		}
	}
	n := len(s.Refs)
	for k := range s.Systems {
		s.Systems[k].Hyps = kept.Systems[k].Hyps
	}
	if s.Refs = kept.Refs; len(s.Refs) < n {
		a.note("%s: people judged outputs for %d of %d segments: the metric's scores of systems are of these", path, len(s.Refs), n)
	}
	if !same {
		a.note("warning: %s: not all systems were judged on the same segments: the metric's scores are of all of these, people's of those that they judged", path)
	}
}

// lineOf says on which line of a table a field stands first, if the table can be read again.
func (a *app) lineOf(ctx context.Context, path, field string, what error) error {
	if readOnce(path) {
		return fmt.Errorf("%s: %w", path, what)
	}
	f, err := files.OpenText(ctx, path, files.Options{MaxLine: int64(a.maxLine)})
	if err != nil {
		return fmt.Errorf("%s: %w", path, what)
	}
	for i, l := range f.Lines {
		fields := strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune("\t ,\"", r) })
		if slices.Contains(fields, field) {
			return &files.LineError{Path: path, Line: i + 1, Err: what}
		}
	}
	return fmt.Errorf("%s: %w", path, what)
}
