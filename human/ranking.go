package human

import (
	"cmp"
	"fmt"

	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/metaeval"
)

// A RelativeRanking is a judge's ranking of some outputs of one segment, five as a rule.
type RelativeRanking struct {
	Judge, Item    string
	Source, Target string // languages, "" where they were not said
	Outputs        []RankedOutput
}

// A RankedOutput is an output in a RelativeRanking.
type RankedOutput struct {
	// Systems that gave this output. Where several gave the same, it is shown once.
	Systems []string
	// Rank is 1 for the best. Equal ranks are ties; only their order matters.
	Rank int
}

// ExpandOptions are options of [Expand].
type ExpandOptions struct {
	// SharedTies adds a tie for two systems that gave the same output. Nobody judged
	// these two, so they say nothing of the judges, but of the systems they do.
	SharedTies bool
}

// Expand turns rankings into all their pairs: a ranking of five outputs is ten pairs,
// more where systems share an output, which gets all of them the same rank. The pairs
// of a ranking come in the order of its outputs, first with second, first with third
// and so on.
//
// Rankings of more than one language pair, and a system that is twice in one, are
// errors.
func Expand(rs []RelativeRanking, o ExpandOptions) (*Pairs, error) {
	p := &Pairs{Judges: []string{}}
	var systems, items grid.Names
	for i, r := range rs {
		if r.Source != rs[0].Source || r.Target != rs[0].Target {
			return nil, fmt.Errorf("human: rankings of %s-%s and of %s-%s: expand one language pair at a time", rs[0].Source, rs[0].Target, r.Source, r.Target)
		}
		seen := make(map[string]bool)
		for _, out := range r.Outputs {
			for _, name := range out.Systems {
				if seen[name] {
					return nil, fmt.Errorf("human: ranking %d, of item %s by %s, has system %s twice", i, r.Item, r.Judge, name)
				}
				seen[name] = true
			}
		}
		item := items.Number(r.Item)
		add := func(a, b string, human int8) {
			p.Pairs = append(p.Pairs, metaeval.Pair{Item: item, A: systems.Number(a), B: systems.Number(b), Human: human})
			p.Judges = append(p.Judges, r.Judge)
		}
		for k, out := range r.Outputs {
			for s, a := range out.Systems {
				if o.SharedTies {
					for _, b := range out.Systems[s+1:] {
						add(a, b, 0)
					}
				}
				for _, other := range r.Outputs[k+1:] {
					for _, b := range other.Systems {
						add(a, b, int8(cmp.Compare(other.Rank, out.Rank)))
					}
				}
			}
		}
	}
	p.Systems, p.Items = systems.Names, items.Names
	return p, nil
}
