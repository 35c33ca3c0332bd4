package mtme

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
)

// A Level says what has a score.
type Level int

const (
	// Segment is of each system's output for each segment.
	Segment Level = iota
	// System is of each system.
	System
	// Domain is of each system in each domain.
	Domain

	docLevel // of older test sets, which is not read
)

var levels = [...]string{Segment: "seg", System: "sys", Domain: "domain", docLevel: "doc"}

// String is as names of files have it: "seg", "sys" or "domain".
func (l Level) String() string { return names.Of("Level", levels[:], l) }

// scoreFile takes NAME.LEVEL.score apart.
func scoreFile(file string) (name string, level Level, err error) {
	if name, ok := strings.CutSuffix(file, ".score"); ok {
		for level, suffix := range levels {
			if name, ok := strings.CutSuffix(name, "."+suffix); ok && name != "" {
				return name, Level(level), nil
			}
		}
	}
	err = errors.New("unknown kind of file: scores end in .seg.score, .sys.score or .domain.score")
	if strings.HasSuffix(file, ".gz") {
		err = fmt.Errorf("%w: unpack it", err)
	} else if !strings.HasSuffix(file, ".score") {
		err = fmt.Errorf("%w: move it elsewhere", err)
	}
	return "", 0, err
}

// Human reads people's scores, of the systems that have any in the file, sorted; of the
// others there is none. Items are the Segments, the DomainNames, or for System one without
// a name.
func (p *Pair) Human(ctx context.Context, name string, level Level) (*metaeval.Scores, error) {
	if !slices.Contains(p.HumanScores, HumanFile{name, level}) {
		return nil, fmt.Errorf("mtme: %s %s: no human scores %s.%s: there is %s", p.Set, p.LanguagePair, name, level, p.humanNames())
	}
	path := filepath.Join(p.dir, "human-scores", fmt.Sprintf("%s.%s.%s.score", p.LanguagePair, name, level))
	return p.readScores(ctx, path, level, true, nil)
}

func (p *Pair) humanNames() string {
	var out []string
	for _, f := range p.HumanScores {
		out = append(out, f.Name+"."+f.Level.String())
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, ", ")
}

// Metric reads a metric's scores, of all Systems but perhaps the references that it used;
// Items are as Human has them. All must be there.
func (p *Pair) Metric(ctx context.Context, f MetricFile) (*metaeval.Scores, error) {
	if !slices.Contains(p.MetricScores, f) {
		return nil, fmt.Errorf("mtme: %s %s: no metric scores %s", p.Set, p.LanguagePair, f.file())
	}
	return p.readScores(ctx, p.MetricPath(f), f.Level, false, p.judgedBy(f))
}

// judgedBy are the systems of which a metric must have scores: all but those that are its
// references.
func (p *Pair) judgedBy(f MetricFile) []string {
	references := f.references()
	return slices.DeleteFunc(slices.Clone(p.Systems), func(s string) bool {
		return s == f.Reference || slices.Contains(references, s)
	})
}

// UsesOnly says whether a metric used none but some of these references.
func (f MetricFile) UsesOnly(references ...string) bool {
	if f.Reference == NoReference || slices.Contains(references, f.Reference) {
		return true
	}
	used := f.references()
	return len(used) > 1 && !slices.ContainsFunc(used, func(r string) bool { return !slices.Contains(references, r) })
}

// references are those that a metric used, which points or commas join.
func (f MetricFile) references() []string {
	return strings.FieldsFunc(f.Reference, func(r rune) bool { return r == '.' || r == ',' })
}

func (f MetricFile) file() string {
	return fmt.Sprintf("%s-%s.%s.score", f.Metric, f.Reference, f.Level)
}

// A scoreTable is a file of scores that is being read.
type scoreTable struct {
	level  Level
	none   bool // None is a score
	items  int
	domain map[string]int
	system map[string]bool
	values map[string][]float64
	seen   map[string][]bool // by system, of its domains
	last   string
}

func (p *Pair) readScores(ctx context.Context, path string, level Level, none bool, needed []string) (*metaeval.Scores, error) {
	t := p.newTable(level, none)
	err := eachLine(ctx, path, t.add, func(int) error { return t.end(needed, p.domains) })
	if err != nil {
		return nil, err
	}
	return t.scores(p), nil
}

