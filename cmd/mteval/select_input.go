package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
	"github.com/mteval/mteval/selection"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
)

// A selectInput is what segments are chosen from.
type selectInput struct {
	options *selectOptions
	// segments are the names of the segments: their numbers from 1, or without texts what the
	// scores call them.
	segments []string
	// sources and documents are those of each segment; nil: there are none.
	sources, documents []string
	// work has the references, if there are any, and the systems, nil if there are scores only.
	work    *work
	backend registry.Backend
	scores  []metaeval.Metric // of --scores
	tree    *mtme.Pair        // nil: there is none
	rules   mtme.Rules
	human   *metaeval.Scores // of the tree
	// made are the utilities of terms, and signed what was used to make them.
	made   map[string][]float64
	signed []signedPart
	words  []int // of each segment, once they are counted
}

// A signedPart says how a metric's scores were made.
type signedPart struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
}

// sign notes how something was made, once.
func (in *selectInput) sign(name, signature string) {
	if p := (signedPart{name, signature}); !slices.Contains(in.signed, p) {
		in.signed = append(in.signed, p)
	}
}

// readSelection reads texts and scores.
func (a *app) readSelection(ctx context.Context, start time.Time, args []string, o *selectOptions) (*selectInput, error) {
	in := &selectInput{options: o, made: make(map[string][]float64)}
	in.work = &work{app: a, start: start, corpus: &corpus{Corpus: new(files.Corpus)}}
	if o.tree != "" {
		return in, in.readTree(ctx)
	}
	if err := in.readTexts(ctx, args); err != nil {
		return nil, err
	}
	o.flags.Lines = in.work.corpus.lines()
	return in, in.readScores(ctx)
}

// readTexts reads the texts that there are, which must line up.
func (in *selectInput) readTexts(ctx context.Context, args []string) error {
	a, o := in.work.app, in.options
	var source *files.Text
	if o.source != "" && len(o.refs) == 0 {
		var err error
		if source, err = in.openText(ctx, o.source); err != nil {
			return err
		}
		in.sources = source.Lines
	}
	switch {
	case len(o.refs) > 0:
		c, err := a.readTexts(ctx, &texts{refs: o.refs, source: o.source, outputs: args})
		if err != nil {
			return err
		}
		in.work.corpus, in.work.systems, in.sources = c, c.Systems, c.Sources
	case len(args) > 0:
		outputs, err := in.openOutputs(ctx, args, source)
		if err != nil {
			return err
		}
		in.work.corpus.Corpus, in.work.systems = outputs, outputs.Systems
	}
	n := len(in.sources)
	if len(in.work.systems) > 0 {
		n = len(in.work.systems[0].Hyps)
	}
	if n > 0 {
		in.segments = numbered(n)
	}
	if in.work.corpus.Corpus != nil {
		in.work.corpus.Sources = in.sources
	}
	return in.readDocuments(ctx)
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

func (in *selectInput) openText(ctx context.Context, path string) (*files.Text, error) {
	o := in.work.app.reading()
	o.Encoding = in.work.app.texts.encoding
	t, err := files.OpenText(ctx, path, o)
	if err != nil {
		return nil, adviseTexts(err)
	}
	if len(t.Lines) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return t, nil
}

// openOutputs reads outputs without references: what they line up with is the source, or else
// the first of them.
func (in *selectInput) openOutputs(ctx context.Context, args []string, first *files.Text) (*files.Corpus, error) {
	if first == nil {
		all, err := files.Outputs(args)
		if err != nil {
			return nil, err
		}
		if sidefile.Once(all[0].Path) {
			return nil, fmt.Errorf("%s can't be read twice: name a file, or give a --source", all[0].Path)
		}
		if first, err = in.openText(ctx, all[0].Path); err != nil {
			return nil, err
		}
	}
	o := in.work.app.readingTexts()
	if in.sources != nil {
		o.SourceText = first
	}
	c, err := files.OpenOutputs(ctx, []*files.Text{first}, args, o)
	if err != nil {
		return nil, adviseTexts(err)
	}
	c.Refs = nil
	return c, nil
}

// readDocuments reads the document of each segment: the last column of a line.
func (in *selectInput) readDocuments(ctx context.Context) error {
	path := in.options.documents
	if path == "" {
		return nil
	}
	t, err := in.openText(ctx, path)
	if err != nil {
		return err
	}
	if in.segments == nil { // scores alone
		in.segments = numbered(len(t.Lines))
	}
	if len(t.Lines) != len(in.segments) {
		return fmt.Errorf("%s has the documents of %s, and there are %d", path, count(len(t.Lines), "segment"), len(in.segments))
	}
	var domains, documents []string
	for i, line := range t.Lines {
		domain, name, ok := strings.Cut(line, "\t")
		if !ok {
			domain, name = "", line
		}
		if name = strings.TrimSpace(name); name == "" {
			return fmt.Errorf("%s:%d: no document", path, i+1)
		}
		domains, documents = append(domains, strings.TrimSpace(domain)), append(documents, name)
	}
	in.documents = documentNames(domains, documents)
	return nil
}

// readScores reads the metrics' scores of segments, and brings them into the order of the texts.
func (in *selectInput) readScores(ctx context.Context) error {
	o := in.options
	read := metaOptions{scores: o.scores, level: "segment", lower: o.lower}
	ms, err := in.work.app.readMetrics(ctx, &read)
	if err != nil {
		return err
	}
	var metrics []string
	for _, m := range ms {
		metrics = append(metrics, m.Name)
	}
	if err := read.checkNames(metrics, nil); err != nil {
		return err
	}
	for _, m := range ms {
		m.LowerIsBetter = slices.Contains(read.lower, m.Name)
		if in.segments == nil {
			in.segments = m.Scores.Items
		}
		m.Scores, err = in.align("scores of "+m.Name, m.Scores)
		if err != nil {
			return err
		}
		if all, has := len(m.Scores.Values), m.Scores.Present(); has < all {
			in.work.app.note("scores of %s: %d of %d are missing: segments count by the systems that have one", m.Name, all-has, all)
		}
		in.scores = append(in.scores, m.Metric)
	}
	return nil
}

// align brings scores into the order of the segments, with the systems that there are outputs of.
func (in *selectInput) align(what string, s *metaeval.Scores) (*metaeval.Scores, error) {
	at := make(map[string]bool, len(in.segments))
	for _, name := range in.segments {
		at[name] = true
	}
	for _, item := range s.Items {
		if !at[item] {
			return nil, fmt.Errorf("%s: segment %q is none of the %d that there are, %s to %s", what, item, len(in.segments), in.segments[0], in.segments[len(in.segments)-1])
		}
	}
	systems := s.Systems
	if in.work.systems != nil {
		given := systemNames(in.work.systems)
		if err := checkTwins(what, s.Systems, "the outputs", given); err != nil {
			return nil, err
		}
		systems = nil
		for _, name := range given {
			if slices.Contains(s.Systems, name) {
				systems = append(systems, name)
			}
		}
		if len(systems) == 0 {
			return nil, fmt.Errorf("%s: none of the systems: of %s, and the outputs are of %s", what, names.Few(s.Systems), names.Few(given))
		}
		if none := without(given, systems); len(none) > 0 {
			in.work.app.note("%s: nothing of %s: without a part in it", what, names.Few(none))
		}
		if more := without(s.Systems, systems); len(more) > 0 {
			in.work.app.note("%s: also of systems whose outputs were not given: %s", what, names.Few(more))
		}
	}
	return s.Select(systems, in.segments)
}

// without are the names that are not among those.
func without(all, those []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(those, name) })
}

