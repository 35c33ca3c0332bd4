package meta

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// SystemNames returns the systems that people said something of, each once, in the order in
// which they come.
func (p *People) SystemNames() []string {
	var out []string
	seen := make(map[string]bool)
	add := func(names []string) {
		for _, name := range names {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	if p.Scores != nil {
		add(p.Scores.Systems)
	}
	if p.Pairs != nil {
		add(p.Pairs.Systems)
	}
	if p.Systems != nil {
		add(p.Systems.Systems)
	}
	return out
}

// exclude returns people and metrics without the systems that are left out.
func exclude(people People, metrics []Candidate, excluded func(system string) bool) (People, []Candidate, error) {
	if excluded == nil {
		return people, metrics, nil
	}
	if names := people.SystemNames(); len(names) > 0 && !slices.ContainsFunc(names, func(s string) bool { return !excluded(s) }) {
		return People{}, nil, errors.New("meta: Exclude leaves none of people's systems")
	}
	var err error
	for _, s := range []**metaeval.Scores{&people.Scores, &people.Judgements, &people.Systems} {
		if *s == nil {
			continue
		}
		if *s, err = without(*s, excluded); err != nil {
			return People{}, nil, err
		}
	}
	if people.Pairs != nil {
		people.Pairs = pairsWithout(people.Pairs, excluded)
	}
	metrics = slices.Clone(metrics)
	for i := range metrics {
		m := &metrics[i]
		if m.Scores, err = without(m.Scores, excluded); err != nil {
			return People{}, nil, fmt.Errorf("meta: %s: %w", m.Name, err)
		}
		if m.Segments == nil {
			continue
		}
		if m.Segments, err = without(m.Segments, excluded); err != nil {
			return People{}, nil, fmt.Errorf("meta: %s: %w", m.Name, err)
		}
	}
	return people, metrics, nil
}

func without(s *metaeval.Scores, excluded func(string) bool) (*metaeval.Scores, error) {
	if !slices.ContainsFunc(s.Systems, excluded) {
		return s, nil
	}
	return s.Select(slices.DeleteFunc(slices.Clone(s.Systems), excluded), s.Items)
}

func pairsWithout(p *human.Pairs, excluded func(string) bool) *human.Pairs {
	out := &human.Pairs{Items: p.Items}
	at := make([]int, len(p.Systems)) // in out
	for k, name := range p.Systems {
		at[k] = -1
		if !excluded(name) {
			at[k] = len(out.Systems)
			out.Systems = append(out.Systems, name)
		}
	}
	for i, c := range p.Pairs {
		if c.A, c.B = at[c.A], at[c.B]; c.A < 0 || c.B < 0 {
			continue
		}
		out.Pairs = append(out.Pairs, c)
		if p.Judges != nil {
			out.Judges = append(out.Judges, p.Judges[i])
		}
	}
	return out
}