// items are the names of what has a score at a level.
func (p *Pair) items(level Level) []string {
	switch level {
	case System:
		return []string{""}
	case Domain:
		return p.DomainNames()
	}
	return p.Segments()
}

func (p *Pair) newTable(level Level, none bool) *scoreTable {
	n := len(p.Sources)
	switch level {
	case System:
		n = 1
	case Domain:
		n = len(p.domains)
	}
	t := &scoreTable{level: level, none: none, items: n, domain: map[string]int{}, system: map[string]bool{},
		values: map[string][]float64{}, seen: map[string][]bool{}}
	for i, d := range p.domains {
		t.domain[d] = i
	}
	for _, s := range p.Systems {
		t.system[s] = true
	}
	return t
}

// scores are those of the systems that the file has, sorted.
func (t *scoreTable) scores(p *Pair) *metaeval.Scores {
	var systems []string
	var values []float64
	for _, s := range p.Systems {
		if v, ok := t.values[s]; ok {
			systems, values = append(systems, s), append(values, v...)
		}
	}
	return &metaeval.Scores{Systems: systems, Items: p.items(t.level), Values: values}
}

func (t *scoreTable) add(line string, _ int) error {
	f, form := fields(line), "a system, a tab and a score"
	domain := ""
	if t.level == Domain {
		form = "a domain, a system and a score, with tabs between"
		if len(f) > 0 {
			domain, f = f[0], f[1:]
		}
	}
	if len(f) != 2 {
		return fmt.Errorf("not %s", form)
	}
	system := f[0]
	if !t.system[system] {
		return fmt.Errorf("unknown system %q: it has no output in system-outputs", system)
	}
	v, err := t.score(f[1])
	if err != nil {
		return err
	}
	return t.put(system, domain, v)
}

func (t *scoreTable) score(text string) (float64, error) {
	if text == "None" {
		if t.none {
			return math.NaN(), nil
		}
		return 0, errors.New("score None: only people leave segments out, a metric has a score of each")
	}
	v, err := lines.ParseNumber(text)
	if err != nil {
		return 0, fmt.Errorf("score %q: %w", text, err)
	}
	return v, nil
}

func (t *scoreTable) put(system, domain string, v float64) error {
	values, had := t.values[system]
	switch t.level {
	case System:
		if had {
			return fmt.Errorf("a second score of system %s", system)
		}
	case Domain:
		at, ok := t.domain[domain]
		if !ok {
			return fmt.Errorf("unknown domain %q: documents have none of it", domain)
		}
		if !had {
			t.values[system], t.seen[system] = make([]float64, t.items), make([]bool, t.items)
		}
		if t.seen[system][at] {
			return fmt.Errorf("a second score of system %s in domain %s", system, domain)
		}
		t.seen[system][at], t.values[system][at] = true, v
		return nil
	case Segment:
		if system != t.last {
			if had {
				return fmt.Errorf("system %s again: the scores of a system stand together, one for each segment", system)
			}
			if err := t.whole(); err != nil {
				return fmt.Errorf("system %s begins: %w", system, err)
			}
			values = make([]float64, 0, t.items)
		}
		if len(values) == t.items {
			return fmt.Errorf("a score more of system %s than the %d segments", system, t.items)
		}
	}
	t.last, t.values[system] = system, append(values, v)
	return nil
}

// whole is an error where the last system lacks scores of segments.
func (t *scoreTable) whole() error {
	if n := len(t.values[t.last]); t.last != "" && n < t.items {
		return fmt.Errorf("system %s has scores of %d of %d segments", t.last, n, t.items)
	}
	return nil
}

func (t *scoreTable) end(needed, domains []string) error {
	if len(t.values) == 0 {
		return errors.New("no scores: the file is empty")
	}
	if t.level == Segment {
		if err := t.whole(); err != nil {
			return fmt.Errorf("the file ends: %w", err)
		}
	}
	for _, s := range needed {
		if t.values[s] == nil {
			return fmt.Errorf("the file ends without scores of system %s", s)
		}
	}
	for s, seen := range t.seen {
		if i := slices.Index(seen, false); i >= 0 && !t.none {
			return fmt.Errorf("the file ends without the score of system %s in domain %s", s, domains[i])
		} else if i >= 0 {
			for i, ok := range seen {
				if !ok {
					t.values[s][i] = math.NaN()
				}
			}
		}
	}
	return nil
}