// readTree reads the texts and people's scores of a folder of mt-metrics-eval.
func (in *selectInput) readTree(ctx context.Context) error {
	o := in.options
	tree, err := mtme.Open(o.tree)
	if err != nil {
		return err
	}
	if o.set == "" && len(tree.Sets()) > 1 {
		return fmt.Errorf("%s has several test sets: name one with --set: %s", o.tree, strings.Join(tree.Sets(), ", "))
	}
	set, err := tree.Set(o.set)
	if err != nil {
		return err
	}
	if in.tree, err = set.Load(ctx, o.pair); err != nil {
		return err
	}
	p := in.tree
	if in.rules, err = in.treeRules(); err != nil {
		return err
	}
	if in.human, err = p.Human(ctx, in.rules.SegmentGold, mtme.Segment); err != nil {
		return err
	}
	systems, err := in.rules.Systems(p, in.human)
	if err != nil {
		return err
	}
	if len(systems) == 0 {
		return fmt.Errorf("%s: no system of %s has a score of %s", o.tree, o.pair, in.rules.SegmentGold)
	}
	in.segments, in.sources, in.documents = p.Segments(), p.Sources, documentNames(p.Domains, p.Documents)
	for _, name := range systems {
		in.work.systems = append(in.work.systems, mteval.System{Name: name, Hyps: p.Outputs[name]})
	}
	refs, err := mteval.Segments(p.References[in.rules.Reference])
	if err != nil {
		return err
	}
	in.work.corpus.Refs, in.work.corpus.Systems, in.work.corpus.Sources = refs, in.work.systems, in.sources
	o.flags.Lines = in.work.corpus.lines()
	return nil
}

// treeRules are those of WMT's metrics task, or of another set those with its first reference.
func (in *selectInput) treeRules() (mtme.Rules, error) {
	rules, err := mtme.RulesOf(in.tree.Set, in.tree.LanguagePair)
	if err != nil {
		references := slices.Sorted(maps.Keys(in.tree.References))
		if len(references) == 0 {
			return rules, fmt.Errorf("%s: no reference of %s", in.options.tree, in.tree.LanguagePair)
		}
		in.work.app.note("%s %s is no set whose rules are known: %s is the reference, and others are no systems", in.tree.Set, in.tree.LanguagePair, references[0])
		rules = mtme.Rules{Reference: references[0], SegmentGold: "mqm"}
	}
	if in.options.humanScore != "" {
		rules.SegmentGold = in.options.humanScore
	}
	return rules, nil
}

