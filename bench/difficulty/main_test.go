package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/ranking"
)

// folder writes a judged set. Systems and scores are of the same order.
func folder(t *testing.T, name, ref, human string, outputs map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Join(dir, "sys"), 0o755); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"ref.txt": ref, "human.tsv": human}
	for system, text := range outputs {
		texts[filepath.Join("sys", system+".txt")] = text
	}
	for path, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	reference = "The harbour was closed all day.\nNobody saw the small boat again.\n"
	half      = "The harbour was open at night.\nNobody saw the old captain there.\n"
	none      = "Ask my cook.\nPlums!\n"
)

// all is a value for each of the forms.
func all(x float64) []float64 {
	out := make([]float64, len(columns()))
	for f := range out {
		out[f] = x
	}
	return out
}

// One output is the reference, one has half of it, two are the same and have nothing of it:
// all forms say so.
func TestOpen(t *testing.T) {
	for _, target := range []string{"en", "ja", "zh"} {
		// The standard deviation of the scores of people is 1.5, of which .3 is less than a
		// quarter.
		dir := folder(t, "day1-de-"+target, reference, "perfect\t4\nhalf\t1\nnone\t1.3\nsame\t1\n", map[string]string{
			"perfect": reference, "half": half, "none": none, "same": none, "unjudged": half,
		})
		s, err := open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		// Best first by people: perfect, none, half and same, which have the same score.
		type judged struct {
			Clear bool
			Right []float64
		}
		var got []judged
		for _, p := range s.pairs {
			if p.z < 0 || math.IsNaN(p.z) {
				t.Errorf("|z| is %v", p.z)
			}
			got = append(got, judged{p.clear, p.right})
		}
		want := []judged{{true, all(1)}, {true, all(1)}, {false, all(0)}, {true, all(1)}, {false, all(.5)}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pairs (-want +got):\n%s", diff)
		}
		if s.campaign != "day1" || s.target != target {
			t.Errorf("campaign %s, target %s", s.campaign, s.target)
		}
		// Of K = 3 people and metrics agree on 2 pairs and not on the third.
		if len(s.curve) != 2 || s.curve[0].K != 3 {
			t.Fatalf("a curve of %d K", len(s.curve))
		}
		for f, c := range s.curve[0].Correlations {
			if math.Abs(*c.Kendall-1./3) > 1e-12 {
				t.Errorf("Kendall of %s is %v, want 1/3", columns()[f], *c.Kendall)
			}
		}
	}
}

