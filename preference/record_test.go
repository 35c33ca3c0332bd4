package preference_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/preference"
)

// The record that there is, or in what the nearest one is another.
func TestCalibrationRecord(t *testing.T) {
	metric := func(tok, smooth string) preference.Metric {
		return preference.Metric{Name: "bleu", Signature: []preference.Field{{Key: "tok", Values: strings.Split(tok, ",")}, {Key: "smooth", Values: []string{smooth}}}}
	}
	c := preference.Default()
	bands := c.Records[0].Bands
	own := &preference.Calibration{
		Records: []preference.Record{{Metric: metric("13a,zh", "exp"), Bands: bands}, {Metric: metric("intl", "none"), Bands: bands}},
		Sets:    []preference.Judged{{Name: "a", Segments: 20}, {Name: "b", Segments: 10}},
	}
	for _, tt := range []struct {
		metric, tok, smooth string
		segments            int
		outside             []string
		record              *preference.Record
	}{
		{"bleu", "zh", "exp", 10, nil, &own.Records[0]},
		{"bleu", "intl", "none", 9, []string{"9 segments: the fewest of a set that it was fitted on are 10"}, &own.Records[1]},
		{"bleu", "char", "exp", 9, []string{"bleu: tok is char, and was 13a, zh"}, nil},
		{"bleu", "char", "none", 9, []string{"bleu: tok is char, and was intl"}, nil},
		{"chrf", "zh", "exp", 10, []string{"chrf: no record"}, nil},
	} {
		s := mteval.Signature{{Key: "tok", Value: tt.tok}, {Key: "smooth", Value: tt.smooth}, {Key: "version", Value: "x"}}
		r, outside := own.Record(tt.metric, s, tt.segments)
		if d := cmp.Diff(tt.outside, outside); r != tt.record || d != "" {
			t.Errorf("%+v: %p (-want +got):\n%s", tt, r, d)
		}
	}
}
