// Package scorertest is the kit that an implementation of mteval.Scorer must
// pass. In the manner of testing/fstest, Test checks a scorer against everything
// that the documentation of Scorer, Prepared, PRFScorer, SourceScorer, MatchScorer, Matcher,
// AggregateScorer, PairScorer, SymmetricScorer, and of package tunable's Scorer, Reducer and
// Statistics promises, and says what it found:
//
//	func TestConformance(t *testing.T) {
//		if err := scorertest.Test(NewScorer(), scorertest.Options{}); err != nil {
//			t.Error(err)
//		}
//	}
//
// The kit knows nothing of what a score should be: that is for a metric's own
// tests. It checks what everything that is built on metrics (tables, resampling,
// ranking, difficulty) relies on without looking: that rows add up, depend on
// nothing but their own hypothesis and segment, are the same to the last bit
// however the work is cut and whoever else is at work, and that errors leave
// things as they were.
//
// Run it with the race detector too. Values that come out wrong show themselves
// without it, but two writes of the same value do not.
package scorertest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/tunable"
)

// Options of Test. The zero value is right for most scorers.
type Options struct {
	// Refs and Hyps are segments of the caller's to be checked after the
	// kit's own, for what a metric treats in a way of its own. Refs[i] holds
	// the references of Hyps[i], at least one.
	Refs [][]string
	Hyps []string

	// Only leaves out the kit's own texts, and checks that prepare references
	// other than all of Refs, but for those of a segment without any, which
	// is an error for every scorer. It is for scorers that accept one set of
	// references only, such as those of package difficulty: see Texts.
	Only bool

	// Variants are scorers that must not differ in anything but speed, such
	// as the same metric with other numbers of workers: they must have the
	// same Info and give the same rows to the last bit.
	Variants []mteval.Scorer
}

// Test checks a scorer. It returns nil if all is well, else an error that joins
// one for everything it found; each names the method, the rule that is broken, and
// with which input.
//
// Where s is a MatchScorer, a PRFScorer, a SourceScorer, an AggregateScorer, a PairScorer, a
// SymmetricScorer, a tunable.Scorer or a tunable.Reducer it is checked as such; sources are made
// of the references, but of a SourceScorer what is for many texts is not checked. As Test counts allocations it must not be called while parallel tests run, see
// testing.AllocsPerRun.
func Test(s mteval.Scorer, o Options) error {
	refs, hyps := Texts()
	return test(s, o, refs, hyps)
}

// test is Test with other texts than the kit's own.
func test(s mteval.Scorer, o Options, refs [][]string, hyps []string) error {
	t, err := newTester(s, o, refs, hyps)
	if err != nil {
		return err
	}
	t.Guard("Info", t.checkInfo)
	t.Guard("Width", t.checkWidth)
	if len(t.List()) > 0 {
		return t.Err() // a width that is wrong makes everything wrong
	}
	rows := t.rowSide()
	if !rows.checkAll() {
		return t.Err()
	}
	t.rows, t.rowsBroken = rows.want, rows.broken
	t.Guard("Append", t.checkFinite)
	t.Guard("Append", func() { t.checkDstOnError(rows.p) })
	if !rows.broken {
		t.Guard("Append", func() { t.checkDst(rows.p) })
		t.Guard("Corpus", t.checkCorpora)
	}
	t.Guard("Score", t.checkScore)
	if s, ok := s.(mteval.SourceScorer); ok {
		t.Guard(prepareSources, func() { t.checkSources(s) })
		t.checkManySources(s)
	}
	if s, ok := s.(mteval.PRFScorer); ok {
		t.Guard("PRF", func() { t.checkPRF(s) })
	}
	if s, ok := t.s.(mteval.MatchScorer); ok {
		t.checkMatchScorer(s)
	}
	t.checkMany()
	if s, ok := t.s.(tunable.Scorer); ok {
		t.checkParameters(s)
	}
	for i, v := range o.Variants {
		t.Guard("Variants", func() { t.checkVariant(i, v) })
	}
	return t.Err()
}

// checkMany checks what is for many texts against many.
func (t *tester) checkMany() {
	if s, ok := t.s.(mteval.AggregateScorer); ok {
		t.Guard(aggregatePrepare, func() { t.checkAggregate(s) })
	}
	if s, ok := t.s.(mteval.PairScorer); ok {
		t.Guard(pairsAppend, func() { t.checkPairs(s) })
	}
	if s, ok := t.s.(mteval.SymmetricScorer); ok {
		t.Guard("Symmetric", func() { t.checkSymmetric(s) })
	}
}

// newTester has the texts, in pairs.
func newTester(s mteval.Scorer, o Options, refs [][]string, hyps []string) (*tester, error) {
	if contract.Nil(s) {
		return nil, errors.New("scorertest: no scorer")
	}
	if len(o.Hyps) != len(o.Refs) {
		return nil, fmt.Errorf("scorertest: Options have %d Refs and %d Hyps", len(o.Refs), len(o.Hyps))
	}
	if o.Only {
		refs, hyps = nil, nil
	}
	t := &tester{only: o.Only, refs: cloneRefs(slices.Concat(refs, o.Refs)), hyps: slices.Concat(hyps, o.Hyps)}
	if err := mteval.CheckReferences(t.refs); err != nil {
		return nil, fmt.Errorf("scorertest: Options: %w", err)
	}
	if len(t.hyps) == 0 {
		return nil, errors.New("scorertest: Options have Only but no Refs")
	}
	t.s = t.sourced(s)
	t.pair()
	return t, nil
}

