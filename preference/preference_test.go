package preference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/significance"
)

var (
	ctx = context.Background()
	nan = math.NaN()
	inf = math.Inf(1)
)

// systems are n names.
func systems(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("s%03d", i)
	}
	return out
}

// evidence of a metric on systems whose z is given above the diagonal, row by row.
func evidence(metric string, n int, above ...float64) *Evidence {
	e := &Evidence{Metric: metric, Systems: systems(n), Segments: 500, Z: make([][]float64, n)}
	for a := range e.Z {
		e.Z[a] = make([]float64, n)
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			e.Z[a][b], e.Z[b][a] = above[0], -above[0]
			above = above[1:]
		}
	}
	return e
}

// calibration of two metrics, with weights ½ and 2.
func calibration() *Calibration {
	return &Calibration{
		Terms: []Term{{Metric{Name: "x"}, Linear, .5}, {Metric{Name: "y"}, Log, 2}},
		Sets:  []Judged{{"a", "c", 2, 500, 1}, {"b", "c", 2, 400, 1}},
	}
}

// reversed are the systems the other way round.
func reversed(e *Evidence) *Evidence {
	out := *e
	out.Systems, out.Z = slices.Clone(e.Systems), nil
	slices.Reverse(out.Systems)
	for _, row := range slices.Backward(e.Z) {
		row = slices.Clone(row)
		slices.Reverse(row)
		out.Z = append(out.Z, row)
	}
	return &out
}

// Worked by hand: ½·z + 2·sign(z)·log(1 + |z|).
func TestJudge(t *testing.T) {
	e := math.E
	x := evidence("x", 3, 2, 2, -4)
	y := evidence("y", 3, e-1, 1-e*e, 0)
	other := evidence("other", 3, 9, 9, 9)
	got, err := calibration().Judge([]*Evidence{y, other, x})
	if err != nil {
		t.Fatal(err)
	}
	// Log odds: 1 + 2, 1 − 4, −2 + 0.
	p := func(odds float64) float64 { return math.Exp(odds) / (1 + math.Exp(odds)) }
	want := [][]float64{{.5, p(3), p(-3)}, {p(-3), .5, p(-2)}, {p(3), p(2), .5}}
	for a, row := range want {
		for b, v := range row {
			if math.Abs(got.P[a][b]-v) > 1e-15 {
				t.Errorf("P[%d][%d] is %v, want %v", a, b, got.P[a][b], v)
			}
		}
	}
	if diff := cmp.Diff(systems(3), got.Systems); diff != "" || got.Outside != nil {
		t.Errorf("outside %v, systems %s", got.Outside, diff)
	}
}

