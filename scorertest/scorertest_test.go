package scorertest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
)

// overlap is a sound scorer for the kit to accept, and for faulty to spoil: a word
// matches itself fully, and itself in other letters by half.
type overlap struct{}

func (overlap) Width() int { return 3 }

func (overlap) Info() mteval.Info {
	return mteval.Info{Name: "overlap", Signature: bySpace, Scale: 1}
}

var bySpace = mteval.Signature{{Key: "tok", Abbr: "tok", Value: "space"}}

func (o overlap) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	m, err := o.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	return mteval.PrepareMatched(o, m), nil
}

func (o overlap) Score(row []float64) float64 { return o.PRF(row).F }

func (overlap) PRF(row []float64) mteval.PRF {
	mteval.CheckRow(row, 3)
	if row[2] == 0 {
		return mteval.PRF{}
	}
	p, r := row[0]/row[2], row[1]/row[2]
	return mteval.PRF{P: p, R: r, F: mteval.PRF{P: p, R: r}.FBeta(1)}
}

func (overlap) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := make(overlapMatcher, len(refs))
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, text := range texts {
			m[i] = append(m[i], words(nil, text))
		}
	}
	return m, nil
}

func (overlap) AppendMatch(dst []float64, _ int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	var p, r float64
	for k := range refs {
		p, r = max(p, mean(m.Tokens, m.Pairings[k].Hyp)), max(r, mean(refs[k], m.Pairings[k].Ref))
	}
	return append(dst, p, r, 1)
}

func mean(tokens []mteval.Token, links []mteval.Link) float64 {
	sum, n := 0.0, 0.0
	for j, l := range links {
		sum += float64(tokens[j].Weight * l.Sim)
		n += float64(tokens[j].Weight)
	}
	return sum / max(1, n)
}

// overlapMatcher holds the words of the references. A word without a letter is
// left out, as special tokens of models are.
type overlapMatcher [][][]mteval.Token

func words(dst []mteval.Token, text string) []mteval.Token {
	at := 0
	for _, w := range strings.Fields(text) {
		at += strings.Index(text[at:], w)
		t := mteval.Token{Text: w, Start: at, End: at + len(w)}
		if strings.ContainsFunc(w, unicode.IsLetter) {
			t.Weight = 1
		}
		dst = append(dst, t)
		at += len(w)
	}
	return dst
}

func (m overlapMatcher) Len() int { return len(m) }

func (m overlapMatcher) RefTokens(segment int) [][]mteval.Token { return m[segment] }

func (m overlapMatcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m), segs, hyps); err != nil {
		return err
	}
	for k, hyp := range hyps {
		if err := ctx.Err(); err != nil {
			return err
		}
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		o := &out[k]
		o.Tokens = words(o.Tokens[:0], hyp)
		o.Pairings = slices.Grow(o.Pairings[:0], len(m[seg]))[:len(m[seg])]
		for r, ref := range m[seg] {
			p := &o.Pairings[r]
			p.Hyp = link(p.Hyp[:0], o.Tokens, ref)
			p.Ref = link(p.Ref[:0], ref, o.Tokens)
			p.Spans = nil
		}
	}
	return nil
}

func link(dst []mteval.Link, from, to []mteval.Token) []mteval.Link {
	for _, a := range from {
		l := mteval.Link{To: -1}
		kept := float32(0)
		for j, b := range to {
			var sim float32
			switch {
			case a.Text == b.Text:
				sim = 1
			case a.Text[0]|0x20 == b.Text[0]|0x20 && strings.EqualFold(a.Text, b.Text):
				sim = .5
			}
			l.Sim = max(l.Sim, sim)
			if sim > kept && b.Weight != 0 {
				l.To, kept = int32(j), sim
			}
		}
		dst = append(dst, l)
	}
	return dst
}

// faulty is overlap with some methods replaced: a fault is what a hook does.
type faulty struct {
	overlap
	info     func(mteval.Info) mteval.Info
	width    func() int
	prepared func(ctx context.Context, refs [][]string) (mteval.Prepared, error)
	rows     func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error)
	length   func(n int) int
	score    func(row []float64) float64
	prf      func(row []float64) mteval.PRF

	matcher     func(ctx context.Context, refs [][]string) (mteval.Matcher, error)
	match       func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error
	matchLength func(n int) int
	refTokens   func([][]mteval.Token) [][]mteval.Token
	appendMatch func(dst []float64, segment int, refs [][]mteval.Token, m *mteval.Matching) []float64
}

func (f *faulty) Width() int {
	if f.width != nil {
		return f.width()
	}
	return f.overlap.Width()
}

func (f *faulty) Info() mteval.Info {
	if f.info != nil {
		return f.info(f.overlap.Info())
	}
	return f.overlap.Info()
}

func (f *faulty) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	prepare := f.overlap.Prepare
	if f.prepared != nil {
		prepare = f.prepared
	}
	p, err := prepare(ctx, refs)
	return faultyPrepared{p, f}, err
}

func (f *faulty) Score(row []float64) float64 {
	if f.score != nil {
		return f.score(row)
	}
	return f.overlap.Score(row)
}

func (f *faulty) PRF(row []float64) mteval.PRF {
	if f.prf != nil {
		return f.prf(row)
	}
	return f.overlap.PRF(row)
}

func (f *faulty) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	prepare := f.overlap.PrepareMatch
	if f.matcher != nil {
		prepare = f.matcher
	}
	m, err := prepare(ctx, refs)
	return faultyMatcher{m, f}, err
}

