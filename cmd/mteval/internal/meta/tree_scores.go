package meta

import (
	"fmt"
	"slices"

	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
)

// A treePart is a domain or a document, of that name; the zero value is all.
type treePart struct{ kind, name string }

// parts are the domains or documents that people judged, in the order in which they come.
func (t *judgedPair) parts(kind string) []string {
	var out []string
	seen := make(map[string]bool)
	for _, i := range t.judged {
		if name := t.partOf(kind, i); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// partOf is the domain or document of a segment.
func (t *judgedPair) partOf(kind string, segment int) string {
	if kind == "domain" {
		return t.pair.Domains[segment]
	}
	return t.documents[segment]
}

// at returns what is judged at a level, of a part.
func (t *judgedPair) at(level string, part treePart) (*people, []meta.Candidate, error) {
	var at []int // of the judged segments
	for k, i := range t.judged {
		if part.kind == "" || t.partOf(part.kind, i) == part.name {
			at = append(at, k)
		}
	}
	if len(at) == 0 {
		return nil, nil, fmt.Errorf("people judged no segment of %s %s", part.kind, part.name)
	}
	p := &people{path: t.dir, tree: t, part: part, systems: level == "system"}
	given, err := t.scores(level, part, at, t.people, t.people.segments)
	if err != nil {
		return nil, nil, err
	}
	p.Scores, p.People.Systems = given.segments, given.systems
	if level != "system" {
		p.People.Systems = nil
	}
	var out []meta.Candidate
	for _, m := range t.metrics {
		of, err := t.scores(level, part, at, m.levels, t.people.segments)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", m.name, err)
		}
		c := meta.Candidate{Metric: metaeval.Metric{Name: m.name, Scores: of.segments, LowerIsBetter: m.lower}}
		if level == "system" {
			c.Scores, c.SystemsOnly, c.Segments = of.systems, true, of.segments
		}
		if c.Scores == nil {
			p.left = append(p.left, m.name)
			continue
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, nil, fmt.Errorf("no metric of %s %s has scores for --level %s", t.pair.Set, t.pair.LanguagePair, level)
	}
	return p, out, nil
}

// scores are those of a level and part: of segments or documents, and of systems. The
// segments at the given places count, of which people's scores say which were judged.
func (t *judgedPair) scores(level string, part treePart, at []int, l levels, people *metaeval.Scores) (levels, error) {
	var out levels
	if l.segments != nil {
		out.segments = pick(l.segments, at)
	}
	switch {
	case level == "document":
		var names []string
		for _, k := range at {
			names = append(names, t.documents[t.judged[k]])
		}
		if out.segments != nil {
			var err error
			if out.segments, err = out.segments.GroupMeans(names, pick(people, at)); err != nil {
				return levels{}, err
			}
		}
	case part.kind == "":
		out.systems = l.systems
	case part.kind == "domain" && l.domains != nil:
		out.systems = pick(l.domains, []int{slices.Index(l.domains.Items, part.name)})
		out.systems.Items = []string{""}
	case part.kind == "document" && l.segments != nil:
		out.systems = systemMeans(out.segments)
	}
	return out, nil
}

// pick returns scores of the items at some places.
func pick(s *metaeval.Scores, at []int) *metaeval.Scores {
	out := metaeval.NewScores(s.Systems, make([]string, len(at)))
	for i, k := range at {
		out.Items[i] = s.Items[k]
		for system := range s.Systems {
			out.Set(system, i, s.At(system, k))
		}
	}
	return out
}

func systemMeans(s *metaeval.Scores) *metaeval.Scores {
	return &metaeval.Scores{Systems: s.Systems, Items: []string{""}, Values: s.SystemMeans()}
}
