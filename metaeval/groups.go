package metaeval

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/moments"
)

// GroupMeans returns the scores of groups of items, such as documents: each system's mean over
// a group's items. Groups names the group of each item; they are the Items of the result, in
// the order in which they come, and need not lie together. What a system lacks is left out.
// With among it is the mean over the items on which the system has a score there too: a
// metric's over those that people judged. The error is Check's, or wraps [ErrMismatch].
func (s *Scores) GroupMeans(groups []string, among *Scores) (*Scores, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if len(groups) != len(s.Items) {
		return nil, fmt.Errorf("metaeval: groups of %d items, of which there are %d", len(groups), len(s.Items))
	}
	if among != nil {
		if err := among.checkValues(); err != nil {
			return nil, fmt.Errorf("metaeval: %w", err)
		}
		if !slices.Equal(s.Systems, among.Systems) || !slices.Equal(s.Items, among.Items) {
			return nil, fmt.Errorf("metaeval: %w", ErrMismatch)
		}
	}
	var names []string
	members := make(map[string][]int)
	for i, g := range groups {
		if members[g] == nil {
			names = append(names, g)
		}
		members[g] = append(members[g], i)
	}
	out := NewScores(s.Systems, names)
	var values []float64
	for k := range s.Systems {
		for at, name := range names {
			values = values[:0]
			for _, i := range members[name] {
				if among == nil || !math.IsNaN(among.At(k, i)) {
					values = append(values, s.At(k, i))
				}
			}
			out.Set(k, at, moments.Mean(values))
		}
	}
	return out, nil
}