// What the evidence has that no set had.
func TestOutside(t *testing.T) {
	c := calibration()
	c.Terms[0].Metric.Signature = []Field{{"nrefs", []string{"1"}}, {"tok", []string{"13a", "zh"}}}
	like := mteval.Signature{{Key: "nrefs", Value: "1"}, {Key: "tok", Value: "zh"}, {Key: "version", Value: "9"}}
	for name, tt := range map[string]struct {
		segments  int
		signature mteval.Signature
		want      []string
	}{
		"like":     {400, like, nil},
		"segments": {399, like, []string{"399 segments: the fewest of a set that it was fitted on are 400"}},
		"another":  {400, mteval.Signature{{Key: "nrefs", Value: "2"}, {Key: "tok", Value: "13a"}}, []string{"x: nrefs is 2, and was 1"}},
		"missing":  {400, like[:1], []string{"x: tok is not given, and was 13a, zh"}},
		"more":     {400, slices.Concat(like, mteval.Signature{{Key: "case", Value: "lc"}}), []string{"x: case is lc, and was not given"}},
		"none":     {1, nil, []string{"1 segments: the fewest of a set that it was fitted on are 400", "x: nrefs is not given, and was 1", "x: tok is not given, and was 13a, zh"}},
	} {
		t.Run(name, func(t *testing.T) {
			x, y := evidence("x", 2, 1), evidence("y", 2, 1)
			x.Signature, x.Segments, y.Segments = tt.signature, tt.segments, tt.segments
			got, err := c.Judge([]*Evidence{x, y})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Outside); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	// Of two of the name, the one that is like it counts.
	x, y, another := evidence("x", 2, 1), evidence("y", 2, 0), evidence("x", 2, -7)
	x.Signature = like
	for _, list := range [][]*Evidence{{x, another, y}, {another, x, y}} {
		got, err := c.Judge(list)
		if err != nil || got.Outside != nil || got.P[0][1] != sigmoid(.5) {
			t.Errorf("%+v, error %v", got, err)
		}
	}
}

// Whatever z are: probabilities that add up to 1 to the last bit, and that do not depend on how
// the systems stand; and rankings that do not either.
func TestJudgeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "systems")
		z := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.Float64Range(-maxZ, maxZ), rapid.SampledFrom([]float64{0, 1, -1, 200}))
		var list, back []*Evidence
		for _, m := range []string{"x", "y"} {
			e := evidence(m, n, rapid.SliceOfN(z, n*(n-1)/2, n*(n-1)/2).Draw(t, m)...)
			list, back = append(list, e), append(back, reversed(e))
		}
		c := calibration()
		c.Terms[1].Weight = rapid.Float64Range(-maxWeight, maxWeight).Draw(t, "weight")
		r, err := c.Judge(list)
		if err != nil {
			t.Fatal(err)
		}
		for a, row := range r.P {
			for b, p := range row {
				if !(p >= 0 && p <= 1) || p+r.P[b][a] != 1 || a == b && p != .5 {
					t.Errorf("P is %v, and %v the other way", p, r.P[b][a])
				}
			}
		}
		s, err := c.Judge(back)
		if err != nil {
			t.Fatal(err)
		}
		confidence := rapid.OneOf(rapid.Float64Range(.500001, 1), rapid.Just(1.0)).Draw(t, "confidence")
		groups, err := r.Groups(confidence)
		if err != nil {
			t.Fatal(err)
		}
		other, err := s.Groups(confidence)
		if err != nil {
			t.Fatal(err)
		}
		order, turned := r.Order(), s.Order()
		for i := range turned {
			turned[i] = n - 1 - turned[i]
		}
		slices.Reverse(other)
		best, bestBack := r.Best(), s.Best()
		slices.Reverse(bestBack)
		wins, winsBack := r.Wins(), s.Wins()
		slices.Reverse(winsBack)
		for name, pair := range map[string][2]any{"order": {order, turned}, "groups": {groups, other}, "best": {best, bestBack}, "wins": {wins, winsBack}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s depends on how the systems stand:\n%s", name, diff)
			}
		}
		checkGroups(t, r, groups, confidence)
	})
}

// checkGroups checks what groups are said to be.
func checkGroups(t *rapid.T, r *Result, groups []int, confidence float64) {
	order := r.Order()
	for i, b := range order {
		above := false // in the group before b, if b begins one, or in its own
		begins := i > 0 && groups[b] != groups[order[i-1]]
		for _, a := range order[:i] {
			if begins && groups[a] == groups[b]-1 || !begins && groups[a] == groups[b] {
				above = above || r.P[a][b] >= confidence
			}
		}
		if i == 0 && groups[b] != 1 || i > 0 && !begins && groups[b] != groups[order[i-1]] || begins && groups[b] != groups[order[i-1]]+1 {
			t.Errorf("groups %v in order %v", groups, order)
		}
		if above != begins {
			t.Errorf("system %d: told to be worse than one above it %v, begins a group %v: groups %v, order %v", b, above, begins, groups, order)
		}
	}
}

// Worked by hand.
func TestRankings(t *testing.T) {
	r := &Result{Systems: []string{"d", "c", "b", "a"}, P: [][]float64{
		{.5, .75, .5, .25},
		{.25, .5, .5, .75},
		{.5, .5, .5, .5},
		{.75, .25, .5, .5},
	}}
	if diff := cmp.Diff([]float64{.5, .5, .5, .5}, r.Wins()); diff != "" {
		t.Errorf("wins (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{3, 2, 1, 0}, r.Order()); diff != "" {
		t.Errorf("equal ones by name (-want +got):\n%s", diff)
	}
	for k, p := range r.Best() {
		if math.Abs(p-.25) > 1e-12 {
			t.Errorf("best: %d has %v of a circle", k, p)
		}
	}
	r = &Result{Systems: []string{"b", "a", "c", "d"}, P: [][]float64{
		{.5, .4, .85, 1},
		{.6, .5, .8, .9},
		{.15, .2, .5, .7},
		{0, .1, .3, .5},
	}}
	if diff := cmp.Diff([]float64{.75, 2.3 / 3, .35, .4 / 3}, r.Wins(), near); diff != "" {
		t.Errorf("wins (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 0, 2, 3}, r.Order()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	for confidence, want := range map[float64][]int{
		.55: {2, 1, 3, 4},
		.65: {1, 1, 2, 3},
		.7:  {1, 1, 2, 3}, // exactly c and d
		.75: {1, 1, 2, 2},
		.85: {1, 1, 2, 2}, // exactly b and c
		.86: {1, 1, 1, 2},
		1:   {1, 1, 1, 2}, // exactly b and d
	} {
		got, err := r.Groups(confidence)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("confidence %v (-want +got):\n%s", confidence, diff)
		}
	}
}

var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 })

