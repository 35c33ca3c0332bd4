package significance

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSignTest(t *testing.T) {
	for _, c := range readGolden(t).Signs {
		better, ties, worse, want := int(c[0]), int(c[1]), int(c[2]), c[3]
		got, err := SignTest(better, ties, worse)
		if err != nil || got.N != better+worse || !near(got.P, want) {
			t.Errorf("%d, %d, %d: %+v, %v; SciPy has p = %v", better, ties, worse, got, err, want)
		}
	}
}

// The lecture's figures, of R's binom.test.
func TestSignTestLecture(t *testing.T) {
	got, err := SignTest(41, 12, 59)
	if err != nil || got.N != 100 || math.Round(got.P*1e5) != 8863 {
		t.Errorf("%+v, %v; want n = 100, p = 0.08863", got, err)
	}
}

func TestSignTestEdges(t *testing.T) {
	if got, err := SignTest(0, 7, 0); err != nil || got != (SignTestResult{N: 0, P: 1}) {
		t.Errorf("nothing but ties: %+v, %v", got, err)
	}
	if got, err := SignTest(math.MaxInt32, 0, 0); err != nil || got.P != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := SignTest(maxJudgements/2, 0, maxJudgements/2); err != nil || got.P != 1 {
		t.Errorf("the most: %+v, %v", got, err)
	}
	if got, err := SignTest(maxJudgements, 0, 0); err != nil || got.P != 0 {
		t.Errorf("the most for one: %+v, %v", got, err)
	}
	for _, c := range [][3]int{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {math.MaxInt, 0, 1}, {1, 0, math.MaxInt - 1}, {math.MaxInt/2 + 1, 0, math.MaxInt/2 + 1}} {
		if got, err := SignTest(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v: %+v", c, got)
		}
	}
}

// P is symmetric, and falls as the majority grows.
func TestSignTestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(0, 3000).Draw(t, "better"), rapid.IntRange(0, 3000).Draw(t, "worse")
		p, err := SignTest(a, 0, b)
		if err != nil {
			t.Fatal(err)
		}
		if q, _ := SignTest(b, 5, a); q != p || !(p.P >= 0 && p.P <= 1) {
			t.Fatalf("%+v, other way round %+v", p, q)
		}
		if low, high := min(a, b), max(a, b); low > 0 {
			if q, _ := SignTest(low-1, 0, high+1); q.P > p.P {
				t.Fatalf("%+v, of a larger majority %+v", p, q)
			}
		}
	})
}