func (f *faulty) AppendMatch(dst []float64, segment int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	if f.appendMatch != nil {
		return f.appendMatch(dst, segment, refs, m)
	}
	return f.overlap.AppendMatch(dst, segment, refs, m)
}

type faultyPrepared struct {
	mteval.Prepared
	f *faulty
}

func (p faultyPrepared) Len() int {
	if p.f.length != nil {
		return p.f.length(p.Prepared.Len())
	}
	return p.Prepared.Len()
}

func (p faultyPrepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if p.f.rows != nil {
		return p.f.rows(p.Prepared, ctx, dst, segs, hyps)
	}
	return p.Prepared.Append(ctx, dst, segs, hyps)
}

type faultyMatcher struct {
	mteval.Matcher
	f *faulty
}

func (m faultyMatcher) Len() int {
	if m.f.matchLength != nil {
		return m.f.matchLength(m.Matcher.Len())
	}
	return m.Matcher.Len()
}

func (m faultyMatcher) RefTokens(segment int) [][]mteval.Token {
	if m.f.refTokens != nil {
		return m.f.refTokens(m.Matcher.RefTokens(segment))
	}
	return m.Matcher.RefTokens(segment)
}

func (m faultyMatcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if m.f.match != nil {
		return m.f.match(m.Matcher, ctx, out, segs, hyps)
	}
	return m.Matcher.Match(ctx, out, segs, hyps)
}

// plain hides all but a Scorer's methods.
type plain struct{ mteval.Scorer }

