package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/shareddata"
)

func TestReadRated(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []RatedText
	}{
		"least": {"reference\thypothesis\tscore\nthe cat\ta \"cat\"\t.5\n\nb\t\t-1\n", []RatedText{
			{Reference: "the cat", Hypothesis: `a "cat"`, Score: .5}, {Reference: "b", Score: -1},
		}},
		"all": {"SYS\tsid\thuman_z\tother\tSource\tReference\tHypothesis\ns\t7\t1e-2\tNA\tdie\tthe\ta\n", []RatedText{
			{System: "s", Segment: "7", Source: "die", Reference: "the", Hypothesis: "a", Score: .01},
		}},
		"score before others": {"z.scr\tscore\treference\thypothesis\n1\t2\tr\th\n", []RatedText{{Reference: "r", Hypothesis: "h", Score: 2}}},
	} {
		got, err := from(ReadRated, tt.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for text, want := range map[string]string{
		"":                                   "f: no scores in it",
		"reference\thypothesis\tscore\n":     "f: no scores in it",
		"a\tb\n":                             "f:1: no column is called reference: the header has a, b",
		"reference\thypothesis\tvalue\n":     "f:1: no column is called score or human_z",
		"reference\thypothesis\tscore\nr\th": "f:2: 2 columns, the header has 3",
		"reference\thypothesis\tscore\nr\th\t1\nr\th\tNaN": "f:3: the score is \"NaN\", which is no finite number in decimal notation",
	} {
		if _, err := from(ReadRated, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// WMT17's direct assessments with their texts.
func TestReadRatedShared(t *testing.T) {
	got, err := OpenRated(t.Context(), shareddata.Path(t, "data", "wmt17-da", "de-en.human-segment.tsv"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := RatedText{
		System: "online-F.0", Segment: "56", Score: 0.137062119452236,
		Source:     "Bernhard Langer hielt Abstand zu den großen Tieren.",
		Reference:  "bernhard langer kept his distance from the large animals .",
		Hypothesis: "bernhard langer held distance to the large animals .",
	}
	if d := cmp.Diff(want, got[0]); d != "" || len(got) != 560 {
		t.Errorf("%d rows, the first (-want +got):\n%s", len(got), d)
	}
}

func FuzzRated(f *testing.F) {
	seed(f, "reference\thypothesis\tscore\nr\th\t1\n", "source\treference\thypothesis\thuman_z\n\t\t\t0x1p-2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := parsed(t, text, ReadRated); ok {
			for _, r := range got {
				if r.Score-r.Score != 0 || strings.ContainsAny(r.Reference+r.Hypothesis+r.Source, "\t\n") {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}
