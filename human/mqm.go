package human

import (
	"errors"
	"fmt"
	"strings"
)

// An MQMError is an error that a judge marked in an output, or the remark that there is
// none, in the framework of Multidimensional Quality Metrics.
type MQMError struct {
	System string
	// Doc is the document, and DocItem the segment's number within it.
	Doc, DocItem string
	// Item is the segment's number in the whole test set.
	Item  string
	Rater string
	// Source and Target are texts, with the error in Target between <v> and </v>.
	Source, Target string
	// Category is one of a hierarchy, such as "Fluency/Punctuation".
	Category string
	// Severity is "Major", "Minor", "Neutral" or "No-error".
	Severity string
}

// MQMWeights are the weights of errors. A key is a severity, or a severity with a
// category or with the first parts of one, such as "minor/fluency/punctuation": the most
// specific one that fits counts. Case does not matter, and neither does an exclamation
// mark at the end of a category, which files have after Non-translation. Nil is
// [FreitagWeights].
type MQMWeights map[string]float64

// FreitagWeights returns the weights of Freitag et al. (TACL 2021): 25 for a
// non-translation, 5 for any other major error, 0.1 for minor punctuation, 1 for any
// other minor error, and 0 for what is neutral and for no error.
func FreitagWeights() MQMWeights {
	return MQMWeights{
		"major": 5, "major/non-translation": 25,
		"minor": 1, "minor/fluency/punctuation": 0.1,
		"neutral": 0, "no-error": 0,
	}
}

// ErrNoWeight is returned for an error of a severity that has no weight.
var ErrNoWeight = errors.New("no weight")

// MQMJudgements turns marked errors into judgements: the sum of the weights of a
// rater's errors in an output, 0 if they found none. Less is better. [Average] gives
// the score of segments, the mean over the raters, and [metaeval.Scores.SystemMeans]
// that of systems, as Freitag et al. (2021) have them, but for the sign that some
// data sets put before the scores.
//
// Judgements come in the order of the first error of each rater in an output. A severity
// that has no weight wraps [ErrNoWeight]. A segment number that stands in two documents
// is an error too.
func MQMJudgements(es []MQMError, w MQMWeights) ([]Judgement, error) {
	if w == nil {
		w = FreitagWeights()
	}
	weights := make(map[string]float64, len(w))
	for k, v := range w {
		if AnyScore().Check(v) != nil {
			return nil, fmt.Errorf("human: the weight of %q is %v", k, v)
		}
		weights[strings.ToLower(k)] = v
	}
	type one struct{ rater, system, item string }
	at := make(map[one]int)
	docs := make(map[string][2]string) // of each item
	var js []Judgement
	for i := range es {
		e := &es[i]
		doc := [2]string{e.Doc, e.DocItem}
		if was, ok := docs[e.Item]; ok && was != doc {
			return nil, fmt.Errorf("human: segment %s is number %s of document %s and number %s of document %s: give them different Items", e.Item, was[1], was[0], doc[1], doc[0])
		}
		docs[e.Item] = doc
		weight, ok := weightOf(weights, e)
		if !ok {
			return nil, fmt.Errorf("human: an error of severity %q has %w: add one to the weights", e.Severity, ErrNoWeight)
		}
		o := one{e.Rater, e.System, e.Item}
		k, ok := at[o]
		if !ok {
			k = len(js)
			at[o] = k
			js = append(js, Judgement{Judge: e.Rater, System: e.System, Item: e.Item})
		}
		js[k].Score += weight
	}
	return js, nil
}

// weightOf is the weight of the most specific key that fits.
func weightOf(weights map[string]float64, e *MQMError) (float64, bool) {
	key := strings.ToLower(e.Severity + "/" + strings.TrimRight(e.Category, "! "))
	for {
		if w, ok := weights[key]; ok {
			return w, true
		}
		cut := strings.LastIndexByte(key, '/')
		if cut < 0 {
			return 0, false
		}
		key = key[:cut]
	}
}
