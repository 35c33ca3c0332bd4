package mtme

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/lines"
)

// A Pair is a test set of one language pair.
type Pair struct {
	Set, LanguagePair string
	// Sources, Domains and Documents are those of each segment.
	Sources, Domains, Documents []string
	// Systems whose outputs there are, sorted. Some may be references: see References.
	Systems []string
	// Outputs by system, References by name, a text a segment.
	Outputs, References map[string][]string
	// HumanScores and MetricScores are the files of scores, sorted, and Ratings the names
	// of those of ratings.
	HumanScores  []HumanFile
	MetricScores []MetricFile
	Ratings      []string

	dir     string
	domains []string // each once, as they come
}

// A HumanFile is a file of human scores.
type HumanFile struct {
	Name  string // of the kind of score, such as mqm or da-sqm
	Level Level
}

// A MetricFile is a file of a metric's scores.
type MetricFile struct {
	Metric string
	// Reference that it used, [NoReference] for none.
	Reference string
	Level     Level
}

// NoReference stands for the reference of metrics that use none.
const NoReference = "src"

// Segments returns the names of the segments, their numbers from 1, as Items of scores have
// them.
func (p *Pair) Segments() []string {
	out := make([]string, len(p.Sources))
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

// DomainNames returns the domains, each once, in the order in which they come.
func (p *Pair) DomainNames() []string { return slices.Clone(p.domains) }

// Load reads the texts of a language pair, and the names of its files of scores.
func (s *Set) Load(ctx context.Context, lp string) (*Pair, error) {
	if !slices.Contains(s.LanguagePairs, lp) {
		return nil, fmt.Errorf("mtme: %s: no language pair %q: there is %s", s.Name, lp, strings.Join(s.LanguagePairs, ", "))
	}
	p := &Pair{Set: s.Name, LanguagePair: lp, dir: s.dir, Outputs: map[string][]string{}, References: map[string][]string{}}
	var err error
	if p.Sources, err = readText(ctx, filepath.Join(s.dir, "sources", lp+".txt"), -1); err != nil {
		return nil, err
	}
	if len(p.Sources) == 0 {
		return nil, &files.LineError{Path: filepath.Join(s.dir, "sources", lp+".txt"), Line: 1, Err: errors.New("no segments: the file is empty")}
	}
	for _, load := range []func(context.Context) error{p.readDocuments, p.readReferences, p.readOutputs} {
		if err := load(ctx); err != nil {
			return nil, err
		}
	}
	if err := p.listHuman(); err != nil {
		return nil, err
	}
	return p, p.listMetrics()
}

func (p *Pair) readDocuments(ctx context.Context) error {
	path := filepath.Join(p.dir, "documents", p.LanguagePair+".docs")
	rows, err := readText(ctx, path, len(p.Sources))
	if err != nil {
		return err
	}
	for i, row := range rows {
		f := fields(row)
		if len(f) != 2 || f[0] == "" || f[1] == "" {
			return &files.LineError{Path: path, Line: i + 1, Err: errors.New("not a domain, a tab and a document")}
		}
		p.Domains, p.Documents = append(p.Domains, f[0]), append(p.Documents, f[1])
		if !slices.Contains(p.domains, f[0]) {
			p.domains = append(p.domains, f[0])
		}
	}
	return nil
}

func (p *Pair) readReferences(ctx context.Context) error {
	dir := filepath.Join(p.dir, "references")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("mtme: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), p.LanguagePair+".")
		name, text := strings.CutSuffix(name, ".txt")
		if !ok || !text {
			continue
		}
		if p.References[name], err = readText(ctx, filepath.Join(dir, e.Name()), len(p.Sources)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pair) readOutputs(ctx context.Context) error {
	dir := filepath.Join(p.dir, "system-outputs", p.LanguagePair)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("mtme: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || name == "" {
			continue
		}
		if strings.ContainsAny(name, "\t\n\r") {
			return fmt.Errorf("%s: a system with a tab or a line break in its name, which files of scores can't tell from what follows",
				filepath.Join(dir, strconv.Quote(e.Name())))
		}
		if p.Outputs[name], err = readText(ctx, filepath.Join(dir, e.Name()), len(p.Sources)); err != nil {
			return err
		}
		p.Systems = append(p.Systems, name)
	}
	if len(p.Systems) == 0 {
		return fmt.Errorf("mtme: %s: no system in it", dir)
	}
	slices.Sort(p.Systems)
	return nil
}

func (p *Pair) listHuman() error {
	dir := filepath.Join(p.dir, "human-scores")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("mtme: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), p.LanguagePair+".")
		if !ok {
			continue
		}
		if rating, ok := strings.CutSuffix(name, ".seg.rating"); ok {
			p.Ratings = append(p.Ratings, rating)
			continue
		}
		name, level, err := scoreFile(name)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), err)
		}
		if level != docLevel {
			p.HumanScores = append(p.HumanScores, HumanFile{name, level})
		}
	}
	return nil
}

func (p *Pair) listMetrics() error {
	dir := filepath.Join(p.dir, "metric-scores", p.LanguagePair)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("mtme: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name, level, err := scoreFile(e.Name())
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), err)
		}
		at := strings.LastIndexByte(name, '-')
		if at <= 0 || !p.known(name[at+1:]) {
			return fmt.Errorf("%s: not METRIC-REF: after the last - stands the reference that the metric used, or %s", filepath.Join(dir, e.Name()), NoReference)
		}
		if level != docLevel {
			p.MetricScores = append(p.MetricScores, MetricFile{name[:at], name[at+1:], level})
		}
	}
	return nil
}

// known says whether a metric can have used a reference, or several, joined by points or
// commas.
func (p *Pair) known(reference string) bool {
	if reference == NoReference || p.References[reference] != nil {
		return true
	}
	parts := MetricFile{Reference: reference}.references()
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(r string) bool { return p.References[r] == nil })
}

// readText reads a text of n segments, of any number for −1.
func readText(ctx context.Context, path string, n int) ([]string, error) {
	var out []string
	err := eachLine(ctx, path, func(line string, _ int) error {
		if n >= 0 && len(out) == n {
			return fmt.Errorf("a line more than the %d segments of the source", n)
		}
		out = append(out, line)
		return nil
	}, func(int) error {
		if n >= 0 && len(out) < n {
			return fmt.Errorf("the file ends after %d of %d segments", len(out), n)
		}
		return nil
	})
	return out, err
}

// eachLine calls do for each line of a file, and end at its end, with the numbers of the
// lines, from 1. Their errors become those of the line.
func eachLine(ctx context.Context, path string, do func(line string, at int) error, end func(at int) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("mtme: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("mtme: %s is a folder where a file should be", path)
	}
	return eachLineOf(ctx, f, path, do, end)
}

func eachLineOf(ctx context.Context, r io.Reader, path string, do func(line string, at int) error, end func(at int) error) error {
	in := lines.NewReader(r, lines.Limits{})
	at := func(err error) error { return &files.LineError{Path: path, Line: max(in.Line(), 1), Err: err} }
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			if err := end(in.Line()); err != nil {
				return at(err)
			}
			return nil
		}
		if in.Line()%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = do(line, in.Line())
		}
		if err != nil {
			return at(err)
		}
	}
}

// fields are what tabs part, or where there is none, white space, as mt-metrics-eval does.
func fields(line string) []string {
	if strings.Contains(line, "\t") {
		return strings.Split(line, "\t")
	}
	return strings.Fields(line)
}
