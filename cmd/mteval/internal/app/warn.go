package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/scoring"
)

// WarnTokenized says which outputs look as if they were tokenized, which changes BLEU:
// as in sacreBLEU, those with 100 lines that end in a stop of its own.
func (a *App) WarnTokenized(systems []mteval.System) {
	for _, s := range systems {
		n := 0
		for _, line := range s.Hyps {
			if strings.HasSuffix(line, " .") {
				n++
			}
		}
		if n >= 100 {
			a.Note("warning: %d lines of %s end in a tokenized period (\" .\"): BLEU is meant for detokenized text (--force: I know)", n, s.Name)
		}
	}
}

// WarnTexts says which files look as if they were something else than a segment a line, and which
// empty references may be missing ones.
func (a *App) WarnTexts(c *files.Corpus) {
	refs := 0
	for _, r := range c.Refs {
		refs = max(refs, len(r))
	}
	for k := range refs {
		lines := make([]string, 0, len(c.Refs))
		for _, r := range c.Refs {
			if k < len(r) {
				lines = append(lines, r[k])
			}
		}
		if len(lines) < len(c.Refs) {
			break // of references that are missing somewhere the numbers tell no file
		}
		file := strings.TrimSuffix(c.RefPlace(0, k), ":1")
		hint := "--num-refs %d takes each column for a reference"
		if refs > 1 && a.Texts.numRefs <= 1 {
			hint = "with one reference file, --num-refs %d takes each column for a reference"
		}
		a.warnTable(file, lines, func(tabs int) string { return fmt.Sprintf(hint, tabs+max(a.Texts.numRefs, 1)) })
	}
	if c.Sources != nil {
		file := strings.TrimSuffix(c.SourcePlace(0), ":1")
		a.warnTable(file, c.Sources, func(int) string { return "give a file of the one column that is the source" })
	}
	for _, s := range c.Systems {
		file := strings.TrimSuffix(c.HypPlace(s.Name, 0), ":1")
		a.warnTable(file, s.Hyps, func(int) string { return "give a file of the one column that is the output" })
	}
	a.warnEmpty(c)
}

// warnTable says that a file looks like a table, or like JSON, if it does, and what to do.
func (a *App) warnTable(file string, lines []string, hint func(tabs int) string) {
	if n := Tabs(lines); n > 0 {
		has := "a tab"
		if n > 1 {
			has = fmt.Sprintf("%d tabs", n)
		}
		a.Note("warning: %s: its lines have %s, as in a table of %d columns, and each is scored as one text: %s", file, has, n+1, hint(n))
	}
	isJSON := func(line string) bool { return strings.HasPrefix(line, `{"`) && json.Valid([]byte(line)) }
	if len(lines) > 0 && !slices.ContainsFunc(lines, func(l string) bool { return !isJSON(l) }) {
		a.Note("warning: %s: each line is JSON, and is scored as it stands: give a file of the texts, one a line", file)
	}
}

// Tabs is the number of tabs that lines have if they look like a table, and 0 if not: nine in ten of
// those that are not blank have as many, and text in two columns or more, which code that is indented
// has not.
func Tabs(lines []string) int {
	of := make(map[int]int) // lines by their tabs
	all, most := 0, 0
	for _, line := range lines {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		all++
		if !strings.Contains(text, "\t") {
			continue
		}
		n := strings.Count(line, "\t")
		if of[n]++; of[n] > of[most] {
			most = n
		}
	}
	if 10*of[most] < 9*all {
		return 0
	}
	return most
}

// warnEmpty says that references are empty where a segment has others.
func (a *App) warnEmpty(c *files.Corpus) {
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	n, first := 0, ""
	for i, refs := range c.Refs {
		if len(refs) < 2 || !slices.ContainsFunc(refs, blank) || !slices.ContainsFunc(refs, func(s string) bool { return !blank(s) }) {
			continue
		}
		for k, r := range refs {
			if blank(r) {
				if n++; first == "" {
					first = c.RefPlace(i, k)
				}
			}
		}
	}
	if n > 0 {
		a.Note("warning: %d of the references are empty where a segment has another (the first at %s): they count as empty texts, as in sacreBLEU's command; --skip-empty-refs: they are missing", n, first)
	}
}

// NoteLimits says for how many segments TER's search was ended by its limit.
func (a *App) NoteLimits(limits []scoring.Limit) {
	for _, l := range limits {
		a.Note("%s: %s: the search for shifts was ended by its limit of 1000 tries in %d segments, as in sacreBLEU", l.Metric, l.System, l.Segments)
	}
}

// NoteCut says for how many texts the end was left out.
func (a *App) NoteCut(b *registry.Backend) {
	for _, c := range b.Cuts() {
		of := ""
		if c.Metric != "" {
			of = c.Metric + ": "
		}
		texts, whose := fmt.Sprintf("%d texts are", c.Texts), "their"
		if c.Texts == 1 {
			texts, whose = "1 text is", "its"
		}
		a.Note("warning: %s%s longer than the model's %s tokens: only %s beginning was scored", of, texts, c.Tokens, whose)
	}
}

// NoteLevels says how many segments of each system are on each level, and returns it, nil
// for a metric without levels.
func (a *App) NoteLevels(s mteval.Scorer, t *mteval.Table) []map[string]int {
	m, ok := registry.Plain(s).(*multilevel.Scorer)
	if !ok {
		return nil
	}
	out := make([]map[string]int, len(t.Systems))
	for k, system := range t.Systems {
		out[k] = make(map[string]int)
		var parts []string
		for i, n := range m.Counts(t.Sum(k)) {
			out[k][m.Levels()[i]] = n
			parts = append(parts, fmt.Sprintf("%d %s", n, m.Levels()[i]))
		}
		a.Note("%s: %s: %s", t.Info.Name, system, strings.Join(parts, ", "))
	}
	return out
}
