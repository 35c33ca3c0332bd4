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
	t := &rankingTable{shared: shared}
	if err := rows(s, commas, t.row); err != nil {
		return nil, err
	}
	if len(t.rankings) == 0 {
		return nil, fmt.Errorf("%s: no rankings in it", s.name)
	}
	return t.rankings, nil
}

// A rankingTable is a table of rankings as far as it is read.
type rankingTable struct {
	shared                      string
	header                      header
	judge, source, target, item int   // columns
	systems, ranks              []int // columns of each output

	rankings []human.RelativeRanking
}

func (t *rankingTable) row(r *row) error {
	if t.header.names == nil {
		return t.readHeader(r)
	}
	if err := t.header.fits(r); err != nil {
		return err
	}
	if err := r.named(t.judge, t.item); err != nil {
		return err
	}
	k := human.RelativeRanking{Judge: r.fields[t.judge], Item: r.fields[t.item], Source: r.fields[t.source], Target: r.fields[t.target]}
	seen := make(map[string]bool)
	for i, c := range t.ranks {
		rank, err := strconv.Atoi(r.fields[c])
		if err != nil || rank < 1 && rank != -1 {
			return r.errorf("rank %q in column %d: want a whole number from 1, or -1 for none", r.fields[c], c+1)
		}
		if rank == -1 {
			continue
		}
		if err := r.named(t.systems[i]); err != nil {
			return err
		}
		names, err := split(r, r.fields[t.systems[i]], t.shared)
		if err != nil {
			return err
		}
		for _, s := range names {
			if seen[s] {
				return r.errorf("system %s is twice in one ranking", s)
			}
			seen[s] = true
		}
		k.Outputs = append(k.Outputs, human.RankedOutput{Systems: names, Rank: rank})
	}
	if len(k.Outputs) > 1 {
		t.rankings = append(t.rankings, k)
	}
	return nil
}

func (t *rankingTable) readHeader(r *row) error {
	h := headerOf(r.fields)
	t.header = h
	for k := 1; h.find(fmt.Sprintf("system%did", k)) >= 0; k++ {
		rank, err := h.need(r, fmt.Sprintf("system%drank", k))
		if err != nil {
			return err
		}
		t.systems, t.ranks = append(t.systems, h.find(fmt.Sprintf("system%did", k))), append(t.ranks, rank)
	}
	if len(t.systems) < 2 {
		return r.errorf("want columns system1Id, system1rank, system2Id, system2rank: the header has %s", strings.Join(h.names, ", "))
	}
	return h.locate(r, column{&t.judge, []string{"judgeid"}}, column{&t.source, []string{"srclang"}},
		column{&t.target, []string{"trglang"}}, column{&t.item, []string{"srcindex", "segmentid"}})
}