// A pair is a hypothesis that is scored against a segment, not always its own.
type pair struct {
	seg int
	hyp string
}

func (p pair) String() string { return fmt.Sprintf("segment %d, hypothesis %.60q", p.seg, p.hyp) }

// pair sets the pairs: every hypothesis with its own segment, in order, then with
// others.
func (t *tester) pair() {
	n := len(t.refs)
	for _, shift := range []int{0, 1, 7} {
		if shift > 0 && shift%n == 0 {
			continue
		}
		for i := range n {
			t.pairs = append(t.pairs, pair{i, t.hyps[(i+shift)%n]})
		}
	}
}

func (t *tester) checkInfo() {
	const where = "Info"
	info := t.s.Info()
	t.info = info
	if info.Name == "" || info.Name != strings.ToLower(info.Name) || strings.ContainsFunc(info.Name, isSpaceOrBar) {
		t.Fail(where, infoName, "it is %q", info.Name)
	}
	if !(info.Scale > 0) || math.IsInf(info.Scale, 0) {
		t.Fail(where, infoScale, "it is %v", info.Scale)
	}
	for _, f := range info.Signature {
		switch {
		case f.Key == "" || f.Value == "":
			t.Fail(where, infoSignature, "key %q has the value %q", f.Key, f.Value)
		case strings.ContainsAny(f.Key, "|:") || strings.ContainsAny(f.Abbr, "|:") || strings.Contains(f.Value, "|"):
			t.Fail(where, infoSignature, "key %q, abbreviated %q, has the value %q", f.Key, f.Abbr, f.Value)
		case f.Key == "nrefs" || f.Key == "version":
			t.Fail(where, infoSignature, "the key %q is Signature.Complete's to add", f.Key)
		}
	}
	for range 3 {
		if again := t.s.Info(); !sameInfo(info, again) {
			t.Fail(where, infoSame, "first %+v, then %+v", info, again)
		}
	}
	if n := allocations(func() { t.s.Info() }); n > 0 && len(t.List()) == 0 {
		t.Fail(where, infoAllocates, "%v allocations", n)
	}
}

func (t *tester) checkWidth() {
	const where = "Width"
	t.width = t.s.Width()
	if t.width <= 0 {
		t.Fail(where, infoWidth, "it is %d", t.width)
	}
	if again := t.s.Width(); again != t.width {
		t.Fail(where, infoSame, "first %d, then %d", t.width, again)
	}
}

// checkInfoAgain finds scorers that change as they are used.
func (t *tester) checkInfoAgain() {
	if again := t.s.Info(); !sameInfo(t.info, again) {
		t.Fail("Info", infoSame, "first %+v, after use %+v", t.info, again)
	}
}

func isSpaceOrBar(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '|' }

func sameInfo(a, b mteval.Info) bool {
	return a.Name == b.Name && a.Scale == b.Scale &&
		a.LowerIsBetter == b.LowerIsBetter && slices.Equal(a.Signature, b.Signature)
}

// checkVariant compares the rows of a scorer that must not differ.
func (t *tester) checkVariant(i int, v mteval.Scorer) {
	where := fmt.Sprintf("Variants[%d]", i)
	if v == nil {
		t.Fail("Variants", variantInfo, "%s is nil", where)
		return
	}
	if info := v.Info(); !sameInfo(t.info, info) || v.Width() != t.width {
		t.Fail("Variants", variantInfo, "%+v, that of %s is %+v; the widths are %d and %d", t.info, where, info, t.width, v.Width())
		return
	}
	other := &tester{info: t.info, width: t.width, hyps: t.hyps, refs: t.refs, pairs: t.pairs, only: t.only}
	other.s = other.sourced(v)
	all := t.many(1)
	if rows := other.rowSide(); rows.prepared() {
		segs, hyps := t.split(all)
		got, ok := rows.do(context.Background(), rows.p, segs, hyps, where)
		for k := 0; ok && k < len(all); k++ {
			if d := differRows(got[k], t.rows[all[k]]); d != "" {
				t.Fail("Variants", variantRows, "%s with %v: %s", where, t.pairs[all[k]], d)
			}
		}
	}
	s, ok := v.(mteval.MatchScorer)
	if ok && t.matchings != nil {
		if m := other.matchSide(s); m.prepared() {
			segs, hyps := t.split(all)
			got, ok := m.do(context.Background(), m.p, segs, hyps, where)
			for k := 0; ok && k < len(all); k++ {
				if d := differMatchings(got[k], t.matchings[all[k]]); d != "" {
					t.Fail("Variants", variantRows, "%s with %v: %s", where, t.pairs[all[k]], d)
				}
			}
		}
	}
	for _, err := range other.List() {
		t.Fail("Variants", variantRows, "%s: %w", where, err)
	}
}
