package preference

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/significance"
)

// A recordedCase is sets, and what Python made of them: scripts/record_preference.py.
type recordedCase struct {
	Sets []struct {
		Name, Campaign string
		Human          []*float64
		Z              [][][]float64
	}
	Want []struct { // the sum, and each metric
		Weight float64
		Parts  map[string]struct {
			Figures      Figures
			Gain         float64
			Sets         int
			Interval     [3]float64 // mean, low, high
			GainInterval [3]float64 `json:"gain_interval"`
		}
	}
}

func (c *recordedCase) sets() []Set {
	var out []Set
	for _, s := range c.Sets {
		set := Set{Name: s.Name, Campaign: s.Campaign}
		for _, h := range s.Human {
			if h == nil {
				h = &nan
			}
			set.Human = append(set.Human, *h)
		}
		for m, z := range s.Z {
			set.Evidence = append(set.Evidence, &Evidence{Metric: "xy"[m : m+1], Systems: systems(len(set.Human)), Segments: 100, Z: z})
		}
		out = append(out, set)
	}
	return out
}

func readRecorded(t testing.TB) []recordedCase {
	t.Helper()
	var out struct{ Validations []recordedCase }
	shareddata.ReadJSON(t, "testdata/recorded.json", &out)
	if len(out.Validations) != 2 {
		t.Fatalf("%d cases", len(out.Validations))
	}
	return out.Validations
}

// Weights and figures of another program: of several campaigns, with systems that have no
// score or an equal one, and of one campaign.
func TestRecorded(t *testing.T) {
	for _, c := range readRecorded(t) {
		got, err := Fit(ctx, c.sets(), FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		validations, err := Validate(ctx, c.sets(), FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		weights := []float64{got.Terms[0].Weight, got.Records[0].Weight, got.Records[1].Weight}
		heldOut := []*Figures{got.HeldOut, got.Records[0].HeldOut, got.Records[1].HeldOut}
		if len(validations) != 3 || got.Terms[1].Weight != weights[0] {
			t.Fatalf("%d validations, terms %+v", len(validations), got.Terms)
		}
		for i, v := range validations {
			want := c.Want[i]
			if math.Abs(weights[i]-want.Weight) > 1e-9 {
				t.Errorf("%d: weight %v, want %v", i, weights[i], want.Weight)
			}
			if diff := cmp.Diff(want.Parts["all"].Figures, *heldOut[i], rounded); diff != "" {
				t.Errorf("%d: held out (-want +got):\n%s", i, diff)
			}
			parts := append([]Part{v.All, v.Clear, v.BelowTwo}, v.Campaigns...)
			if len(parts) != len(want.Parts) {
				t.Errorf("%d parts, want %d", len(parts), len(want.Parts))
			}
			for _, p := range parts {
				w := want.Parts[p.Name]
				p.Bins = nil // what they say is in the calibration error
				wantPart := Part{Name: p.Name, Figures: w.Figures, Sets: w.Sets, Gain: w.Gain,
					Interval:     significance.Interval{Mean: w.Interval[0], Low: w.Interval[1], High: w.Interval[2]},
					GainInterval: significance.Interval{Mean: w.GainInterval[0], Low: w.GainInterval[1], High: w.GainInterval[2]}}
				if diff := cmp.Diff(wantPart, p, rounded); diff != "" {
					t.Errorf("%d, %s (-want +got):\n%s", i, p.Name, diff)
				}
			}
		}
	}
}

var rounded = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 })

