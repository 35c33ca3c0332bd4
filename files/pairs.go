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
	t := &pairTable{lp: lp, pairs: &human.Pairs{}}
	if err := rows(s, s.separator(), t.row); err != nil {
		return nil, err
	}
	if len(t.pairs.Pairs) == 0 {
		if lp != "" {
			return nil, fmt.Errorf("%s: nothing of language pair %s in it", s.name, lp)
		}
		return nil, s.empty()
	}
	t.pairs.Systems, t.pairs.Items = t.systems.Names, t.items.Names
	return t.pairs, nil
}

// A pairTable is a table of pairs as far as it is read.
type pairTable struct {
	lp     string // the language pair to read, "" for the only one
	header header
	// a, b and segment are columns, and so are judge, result and language, −1 for none.
	a, b, segment           int
	judge, result, language int

	started        bool   // with the rows after the header
	seen           string // the language pair, if lp is ""
	systems, items grid.Names
	pairs          *human.Pairs
}

func (t *pairTable) row(r *row) error {
	if t.header.names == nil {
		return t.readHeader(r)
	}
	t.mend(r)
	t.started = true
	if err := t.header.fits(r); err != nil {
		return err
	}
	if other, err := t.otherLanguages(r); other || err != nil {
		return err
	}
	if err := r.named(t.a, t.b, t.segment); err != nil {
		return err
	}
	c := metaeval.Pair{Human: 1}
	if t.result >= 0 {
		var ok bool
		if c.Human, ok = relationOf(r.fields[t.result]); !ok {
			return r.errorf("result %q: want > where a is better, = or <", r.fields[t.result])
		}
	}
	a, b := r.fields[t.a], r.fields[t.b]
	if a == b {
		return r.errorf("system %s against itself", a)
	}
	c.Item, c.A, c.B = t.items.Number(r.fields[t.segment]), t.systems.Number(a), t.systems.Number(b)
	t.pairs.Pairs = append(t.pairs.Pairs, c)
	if t.judge >= 0 {
		if err := r.named(t.judge); err != nil {
			return err
		}
		t.pairs.Judges = append(t.pairs.Judges, r.fields[t.judge])
	}
	return nil
}

func (t *pairTable) readHeader(r *row) error {
	h := headerOf(r.fields)
	t.header = h
	t.judge, t.result, t.language = h.find(judgeNames...), h.find("result"), h.find("lp")
	if t.judge >= 0 {
		t.pairs.Judges = []string{}
	}
	if err := h.locate(r, column{&t.segment, segmentNames}); err != nil {
		return err
	}
	if t.result >= 0 {
		return h.locate(r, column{&t.a, []string{"a"}}, column{&t.b, []string{"b"}})
	}
	return h.locate(r, column{&t.a, []string{"better"}}, column{&t.b, []string{"worse"}})
}

// mend makes up for a name that WMT's headers lack.
func (t *pairTable) mend(r *row) {
	h := &t.header
	if len(r.fields) != len(h.names)+1 {
		return
	}
	switch data := h.find("data"); {
	case t.language >= 0 && data >= 0:
		r.fields = r.fields[:len(h.names)] // WMT20: the difference, which has no name
	case !t.started && len(h.names) == 4 && (t.language >= 0 || data >= 0):
		// WMT18: everything is one column further right.
		h.names = append([]string{"lp"}, h.names...)
		t.language, t.a, t.b, t.segment = 0, t.a+1, t.b+1, t.segment+1
	}
}

// otherLanguages says whether a row is of a language pair that is not to be read.
func (t *pairTable) otherLanguages(r *row) (bool, error) {
	if t.language < 0 {
		return false, nil
	}
	l := r.fields[t.language]
	switch {
	case t.lp != "" && l != t.lp:
		return true, nil
	case t.seen != "" && l != t.seen:
		return false, r.errorf("pairs of %s and of %s: say which of the language pairs to read", t.seen, l)
	}
	t.seen = l
	return false, nil
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