func TestGoodScorers(t *testing.T) {
	refs, hyps := Texts()
	for _, tt := range []struct {
		name string
		s    mteval.Scorer
		o    Options
	}{
		{"plain", plain{overlap{}}, Options{}},
		{"with matchings", overlap{}, Options{}},
		{"with parameters", lengthRatio{weight: .5}, Options{}},
		{"with statistics", powerMean{power: 2}, Options{}},
		{"faulty without a fault", &faulty{}, Options{Variants: []mteval.Scorer{overlap{}, &faulty{}}}},
		{"own texts", overlap{}, Options{Refs: [][]string{{"a b", "c"}}, Hyps: []string{"A b a"}}},
		{"own texts only", overlap{}, Options{Refs: refs[:9], Hyps: hyps[:9], Only: true}},
		{"one segment only", overlap{}, Options{Refs: refs[:1], Hyps: hyps[:1], Only: true}},
	} {
		if err := Test(tt.s, tt.o); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestTextsAreTheCallers(t *testing.T) {
	refs, hyps := Texts()
	hyps[0], refs[0][0] = "changed", "changed"
	refsAgain, again := Texts()
	if again[0] == "changed" || refsAgain[0][0] == "changed" {
		t.Error("Texts returned the same slices twice")
	}
	if len(hyps) != len(refs) || mteval.CheckReferences(refs) != nil {
		t.Errorf("%d hypotheses, %d references", len(hyps), len(refs))
	}
}

func TestOptionsErrors(t *testing.T) {
	for _, tt := range []struct {
		s    mteval.Scorer
		o    Options
		want string
	}{
		{nil, Options{}, "no scorer"},
		{overlap{}, Options{Hyps: []string{"a"}}, "0 Refs and 1 Hyps"},
		{overlap{}, Options{Hyps: []string{"a"}, Refs: [][]string{{}}}, "no reference"},
		{overlap{}, Options{Only: true}, "Only"},
	} {
		if err := Test(tt.s, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want one with %q", tt.o, err, tt.want)
		}
	}
}

// A fault is a scorer with something wrong and the rules that it must be found to
// break.
type fault struct {
	name string
	s    mteval.Scorer
	o    Options
	want []broken
}

type broken struct {
	where string
	rule  rule
}

func breaks(where string, rules ...rule) (out []broken) {
	for _, r := range rules {
		out = append(out, broken{where, r})
	}
	return out
}

// Every fault is found as what it is, and for every rule there is a fault.
func TestFaults(t *testing.T) {
	missing := make(map[broken]bool)
	for r := range numRules {
		if ruleTable[r].text == "" {
			t.Errorf("rule %d has no text", r)
		}
		for _, where := range ruleTable[r].where {
			missing[broken{where, r}] = true
		}
	}
	missing[broken{"Append", noPanic}] = true

	// A few short texts find them all, and let this be quick.
	refs, hyps := Texts()
	refs, hyps = refs[:12], hyps[:12]
	for _, f := range slices.Concat(infoFaults(), prepareFaults(), appendFaults(), scoreFaults(), matchFaults(), parameterFaults(), reducerFaults(), sourceFaults(), aggregateFaults(), pairFaults(), manySourceFaults()) {
		err := test(f.s, f.o, refs, hyps)
		if err == nil {
			t.Errorf("%s: nothing found", f.name)
			continue
		}
		found := make(map[broken]bool)
		for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
			var v *kit.Violation[rule]
			if !errors.As(e, &v) {
				t.Fatalf("%s: %T", f.name, e)
			}
			found[broken{v.Where, v.Rule}] = true
			if text := ruleTable[v.Rule].text; !strings.Contains(err.Error(), v.Where+": "+text+": ") {
				t.Errorf("%s: the error does not name %s: %s", f.name, v.Where, text)
			}
		}
		for _, b := range f.want {
			delete(missing, b)
			if !found[b] {
				t.Errorf("%s: not found: %s: %s. Found:\n%.2000v", f.name, b.where, ruleTable[b.rule].text, err)
			}
		}
		if n := len(err.(interface{ Unwrap() []error }).Unwrap()); n > 60 {
			t.Errorf("%s: %d errors are too many to read", f.name, n)
		}
	}
	for b := range missing {
		t.Errorf("no fault for %s: %s", b.where, ruleTable[b.rule].text)
	}
}

var errOther = errors.New("some other error")

func infoFaults() []fault {
	info := func(change func(i *mteval.Info)) plain {
		return plain{&faulty{info: func(i mteval.Info) mteval.Info {
			change(&i)
			return i
		}}}
	}
	width := func(n int) plain { return plain{&faulty{width: func() int { return n }}} }
	field := func(f mteval.Field) plain {
		return info(func(i *mteval.Info) { i.Signature = append(i.Signature, f) })
	}
	calls := 0
	uses := new(atomic.Int64)
	return []fault{
		{name: "no name", s: info(func(i *mteval.Info) { i.Name = "" }), want: breaks("Info", infoName)},
		{name: "upper case", s: info(func(i *mteval.Info) { i.Name = "Overlap" }), want: breaks("Info", infoName)},
		{name: "name with space", s: info(func(i *mteval.Info) { i.Name = "over lap" }), want: breaks("Info", infoName)},
		{name: "no width", s: width(0), want: breaks("Width", infoWidth)},
		{name: "width changes", s: &faulty{width: func() int {
			calls++
			return 3 + calls
		}}, want: breaks("Width", infoSame)},
		{name: "Info allocates", s: info(func(i *mteval.Info) { i.Signature = slices.Clone(i.Signature) }), want: breaks("Info", infoAllocates)},
		{name: "no scale", s: info(func(i *mteval.Info) { i.Scale = 0 }), want: breaks("Info", infoScale)},
		{name: "scale NaN", s: info(func(i *mteval.Info) { i.Scale = math.NaN() }), want: breaks("Info", infoScale)},
		{name: "scale infinite", s: info(func(i *mteval.Info) { i.Scale = math.Inf(1) }), want: breaks("Info", infoScale)},
		{name: "field without a key", s: field(mteval.Field{Value: "x"}), want: breaks("Info", infoSignature)},
		{name: "field without a value", s: field(mteval.Field{Key: "x"}), want: breaks("Info", infoSignature)},
		{name: "bar in a value", s: field(mteval.Field{Key: "x", Value: "a|b"}), want: breaks("Info", infoSignature)},
		{name: "colon in a key", s: field(mteval.Field{Key: "x:y", Value: "a"}), want: breaks("Info", infoSignature)},
		{name: "version in the signature", s: field(mteval.Field{Key: "version", Value: "1"}), want: breaks("Info", infoSignature)},
		{name: "Info counts calls", s: info(func(i *mteval.Info) {
			calls++
			i.Scale = float64(calls)
		}), want: breaks("Info", infoSame)},
		{name: "Info changes with use", s: &faulty{
			info: func(i mteval.Info) mteval.Info {
				i.LowerIsBetter = uses.Load() > 0
				return i
			},
			score: func(row []float64) float64 { return overlap{}.Score(row) },
			rows: func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
				uses.Add(1)
				return p.Append(ctx, dst, segs, hyps)
			},
		}, want: breaks("Info", infoSame)},
		{name: "variant of another width", s: overlap{}, o: Options{Variants: []mteval.Scorer{width(4)}}, want: breaks("Variants", variantInfo)},
		{name: "variant of another signature", s: overlap{}, o: Options{Variants: []mteval.Scorer{field(mteval.Field{Key: "workers", Value: "2"})}}, want: breaks("Variants", variantInfo)},
		{name: "variant nil", s: overlap{}, o: Options{Variants: []mteval.Scorer{nil}}, want: breaks("Variants", variantInfo)},
		{name: "variant of other rows", s: overlap{}, o: Options{Variants: []mteval.Scorer{&faulty{
			rows: func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
				n := len(dst)
				dst, err := p.Append(ctx, dst, segs, hyps)
				if len(dst) > n {
					dst[n] = math.Nextafter(dst[n], 2)
				}
				return dst, err
			},
		}}}, want: breaks("Variants", variantRows)},
		{name: "variant of other matchings", s: overlap{}, o: Options{Variants: []mteval.Scorer{&faulty{
			match: func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
				err := m.Match(ctx, out, segs, hyps)
				if err == nil && len(out) > 0 && len(out[0].Tokens) > 0 {
					out[0].Tokens[0].Text += "x"
				}
				return err
			},
		}}}, want: breaks("Variants", variantRows)},
		{name: "variant that fails", s: overlap{}, o: Options{Variants: []mteval.Scorer{&faulty{
			prepared: func(context.Context, [][]string) (mteval.Prepared, error) { return nil, errOther },
		}}}, want: breaks("Variants", variantRows)},
	}
}

