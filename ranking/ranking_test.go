package ranking_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/ranking"
)

// fake is a metric of given scores. It notes what it was asked for.
type fake struct {
	info   mteval.Info
	scores []float64
	// by, if set, gives the scores in place of scores.
	by    func(system int, voters []int) float64
	err   error
	calls []call
}

type call struct{ Systems, Voters []int }

func (f *fake) Info() mteval.Info { return f.info }

func (f *fake) Scores(_ context.Context, systems, voters []int) ([]float64, error) {
	f.calls = append(f.calls, call{slices.Clone(systems), slices.Clone(voters)})
	if f.err != nil {
		return nil, f.err
	}
	var out []float64
	for _, k := range systems {
		if f.by != nil {
			out = append(out, f.by(k, voters))
		} else {
			out = append(out, f.scores[k])
		}
	}
	return out, nil
}

func metric(name string, scores ...float64) *fake {
	return &fake{info: mteval.Info{Name: name}, scores: scores}
}

func errorMetric(name string, scores ...float64) *fake {
	return &fake{info: mteval.Info{Name: name, LowerIsBetter: true}, scores: scores}
}

func rank(t *testing.T, systems []string, o ranking.Options, metrics ...ranking.FieldMetric) *ranking.Result {
	t.Helper()
	r, err := ranking.Rank(t.Context(), systems, metrics, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// top ranks the k best systems (0: all) alone, as Best has them.
func top(t *testing.T, systems []string, people []ranking.Human, k int, metrics ...*fake) *ranking.Result {
	t.Helper()
	best := make([]mteval.System, len(systems))
	for i, name := range systems {
		best[i].Name = name
	}
	if k > 0 {
		var err error
		if best, people, err = ranking.Best(best, people, k); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	scores := make([][]float64, len(metrics))
	for _, s := range best {
		names = append(names, s.Name)
		for m := range metrics {
			scores[m] = append(scores[m], metrics[m].scores[slices.Index(systems, s.Name)])
		}
	}
	var some []ranking.FieldMetric
	for m := range metrics {
		metrics[m].scores = scores[m]
		some = append(some, metrics[m])
	}
	return rank(t, names, ranking.Options{Human: people}, some...)
}

// human makes human scores of systems that are named by letters.
func human(systems string, scores ...float64) []ranking.Human {
	var out []ranking.Human
	for i, name := range strings.Split(systems, "") {
		out = append(out, ranking.Human{System: name, Score: scores[i]})
	}
	return out
}

func letters(s string) []string { return strings.Split(s, "") }

func ptr(x float64) *float64 { return &x }

// perfect is the correlation of full agreement.
var (
	perfect  = ranking.Coefficients{Pearson: ptr(1), Spearman: ptr(1), Kendall: ptr(1)}
	approx   = cmpopts.EquateApprox(0, 1e-12)
	nilEmpty = cmpopts.EquateEmpty()
)

func TestRanks(t *testing.T) {
	for _, tt := range []struct {
		scores []float64
		lower  bool
		want   []int
	}{
		{[]float64{.9, .5, .5, .1}, false, []int{1, 2, 2, 4}},
		{[]float64{.5, .1, .9, .5}, false, []int{2, 4, 1, 2}},
		{[]float64{.5, .1, .9, .5}, true, []int{2, 1, 4, 2}},
		{[]float64{3, 3, 3}, false, []int{1, 1, 1}},
		{[]float64{3, 3, 3}, true, []int{1, 1, 1}},
		{[]float64{-1, 0, math.Copysign(0, -1)}, false, []int{3, 1, 1}},
		{nil, false, []int{}},
	} {
		if diff := cmp.Diff(tt.want, ranking.Ranks(tt.scores, tt.lower)); diff != "" {
			t.Errorf("%v, lower is better %v (-want +got):\n%s", tt.scores, tt.lower, diff)
		}
	}
}

// A rank is one more than there are better systems: turning the scores turns what
// is better.
func TestRanksProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 12).Draw(t, "scores")
		x, turned := make([]float64, len(scores)), make([]float64, len(scores))
		for i, s := range scores {
			x[i], turned[i] = float64(s), -float64(s)
		}
		got := ranking.Ranks(x, false)
		if diff := cmp.Diff(got, ranking.Ranks(turned, true)); diff != "" {
			t.Fatalf("(-scores +turned):\n%s", diff)
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		for i := range x {
			if want := slices.Index(sorted, x[i]) + 1; got[i] != want {
				t.Fatalf("%v: rank %d of number %d, want %d", x, got[i], i, want)
			}
		}
	})
}

