package preference_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/preference"
)

// Recorded says yes where Agreed has a band, and else in what the nearest record is another.
func TestCalibrationRecorded(t *testing.T) {
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
		ok                  bool
	}{
		{"bleu", "zh", "exp", 10, nil, true},
		{"bleu", "intl", "none", 9, []string{"9 segments: the fewest of a set that it was fitted on are 10"}, true},
		{"bleu", "char", "exp", 9, []string{"bleu: tok is char, and was 13a, zh"}, false},
		{"bleu", "char", "none", 9, []string{"bleu: tok is char, and was intl"}, false},
		{"chrf", "zh", "exp", 10, []string{"chrf: no record"}, false},
	} {
		s := mteval.Signature{{Key: "tok", Value: tt.tok}, {Key: "smooth", Value: tt.smooth}, {Key: "version", Value: "x"}}
		outside, ok := own.Recorded(tt.metric, s, tt.segments)
		if d := cmp.Diff(tt.outside, outside); ok != tt.ok || d != "" {
			t.Errorf("%+v: %v (-want +got):\n%s", tt, ok, d)
		}
		if _, has := own.Agreed(tt.metric, s, 1); has != ok {
			t.Errorf("%+v: Agreed says %v", tt, has)
		}
	}
}