// prepareFaults spoils Prepare and PrepareMatch in the same ways.
func prepareFaults() (out []fault) {
	type prepare func(ctx context.Context, refs [][]string) (mteval.Matcher, error)
	good := overlap{}.PrepareMatch
	add := func(name string, bad func() prepare, rules ...rule) {
		prepared := func(bad prepare) func(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
			return func(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
				m, err := bad(ctx, refs)
				if err != nil {
					return nil, err
				}
				return mteval.PrepareMatched(overlap{}, m), nil
			}
		}
		out = append(out, fault{name: "Prepare " + name, s: plain{&faulty{prepared: prepared(bad())}}, want: breaks("Prepare", rules...)},
			fault{name: "PrepareMatch " + name, s: &faulty{matcher: bad()}, want: breaks("PrepareMatch", rules...)})
		out = append(out, fault{name: "aggregate: Prepare " + name, s: aggregateOf{plain{overlap{}}, prepared(bad())}, want: breaks(aggregatePrepare, rules...)})
		if rules[0] == prepareNoReference || rules[0] == prepareInput {
			return // of one reference a segment none is missing, and there is nothing to sort
		}
		out = append(out, fault{name: "statistics: Prepare " + name, s: statisticsOf(prepared(bad())), want: breaks(statisticsPrepare, rules...)})
	}
	stateless := func(p prepare) func() prepare { return func() prepare { return p } }

	add("fails", stateless(func(context.Context, [][]string) (mteval.Matcher, error) { return nil, errOther }), prepareFails)
	add("fails later", func() prepare {
		calls := new(atomic.Int64)
		return func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
			if ctx.Err() == nil && len(refs) > 0 && calls.Add(1) > 1 {
				return nil, errOther
			}
			return good(ctx, refs)
		}
	}, prepareFails)
	add("drops a segment", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		if len(refs) > 1 {
			refs = refs[1:]
		}
		return good(ctx, refs)
	}), prepareLen)
	add("takes a segment without references", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		refs = slices.Clone(refs)
		for i, r := range refs {
			if len(r) == 0 {
				refs[i] = []string{""}
			}
		}
		return good(ctx, refs)
	}), prepareNoReference)
	add("has another error for a segment without references", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		m, err := good(ctx, refs)
		if errors.Is(err, mteval.ErrNoReference) {
			err = mteval.ErrNoReference
		}
		return m, err
	}), prepareNoReference)
	add("counts segments from 1", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		m, err := good(ctx, refs)
		var s *mteval.SegmentError
		if errors.As(err, &s) {
			s.Segment++
		}
		return m, err
	}), prepareNoReference)
	add("takes no empty corpus", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		if len(refs) == 0 {
			return nil, errOther
		}
		return good(ctx, refs)
	}), prepareZero)
	add("sorts references", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		m, err := good(ctx, refs)
		for _, r := range refs {
			slices.Sort(r)
		}
		return m, err
	}), prepareInput)
	add("keeps references", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		if _, err := good(ctx, refs); err != nil {
			return nil, err
		}
		return lazy{refs}, nil
	}), prepareKeeps)
	add("keeps one segment's references", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		if _, err := good(ctx, refs); err != nil {
			return nil, err
		}
		return lazy{slices.Clone(refs)}, nil
	}), prepareKeeps)
	add("has one set of references for all", func() prepare {
		var last atomic.Pointer[overlapMatcher]
		return func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
			m, err := good(ctx, refs)
			if err != nil {
				return nil, err
			}
			now := m.(overlapMatcher)
			last.Store(&now)
			return lastMatcher{m, &last}, nil
		}
	}, prepareOthers)
	add("does not stop", stateless(func(_ context.Context, refs [][]string) (mteval.Matcher, error) {
		return good(background, refs)
	}), prepareCancelled)
	add("has another error when cancelled", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		m, err := good(ctx, refs)
		if ctx.Err() != nil && err != nil {
			err = errOther
		}
		return m, err
	}), prepareCancelled)
	add("returns what it has when cancelled", stateless(func(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := good(ctx, refs)
		if err != nil && ctx.Err() != nil {
			return good(background, slices.Repeat([][]string{{"not reached"}}, len(refs)))
		}
		return m, err
	}), prepareCancelled)
	return out
}

// lazy prepares its references at every call.
type lazy struct{ refs [][]string }

func (l lazy) now() mteval.Matcher {
	m, err := overlap{}.PrepareMatch(background, l.refs)
	if err != nil {
		panic(err)
	}
	return m
}

func (l lazy) Len() int { return len(l.refs) }

func (l lazy) RefTokens(segment int) [][]mteval.Token { return l.now().RefTokens(segment) }

func (l lazy) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	return l.now().Match(ctx, out, segs, hyps)
}

// lastMatcher uses the references that were prepared last where it can.
type lastMatcher struct {
	mteval.Matcher
	last *atomic.Pointer[overlapMatcher]
}

func (l lastMatcher) now() mteval.Matcher {
	if m := *l.last.Load(); len(m) >= l.Matcher.Len() {
		return m[:l.Matcher.Len()]
	}
	return l.Matcher
}

func (l lastMatcher) RefTokens(segment int) [][]mteval.Token { return l.now().RefTokens(segment) }

func (l lastMatcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	return l.now().Match(ctx, out, segs, hyps)
}