// The whole of a ranking: five systems, one of which has no human score and one
// human score of a system that was not given.
func TestRank(t *testing.T) {
	up := metric("up", 30, 10, 40, 20, 40)
	down := errorMetric("down", .5, .5, .4, .9, .1)
	got := rank(t, letters("abcde"), ranking.Options{Human: human("dzcba", .1, .9, .5, .3, .4)}, up, down)

	// By people c, a, b, d; e has no score, z was not given.
	c, a, b, d := .5, .4, .3, .1
	want := &ranking.Result{
		Metrics: []mteval.Info{up.info, down.info},
		Systems: []ranking.Row{
			// e is as good as c by up, best by down: it takes part in
			// ranks, but not in differences.
			{Name: "c", Human: &c, HumanRank: 1, Scores: []float64{40, .4}, Ranks: []int{1, 2}, Differences: []int{0, 0}},
			{Name: "a", Human: &a, HumanRank: 2, Scores: []float64{30, .5}, Ranks: []int{3, 3}, Differences: []int{0, 0}},
			{Name: "b", Human: &b, HumanRank: 3, Scores: []float64{10, .5}, Ranks: []int{5, 3}, Differences: []int{-1, 1}},
			{Name: "d", Human: &d, HumanRank: 4, Scores: []float64{20, .9}, Ranks: []int{4, 5}, Differences: []int{1, 0}},
			{Name: "e", Scores: []float64{40, .1}, Ranks: []int{1, 1}},
		},
		Order:       []int{2, 0, 1, 3, 4},
		Voters:      []int{2, 0, 1, 3},
		Differences: []int{2, 1},
		Unscored:    []string{"e"},
		Missing:     []string{"z"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(ranking.Result{}, "Correlations", "Curve")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// up puts b and d in the wrong order: τ = (5 − 1)/6, ρ = 1 − 6·2/(4·15).
	// down, turned −.4 −.5 −.5 −.9, has one tie: τ = 5/√(6·5); ranks 4, 2.5,
	// 2.5, 1 against 4, 3, 2, 1: ρ = 4.5/√(5·4.5).
	cs := got.Correlations
	for _, x := range []struct {
		name string
		got  *float64
		want float64
	}{
		{"up, Kendall", cs[0].Kendall, 2. / 3}, {"up, Spearman", cs[0].Spearman, .8},
		// Human .5 .4 .3 .1 less .325: .175 .075 −.025 −.225; up less
		// 25: 15 5 −15 −5. Σxy = 2.625 + .375 + .375 + 1.125 = 4.5,
		// Σx² = .0875, Σy² = 500.
		{"up, Pearson", cs[0].Pearson, 4.5 / math.Sqrt(.0875*500)},
		{"down, Kendall", cs[1].Kendall, 5 / math.Sqrt(30)}, {"down, Spearman", cs[1].Spearman, math.Sqrt(.9)},
		// down turned, less −.575: .175 .075 .075 −.325.
		// Σxy = .030625 + .005625 − .001875 + .073125, Σy² = .1475.
		{"down, Pearson", cs[1].Pearson, .1075 / math.Sqrt(.0875*.1475)},
	} {
		if x.got == nil || math.Abs(*x.got-x.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", x.name, deref(x.got), x.want)
		}
	}
	if len(got.Curve) != 2 || got.Curve[0].K != 3 || got.Curve[1].K != 4 {
		t.Fatalf("curve %+v", got.Curve)
	}
	// The curve ends in the correlations over all.
	if diff := cmp.Diff(got.Correlations, got.Curve[1].Correlations); diff != "" {
		t.Errorf("(-all +end of the curve):\n%s", diff)
	}
	if k := got.Curve[0].Correlations[0].Kendall; k == nil || *k != 1 {
		t.Errorf("up, the three best: Kendall %v", deref(k))
	}
	// The unscored system has no vote. Systems come in the order of the ranking.
	calls := []call{
		{[]int{2, 0, 1, 3, 4}, []int{2, 0, 1, 3}},
		{[]int{2, 0, 1}, []int{2, 0, 1}},
		{[]int{2, 0, 1, 3}, []int{2, 0, 1, 3}},
	}
	for _, m := range []*fake{up, down} {
		if diff := cmp.Diff(calls, m.calls); diff != "" {
			t.Errorf("%s: calls of Scores (-want +got):\n%s", m.info.Name, diff)
		}
	}
}

func deref(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// A metric that depends on its field has, in the curve, the K best as its field.
func TestCurveFields(t *testing.T) {
	// It agrees with people while fewer than five vote, then turns.
	m := metric("field")
	m.by = func(system int, voters []int) float64 {
		if len(voters) < 5 {
			return -float64(system)
		}
		return float64(system)
	}
	got := rank(t, letters("abcde"), ranking.Options{Human: human("abcde", 5, 4, 3, 2, 1)}, m)
	var ks []int
	for _, at := range got.Curve {
		ks = append(ks, at.K)
		want := 1.0
		if at.K == 5 {
			want = -1
		}
		c := at.Correlations[0]
		for _, x := range []*float64{c.Pearson, c.Spearman, c.Kendall} {
			if x == nil || math.Abs(*x-want) > 1e-12 {
				t.Errorf("K = %d: %v, want %v", at.K, deref(x), want)
			}
		}
	}
	if diff := cmp.Diff([]int{3, 4, 5}, ks); diff != "" {
		t.Errorf("K (-want +got):\n%s", diff)
	}
}

// A positive correlation is agreement with people, for error metrics too.
func TestSign(t *testing.T) {
	o := ranking.Options{Human: human("abc", 3, 2, 1)}
	got := rank(t, letters("abc"), o, metric("good", 30, 20, 10), errorMetric("errors", 1, 2, 3))
	if diff := cmp.Diff([]ranking.Coefficients{perfect, perfect}, got.Correlations, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 0}, got.Differences); diff != "" {
		t.Errorf("rank differences (-want +got):\n%s", diff)
	}
	if s := got.Systems[0]; s.Scores[1] != 1 {
		t.Errorf("the score itself was turned: %v", s.Scores)
	}
}

func TestTopK(t *testing.T) {
	names := func(r *ranking.Result) (out []string) {
		for _, s := range r.Systems {
			out = append(out, s.Name)
		}
		return out
	}
	// c and b are equal to people: their order there decides.
	cb := human("acbd", 9, 5, 5, 1)
	bc := human("dbca", 1, 5, 5, 9)
	for _, tt := range []struct {
		human    []ranking.Human
		k        int
		want     string
		ranks    []int
		unscored int
	}{
		{cb, 2, "ac", []int{1, 2}, 0},
		{bc, 2, "ab", []int{1, 2}, 0},
		{bc, 3, "abc", []int{1, 2, 2}, 0},
		{cb, 4, "acbd", []int{1, 2, 2, 4}, 0},
		{cb, 1, "a", []int{1}, 0},
		// All: with the unscored e.
		{cb, 0, "acbde", []int{1, 2, 2, 4, 0}, 1},
	} {
		m := metric("m", 1, 2, 3, 4, 5)
		got := top(t, letters("abcde"), tt.human, tt.k, m)
		if diff := cmp.Diff(letters(tt.want), names(got)); diff != "" {
			t.Errorf("top %d (-want +got):\n%s", tt.k, diff)
		}
		var ranks []int
		for _, s := range got.Systems {
			ranks = append(ranks, s.HumanRank)
		}
		if diff := cmp.Diff(tt.ranks, ranks); diff != "" {
			t.Errorf("top %d: human ranks (-want +got):\n%s", tt.k, diff)
		}
		if len(got.Unscored) != tt.unscored {
			t.Errorf("top %d: unscored %v", tt.k, got.Unscored)
		}
		kept := min(len(tt.want), 4)
		if diff := cmp.Diff(m.calls[0].Systems[:kept], m.calls[0].Voters); diff != "" {
			t.Errorf("top %d: voters (-want +got):\n%s", tt.k, diff)
		}
		if want := max(0, kept-2); len(got.Curve) != want {
			t.Errorf("top %d: curve of %d", tt.k, len(got.Curve))
		}
		// Ranks are among those kept.
		for i, s := range got.Systems {
			if s.Ranks[0] < 1 || s.Ranks[0] > len(got.Systems) {
				t.Errorf("top %d: rank %d of system %d", tt.k, s.Ranks[0], i)
			}
		}
	}
}

func TestWithoutHumanScores(t *testing.T) {
	m := metric("m", 1, 3, 2)
	got := rank(t, letters("abc"), ranking.Options{}, m)
	want := &ranking.Result{
		Metrics: []mteval.Info{m.info},
		Order:   []int{0, 1, 2},
		Voters:  []int{0, 1, 2},
		Systems: []ranking.Row{
			{Name: "a", Scores: []float64{1}, Ranks: []int{3}}, {Name: "b", Scores: []float64{3}, Ranks: []int{1}}, {Name: "c", Scores: []float64{2}, Ranks: []int{2}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]call{{[]int{0, 1, 2}, []int{0, 1, 2}}}, m.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got := rank(t, nil, ranking.Options{}, metric("m")); len(got.Systems) != 0 {
		t.Errorf("no systems: %+v", got)
	}
	if got := rank(t, letters("ab"), ranking.Options{}); len(got.Systems) != 2 || len(got.Metrics) != 0 {
		t.Errorf("no metrics: %+v", got)
	}
}

// Coefficients that do not exist are nil, and no error.
func TestUndefined(t *testing.T) {
	constant := metric("constant", 7, 7, 7)
	got := rank(t, letters("abc"), ranking.Options{Human: human("abc", 3, 2, 1)}, constant)
	none := []ranking.Coefficients{{}}
	if diff := cmp.Diff(none, got.Correlations); diff != "" {
		t.Errorf("constant scores (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(none, got.Curve[0].Correlations); diff != "" {
		t.Errorf("constant scores, curve (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0 + 1 + 2}, got.Differences); diff != "" {
		t.Errorf("constant scores, differences (-want +got):\n%s", diff)
	}
	got = rank(t, letters("abc"), ranking.Options{Human: human("abc", 2, 2, 2)}, metric("m", 1, 2, 3))
	if diff := cmp.Diff(none, got.Correlations); diff != "" {
		t.Errorf("constant human scores (-want +got):\n%s", diff)
	}
	got = rank(t, letters("abc"), ranking.Options{Human: human("b", 2)}, metric("m", 1, 2, 3))
	if diff := cmp.Diff(none, got.Correlations); diff != "" || got.Curve != nil {
		t.Errorf("one human score, curve %v (-want +got):\n%s", got.Curve, diff)
	}
}

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	failure := errors.New("no electricity")
	failing := metric("failing", 1, 2, 3)
	failing.err = failure
	failingLater := metric("later")
	failingLater.by = func(system int, voters []int) float64 {
		if len(voters) == 3 {
			return nan
		}
		return float64(system)
	}
	good := metric("good", 1, 2, 3, 4)
	four := human("abcd", 4, 3, 2, 1)
	for _, tt := range []struct {
		name    string
		systems string
		o       ranking.Options
		m       ranking.FieldMetric
		want    string // in the message
	}{
		{"two systems of a name", "abca", ranking.Options{}, good, "called a"},
		{"two human scores of a name", "abc", ranking.Options{Human: human("abb", 1, 2, 2)}, good, "of b"},
		{"two human scores of a name not given", "abc", ranking.Options{Human: human("azz", 1, 2, 2)}, good, "of z"},
		{"human score NaN", "abc", ranking.Options{Human: human("ab", 1, nan)}, good, "NaN of b"},
		{"infinite human score", "abc", ranking.Options{Human: human("ab", inf, 1)}, good, "+Inf of a"},
		{"human score NaN of a system not given", "abc", ranking.Options{Human: human("az", 1, nan)}, good, "NaN of z"},
		{"no human score of theirs", "abc", ranking.Options{Human: human("xyz", 1, 2, 3)}, good, "no human score"},
		{"score NaN", "abc", ranking.Options{Human: human("abc", 3, 2, 1)}, metric("bad", 1, nan, 3), "bad: "},
		{"infinite score", "abc", ranking.Options{Human: human("abc", 3, 2, 1)}, metric("bad", 1, inf, 3), "bad: "},
		{"score NaN where scores are constant", "abc", ranking.Options{Human: human("abc", 3, 3, 3)}, metric("bad", nan, nan, nan), "bad: "},
		{"score NaN in the curve only", "abcd", ranking.Options{Human: four}, failingLater, "later: "},
		{"the metric fails", "abc", ranking.Options{}, failing, "failing: no electricity"},
	} {
		r, err := ranking.Rank(t.Context(), letters(tt.systems), []ranking.FieldMetric{tt.m}, tt.o)
		if err == nil || r != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, error %v, want %q", tt.name, r, err, tt.want)
		}
		if tt.m == failing && !errors.Is(err, failure) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
	for want, tt := range map[string]struct {
		human []ranking.Human
		k     int
	}{
		"top -1 of 4": {four, -1},
		"top 0 of 4":  {four, 0},
		"top 5 of 4":  {four, 5},
		"top 2 of 0":  {nil, 2},
		"of b":        {human("abb", 1, 2, 2), 1},
	} {
		best, people, err := ranking.Best([]mteval.System{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}, tt.human, tt.k)
		if err == nil || best != nil || people != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, error %v, want %q", best, people, err, want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ranking.Rank(cancelled, letters("abcd"), []ranking.FieldMetric{good}, ranking.Options{Human: four}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// The caller's human scores stay in their order.
func TestArgumentsAreKept(t *testing.T) {
	h := human("abc", 1, 3, 2)
	got := top(t, letters("abc"), h, 2, metric("m", 1, 2, 3))
	if diff := cmp.Diff(human("abc", 1, 3, 2), h); diff != "" {
		t.Errorf("human scores (-before +after):\n%s", diff)
	}
	h[1].Score = 7
	if *got.Systems[0].Human != 3 {
		t.Error("the ranking shares the caller's memory")
	}
}

// A table of rows is a metric for which voters do not matter.
func TestFromTable(t *testing.T) {
	s, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	refs := [][]string{{"the cat sat on the mat"}, {"a dog ran under the old tree"}}
	systems := []mteval.System{
		{Name: "bad", Hyps: []string{"cat mat", "dog tree"}},
		{Name: "best", Hyps: []string{"the cat sat on the mat", "a dog ran under the old tree"}},
		{Name: "good", Hyps: []string{"the cat sat on a mat", "a dog ran under the tree"}},
	}
	table, err := mteval.Systems(t.Context(), s, refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	m := ranking.FromTable(table)
	if diff := cmp.Diff(table.Info, m.Info()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	want := table.Scores()
	for _, voters := range [][]int{nil, {0}, {1, 2}} {
		got, err := m.Scores(t.Context(), []int{2, 0, 2}, voters)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]float64{want[2], want[0], want[2]}, got); diff != "" {
			t.Errorf("voters %v (-want +got):\n%s", voters, diff)
		}
	}
	r := rank(t, table.Systems, ranking.Options{Human: []ranking.Human{{System: "bad", Score: 1}, {System: "good", Score: 2}, {System: "best", Score: 3}}}, m)
	if r.Systems[0].Name != "best" || r.Systems[0].Scores[0] != want[1] || *r.Correlations[0].Kendall != 1 {
		t.Errorf("%+v", r)
	}
}

// What Zhan et al. (ACL 2021) print of the six best systems of WMT19 English-German,
// from the scores that they print: the sums of rank differences of Table 2, and the
// correlations of Table 1 for the six best, which they give without signs. By sign
// BLEU and TER go against people.
func TestPaper(t *testing.T) {
	systems := letters("abcdef")
	people := human("abcdef", .347, .311, .296, .214, .213, .208)
	bleu := metric("bleu", .4364, .4477, .4483, .4603, .4413, .4460)
	ter := errorMetric("ter", .4692, .4583, .4591, .4504, .4636, .4563)
	got := top(t, systems, people, 6, bleu, ter)

	if diff := cmp.Diff([]int{12, 14}, got.Differences); diff != "" {
		t.Errorf("sums of rank differences (-want +got):\n%s", diff)
	}
	differences := make([][]int, 2)
	for _, s := range got.Systems {
		for m := range differences {
			differences[m] = append(differences[m], s.Differences[m])
		}
	}
	// +3 is three places too high.
	want := [][]int{{-5, -1, 1, 3, 0, 2}, {-5, -1, -1, 3, 0, 4}}
	if diff := cmp.Diff(want, differences); diff != "" {
		t.Errorf("rank differences (-want +got):\n%s", diff)
	}
	for i, want := range []struct{ pearson, kendall, spearman float64 }{
		{-.460, -.200, -.143},
		{-.598, -.333, -.486},
	} {
		c := got.Correlations[i]
		for _, x := range []struct {
			name string
			got  *float64
			want float64
		}{{"Pearson", c.Pearson, want.pearson}, {"Kendall", c.Kendall, want.kendall}, {"Spearman", c.Spearman, want.spearman}} {
			if x.got == nil || math.Abs(*x.got-x.want) > .0005 {
				t.Errorf("%s: %s %v, the paper has %v", got.Metrics[i].Name, x.name, deref(x.got), x.want)
			}
		}
	}
}

// Sums of rank differences and correlations do not depend on the order in which
// systems are given.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(r, "n")
		var systems []string
		var people []ranking.Human
		scores := make(map[string]float64)
		for i := range n {
			name := fmt.Sprint("s", i)
			systems = append(systems, name)
			scores[name] = float64(rapid.IntRange(0, 4).Draw(r, "score"))
			people = append(people, ranking.Human{System: name, Score: float64(i)})
		}
		get := func(systems []string) *ranking.Result {
			m := metric("m")
			for _, name := range systems {
				m.scores = append(m.scores, scores[name])
			}
			got := rank(t, systems, ranking.Options{Human: people}, m)
			for i, k := range got.Order {
				if systems[k] != got.Systems[i].Name || got.Voters[i] != k {
					r.Fatalf("%v: order %v, voters %v of %+v", systems, got.Order, got.Voters, got.Systems)
				}
			}
			return got
		}
		a, b := get(systems), get(rapid.Permutation(systems).Draw(r, "order"))
		if diff := cmp.Diff(a, b, approx, nilEmpty, cmpopts.IgnoreFields(ranking.Result{}, "Order", "Voters")); diff != "" {
			r.Fatalf("(-one order +another):\n%s", diff)
		}
	})
}

// Of equal systems those come first whose scores do.
func TestNewOrder(t *testing.T) {
	for _, tt := range []struct {
		human []ranking.Human
		want  ranking.Order
	}{
		{human("dzcba", .1, .9, .5, .3, .5), ranking.Order{Systems: []int{2, 0, 1, 3}, Human: []float64{.5, .5, .3, .1}, Unscored: []int{4}, Missing: []string{"z"}}},
		{human("ac", 1, 1), ranking.Order{Systems: []int{0, 2}, Human: []float64{1, 1}, Unscored: []int{1, 3, 4}}},
		{nil, ranking.Order{Unscored: []int{0, 1, 2, 3, 4}}},
	} {
		got, err := ranking.NewOrder(letters("abcde"), tt.human)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(&tt.want, got); d != "" {
			t.Errorf("%v (-want +got):\n%s", tt.human, d)
		}
	}
}

// A curve has the scores, and ends where its reader or a metric does.
func TestCurve(t *testing.T) {
	order, err := ranking.NewOrder(letters("abcde"), human("edcba", 5, 4, 3, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	m := errorMetric("m", 5, 4, 3, 2, 1)
	for at, err := range ranking.Curve(t.Context(), order, []ranking.FieldMetric{m}) {
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([][]float64{[]float64{1, 2, 3, 4, 5}[:at.K]}, at.Scores); d != "" {
			t.Errorf("K %d (-want +got):\n%s", at.K, d)
		}
		if d := cmp.Diff([]ranking.Coefficients{perfect}, at.Correlations, approx); d != "" {
			t.Errorf("K %d (-want +got):\n%s", at.K, d)
		}
		if at.K == 4 {
			break
		}
	}
	if len(m.calls) != 2 {
		t.Errorf("%d calls of Scores", len(m.calls))
	}
	m.err = errors.New("no electricity")
	n := 0
	for at, err := range ranking.Curve(t.Context(), order, []ranking.FieldMetric{m}) {
		n++
		if !errors.Is(err, m.err) || at.K != 0 {
			t.Errorf("%+v, %v", at, err)
		}
	}
	if n != 1 {
		t.Errorf("%d points after an error", n)
	}
}
