package distributed

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// What is encoded is read again.
func TestCoders(t *testing.T) {
	empty := cmpopts.EquateEmpty()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.String()
		p := Position{File: text.Draw(r, "file"), Offset: rapid.Int64Min(0).Draw(r, "offset"), ID: text.Draw(r, "id")}
		record := Record{Position: p, System: text.Draw(r, "system"), Segment: text.Draw(r, "segment"), Hypothesis: text.Draw(r, "hypothesis"), References: rapid.SliceOf(text).Draw(r, "references")}
		if rapid.Bool().Draw(r, "sourced") {
			s := text.Draw(r, "source")
			record.Source = &s
		}
		if got, err := decodeRecord(encodeRecord(record)); err != nil || !cmp.Equal(record, got, empty) {
			r.Fatalf("%v, %s", err, cmp.Diff(record, got, empty))
		}
		bad := Bad{p, record.System, record.Segment, record.Hypothesis}
		if got, err := decodeBad(encodeBad(bad)); err != nil || got != bad {
			r.Fatalf("%v, %s", err, cmp.Diff(bad, got))
		}
		row := rapid.SliceOf(rapid.Float64())
		score := SegmentScore{p, record.System, record.Segment, rapid.IntRange(0, 9).Draw(r, "n"), row.Draw(r, "scores"), rapid.SliceOf(row).Draw(r, "rows")}
		if got, err := decodeScore(encodeScore(score)); err != nil || !cmp.Equal(score, got, empty) {
			r.Fatalf("%v, %s", err, cmp.Diff(score, got, empty))
		}
		sums := resampled{score.Rows}
		if got, err := decodeResampled(encodeResampled(sums)); err != nil || !cmp.Equal(sums, got, empty) {
			r.Fatalf("%v, %s", err, cmp.Diff(sums, got, empty))
		}
	})
}

// Bytes that no encoder wrote are an error, and take no memory that they do not have.
func FuzzDecode(f *testing.F) {
	source := "s"
	f.Add(encodeRecord(Record{Position: Position{"f", 7, "i"}, Segment: "1", References: []string{"a", "b"}, Source: &source}))
	f.Add(encodeScore(SegmentScore{Scores: []float64{1}, Rows: [][]float64{{1, 2}}}))
	f.Add(encodeSums(new(sumFn).AddInput(sums{}, SegmentScore{Rows: [][]float64{{1, .1}}})))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := decodeRecord(b); err == nil {
			if again, err := decodeRecord(encodeRecord(r)); err != nil || !cmp.Equal(r, again) {
				t.Errorf("%+v, %+v, %v", r, again, err)
			}
		}
		decodeBad(b)
		decodeScore(b)
		decodeSums(b)
		decodeResampled(b)
	})
}