// appendFaults spoils Append, and in the same ways Match.
func appendFaults() (out []fault) {
	type match func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error
	good := func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		return m.Match(ctx, out, segs, hyps)
	}
	// Append is Match here, so that one fault serves for both.
	add := func(name string, bad func() match, rules ...rule) {
		rows := func(wrong match, p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
			m := p.(matcherOf).m
			out := make([]mteval.Matching, len(hyps))
			if err := wrong(m, ctx, out, segs, hyps); err != nil {
				return dst, err
			}
			for k := range out {
				sum := 0.0
				for _, p := range out[k].Pairings {
					for j, l := range p.Ref {
						sum += float64(j+1) * float64(l.Sim)
					}
				}
				dst = append(dst, float64(len(out[k].Tokens)), sum, 1)
			}
			return dst, nil
		}
		prepared := func(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
			m, err := overlap{}.PrepareMatch(ctx, refs)
			return matcherOf{m: m}, err
		}
		own, others, means := bad(), bad(), bad()
		scorer := &faulty{prepared: prepared, rows: func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
			return rows(own, p, ctx, dst, segs, hyps)
		}}
		reducer := &faulty{prepared: prepared, rows: func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
			return rows(others, p, ctx, dst, segs, hyps)
		}}
		mean := &faulty{prepared: prepared, rows: func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
			return rows(means, p, ctx, dst, segs, hyps)
		}}
		out = append(out, fault{name: "aggregate: Append " + name, s: aggregateOf{plain{overlap{}}, mean.Prepare}, want: breaks(aggregateAppend, rules...)},
			fault{name: "Append " + name, s: plain{scorer}, want: breaks("Append", rules...)},
			fault{name: "statistics: Append " + name, s: statisticsOf(reducer.Prepare), want: breaks(statisticsAppend, rules...)},
			fault{name: "Match " + name, s: &faulty{match: bad()}, want: breaks("Match", rules...)})
	}
	stateless := func(m match) func() match { return func() match { return m } }

	add("fails", stateless(func(mteval.Matcher, context.Context, []mteval.Matching, []int, []string) error { return errOther }), callFails)
	add("fails for an empty hypothesis", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if slices.Contains(hyps, "") {
			return errOther
		}
		return good(m, ctx, out, segs, hyps)
	}), callFails)
	add("sees the hypothesis before", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		seen := slices.Clone(hyps)
		for k := 1; k < len(hyps); k++ {
			seen[k] += " " + hyps[k-1]
		}
		return good(m, ctx, out, segs, seen)
	}), callBatch)
	add("knows a hypothesis again in another segment", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if segs == nil || mteval.CheckHypotheses(m.Len(), segs, hyps) != nil {
			return good(m, ctx, out, segs, hyps)
		}
		segs = slices.Clone(segs)
		seen := make(map[string]int)
		for k, hyp := range hyps {
			if s, ok := seen[hyp]; ok && len(m.RefTokens(s)) == len(m.RefTokens(segs[k])) {
				segs[k] = s
			}
			seen[hyp] = segs[k]
		}
		return good(m, ctx, out, segs, hyps)
	}), callBatch)
	add("forgets what is past a block", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if len(hyps) > 512 && len(segs) == len(hyps) {
			return good(m, ctx, out[:512], segs[:512], hyps[:512])
		}
		return good(m, ctx, out, segs, hyps)
	}), callBatch)
	add("counts segments from the end", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if segs == nil && len(hyps) == m.Len() {
			segs = make([]int, len(hyps))
			for k := range segs {
				segs[k] = (k + 1) % len(hyps)
			}
		}
		return good(m, ctx, out, segs, hyps)
	}), callNilSegs)
	add("changes hypotheses", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		err := good(m, ctx, out, segs, hyps)
		for k := range hyps {
			hyps[k] = strings.TrimSpace(hyps[k])
		}
		return err
	}), callInput)
	add("changes segments", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		err := good(m, ctx, out, segs, hyps)
		slices.Sort(segs)
		return err
	}), callInput)
	add("keeps hypotheses", func() match {
		var mu sync.Mutex
		var kept, texts []string
		return func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
			mu.Lock()
			defer mu.Unlock()
			// It takes the slice for its contents.
			if len(hyps) > 0 && len(kept) == len(hyps) && &kept[0] == &hyps[0] {
				return good(m, ctx, out, segs, texts)
			}
			kept, texts = hyps, slices.Clone(hyps)
			return good(m, ctx, out, segs, hyps)
		}
	}, callKeeps)
	add("pads and cuts", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if err := mteval.CheckHypotheses(m.Len(), segs, hyps); errors.Is(err, mteval.ErrLength) {
			return nil
		}
		return good(m, ctx, out, segs, hyps)
	}), callLength)
	add("has another error for lengths", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if err := good(m, ctx, out, segs, hyps); !errors.Is(err, mteval.ErrLength) {
			return err
		}
		return errOther
	}), callLength)
	add("takes empty segs for nil", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if len(segs) == 0 && len(hyps) > 0 {
			segs = nil
		}
		return good(m, ctx, out, segs, hyps)
	}), callLength)
	add("takes any segment", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if m.Len() == 0 {
			return good(m, ctx, out, segs, hyps)
		}
		segs = slices.Clone(segs)
		for k, s := range segs {
			segs[k] = min(m.Len()-1, max(0, s))
		}
		return good(m, ctx, out, segs, hyps)
	}), callSegment)
	add("does not stop", stateless(func(m mteval.Matcher, _ context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		return good(m, background, out, segs, hyps)
	}), callCancelled)
	add("returns what it has when cancelled", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := good(m, ctx, out, segs, hyps)
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}), callCancelled)
	add("has another error when cancelled", stateless(func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
		err := good(m, ctx, out, segs, hyps)
		if errors.Is(err, context.Canceled) {
			return errOther
		}
		return err
	}), callCancelled)
	add("serves one caller at a time", func() match {
		inUse := new(atomic.Int64)
		return func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
			defer inUse.Add(-1)
			if inUse.Add(1); len(hyps) > 1 && len(hyps) < 20 {
				time.Sleep(10 * time.Millisecond) // for the others to come
			}
			if inUse.Load() > 1 && len(hyps) > 0 {
				hyps = slices.Repeat(hyps[:1], len(hyps))
			}
			return good(m, ctx, out, segs, hyps)
		}
	}, callConcurrent)

	type rows = func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error)
	own := func(name string, bad rows, rules ...rule) {
		out = append(out, fault{name: "Append " + name, s: plain{&faulty{rows: bad}}, want: breaks("Append", rules...)})
	}
	own("panics for empty hypotheses", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		if slices.Contains(hyps, "") {
			panic("empty")
		}
		return p.Append(ctx, dst, segs, hyps)
	}, noPanic)
	own("appends short rows", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		rows, err := p.Append(ctx, dst, segs, hyps)
		return rows[:max(len(dst), len(rows)-1)], err
	}, rowWidth)
	own("appends a row too many to what is there", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		rows, err := p.Append(ctx, dst, segs, hyps)
		if err == nil && len(dst) > 0 {
			rows = append(rows, 0, 0, 0)
		}
		return rows, err
	}, rowWidth)
	own("divides by nothing", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		n := len(dst)
		rows, err := p.Append(ctx, dst, segs, hyps)
		for k := n; k < len(rows); k++ {
			if hyps[(k-n)/3] == "" {
				rows[k] = math.NaN()
			}
		}
		return rows, err
	}, rowFinite)
	own("overwrites what dst holds", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		rows, err := p.Append(ctx, dst, segs, hyps)
		if err == nil && len(dst) > 0 {
			rows[0] = 0
		}
		return rows, err
	}, dstPrefix)
	own("adds to what is behind dst", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		rows, err := p.Append(ctx, nil, segs, hyps)
		if err != nil {
			return dst, err
		}
		n := len(dst)
		dst = slices.Grow(dst, len(rows))[:n+len(rows)]
		for k, x := range rows {
			dst[n+k] += x
		}
		return dst, nil
	}, dstSpare)
	own("returns nil on error", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		rows, err := p.Append(ctx, dst, segs, hyps)
		if err != nil {
			return nil, err
		}
		return rows, nil
	}, dstOnError)
	own("returns the rows it has on error", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		n := len(dst)
		rows, err := p.Append(ctx, dst, segs, hyps)
		if err != nil && ctx.Err() != nil {
			return append(rows, 1, 2, 3), err
		}
		return rows[:max(n, len(rows))], err
	}, dstOnError)
	own("returns its rows where ctx ends after the last of them", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		rows, err := p.Append(background, dst, segs, hyps)
		for range hyps {
			if err == nil && ctx.Err() != nil {
				return dst, ctx.Err()
			}
		}
		return rows, cmp.Or(err, ctx.Err())
	}, dstOnError)
	own("clears dst on error", func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
		rows, err := p.Append(ctx, dst, segs, hyps)
		if err != nil {
			clear(dst)
		}
		return rows, err
	}, dstOnError)
	return out
}

