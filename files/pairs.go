package files

import (
	"context"
	"fmt"
	"io"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/metaeval"
)

// ReadPairs reads which of two outputs is better: WMT's relative rankings from direct
// assessment (DARR) and judgements of pairs. It is a table with a header, with tabs,
// spaces or commas between. The file may be gzipped; "-" is standard input.
//
// The header calls columns segment (or segid, seg_id, sid, seg, item), and better and
// worse, two systems; or a, b and result, two systems and ">" where a is better, "=" for
// a tie or "<". It may have judge (or rater), and lp, the language pair. Other columns are
// passed over. That WMT18's header lacks a name at the start, and WMT20's one at the end, is
// known.
//
// Of a file with several language pairs lp says which to read, such as "de-en"; "" is for
// a file with one. Systems and items are in the order in which they come. A pair can come
// more than once: what one judge says of it does not bind another.
func ReadPairs(r io.Reader, name, lp string, o Options) (*human.Pairs, error) {
	return read(r, name, o, pairsParser(lp))
}

// OpenPairs is [ReadPairs] of a file.
func OpenPairs(ctx context.Context, path, lp string, o Options) (*human.Pairs, error) {
	return open(ctx, path, o, pairsParser(lp))
}

func pairsParser(lp string) parser[*human.Pairs] {
	return table(func(s *source) (*human.Pairs, error) { return parsePairs(s, lp) })
}

func parsePairs(s *source, lp string) (*human.Pairs, error) {
	p := &human.Pairs{}
	var h header
	var a, b, segment int
	judge, result, language := -1, -1, -1
	var systems, items grid.Names
	started := false // with the rows after the header
	seen := ""       // the language pair, if lp is ""
	err := rows(s, s.separator(), func(r *row) error {
		if h.names == nil {
			h = headerOf(r.fields)
			judge, result, language = h.find(judgeNames...), h.find("result"), h.find("lp")
			if judge >= 0 {
				p.Judges = []string{}
			}
			if err := h.locate(r, column{&segment, segmentNames}); err != nil {
				return err
			}
			if result >= 0 {
				return h.locate(r, column{&a, []string{"a"}}, column{&b, []string{"b"}})
			}
			return h.locate(r, column{&a, []string{"better"}}, column{&b, []string{"worse"}})
		}
		if data := h.find("data"); len(r.fields) == len(h.names)+1 {
			switch {
			case language >= 0 && data >= 0:
				r.fields = r.fields[:len(h.names)] // WMT20: the difference, which has no name
			case !started && len(h.names) == 4 && (language >= 0 || data >= 0):
				// WMT18: everything is one column further right.
				h.names = append([]string{"lp"}, h.names...)
				language, a, b, segment = 0, a+1, b+1, segment+1
			}
		}
		started = true
		if err := h.fits(r); err != nil {
			return err
		}
		if language >= 0 {
			switch l := r.fields[language]; {
			case lp != "" && l != lp:
				return nil
			case seen != "" && l != seen:
				return r.errorf("pairs of %s and of %s: say which of the language pairs to read", seen, l)
			default:
				seen = l
			}
		}
		if err := r.named(a, b, segment); err != nil {
			return err
		}
		c := metaeval.Pair{Human: 1}
		if result >= 0 {
			var ok bool
			if c.Human, ok = relationOf(r.fields[result]); !ok {
				return r.errorf("result %q: want > where a is better, = or <", r.fields[result])
			}
		}
		if r.fields[a] == r.fields[b] {
			return r.errorf("system %s against itself", r.fields[a])
		}
		c.Item, c.A, c.B = items.Number(r.fields[segment]), systems.Number(r.fields[a]), systems.Number(r.fields[b])
		p.Pairs = append(p.Pairs, c)
		if judge >= 0 {
			if err := r.named(judge); err != nil {
				return err
			}
			p.Judges = append(p.Judges, r.fields[judge])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(p.Pairs) == 0 {
		if lp != "" {
			return nil, fmt.Errorf("%s: nothing of language pair %s in it", s.name, lp)
		}
		return nil, s.empty()
	}
	p.Systems, p.Items = systems.Names, items.Names
	return p, nil
}

func relationOf(text string) (int8, bool) {
	switch text {
	case ">":
		return 1, true
	case "=":
		return 0, true
	case "<":
		return -1, true
	}
	return 0, false
}
