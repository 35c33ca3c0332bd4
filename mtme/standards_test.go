package mtme

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// From mt-metrics-eval's meta_info.py.
func TestRulesOf(t *testing.T) {
	for _, tt := range []struct {
		set, lp string
		want    Rules
	}{
		{"wmt19", "de-cs", Rules{Reference: "ref", SystemGold: "wmt-z", SegmentGold: "wmt-raw"}},
		{"wmt20", "en-de", Rules{Reference: "ref", SystemGold: "wmt-z", SegmentGold: "wmt-raw",
			Outliers: []string{"zlabs-nlp.179", "WMTBiomedBaseline.388", "Online-G.1556"}}},
		{"wmt20", "km-en", Rules{Reference: "ref", SystemGold: "wmt-z", SegmentGold: "wmt-raw"}},
		{"wmt21.news", "en-de", Rules{Reference: "refC", SystemGold: "mqm", SegmentGold: "mqm"}},
		{"wmt21.news", "zh-en", Rules{Reference: "refB", SystemGold: "mqm", SegmentGold: "mqm"}},
		{"wmt21.news", "cs-en", Rules{Reference: "refA", SystemGold: "wmt-z", SegmentGold: "wmt-raw"}},
		{"wmt21.tedtalks", "en-ru", Rules{Reference: "refA", SystemGold: "mqm", SegmentGold: "mqm"}},
		{"wmt21.tedtalks", "zh-en", Rules{Reference: "refB", SystemGold: "mqm", SegmentGold: "mqm"}},
		{"wmt21.flores", "bn-hi", Rules{Reference: "refA", SystemGold: "wmt-z", SegmentGold: "wmt-raw"}},
		{"wmt22", "en-de", Rules{Reference: "refA", SystemGold: "mqm", SegmentGold: "mqm", Outliers: []string{"M2M100_1.2B-B4"}}},
		{"wmt22", "cs-en", Rules{Reference: "refB", SystemGold: "wmt", SegmentGold: "wmt"}},
		{"wmt22", "en-cs", Rules{Reference: "refB", SystemGold: "wmt-appraise", SegmentGold: "wmt-appraise"}},
		{"wmt22", "sah-ru", Rules{Reference: "refA", SystemGold: "wmt-appraise", SegmentGold: "wmt-appraise"}},
		{"wmt23", "zh-en", Rules{Reference: "refA", SystemGold: "mqm", SegmentGold: "mqm", Outliers: []string{"synthetic_ref"}}},
		{"wmt23", "he-en", Rules{Reference: "refB", Human: true, SystemGold: "mqm", SegmentGold: "mqm"}},
		{"wmt23", "en-ja", Rules{Reference: "refA", SystemGold: "da-sqm", SegmentGold: "da-sqm"}},
	} {
		got, err := RulesOf(tt.set, tt.lp)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s %s: %v %s", tt.set, tt.lp, err, diff)
		}
	}
	for _, tt := range []struct{ set, lp, want string }{
		{"wmt99", "en-de", `no rules are known of "wmt99": give the reference`},
		{"wmt21.tedtalks", "de-en", "wmt21.tedtalks de-en, only of en-de, en-ru, zh-en: give the reference"},
		{"wmt23", "", "wmt23 , only of"},
	} {
		if got, err := RulesOf(tt.set, tt.lp); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: %+v, %v, want %s", tt.set, tt.lp, got, err, tt.want)
		}
	}
}

func TestPrimary(t *testing.T) {
	p := Primary("wmt23")
	if !slices.IsSorted(p) || len(slices.Compact(p)) != 32 || Primary("wmt22") != nil {
		t.Errorf("%d: %q", len(p), p)
	}
}