// matcherOf is a Prepared that is nothing but a matcher.
type matcherOf struct {
	mteval.Prepared
	m mteval.Matcher
}

func (p matcherOf) Len() int { return p.m.Len() }

func scoreFaults() []fault {
	score := func(bad func(row []float64) float64) plain { return plain{&faulty{score: bad}} }
	prf := func(bad func(row []float64) mteval.PRF) *faulty { return &faulty{prf: bad} }
	var scores, prfs, corpora, systems atomic.Int64
	good := overlap{}
	return []fault{
		{name: "Score divides by nothing", s: score(func(row []float64) float64 {
			mteval.CheckRow(row, 3)
			return row[0] / row[2]
		}), want: breaks("Score", scoreFinite)},
		{name: "Score counts calls", s: score(func(row []float64) float64 {
			return good.Score(row) + float64(scores.Add(1))
		}), want: breaks("Score", scorePure)},
		{name: "Score changes the row", s: score(func(row []float64) float64 {
			f := good.Score(row)
			row[1]++
			return f
		}), want: breaks("Score", scoreRow)},
		{name: "Score takes a short row", s: score(func(row []float64) float64 {
			if len(row) < 3 {
				return 0
			}
			return good.Score(row)
		}), want: breaks("Score", scorePanics)},
		{name: "Score takes a long row", s: score(func(row []float64) float64 { return good.Score(row[:3]) }), want: breaks("Score", scorePanics)},
		{name: "Score takes no row", s: score(func(row []float64) float64 {
			if row == nil {
				return 0
			}
			return good.Score(row)
		}), want: breaks("Score", scorePanics)},
		{name: "Score allocates", s: score(func(row []float64) float64 { return good.Score(clone(row)) }), want: breaks("Score", scoreAllocates)},
		{name: "Append depends on being called by Corpus", s: &faulty{
			rows: func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
				rows, err := p.Append(ctx, dst, segs, hyps)
				if segs == nil && dst == nil && len(rows) > 0 && corpora.Add(1) > 1 {
					rows[0]++
				}
				return rows, err
			},
		}, want: breaks("Corpus", corpusSum)},
		{name: "Append depends on being called by Systems", s: &faulty{
			rows: func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
				rows, err := p.Append(ctx, dst, segs, hyps)
				if len(segs) > 2 && segs[0] == segs[1] && segs[1] == segs[2] && len(rows) > 0 && systems.Add(1) > 0 {
					rows[0]++
				}
				return rows, err
			},
		}, want: breaks("Systems", systemsRows)},
		{name: "PRF has another F", s: prf(func(row []float64) mteval.PRF {
			p := good.PRF(row)
			p.F = (p.P + p.R) / 2
			return p
		}), want: breaks("PRF", prfScore)},
		{name: "PRF divides by nothing", s: prf(func(row []float64) mteval.PRF {
			p := good.PRF(row)
			p.P = row[0] / row[2]
			return p
		}), want: breaks("PRF", prfFinite)},
		{name: "PRF counts calls", s: prf(func(row []float64) mteval.PRF {
			p := good.PRF(row)
			p.R += float64(prfs.Add(1))
			return p
		}), want: breaks("PRF", prfPure)},
		{name: "PRF changes the row", s: prf(func(row []float64) mteval.PRF {
			p := good.PRF(row)
			row[0] = 0
			return p
		}), want: breaks("PRF", prfPure)},
		{name: "PRF takes a long row", s: prf(func(row []float64) mteval.PRF { return good.PRF(row[:min(3, len(row))]) }), want: breaks("PRF", prfPanics)},
	}
}

