package files

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mteval/mteval/human"
)

// ReadRankings reads WMT's relative rankings, CSV with a header: judgeId, srclang,
// trglang, srcIndex (or else segmentId), and for each output that was ranked system1Id
// and system1rank, system2Id and system2rank and so on, five as a rule. The file may be
// gzipped; "-" is standard input. Of o only Shared is looked at.
//
// An output whose rank is −1 was left blank: it is left out of its ranking, and a ranking
// with fewer than two others is left out whole.
func ReadRankings(r io.Reader, name, shared string, o Options) ([]human.RelativeRanking, error) {
	return read(r, name, o, rankingsParser(shared))
}

// OpenRankings is [ReadRankings] of a file.
func OpenRankings(ctx context.Context, path, shared string, o Options) ([]human.RelativeRanking, error) {
	return open(ctx, path, o, rankingsParser(shared))
}

func rankingsParser(shared string) parser[[]human.RelativeRanking] {
	return table(func(s *source) ([]human.RelativeRanking, error) { return parseRankings(s, shared) })
}

func parseRankings(s *source, shared string) ([]human.RelativeRanking, error) {
	var out []human.RelativeRanking
	var h header
	var judge, source, target, item int
	var systems, ranks []int
	err := rows(s, commas, func(r *row) error {
		if h.names == nil {
			h = headerOf(r.fields)
			for k := 1; h.find(fmt.Sprintf("system%did", k)) >= 0; k++ {
				rank, err := h.need(r, fmt.Sprintf("system%drank", k))
				if err != nil {
					return err
				}
				systems, ranks = append(systems, h.find(fmt.Sprintf("system%did", k))), append(ranks, rank)
			}
			if len(systems) < 2 {
				return r.errorf("want columns system1Id, system1rank, system2Id, system2rank: the header has %s", strings.Join(h.names, ", "))
			}
			return h.locate(r, column{&judge, []string{"judgeid"}}, column{&source, []string{"srclang"}},
				column{&target, []string{"trglang"}}, column{&item, []string{"srcindex", "segmentid"}})
		}
		if err := h.fits(r); err != nil {
			return err
		}
		if err := r.named(judge, item); err != nil {
			return err
		}
		k := human.RelativeRanking{Judge: r.fields[judge], Item: r.fields[item], Source: r.fields[source], Target: r.fields[target]}
		seen := make(map[string]bool)
		for i, c := range ranks {
			rank, err := strconv.Atoi(r.fields[c])
			if err != nil || rank < 1 && rank != -1 {
				return r.errorf("rank %q in column %d: want a whole number from 1, or -1 for none", r.fields[c], c+1)
			}
			if rank == -1 {
				continue
			}
			if err := r.named(systems[i]); err != nil {
				return err
			}
			names, err := split(r, r.fields[systems[i]], shared)
			if err != nil {
				return err
			}
			for _, s := range names {
				if seen[s] {
					return r.errorf("system %s is twice in one ranking", s)
				}
				seen[s] = true
			}
			k.Outputs = append(k.Outputs, human.Ranked{Systems: names, Rank: rank})
		}
		if len(k.Outputs) > 1 {
			out = append(out, k)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no rankings in it", s.name)
	}
	return out, nil
}
