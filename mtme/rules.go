package mtme

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// Rules say which systems and metrics of a Pair are judged, and by which human scores, as
// tasks of mt-metrics-eval do. See [RulesOf].
type Rules struct {
	// Reference is the standard one: metrics are looked at that used it or none, and it is
	// no system.
	Reference string
	// Human keeps other references among the systems.
	Human bool
	// Outliers are left out.
	Outliers []string
	// SystemGold and SegmentGold are the kinds of human scores that are the standard.
	SystemGold, SegmentGold string
}

// Gold is the kind of human scores that is the standard at a level.
func (r Rules) Gold(level Level) string {
	if level == Segment {
		return r.SegmentGold
	}
	return r.SystemGold
}

// Systems returns those that are judged, sorted: all but the standard reference, other
// references unless they are kept, outliers, and those without any human score.
func (r Rules) Systems(p *Pair, human *metaeval.Scores) ([]string, error) {
	if p == nil {
		return nil, errors.New("mtme: no Pair: it is nil")
	}
	if p.References[r.Reference] == nil {
		return nil, fmt.Errorf("mtme: %s %s: no reference %q", p.Set, p.LanguagePair, r.Reference)
	}
	if err := human.Check(); err != nil {
		return nil, err
	}
	var out []string
	for _, s := range p.Systems {
		_, reference := p.References[s]
		if s == r.Reference || reference && !r.Human || slices.Contains(r.Outliers, s) {
			continue
		}
		at := slices.Index(human.Systems, s)
		n := len(human.Items)
		if at >= 0 && slices.ContainsFunc(human.Values[at*n:(at+1)*n], func(v float64) bool { return !math.IsNaN(v) }) {
			out = append(out, s)
		}
	}
	return out, nil
}

// Metrics returns the files of scores at a level that used the standard reference or none. Of
// a nil Pair there are none.
func (r Rules) Metrics(p *Pair, level Level) []MetricFile {
	if p == nil {
		return nil
	}
	var out []MetricFile
	for _, f := range p.MetricScores {
		if f.Level == level && f.UsesOnly(r.Reference) {
			out = append(out, f)
		}
	}
	return out
}