// All parts of a kind have all pairs, each once.
func TestParts(t *testing.T) {
	c := readRecorded(t)[0]
	got, err := Fit(ctx, c.sets(), FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// By hand: 5 systems have 10 pairs; 9 with one without a score 28; 4 have 6; 6 of which
	// three have one score 12; 12 of which two have no score and two one score 44.
	want := []Judged{{"a1", "a", 5, 100, 10}, {"a2", "a", 9, 100, 28}, {"b1", "b", 4, 100, 6}, {"b2", "b", 6, 100, 12}, {"c1", "c", 12, 100, 44}}
	if diff := cmp.Diff(want, got.Sets); diff != "" {
		t.Errorf("sets (-want +got):\n%s", diff)
	}
	for _, r := range got.Records {
		pairs, agreed := 0, 0
		for _, b := range r.Bands {
			pairs, agreed = pairs+b.Pairs, agreed+b.Agreed
		}
		if pairs != 100 || r.Metric.Name == "x" && agreed != 77 { // Python's accuracy is .77
			t.Errorf("%s: %d of %d pairs agree", r.Metric.Name, agreed, pairs)
		}
	}
	validations, err := Validate(ctx, c.sets(), FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range validations {
		sum := func(parts []Part) (n int) {
			for _, p := range parts {
				n += p.Pairs
			}
			return n
		}
		bins := 0
		for _, p := range append(v.Campaigns, v.All) {
			for _, b := range p.Bins {
				bins += b.Pairs
			}
		}
		if n := []int{sum(v.Campaigns), sum(v.Bands), sum(v.Sets), sum(v.Bands[:2]) - v.BelowTwo.Pairs + 100, bins / 2}; slices.Min(n) != 100 || slices.Max(n) != 100 {
			t.Errorf("%d: pairs %v, want 100 each", i, n)
		}
		if m := v.Metric; i == 0 && m != nil || i > 0 && m.Name != "xy"[i-1:i] {
			t.Errorf("%d: metric %v", i, m)
		}
	}
}

// Bins from .5 to 1, whose bounds are in the upper one.
func TestBins(t *testing.T) {
	p := []float64{.5, .55, .6, .65, .7, .75, .8, .85, .9, .95, 1, .05}
	want := make([]Bin, 10)
	for i := range want {
		want[i] = Bin{From: p[i], Pairs: 1, Confidence: p[i], Right: 1}
	}
	want[0].Right = .5
	want[9] = Bin{From: .95, Pairs: 3, Confidence: 2.9 / 3, Right: 2. / 3}
	if diff := cmp.Diff(want, newBins(p), near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBands(t *testing.T) {
	for z, want := range map[float64]int{0: 0, .49: 0, .5: 1, -.5: 1, 1.99: 3, 2: 4, -23.9: 10, 24: 11, 1e9: 11, inf: 11, -inf: 11} {
		if got := bandOf(z); got != want {
			t.Errorf("z of %v is in band %d, want %d", z, got, want)
		}
	}
	c, err := Fit(ctx, readRecorded(t)[0].sets(), FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	version := mteval.Signature{{Key: "version", Value: "7"}}
	r, outside := c.Record("x", version, 1000)
	if r != &c.Records[0] || outside != nil {
		t.Fatalf("%+v, %v", r, outside)
	}
	for z, want := range map[float64]Band{-2.5: r.Bands[4], 0: r.Bands[0], 3: r.Bands[5], inf: r.Bands[11], nan: {}} {
		if b := r.Band(z); b != want {
			t.Errorf("z of %v is in band %+v, want %+v", z, b, want)
		}
	}
	if b := new(Record).Band(1); b != (Band{}) {
		t.Errorf("of no bands it is %+v", b)
	}
	if r, outside := (*Calibration)(nil).Record("x", nil, 1); r != nil || outside == nil {
		t.Errorf("of no calibration it is %+v, %v", r, outside)
	}
}

// ranked is a set of systems, the best first, with z of all pairs by their places.
func ranked(name, campaign string, n int, z func(a, b int) float64) Set {
	s := Set{Name: name, Campaign: campaign}
	var above []float64
	for a := range n {
		s.Human = append(s.Human, float64(-a))
		for b := a + 1; b < n; b++ {
			above = append(above, z(a, b))
		}
	}
	s.Evidence = []*Evidence{evidence("x", n, above...)}
	return s
}

// A set of one pair that agrees counts as one of 45 that do not.
func TestSetsCountAlike(t *testing.T) {
	one := ranked("one", "c", 2, func(int, int) float64 { return 1 })
	many := ranked("many", "c", 10, func(int, int) float64 { return -1 })
	c, err := Fit(ctx, []Set{one, many}, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Terms[0].Weight; math.Abs(w) > 1e-12 {
		t.Errorf("weight %v, want 0", w)
	}
	// With two that agree: of N = 47 pairs two thirds, all with z of 1, for which the slope
	// N·(⅔ − σ(w)) − w is 0 at the most likely weight.
	c, err = Fit(ctx, []Set{one, ranked("two", "d", 2, func(int, int) float64 { return 1 }), many}, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := c.Terms[0].Weight
	if slope := 47*(2./3-1/(1+math.Exp(-w))) - w; math.Abs(slope) > 1e-10 || w < .5 {
		t.Errorf("weight %v, with a slope of %v", w, slope)
	}
}

// Where all pairs agree, the prior keeps the weight finite: N·(1 − σ(w)) = w for z of 1. The
// weight is on the scale of z.
func TestSeparable(t *testing.T) {
	for _, z := range []float64{1e-3, 1, 1e6} {
		c, err := Fit(ctx, []Set{ranked("a", "c", 5, func(int, int) float64 { return z })}, FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w := c.Terms[0].Weight * z
		if slope := 10*(1-1/(1+math.Exp(-w))) - w; math.Abs(slope) > 1e-10 {
			t.Errorf("z %v: weight %v, with a slope of %v", z, w, slope)
		}
		if c.HeldOut != nil || c.Records[0].HeldOut != nil {
			t.Error("figures of a set left out, of one")
		}
	}
	// Evidence that says nothing has no weight.
	c, err := Fit(ctx, []Set{ranked("a", "c", 3, func(int, int) float64 { return 0 }), ranked("b", "c", 3, func(int, int) float64 { return 0 })}, FitOptions{})
	if err != nil || c.Terms[0].Weight != 0 {
		t.Errorf("%+v, error %v", c, err)
	}
	if h := *c.HeldOut; h.Accuracy != .5 || math.Abs(h.LogLoss-math.Ln2) > 1e-15 || h.Brier != .25 || h.CalibrationError != 0 {
		t.Errorf("held out %+v", h)
	}
}

// What is no UTF-8 is fitted as a file has it: the hash is that of what is read.
func TestFitBytes(t *testing.T) {
	c, err := Fit(ctx, []Set{ranked("a\xff", "b\xfe", 3, func(int, int) float64 { return 1 })}, FitOptions{Note: "c\xfd"})
	if err != nil {
		t.Fatal(err)
	}
	back, err := Read(strings.NewReader(written(t, c)), "file")
	if err != nil || back.Hash() != c.Hash() || back.Note != "c\ufffd" || back.Sets[0].Name != "a\ufffd" || back.Sets[0].Campaign != "b\ufffd" {
		t.Errorf("%+v, error %v: hashes %s and %s", back, err, back.Hash(), c.Hash())
	}
}

// Steps that are too long do not go round for ever: far pairs among many near ones.
func TestMostLikely(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		far := rapid.Float64Range(1, 1e6).Draw(t, "far")
		n := rapid.IntRange(1, 300).Draw(t, "pairs")
		agree, counts := make([]float64, n), make([]float64, n)
		squares := 0.0
		for i := range agree {
			agree[i], counts[i] = r.NormFloat64()+.2, 1
			if r.IntN(20) == 0 {
				agree[i] *= far
			}
			squares += agree[i] * agree[i]
		}
		for i := range agree {
			agree[i] /= math.Sqrt(squares / float64(n))
		}
		w := mostLikely(agree, counts)
		slope := -w
		for i, v := range agree {
			slope += counts[i] * v / (1 + math.Exp(w*v))
		}
		if !(math.Abs(slope) < 1e-8*float64(n)) {
			t.Errorf("weight %v, with a slope of %v", w, slope)
		}
	})
}

// Order of systems changes nothing, and that of sets what rounding does.
func TestFitOrder(t *testing.T) {
	sets := readRecorded(t)[0].sets()
	fitted, err := Fit(ctx, sets, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	validated, err := Validate(ctx, sets, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	turned := make([]Set, len(sets))
	for i, s := range sets {
		s.Human = slices.Clone(s.Human)
		slices.Reverse(s.Human)
		s.Evidence = []*Evidence{reversed(s.Evidence[0]), reversed(s.Evidence[1])}
		turned[i] = s
	}
	got, err := Fit(ctx, turned, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fitted, got); diff != "" {
		t.Errorf("systems the other way round:\n%s", diff)
	}
	again, err := Validate(ctx, turned, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(validated, again); diff != "" {
		t.Errorf("systems the other way round:\n%s", diff)
	}
	slices.Reverse(turned)
	got, err = Fit(ctx, turned, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(got.Sets)
	if diff := cmp.Diff(fitted, got, near); diff != "" {
		t.Errorf("sets the other way round:\n%s", diff)
	}
}

func TestTerms(t *testing.T) {
	sets := readRecorded(t)[0].sets()
	for _, terms := range [][]Choice{nil, {}, {{0, Linear}, {1, Log}}} {
		c, err := Fit(ctx, sets, FitOptions{Terms: terms, Note: "note"})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Terms) != 2 || c.Terms[0].Shape != Linear || c.Terms[1].Shape != Log || c.Terms[1].Metric.Name != "y" || c.Note != "note" {
			t.Errorf("%v: %+v", terms, c.Terms)
		}
	}
	// One term, Linear, is the metric alone.
	c, err := Fit(ctx, sets, FitOptions{Terms: []Choice{{1, Linear}}})
	if err != nil || len(c.Terms) != 1 || c.Terms[0].Weight != c.Records[1].Weight || *c.HeldOut != *c.Records[1].HeldOut {
		t.Errorf("%+v, error %v", c, err)
	}
}

// Values of a signature are those of all sets.
func TestSignatures(t *testing.T) {
	sets := []Set{ranked("a", "c", 2, func(int, int) float64 { return 1 }), ranked("b", "c", 2, func(int, int) float64 { return 1 }), ranked("c", "c", 2, func(int, int) float64 { return 1 })}
	for i, tok := range []string{"zh", "13a", "zh"} {
		sets[i].Evidence[0].Signature = mteval.Signature{{Key: "nrefs", Value: "1"}, {Key: "tok", Value: tok}, {Key: "version", Value: tok}}
	}
	c, err := Fit(ctx, sets, FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := Metric{"x", []Field{{"nrefs", []string{"1"}}, {"tok", []string{"13a", "zh"}}}}
	for _, m := range []Metric{c.Terms[0].Metric, c.Records[0].Metric} {
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestFitErrors(t *testing.T) {
	set := func(change func(s *Set)) []Set {
		s := ranked("set", "c", 3, func(int, int) float64 { return 1 })
		change(&s)
		return []Set{ranked("first", "c", 2, func(int, int) float64 { return 1 }), s}
	}
	same := func(*Set) {}
	for want, tt := range map[string]struct {
		sets []Set
		o    FitOptions
	}{
		"preference: no judged sets to fit to":                   {},
		"preference: set: no evidence":                           {sets: set(func(s *Set) { s.Evidence = nil })},
		"preference: set: evidence that is nil":                  {sets: set(func(s *Set) { s.Evidence[0] = nil })},
		"preference: two sets are called first":                  {sets: set(func(s *Set) { s.Name = "first" })},
		"preference: set: 2 human scores of 3 systems":           {sets: set(func(s *Set) { s.Human = s.Human[1:] })},
		"preference: set: 1 systems, want two at least":          {sets: set(func(s *Set) { s.Human, s.Evidence[0] = s.Human[:1], evidence("x", 1) })},
		"preference: set: the human score of s001 is +Inf, want": {sets: set(func(s *Set) { s.Human[1] = inf })},
		"preference: set: the human score of s000 is 1e+200":     {sets: set(func(s *Set) { s.Human[0] = 1e200 })},
		"preference: set: z of x is NaN":                         {sets: set(func(s *Set) { s.Evidence[0].Z[0][1] = nan })},
		"preference: set: x is of 0 segments":                    {sets: set(func(s *Set) { s.Evidence[0].Segments = 0 })},
		"preference: set: evidence of 2 metrics, 1 in the first": {sets: set(func(s *Set) { s.Evidence = append(s.Evidence, s.Evidence[0]) })},
		"preference: set: metric 1 is y with signature":          {sets: set(func(s *Set) { s.Evidence[0].Metric = "y" })},
		"preference: set: metric 1 is x with signature k:1, and": {sets: set(func(s *Set) { s.Evidence[0].Signature = mteval.Signature{{Key: "k", Value: "1"}} })},
		"preference: no term of evidence 1 and shape linear":     {set(same), FitOptions{Terms: []Choice{{1, Linear}}}},
		"preference: no term of evidence -1 and shape linear":    {set(same), FitOptions{Terms: []Choice{{-1, Linear}}}},
		"preference: no term of evidence 0 and shape Shape(2)":   {set(same), FitOptions{Terms: []Choice{{0, 2}}}},
		"preference: no pair of systems that people scored":      {sets: []Set{{Name: "a", Human: []float64{1, 1, nan}, Evidence: []*Evidence{evidence("x", 3, 1, 1, 1)}}}},
		"preference: fitted: term 1: x: a weight of":             {sets: []Set{ranked("a", "c", 2, func(int, int) float64 { return 1e-9 })}},
		"preference: fitted: term 1: no metric is named":         {sets: []Set{{Name: "a", Human: []float64{1, 2}, Evidence: []*Evidence{evidence("", 2, 1)}}}},
	} {
		for name, f := range map[string]func() error{
			"Fit":      func() error { _, err := Fit(ctx, tt.sets, tt.o); return err },
			"Validate": func() error { _, err := Validate(ctx, tt.sets, tt.o); return err },
		} {
			if name == "Validate" && strings.Contains(want, "fitted") {
				continue
			}
			if err := f(); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: error %v, want %s", name, err, want)
			}
		}
	}
	if _, err := Validate(ctx, set(same)[:1], FitOptions{}); err == nil || !strings.Contains(err.Error(), "one judged set") {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(cancelled, set(same), FitOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Validate(cancelled, set(same), FitOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Campaigns left out, or sets if there is one campaign, whatever its name.
func TestFolds(t *testing.T) {
	for campaigns, want := range map[string]int{"aab": 2, "aaa": 3, "abc": 3, "   ": 3, "aba": 2} {
		d := &data{}
		for _, c := range campaigns {
			d.sets = append(d.sets, Set{Campaign: strings.TrimSpace(string(c))})
		}
		folds := d.folds()
		if len(folds) != want {
			t.Errorf("%q: %d folds, want %d", campaigns, len(folds), want)
		}
		for i := range d.sets {
			n := 0
			for _, f := range folds {
				if f[i] {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%q: set %d is left out %d times", campaigns, i, n)
			}
		}
	}
}

func TestDeviation(t *testing.T) {
	for _, tt := range []struct {
		scores []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 0}, {[]float64{1, nan, 3}, math.Sqrt2}, {[]float64{2, 4, 4, 4, 5, 5, 7, 9}, math.Sqrt(32. / 7)}} {
		if got := deviation(tt.scores); math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("%v: %v, want %v", tt.scores, got, tt.want)
		}
	}
}