// clone is not inlined, so that what it returns is on the heap.
//
//go:noinline
func clone(row []float64) []float64 { return slices.Clone(row) }

func matchFaults() []fault {
	good := overlap{}
	// matched changes what Match sets.
	matched := func(change func(m mteval.Matcher, seg int, out *mteval.Matching)) *faulty {
		return &faulty{match: func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
			if err := m.Match(ctx, out, segs, hyps); err != nil {
				return err
			}
			for k := range out {
				if segs == nil {
					change(m, k, &out[k])
				} else {
					change(m, segs[k], &out[k])
				}
			}
			return nil
		}}
	}
	refs := func(change func([]mteval.Token)) *faulty {
		return &faulty{refTokens: func(refs [][]mteval.Token) [][]mteval.Token {
			refs = cloneTokens(refs)
			for _, tokens := range refs {
				if len(tokens) > 1 {
					change(tokens)
				}
			}
			return refs
		}}
	}
	hyp := func(change func([]mteval.Token)) *faulty {
		return matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			if len(out.Tokens) > 1 {
				change(out.Tokens)
			}
		})
	}
	links := func(change func(l *mteval.Link, m *mteval.Matching)) *faulty {
		return matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			for _, p := range out.Pairings {
				for j := range p.Ref {
					change(&p.Ref[j], out)
				}
			}
		})
	}
	spans := func(spans ...mteval.Span) *faulty {
		return matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			for r := range out.Pairings {
				out.Pairings[r].Spans = spans
			}
		})
	}
	var calls atomic.Int64
	var mu sync.Mutex
	lent := make([]mteval.Link, 50)
	return []fault{
		{name: "RefTokens has no tokens of the last reference", s: &faulty{
			refTokens: func(refs [][]mteval.Token) [][]mteval.Token { return refs[:len(refs)-1] },
		}, want: breaks("RefTokens", refTokens)},
		{name: "RefTokens changes", s: &faulty{
			refTokens: func(refs [][]mteval.Token) [][]mteval.Token {
				refs = cloneTokens(refs)
				for _, tokens := range refs {
					if len(tokens) > 0 {
						tokens[0].Text += strings.Repeat("x", int(calls.Add(1)%97))
					}
				}
				return refs
			},
		}, want: breaks("RefTokens", refTokensSame)},
		{name: "RefTokens in reverse", s: refs(slices.Reverse[[]mteval.Token]), want: breaks("RefTokens", tokenSpan)},
		{name: "RefTokens outside the text", s: refs(func(k []mteval.Token) { k[len(k)-1].End += 9 }), want: breaks("RefTokens", tokenSpan)},
		{name: "RefTokens with an empty place", s: refs(func(k []mteval.Token) { k[1].End = k[1].Start }), want: breaks("RefTokens", tokenSpan)},
		{name: "RefTokens of negative weight", s: refs(func(k []mteval.Token) { k[0].Weight = -1 }), want: breaks("RefTokens", tokenWeight)},
		{name: "Match in runes", s: hyp(func(k []mteval.Token) { k[1].Start = -1 }), want: breaks("Match", tokenSpan)},
		{name: "Match of negative weight", s: hyp(func(k []mteval.Token) { k[0].Weight = -1 }), want: breaks("Match", tokenWeight)},
		{name: "Match of infinite weight", s: hyp(func(k []mteval.Token) { k[0].Weight = float32(math.Inf(1)) }), want: breaks("Match", tokenWeight)},
		{name: "Match of weight NaN", s: hyp(func(k []mteval.Token) { k[0].Weight = float32(math.NaN()) }), want: breaks("Match", tokenWeight)},
		{name: "Match with the first reference only", s: matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			out.Pairings = out.Pairings[:1]
		}), want: breaks("Match", matchShape)},
		{name: "Match with a link too few", s: matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			for r := range out.Pairings {
				p := &out.Pairings[r]
				p.Hyp = p.Hyp[:max(0, len(p.Hyp)-1)]
			}
		}), want: breaks("Match", matchShape)},
		{name: "Match with a pairing too many", s: matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			out.Pairings = append(out.Pairings, mteval.Pairing{})
		}), want: breaks("Match", matchShape)},
		{name: "Match without pairings", s: matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			out.Pairings = nil
		}), want: breaks("Match", matchShape)},
		{name: "Match with a link from nowhere", s: matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			for r := range out.Pairings {
				p := &out.Pairings[r]
				p.Ref = append(p.Ref, mteval.Link{To: -1})
			}
		}), want: breaks("Match", matchShape)},
		{name: "Match with a span of nothing", s: spans(mteval.Span{}), want: breaks("Match", matchSpans)},
		{name: "Match with a span past the end", s: spans(mteval.Span{HypLen: 1 << 20, RefLen: 1}), want: breaks("Match", matchSpans)},
		{name: "Match with a span twice", s: spans(mteval.Span{HypLen: 1, RefLen: 1}, mteval.Span{HypLen: 1, RefLen: 1}), want: breaks("Match", matchSpans)},
		{name: "Match to a token past the end", s: links(func(l *mteval.Link, m *mteval.Matching) {
			if len(m.Tokens) > 0 {
				l.To = int32(len(m.Tokens))
			}
		}), want: breaks("Match", matchTo)},
		{name: "Match to -2", s: links(func(l *mteval.Link, m *mteval.Matching) {
			if l.To < 0 && len(m.Tokens) > 0 {
				l.To = -2
			}
		}), want: breaks("Match", matchTo)},
		{name: "Match to a token that is left out", s: links(func(l *mteval.Link, m *mteval.Matching) {
			l.To = int32(slices.IndexFunc(m.Tokens, func(t mteval.Token) bool { return t.Weight == 0 }))
		}), want: breaks("Match", matchTo)},
		{name: "Match of similarity above 1", s: links(func(l *mteval.Link, _ *mteval.Matching) { l.Sim *= 1.0000002 }), want: breaks("Match", matchSim)},
		{name: "Match of similarity NaN", s: links(func(l *mteval.Link, m *mteval.Matching) {
			if len(m.Tokens) > 0 && l.To < 0 {
				l.Sim = float32(math.NaN())
			}
		}), want: breaks("Match", matchSim)},
		{name: "Match of similarity minus infinity", s: links(func(l *mteval.Link, _ *mteval.Matching) {
			l.Sim = float32(math.Inf(-1))
		}), want: breaks("Match", matchSim)},
		{name: "Match from the hypothesis to a token past the end", s: matched(func(_ mteval.Matcher, _ int, out *mteval.Matching) {
			for _, p := range out.Pairings {
				for j := range p.Hyp {
					p.Hyp[j].To += 1000
				}
			}
		}), want: breaks("Match", matchTo)},
		{name: "Match with nothing of similarity -1", s: links(func(l *mteval.Link, m *mteval.Matching) {
			if len(m.Tokens) == 0 {
				l.Sim = -1
			}
		}), want: breaks("Match", matchNone)},
		{name: "Match appends to out", s: &faulty{
			match: func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
				old := make([][]mteval.Token, len(out))
				for k := range out {
					old[k] = out[k].Tokens
					out[k] = mteval.Matching{}
				}
				err := m.Match(ctx, out, segs, hyps)
				for k := range out {
					out[k].Tokens = append(slices.Clone(old[k]), out[k].Tokens...)
				}
				return err
			},
		}, want: breaks("Match", matchReuse)},
		{name: "Match shares memory among equal hypotheses", s: &faulty{
			match: func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
				if err := m.Match(ctx, out, segs, hyps); err != nil {
					return err
				}
				for k := 1; segs != nil && k < len(out); k++ {
					if segs[k] == segs[k-1] && hyps[k] == hyps[k-1] {
						out[k] = out[k-1]
					}
				}
				return nil
			},
		}, want: breaks("Match", matchReuse)},
		{name: "Match lends its own memory", s: &faulty{
			match: func(m mteval.Matcher, ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
				if err := m.Match(ctx, out, segs, hyps); err != nil {
					return err
				}
				if len(out) >= 10 && len(out) <= 20 {
					mu.Lock()
					defer mu.Unlock()
					p := &out[1].Pairings[0]
					p.Hyp = lent[:copy(lent, p.Hyp)]
				}
				return nil
			},
		}, want: breaks("Match", matchEarlier)},
		{name: "AppendMatch of another metric", s: &faulty{
			appendMatch: func(dst []float64, seg int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
				return good.AppendMatch(dst, seg, refs[:1], m)
			},
		}, want: append(breaks("AppendMatch", matchRow), breaks("MatchSystems", matchTable)...)},
		{name: "AppendMatch drops dst", s: &faulty{
			appendMatch: func(dst []float64, seg int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
				return good.AppendMatch(dst[:0], seg, refs, m)
			},
		}, want: breaks("AppendMatch", matchAppends)},
		{name: "AppendMatch changes links", s: &faulty{
			appendMatch: func(dst []float64, seg int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
				dst = good.AppendMatch(dst, seg, refs, m)
				for _, p := range m.Pairings {
					clear(p.Hyp)
				}
				return dst
			},
		}, want: breaks("AppendMatch", matchInput)},
		{name: "AppendMatch changes references", s: &faulty{
			appendMatch: func(dst []float64, seg int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
				dst = good.AppendMatch(dst, seg, refs, m)
				for _, tokens := range refs {
					if len(tokens) > 0 {
						tokens[0].Weight = 7
					}
				}
				return dst
			},
		}, want: breaks("AppendMatch", matchInput)},
	}
}