func TestFewSystems(t *testing.T) {
	for n, want := range map[int]struct {
		wins, best []float64
		order      []int
		groups     []int
	}{
		0: {[]float64{}, nil, []int{}, []int{}},
		1: {[]float64{.5}, []float64{1}, []int{0}, []int{1}},
		2: {[]float64{sigmoid(-1), sigmoid(1)}, []float64{sigmoid(-1), sigmoid(1)}, []int{1, 0}, []int{2, 1}},
	} {
		above := []float64{-2}[:max(0, n-1)]
		r, err := calibration().Judge([]*Evidence{evidence("x", n, above...), evidence("y", n, make([]float64, len(above))...)})
		if err != nil {
			t.Fatal(err)
		}
		groups, err := r.Groups(.7)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2]any{"wins": {want.wins, r.Wins()}, "best": {want.best, r.Best()}, "order": {want.order, r.Order()}, "groups": {want.groups, groups}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%d systems: %s (-want +got):\n%s", n, name, diff)
			}
		}
	}
}

// Evidence has the table's names and z.
func TestFromTable(t *testing.T) {
	table := randomTable("x", 5, 40)
	e, err := FromTable(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	z, err := significance.PairedZ(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	want := &Evidence{Metric: "x", Signature: mteval.Signature{{Key: "key", Value: "value"}}, Systems: systems(5), Segments: 40, Z: z}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := FromTable(ctx, nil); err == nil || err.Error() != "preference: no table: it is nil" {
		t.Error(err)
	}
	if _, err := FromTable(ctx, &mteval.Table{}); !errors.Is(err, significance.ErrNoSegments) {
		t.Error(err)
	}
}

// mean is a metric of numbers alone.
type mean string

func (mean) Width() int                  { return 2 }
func (mean) Score(row []float64) float64 { return row[0] / max(1, row[1]) }
func (m mean) Info() mteval.Info {
	return mteval.Info{Name: string(m), Scale: 1, Signature: mteval.Signature{{Key: "key", Value: "value"}}}
}

func (mean) Prepare(context.Context, [][]string) (mteval.Prepared, error) {
	return nil, errors.New("mean: no texts")
}

func randomTable(metric string, n, segments int) *mteval.Table {
	r := rand.New(rand.NewPCG(1, uint64(metric[0])))
	t := mteval.NewTable(mean(metric), systems(n), segments)
	for k := range n {
		for i := range segments {
			copy(t.Row(k, i), []float64{r.Float64() + float64(k)/100, 1})
		}
	}
	return t
}

func TestJudgeErrors(t *testing.T) {
	good := func() []*Evidence { return []*Evidence{evidence("x", 2, 1), evidence("y", 2, 2)} }
	change := func(f func(e *Evidence)) []*Evidence { out := good(); f(out[1]); return out }
	for want, tt := range map[string]struct {
		c        *Calibration
		evidence []*Evidence
	}{
		"preference: a calibration without terms":             {nil, good()},
		"preference: a calibration without terms ":            {&Calibration{}, good()},
		"preference: no evidence":                             {calibration(), nil},
		"preference: evidence that is nil":                    {calibration(), []*Evidence{nil}},
		"preference: evidence that is nil ":                   {calibration(), append(good(), nil)},
		"preference: the calibration needs y, of which":       {calibration(), good()[:1]},
		"preference: y is of 1 systems with 2 rows of z":      {calibration(), change(func(e *Evidence) { e.Systems = e.Systems[:1] })},
		"preference: y is of 2 systems with 1 rows of z":      {calibration(), change(func(e *Evidence) { e.Z = e.Z[:1] })},
		"preference: y has 1 z of s001":                       {calibration(), change(func(e *Evidence) { e.Z[1] = e.Z[1][:1] })},
		"preference: system 2 of y is z, that of x s001":      {calibration(), change(func(e *Evidence) { e.Systems[1] = "z" })},
		"preference: y is of 7 segments, x of 500":            {calibration(), change(func(e *Evidence) { e.Segments = 7 })},
		"preference: z of y is NaN for s000 and s001":         {calibration(), change(func(e *Evidence) { e.Z[0][1], e.Z[1][0] = nan, nan })},
		"preference: z of y is +Inf for s000 and s001":        {calibration(), change(func(e *Evidence) { e.Z[0][1], e.Z[1][0] = inf, -inf })},
		"preference: z of y is 2e+09 for s000 and s001":       {calibration(), change(func(e *Evidence) { e.Z[0][1], e.Z[1][0] = 2e9, -2e9 })},
		"preference: z of y is 1 for s000 and s001, and 1":    {calibration(), change(func(e *Evidence) { e.Z[0][1], e.Z[1][0] = 1, 1 })},
		"preference: z of y is 1 for s000 and s000, and 1":    {calibration(), change(func(e *Evidence) { e.Z[0][0] = 1 })},
		"preference: term 1: no metric is named":              {&Calibration{Terms: []Term{{}}}, good()},
		"preference: term 1: x: a weight of NaN, want":        {&Calibration{Terms: []Term{{Metric{Name: "x"}, Log, nan}}}, good()},
		"preference: term 1: x: a weight of -Inf, want":       {&Calibration{Terms: []Term{{Metric{Name: "x"}, Log, -inf}}}, good()},
		"preference: term 1: x: no shape Shape(2)":            {&Calibration{Terms: []Term{{Metric{Name: "x"}, 2, 1}}}, good()},
		"preference: term 1: x: field \"k\" of the signature": {&Calibration{Terms: []Term{{Metric{"x", []Field{{"k", nil}}}, Log, 1}}}, good()},
	} {
		if r, err := tt.c.Judge(tt.evidence); err == nil || r != nil || !strings.HasPrefix(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%v, error %v, want %s", r, err, want)
		}
	}
}

// Results that Judge does not make.
func TestResultMisuse(t *testing.T) {
	for name, r := range map[string]*Result{
		"nil":       nil,
		"no names":  {P: [][]float64{{.5}}},
		"no square": {Systems: systems(2), P: [][]float64{{.5, .5}, {.5}}},
		"NaN":       {Systems: systems(2), P: [][]float64{{.5, nan}, {nan, .5}}},
		"above 1":   {Systems: systems(2), P: [][]float64{{.5, 2}, {-1, .5}}},
	} {
		if w, b, o := r.Wins(), r.Best(), r.Order(); len(w)+len(b)+len(o) > 0 {
			t.Errorf("%s: %v, %v, %v", name, w, b, o)
		}
		if c, err := r.Check(make([]float64, 2)); err == nil || c != nil || !strings.HasPrefix(err.Error(), "preference: ") {
			t.Errorf("%s: %v, error %v", name, c, err)
		}
		if g, err := r.Groups(.9); err == nil || g != nil || !strings.HasPrefix(err.Error(), "preference: ") {
			t.Errorf("%s: %v, error %v", name, g, err)
		}
		if c, err := r.Check([]float64{1, 2}); err == nil || c != nil || !strings.HasPrefix(err.Error(), "preference: ") {
			t.Errorf("%s: %v, error %v", name, c, err)
		}
	}
	r := &Result{Systems: systems(1), P: [][]float64{{.5}}}
	for _, confidence := range []float64{nan, 0, .5, 1.1, inf} {
		if g, err := r.Groups(confidence); err == nil || g != nil || !strings.Contains(err.Error(), "a confidence of") {
			t.Errorf("%v: %v, error %v", confidence, g, err)
		}
	}
	zero := new(Result)
	if w, b, o := zero.Wins(), zero.Best(), zero.Order(); len(w)+len(b)+len(o) > 0 {
		t.Errorf("the zero value: %v, %v, %v", w, b, o)
	}
}

func BenchmarkJudge(b *testing.B) {
	tables := []*mteval.Table{randomTable("x", 100, 2000), randomTable("y", 100, 2000), randomTable("z", 100, 2000)}
	c := calibration()
	c.Terms = append(c.Terms, Term{Metric{Name: "z"}, Log, .1})
	for b.Loop() {
		var list []*Evidence
		for _, t := range tables {
			e, err := FromTable(ctx, t)
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, e)
		}
		r, err := c.Judge(list)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Groups(.9); err != nil {
			b.Fatal(err)
		}
		if len(r.Best()) != 100 {
			b.Fatal("not 100 systems")
		}
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		Default()
	}
}
