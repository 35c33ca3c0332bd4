package tasks

import (
	"fmt"

	"github.com/mteval/mteval/mtme"
)

// standard returns the rules of a test set's own task, and the kind of people's scores.
func standard(set, lp string) (mtme.Rules, string, error) {
	if set != "wmt23" {
		return mtme.Rules{}, "", fmt.Errorf("there are no standard rules of %s: give rules and human", set)
	}
	r, err := mtme.WMT23(lp)
	return r, "mqm", err
}

// primary are the metrics that WMT23's tables have: submissions by their authors' choice, and
// baselines.
var primary = []string{
	"BERTscore", "BLEU", "BLEURT-20", "COMET", "Calibri-COMET22", "Calibri-COMET22-QE", "CometKiwi",
	"GEMBA-MQM", "KG-BERTScore", "MEE4", "MS-COMET-QE-22", "MaTESe", "MetricX-23", "MetricX-23-QE",
	"Random-sysname", "XCOMET-Ensemble", "XCOMET-QE-Ensemble", "XLsim", "YiSi-1", "chrF", "cometoid22-wmt22",
	"docWMT22CometDA", "docWMT22CometKiwiDA", "eBLEU", "embed_llama", "f200spBLEU", "mbr-metricx-qe",
	"mre-score-labse-regular", "prismRef", "prismSrc", "sescoreX", "tokengram_F",
}
