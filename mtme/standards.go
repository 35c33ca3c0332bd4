package mtme

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// RulesOf are those of a language pair in WMT's metrics task, or, where that task had not the
// pair, in the translation task. Sets are wmt19, wmt20, wmt21.news, wmt21.tedtalks,
// wmt21.flores, wmt22 and wmt23. The error is for a set or a pair of which no rules are known.
func RulesOf(set, lp string) (Rules, error) {
	s, ok := standards()[set]
	if !ok {
		return Rules{}, fmt.Errorf("mtme: no rules are known of %q: give the reference and the kind of human scores, and outliers if there are any", set)
	}
	r, ok := s.Pairs[lp]
	if !ok && !s.Others {
		return Rules{}, fmt.Errorf("mtme: no rules are known of %s %s, only of %s: give the reference and the kind of human scores, and outliers if there are any",
			set, lp, strings.Join(slices.Sorted(maps.Keys(s.Pairs)), ", "))
	}
	if r.Reference == "" {
		r.Reference = s.Rules.Reference
	}
	if r.SystemGold == "" {
		r.SystemGold, r.SegmentGold = s.Rules.SystemGold, s.Rules.SegmentGold
	}
	r.Outliers = slices.Clone(r.Outliers)
	return r, nil
}

// A standard is a test set's rules: what holds unless a pair's rules say other, the pairs,
// and the primary metrics where they are known.
type standard struct {
	Rules   Rules
	Pairs   map[string]Rules
	Others  bool // pairs that are not named have the rules
	Primary []string
}

// embedded are what mt-metrics-eval's data have as standard references, human scores,
// outliers and primary metrics, by set.
//
//go:embed standards.json
var embedded []byte

var standards = sync.OnceValue(func() (out map[string]standard) {
	if err := json.Unmarshal(embedded, &out); err != nil {
		panic("mtme: " + err.Error()) // the package was built with another file
	}
	return out
})

// Primary returns the names of the primary metrics of a set, those that WMT's tables have
// unless all are asked for, sorted. It knows wmt23's 32; of others it returns nil.
func Primary(set string) []string { return slices.Clone(standards()[set].Primary) }