func TestOpenErrors(t *testing.T) {
	outputs := map[string]string{"perfect": reference, "half": half}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	good := folder(t, "day1-de-en", reference, "perfect\t2\nhalf\t1\n", outputs)
	if _, err := open(cancelled, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for name, tt := range map[string]struct{ dir, want string }{
		"no folder":     {filepath.Join(good, "none"), "no such folder"},
		"other systems": {folder(t, "day1-de-en", reference, "a\t2\nb\t1\n", outputs), "human.tsv: ranking: no human score"},
		"lines":         {folder(t, "day1-de-en", "The harbour was closed all day.\n", "perfect\t2\nhalf\t1\n", outputs), "half.txt"},
	} {
		if _, err := open(t.Context(), tt.dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// made is a set whose first form is right as given and all others right where it is wrong. The
// pairs' |z| are 0, 1, 2 and so on.
func made(name string, right ...float64) *set {
	s := &set{name: name, campaign: strings.Split(name, "-")[0], target: name[len(name)-2:], order: new(ranking.Order)}
	for i, r := range right {
		p := pair{z: float64(i), clear: i > 0, right: all(1 - r)}
		p.right[0] = r
		s.pairs = append(s.pairs, p)
	}
	return s
}

// curveOf gives a set Kendalls, .1 more at K = 6 and .1 less at K = 7. The first form has the
// order of people, the others the reverse.
func (s *set) curveOf(first, others float64) *set {
	s.order.Human = []float64{6, 5, 4, 3, 2, 1, 0}
	for i, more := range []float64{.1, -.1} {
		at := ranking.TopK{K: 6 + i}
		for f := range columns() {
			x, scores := others+more, []float64{1, 2, 3, 4, 5, 6, 7}[:at.K]
			if f == 0 {
				x, scores = first+more, s.order.Human[:at.K]
			}
			at.Correlations, at.Scores = append(at.Correlations, ranking.Coefficients{Kendall: &x}), append(at.Scores, scores)
		}
		s.curve = append(s.curve, at)
	}
	return s
}

// The figures of tables come out by hand: three pairs of one set and one of another, and a set
// apart.
func TestWrite(t *testing.T) {
	sets := []*set{
		made("day1-de-en", 1, 1, 0).curveOf(.5, .25),
		made("day2-de-en", 1).curveOf(0, .5),
		made("day2-en-zh", 0, 0).curveOf(.1, .1),
	}
	var b strings.Builder
	if err := write(t.Context(), &b, sets, "day2-de-en"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Sets without Chinese and Japanese targets: 2\n\nPairwise accuracy:\n\n" +
			"|  | all (4 in 2 sets) | day1 (3 in 1 sets) | day2 (1 in 1 sets) |\n|---|---|---|---|\n" +
			"| BERTScore | .7500 [.667 1.000] | .6667 | 1.0000 |\n| BLEU | .2500 [.000 .333] | .3333 | .0000 |\n",
		"The same, less BERTScore's:\n\n|  | all (4 in 2 sets) | day1 (3 in 1 sets) | day2 (1 in 1 sets) |\n|---|---|---|---|\n" +
			"| BERTScore | +.0000 | +.0000 | +.0000 |\n| BLEU | −.5000 [−1.000 −.333] | −.3333 | −1.0000 |\n",
		"|  | below 2 (3 in 2 sets) | 0–1 (2 in 2 sets) | 1–2 (1 in 1 sets) | 2–4 (1 in 1 sets) |\n|---|---|---|---|---|\n| BERTScore | 1.0000 | 1.0000 | 1.0000 | .0000 |\n",
		"people's scores clearly different:\n\n|  | all (2 in 1 sets) | day1 (2 in 1 sets) |\n|---|---|---|\n| BERTScore | .5000 | .5000 |\n",
		"over K:\n\n|  | all (2 in 2 sets) | day1 (1 in 1 sets) | day2 (1 in 1 sets) |\n|---|---|---|---|\n| BERTScore | .2500 [.000 .500] | .5000 | .0000 |\n| BLEU | .3750 [.250 .500] | .2500 | .5000 |\n",
		"by K:\n\n|  | K 3–6 (2 in 2 sets) | K 7–10 (2 in 2 sets) |\n|---|---|---|\n| BERTScore | .3500 [.100 .600] | .1500 [−.100 .400] |\n",
		"|  | all | day1 | day2 | K 3–6 | K 7–10 | K 11 and more |\n|---|---|---|---|---|---|---|\n| BERTScore | 0 / 2 / 0 | 0 / 1 / 0 | 0 / 1 / 0 | 0 / 2 / 0 | 0 / 2 / 0 | 0 / 0 / 0 |\n" +
			"| BLEU | 1 / 0 / 1 | 0 / 0 / 1 | 1 / 0 / 0 | 1 / 0 / 1 | 1 / 0 / 1 | 0 / 0 / 0 |\n",
		"|  | below 2 | 0–1 | 1–2 | 2–4 | 4–8 | 8 and more |\n|---|---|---|---|---|---|---|\n| BLEU | .000 of 3 | .000 of 2 | .000 of 1 | 1.000 of 1 | – | – |\n",
		"# Sets with Chinese and Japanese targets: 1\n",
		"day2-de-en, the K best: Kendall / Pearson:\n",
		"\n| 6 | .100 / – | .600 / – |",
		"\n| 7 | −.100 / – | .400 / – |",
		"day2-de-en, the six best:\n\n|  | Kendall | Spearman | Pearson | rank differences | rank of people's first |\n|---|---|---|---|---|---|\n" +
			"| BERTScore | .100 | – | – | 0 | 1 |\n| BLEU | .600 | – | – | 18 | 6 |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("lacks\n%s", want)
		}
	}
	if t.Failed() {
		t.Logf("written:\n%s", b.String())
	}
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		format string
		x      float64
		want   string
	}{
		{"%.3f", .5, ".500"}, {"%.3f", -.25, "−.250"}, {"%.3f", 1, "1.000"}, {"%.3f", -.0001, ".000"}, {"%+.3f", .125, "+.125"}, {"%+.2f", 0, "+.00"}, {"%+.2f", -.001, "+.00"}, {"%.3f", -1, "−1.000"},
	} {
		if got := number(tt.format, tt.x); got != tt.want {
			t.Errorf("number(%q, %v) = %q, want %q", tt.format, tt.x, got, tt.want)
		}
	}
}