// wordTokenizers are those that words are counted by: none takes what stands between spaces.
var wordTokenizers = []string{"none", "13a", "intl", "zh", "char", "ja-mecab"}

// countedTexts are those whose words are counted, and what they are called; nil: there are none.
func (in *selectInput) countedTexts() ([]string, string) {
	if in.sources != nil {
		return in.sources, "source"
	}
	var out []string
	for _, refs := range in.work.corpus.Refs {
		out = append(out, refs[0])
	}
	return out, "reference"
}

// lengths counts the words of each segment; nil: there is no text to count them of.
func (in *selectInput) lengths() ([]int, error) {
	lines, what := in.countedTexts()
	if lines == nil || in.words != nil {
		return in.words, nil
	}
	t, err := tokenize.ByName(in.options.wordTokenizer)
	if in.options.wordTokenizer == "ja-mecab" {
		t, err = jamecab.New()
	}
	if err != nil {
		return nil, fmt.Errorf("--words-tokenize: %w", err)
	}
	var buf []byte
	out := make([]int, len(lines))
	for i, line := range lines {
		buf = tokenize.Each(buf, t, line, func([]byte) { out[i]++ })
	}
	if in.options.wordTokenizer == "none" {
		in.warnWords(lines, what, "--words-tokenize zh, char or ja-mecab count otherwise")
	}
	in.words = out
	return out, nil
}

// warnWords says that what stands between spaces may not be words, if it is long: 15 letters, or
// four of Chinese or Japanese.
func (in *selectInput) warnWords(lines []string, what, hint string) {
	words, letters, long := 0, 0, 15
	for _, line := range lines {
		for word := range strings.FieldsSeq(line) {
			words++
			letters += utf8.RuneCountInString(word)
		}
	}
	if withoutSpaces([][]string{lines}) {
		long = 4
	}
	if words > 0 && letters/words >= long {
		in.work.app.note("warning: words of the %s have %d letters on average: no spaces between? %s", what, letters/words, hint)
	}
}

// people are people's scores of the segments, more being better. Systems that they did not judge
// are left out of all, as whoever chooses gives the outputs of those that will be judged.
func (in *selectInput) people(ctx context.Context) (*metaeval.Scores, error) {
	if in.tree != nil {
		return in.human.Select(systemNames(in.work.systems), in.segments)
	}
	s, err := in.readPeople(ctx)
	if err != nil {
		return nil, err
	}
	o := in.options
	if in.work.systems == nil && len(in.scores) > 0 {
		// Those that have scores stand for the systems.
		for _, name := range in.scores[0].Scores.Systems {
			in.work.systems = append(in.work.systems, mteval.System{Name: name})
		}
		defer func() { in.work.systems = nil }()
	}
	if s, err = in.align(o.human, s); err != nil {
		return nil, err
	}
	var judged []string
	for k, mean := range s.SystemMeans() {
		if mean == mean {
			judged = append(judged, s.Systems[k])
		}
	}
	if len(judged) < 2 {
		return nil, fmt.Errorf("%s: people judged %d of the systems, and a ranking is of two or more", o.human, len(judged))
	}
	return s.Select(judged, in.segments)
}

// keep leaves out all systems but these.
func (in *selectInput) keep(systems []string) error {
	var kept []mteval.System
	for _, s := range in.work.systems {
		if slices.Contains(systems, s.Name) {
			kept = append(kept, s)
		}
	}
	in.work.systems = kept
	for i, m := range in.scores {
		var has []string
		for _, name := range m.Scores.Systems {
			if slices.Contains(systems, name) {
				has = append(has, name)
			}
		}
		if len(has) == 0 {
			return fmt.Errorf("scores of %s: none of the systems that people judged, %s", m.Name, names.Few(systems))
		}
		var err error
		if in.scores[i].Scores, err = m.Scores.Select(has, in.segments); err != nil {
			return err
		}
	}
	return nil
}

// readPeople reads --human.
func (in *selectInput) readPeople(ctx context.Context) (*metaeval.Scores, error) {
	o := in.options
	f, err := files.OpenPeople(ctx, o.human, files.PeopleOptions{Options: in.work.app.reading(), Form: o.humanFormat, Pair: o.pair})
	if errors.Is(err, files.ErrSingleJudges) {
		return nil, fmt.Errorf("%w, or say with --human-format what it is", err)
	}
	if err != nil {
		return nil, advise(err)
	}
	if f.Pairs != nil {
		s, err := selection.NetWins(f.Pairs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.human, err)
		}
		return s, nil
	}
	if o.pair != "" {
		return nil, errors.New("--lp is of a file of pairs, or of --mtme")
	}
	if o.humanScore != "" && !f.Form.TwoScores() {
		return nil, errors.New("--human-score is of WMT's files, which have two scores, or of --mtme")
	}
	s, _ := f.SegmentScores(o.humanScore == "z")
	if s == nil {
		return nil, fmt.Errorf("%s has %s: --evaluate needs those of segments, or pairs", o.human, f.Form.Title())
	}
	return s, nil
}
