package mtme

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RulesOf are those of a language pair in WMT's metrics task, or, where that task had not the
// pair, in the translation task. Sets are wmt19, wmt20, wmt21.news, wmt21.tedtalks,
// wmt21.flores, wmt22 and wmt23. The error is for a set or a pair of which no rules are known.
func RulesOf(set, lp string) (Rules, error) {
	s, ok := standardOf(set)
	if !ok {
		return Rules{}, fmt.Errorf("mtme: no rules are known of %q: give the reference and the kind of human scores, and outliers if there are any", set)
	}
	r, ok := s.pairs[lp]
	if !ok && !s.others {
		return Rules{}, fmt.Errorf("mtme: no rules are known of %s %s, only of %s: give the reference and the kind of human scores, and outliers if there are any",
			set, lp, strings.Join(slices.Sorted(maps.Keys(s.pairs)), ", "))
	}
	if r.Reference == "" {
		r.Reference = s.rules.Reference
	}
	if r.SystemGold == "" {
		r.SystemGold, r.SegmentGold = s.rules.SystemGold, s.rules.SegmentGold
	}
	return r, nil
}

// A standard is a test set's rules: what holds unless a pair's rules say other, and the
// pairs.
type standard struct {
	rules  Rules
	pairs  map[string]Rules
	others bool // pairs that are not named have the rules
}

// standardOf are what mt-metrics-eval's data have as standard references, human scores and
// outliers.
func standardOf(set string) (standard, bool) {
	wmt := func(reference string) Rules {
		return Rules{Reference: reference, SystemGold: "wmt-z", SegmentGold: "wmt-raw"}
	}
	switch set {
	case "wmt19":
		return standard{rules: wmt("ref"), others: true}, true
	case "wmt20":
		return standard{rules: wmt("ref"), pairs: wmt20(), others: true}, true
	case "wmt21.news":
		return standard{rules: wmt("refA"), others: true, pairs: map[string]Rules{
			"en-de": judgedBy("mqm", "refC"), "en-ru": judgedBy("mqm", "refA"), "zh-en": judgedBy("mqm", "refB")}}, true
	case "wmt21.tedtalks":
		return standard{rules: judgedBy("mqm", "refA"), pairs: map[string]Rules{"en-de": {}, "en-ru": {}, "zh-en": {Reference: "refB"}}}, true
	case "wmt21.flores":
		return standard{rules: wmt("refA"), others: true}, true
	case "wmt22":
		return standard{rules: judgedBy("wmt-appraise", "refA"), pairs: map[string]Rules{
			"en-de": judgedBy("mqm", "refA", "M2M100_1.2B-B4"), "en-ru": judgedBy("mqm", "refA"), "zh-en": judgedBy("mqm", "refA"),
			"cs-en": judgedBy("wmt", "refB"), "de-en": judgedBy("wmt", "refA"), "ja-en": judgedBy("wmt", "refA"),
			"ru-en": judgedBy("wmt", "refA"), "uk-en": judgedBy("wmt", "refA"),
			"en-cs": {Reference: "refB"}, "cs-uk": {}, "en-hr": {}, "en-ja": {}, "en-liv": {}, "en-uk": {}, "en-zh": {},
			"liv-en": {}, "sah-ru": {}, "uk-cs": {}}}, true
	case "wmt23":
		hebrew := judgedBy("mqm", "refB")
		hebrew.Human = true
		return standard{rules: judgedBy("da-sqm", "refA"), pairs: map[string]Rules{
			"en-de": judgedBy("mqm", "refA", "synthetic_ref"), "zh-en": judgedBy("mqm", "refA", "synthetic_ref"), "he-en": hebrew,
			"cs-uk": {}, "de-en": {}, "en-cs": {}, "en-ja": {}, "en-zh": {}, "ja-en": {}}}, true
	}
	return standard{}, false
}

func judgedBy(gold, reference string, outliers ...string) Rules {
	return Rules{Reference: reference, Outliers: outliers, SystemGold: gold, SegmentGold: gold}
}

// wmt20 are its pairs with outliers.
func wmt20() map[string]Rules {
	out := map[string]Rules{}
	for lp, outliers := range map[string][]string{
		"cs-en": {"zlabs-nlp.1149", "CUNI-DocTransformer.1457"},
		"de-en": {"yolo.1052", "zlabs-nlp.1153", "WMTBiomedBaseline.387"},
		"en-cs": {"zlabs-nlp.1151", "Online-G.1555"},
		"en-de": {"zlabs-nlp.179", "WMTBiomedBaseline.388", "Online-G.1556"},
		"en-iu": {"UEDIN.1281", "OPPO.722", "UQAM_TanLe.521"},
		"en-ja": {"Online-G.1557", "SJTU-NICT.370"},
		"en-pl": {"Online-Z.1634", "zlabs-nlp.180", "Online-A.1576"},
		"en-ta": {"TALP_UPC.1049", "SJTU-NICT.386", "Online-G.1561"},
		"iu-en": {"NiuTrans.1206", "Facebook_AI.729"},
		"ja-en": {"Online-G.1564", "zlabs-nlp.66", "Online-Z.1640"},
		"pl-en": {"zlabs-nlp.1162"},
		"ru-en": {"zlabs-nlp.1164"},
		"ta-en": {"Online-G.1568", "TALP_UPC.192"},
		"zh-en": {"WMTBiomedBaseline.183"},
	} {
		out[lp] = Rules{Outliers: outliers}
	}
	return out
}

// Primary returns the names of the primary metrics of a set, those that WMT's tables have
// unless all are asked for, sorted. It knows wmt23's 32; of others it returns nil.
func Primary(set string) []string {
	if set != "wmt23" {
		return nil
	}
	return []string{
		"BERTscore", "BLEU", "BLEURT-20", "COMET", "Calibri-COMET22", "Calibri-COMET22-QE", "CometKiwi", "GEMBA-MQM",
		"KG-BERTScore", "MEE4", "MS-COMET-QE-22", "MaTESe", "MetricX-23", "MetricX-23-QE", "Random-sysname", "XCOMET-Ensemble",
		"XCOMET-QE-Ensemble", "XLsim", "YiSi-1", "chrF", "cometoid22-wmt22", "docWMT22CometDA", "docWMT22CometKiwiDA", "eBLEU",
		"embed_llama", "f200spBLEU", "mbr-metricx-qe", "mre-score-labse-regular", "prismRef", "prismSrc", "sescoreX", "tokengram_F",
	}
}
