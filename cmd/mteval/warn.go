package main

import (
	"fmt"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/ter"
)

// warnTokenized says which outputs look as if they were tokenized, which changes BLEU:
// as in sacreBLEU, those with 100 lines that end in a stop of its own.
func (a *app) warnTokenized(systems []mteval.System) {
	for _, s := range systems {
		n := 0
		for _, line := range s.Hyps {
			if strings.HasSuffix(line, " .") {
				n++
			}
		}
		if n >= 100 {
			a.note("warning: %d lines of %s end in a tokenized period (\" .\"): BLEU is meant for detokenized text (--force: I know)", n, s.Name)
		}
	}
}

// noteLimits says for how many segments TER's search was ended by its limit.
func (a *app) noteLimits(s mteval.Scorer, t *mteval.Table) {
	scorer, ok := s.(*ter.Scorer)
	if !ok {
		return
	}
	for k, name := range t.Systems {
		if n := scorer.Detail(t.Sum(k)).Limited; n > 0 {
			a.note("ter: %s: the search for shifts was ended by its limit of 1000 tries in %d segments, as in sacreBLEU", name, n)
		}
	}
}

// noteCut says for how many texts the end was left out.
func (a *app) noteCut(b *registry.Backend) {
	if n, most := b.Cut(); n > 0 {
		a.note("warning: %d texts are longer than the model's %d tokens: only their beginning was scored", n, most)
	}
}

// noteLevels says how many segments of each system are on each level, and returns it, nil
// for a metric without levels.
func (a *app) noteLevels(s mteval.Scorer, t *mteval.Table) []map[string]int {
	m, ok := s.(*multilevel.Scorer)
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
		a.note("%s: %s: %s", t.Info.Name, system, strings.Join(parts, ", "))
	}
	return out
}
