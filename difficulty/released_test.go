package difficulty_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
)

// The program's rules, worked by hand: of one segment with one reference, a voter that
// gives the difficulties, and one hypothesis.
func TestReleasedByHand(t *testing.T) {
	// In "a b a a" the three a differ in their best similarity.
	thrice := func(hyp, ref mteval.Token) (float32, bool) {
		if hyp.Text == ref.Text {
			return map[int]float32{0: 1, 2: .5, 4: .5, 6: 0}[ref.Start], true
		}
		return .5, hyp.Text == "x" && ref.Start == 6
	}
	pairs := table(map[string]float32{"u p": .75, "v q": .25, "u q": .25, "v p": .25, "n p": .5, "n q": .5})
	ref, voter := "p q", "u v" // d(p) = ¼, d(q) = ¾
	e := math.Exp
	softP, softQ := e(.25)/(e(.25)+e(.75)), e(.75)/(e(.25)+e(.75))
	for _, tt := range []struct {
		name            string
		base            exact
		o               difficulty.Options
		ref, voter, hyp string
		p, r            float64
	}{
		{
			// d: 0, ½, ½, 1. An a weighs ((0 + ½)/2 + 1)/2 = 5/8 in the
			// hypothesis, and its own d in the reference.
			name: "a repeated reference token", base: exact{sim: thrice},
			ref: "a b a a", voter: "a b", hyp: "a b",
			p: (5./8*1 + .5*.5) / 2, r: (0 + .5*.5 + .5*.5 + 0) / 4,
		},
		{
			// x matches the last a, and weighs 1, not 5/8.
			name: "ref_diff", base: exact{sim: thrice}, o: difficulty.Options{Novel: difficulty.Matched},
			ref: "a b a a", voter: "a b", hyp: "x b",
			p: (1*.5 + .5*.5) / 2, r: (0 + .5*.5 + 0 + 1*.5) / 4,
		},
		{
			name: "range_one", base: exact{sim: pairs}, o: difficulty.Options{Normalize: true},
			ref: ref, voter: voter, hyp: "q n",
			p: (.75*1 + 1*.5) / 1.75, r: (.25*.5 + .75*1) / 1,
		},
		{
			// q and n weigh softQ and 1 before the second softmax.
			name: "softmax_norm", base: exact{sim: pairs}, o: difficulty.Options{Smoothing: difficulty.Softmax},
			ref: ref, voter: voter, hyp: "q n",
			p: (e(softQ)*1 + e(1)*.5) / (e(softQ) + e(1)) / 2, r: (softP*.5 + softQ*1) / 2,
		},
		{
			// n weighs as p: of two as good, the first.
			name: "all but max_norm", base: exact{sim: pairs},
			o:   difficulty.Options{Smoothing: difficulty.Softmax, Normalize: true, Novel: difficulty.Matched},
			ref: ref, voter: voter, hyp: "q n",
			p: (e(softQ)*1 + e(softP)*.5) / (e(softQ) + e(softP)), r: softP*.5 + softQ*1,
		},
		{
			// ⅓ and 1 in the reference, and then p alone 1.
			name: "max_norm", base: exact{sim: pairs}, o: difficulty.Options{Smoothing: difficulty.Max},
			ref: ref, voter: voter, hyp: "p p",
			p: 1, r: 1. / 3 / 2,
		},
		{
			// Similarities ½, 0, −½ for ¾, ½, ¼: d(p) = ½, d(q) = 3/2.
			name: "baseline", base: exact{sim: pairs}, o: difficulty.Options{Baseline: .5},
			ref: ref, voter: voter, hyp: "u n",
			p: (1*.5 + 0) / 2, r: (.5*.5 + 1.5*0) / 2,
		},
		{
			// A similarity of 0 is −1.
			name: "an empty hypothesis", base: exact{sim: pairs}, o: difficulty.Options{Baseline: .5, Normalize: true},
			ref: ref, voter: voter, hyp: "",
			p: 0, r: -1,
		},
		{
			// Similarities ½, 0 and −½: F of ¼ and −1/8 is −½, not 0.
			name: "different signs", base: exact{sim: table(map[string]float32{"u p": .75, "v p": .25})},
			o:   difficulty.Options{Baseline: .5},
			ref: "p q", voter: "u", hyp: "u", // d(p) = ½, d(q) = 2
			p: .5, r: (.5*.5 + 2*-1) / 2,
		},
		{
			name: "no weight at all", base: exact{sim: pairs}, o: difficulty.Options{Normalize: true, Novel: difficulty.Matched},
			ref: ref, voter: ref, hyp: "p n", p: 0, r: 0,
		},
		{
			name: "no weight at all, plain", base: exact{sim: pairs},
			o:   difficulty.Options{Normalize: true, Novel: difficulty.Matched, PlainIfEasy: true},
			ref: ref, voter: ref, hyp: "p n", p: .75, r: .75,
		},
		{
			// The novel n weighs 1, so that only the reference is easy.
			name: "a novel token is not easy", base: exact{sim: pairs}, o: difficulty.Options{Normalize: true, PlainIfEasy: true},
			ref: ref, voter: ref, hyp: "p n", p: .5, r: .75,
		},
		{
			name: "max_norm makes nothing of nothing", base: exact{sim: pairs},
			o:   difficulty.Options{Smoothing: difficulty.Max, Normalize: true, Novel: difficulty.Matched, PlainIfEasy: true},
			ref: ref, voter: ref, hyp: "p n", p: 0, r: 0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Released = true
			refs := [][]string{{tt.ref}}
			w := estimate(t, &tt.base, refs, systems(tt.voter))
			got := rows(t, newScorer(t, &tt.base, w, tt.o), refs, systems(tt.hyp))[0]
			want := mteval.PRF{P: tt.p, R: tt.r}
			if tt.p != 0 || tt.r != 0 {
				want.F = 2 * tt.p * tt.r / (tt.p + tt.r)
			}
			if diff := cmp.Diff(want, got, approx); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A baseline belongs to similarities, and so to difficulty; that of BERTScore, which
// rescales averages, changes no difficulty-aware score.
func TestBaselineOnce(t *testing.T) {
	words := lexicalBackend(t, 64)
	plain := bertScore(t, words, bertscore.Options{})
	rescaled := bertScore(t, words, bertscore.Options{Baseline: &mteval.PRF{P: .3, R: .3, F: .3}})
	w := estimate(t, plain, fieldRefs, fieldSystems)
	o := difficulty.Options{Released: true, Baseline: .3}
	want := rows(t, newScorer(t, plain, w, o), fieldRefs, fieldSystems)
	got := rows(t, newScorer(t, rescaled, w, o), fieldRefs, fieldSystems)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-over plain +over rescaled BERTScore):\n%s", diff)
	}
	o.Baseline = 0
	if cmp.Equal(want, rows(t, newScorer(t, plain, w, o), fieldRefs, fieldSystems)) {
		t.Error("a baseline changes nothing")
	}
	// With all weights alike a baseline does to P and R what BERTScore's does.
	flat := difficulty.Options{Baseline: .3, Floor: 1, Smoothing: difficulty.Max, Novel: difficulty.Hardest}
	refs := [][]string{fieldRefs[0][:1]}
	sys := []mteval.System{{Name: "A", Hyps: fieldSystems[1].Hyps[:1]}}
	da := rows(t, newScorer(t, plain, estimate(t, plain, refs, sys), flat), refs, sys)[0]
	table, err := mteval.Systems(t.Context(), rescaled, refs, sys)
	if err != nil {
		t.Fatal(err)
	}
	if row := table.Row(0, 0); math.Abs(row[0]-da.P) > 1e-12 || math.Abs(row[1]-da.R) > 1e-12 {
		t.Errorf("P, R %v %v, BERTScore's %v", da.P, da.R, row[:2])
	}
}

// What the released program gave for MiniLM on the first 200 segments of WMT19
// German-English, with 5 and with 16 systems, for every variant.
func TestReleasedGolden(t *testing.T) {
	model := minilm(t)
	for _, name := range []string{"gold-wmt19-de-en-K5-n200.json", "gold-wmt19-de-en-K16-n200.json"} {
		var rec struct {
			Segments int
			Systems  []string
			HumanZ   []float64 `json:"human_z"`
			Runs     map[string]struct {
				DAP  []float64 `json:"DA_P"`
				DAR  []float64 `json:"DA_R"`
				DAF  []float64 `json:"DA_F"`
				P    []float64
				R    []float64
				F    []float64
				Corr struct{ R, Tau, Rho float64 }
			}
			PRF        map[string][3][]float64 `json:"first40_segments_PRF"`
			Difficulty [][]float64             `json:"first40_ref_token_difficulty_baseline0.3"`
		}
		shareddata.ReadJSON(t, shareddata.Path(t, "golden", "difficulty", name), &rec)
		refs, systems := corpus(t, "wmt19-de-en", "en", rec.Systems, rec.Segments)
		base := bertScore(t, model, bertscore.Options{})
		rescaled := bertScore(t, model, bertscore.Options{Baseline: &mteval.PRF{P: .3, R: .3, F: .3}})
		ms := matchings(t, base, refs, systems)
		if len(rec.Runs) != 11 || len(rec.PRF) != len(rec.Systems) || len(rec.Difficulty) != 40 {
			t.Fatalf("%s: %d runs, P, R, F of %d systems, difficulties of %d segments", name, len(rec.Runs), len(rec.PRF), len(rec.Difficulty))
		}
		worst := 0.0
		near := func(what string, got, want float64) {
			worst = max(worst, math.Abs(got-want))
			if !(math.Abs(got-want) <= 1e-4) {
				t.Errorf("%s, %s: %v, want %v", name, what, got, want)
			}
		}
		for run, want := range rec.Runs {
			if mode, plain := strings.CutSuffix(run, "/BERTScore"); plain {
				s := base
				if mode == "baseline0.3" {
					s = rescaled
				}
				table := ms.Table(s)
				for k := range rec.Systems {
					prf := s.PRF(table.Sum(k))
					near(run, prf.P, want.P[k])
					near(run, prf.R, want.R[k])
					near(run, prf.F, want.F[k])
				}
				continue
			}
			s := newScorer(t, base, allWeights(t, ms), releasedOptions(t, run))
			table := ms.Table(s)
			var f []float64
			for k := range rec.Systems {
				prf := s.PRF(table.Sum(k))
				near(run+" P", prf.P, want.DAP[k])
				near(run+" R", prf.R, want.DAR[k])
				near(run+" F", prf.F, want.DAF[k])
				f = append(f, prf.F)
			}
			for _, c := range []struct {
				of   func(x, y []float64) (float64, error)
				want float64
			}{{metaeval.Pearson, want.Corr.R}, {metaeval.Kendall, want.Corr.Tau}, {metaeval.Spearman, want.Corr.Rho}} {
				got, err := c.of(rec.HumanZ, f)
				if err != nil {
					t.Fatal(err)
				}
				near(run+" correlation", got, c.want)
			}
		}
		s := newScorer(t, base, allWeights(t, ms), difficulty.Options{Baseline: .3})
		plain := ms.Table(base)
		for i, want := range rec.Difficulty {
			for k, system := range rec.Systems {
				for j := range 3 {
					near(system, plain.Row(k, i)[j], rec.PRF[system][j][i])
				}
			}
			n := 0
			for _, p := range s.Detail(i, ms.RefTokens(i), ms.At(0, i)).Ref {
				if p.Weight == 0 {
					continue
				}
				if n < len(want) {
					near("difficulty", p.Difficulty, want[n])
				}
				n++
			}
			if n != len(want) {
				t.Errorf("%s, segment %d: %d difficulties, want %d", name, i, n, len(want))
			}
		}
		t.Logf("%s: largest difference %.1g", name, worst)
	}
}

// All segments of WMT19 German-English, for the K best systems, every K. It takes some
// minutes, so MTEVAL_FULL asks for it.
func TestReleasedFull(t *testing.T) {
	if os.Getenv("MTEVAL_FULL") == "" || testing.Short() {
		t.Skip("takes minutes: set MTEVAL_FULL")
	}
	model := minilm(t)
	var rec struct {
		Systems []string
		BertF   []float64            `json:"BERTScore_F"`
		DAF     map[string][]float64 `json:"DA_F"`
	}
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "difficulty", "full-wmt19-de-en.json"), &rec)
	const segments = 2000
	refs, systems := corpus(t, "wmt19-de-en", "en", rec.Systems, segments)
	base := bertScore(t, model, bertscore.Options{})
	ms := matchings(t, base, refs, systems)
	for k, got := range ms.Table(base).Scores() {
		if math.Abs(got-rec.BertF[k]) > 1e-6 {
			t.Errorf("BERTScore of %s: %v, want %v", rec.Systems[k], got, rec.BertF[k])
		}
	}
	if len(rec.DAF) != 14*3*2 {
		t.Errorf("%d runs", len(rec.DAF))
	}
	near, lost := 0, 0
	for run, want := range rec.DAF {
		fields := strings.Fields(run)
		o := releasedOptions(t, "baseline"+fields[1][1:]+"/"+fields[2])
		best := make([]int, len(want))
		for k := range best {
			best[k] = k
		}
		w, err := difficulty.EstimateFrom(ms, best, difficulty.Function{})
		if err != nil {
			t.Fatal(err)
		}
		s := newScorer(t, base, w, o)
		var got []mteval.PRF
		for _, k := range best {
			got = append(got, s.PRF(ms.Sum(s, k)))
		}
		// off is the largest difference if the program had 0 in place of 1 for so many
		// segments in precision and recall.
		off := func(inP, inR int) (largest float64) {
			for k := range got {
				p, r := got[k].P-float64(inP)/segments, got[k].R-float64(inR)/segments
				largest = max(largest, math.Abs(2*p*r/(p+r)-want[k]))
			}
			return largest
		}
		if off(0, 0) <= 1e-4 {
			near++
			continue
		}
		// Where all systems are perfect range_one divides rounding errors by rounding
		// errors, which gives 1, as here, or 0 where they add up to 0. It is chance:
		// what 13 systems have right is part of what 10 have right, and yet for
		// baseline 0 the program has two such segments with 13 systems and none with 10.
		easy := 0
		for i := range segments {
			if slices.Max(w.Of(i, 0)[1:len(w.Of(i, 0))-1]) < 1e-6 {
				easy++
			}
		}
		found := false
		for p := range min(5, easy+1) {
			for r := range min(5, easy+1) {
				if o.Normalize && off(p, r) <= 1e-5 {
					found = true
					lost = max(lost, p, r)
				}
			}
		}
		if !found {
			t.Errorf("%s: off by %v, with %d easy segments", run, off(0, 0), easy)
		}
	}
	t.Logf("%d of %d runs within 1e-4; the others to 1e-5 if at most %d segments that all have right are 0", near, len(rec.DAF), lost)
}

// releasedOptions reads a run's name, such as "baseline0.3/ref_diff+range_one".
func releasedOptions(t testing.TB, run string) difficulty.Options {
	o := difficulty.Released()
	baseline, mode, _ := strings.Cut(run, "/")
	if err := json.Unmarshal([]byte(strings.TrimPrefix(baseline, "baseline")), &o.Baseline); err != nil {
		t.Fatalf("%s: %v", run, err)
	}
	for _, variant := range strings.Split(mode, "+") {
		switch variant {
		case "paper":
		case "ref_diff":
			o.Novel = difficulty.Matched
		case "range_one":
			o.Normalize = true
		case "softmax_norm":
			o.Smoothing = difficulty.Softmax
		case "max_norm":
			o.Smoothing = difficulty.Max
		default:
			t.Fatalf("run %s", run)
		}
	}
	return o
}

func allWeights(t testing.TB, ms *mteval.Matchings) *difficulty.Weights {
	t.Helper()
	w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}
