package moments

import (
	"encoding/json"
	"os"
	"testing"
)

// NumPy's sums, to the last digit: see scripts/record_sums.py.
func TestNumPySum(t *testing.T) {
	data, err := os.ReadFile("testdata/sums.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Cases []struct {
			N       int
			Float64 float64
			Float32 float32
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range recorded.Cases {
		double, single := make([]float64, c.N), make([]float32, c.N)
		for i := range double {
			double[i] = float64((7*i*i+3*i)%101-50) / float64(1+i%13)
			single[i] = float32(double[i])
		}
		if got := NumPySum(double); got != c.Float64 {
			t.Errorf("%d numbers of 64 bits: %v, want %v", c.N, got, c.Float64)
		}
		if got := NumPySum(single); got != c.Float32 {
			t.Errorf("%d numbers of 32 bits: %v, want %v", c.N, got, c.Float32)
		}
	}
}
