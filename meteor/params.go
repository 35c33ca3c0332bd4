package meteor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Module is a stage of the alignment.
type Module string

// The modules.
const (
	Exact      Module = "exact"      // equal words
	Stem       Module = "stem"       // words with equal stems
	Synonym    Module = "synonym"    // words that share a synset, in English
	Paraphrase Module = "paraphrase" // phrases of a paraphrase table
)

var allModules = []Module{Exact, Stem, Synonym, Paraphrase}

// maxModules is how many modules the statistics have room for.
const maxModules = 4

// A Task is a preset of parameters and weights.
type Task string

// The tasks, and what they were tuned for by METEOR's authors. Rank, Adequacy, HTER and
// Utility are of English; Rank is of German, French, Spanish, Russian and Czech, too.
const (
	Rank      Task = "rank"      // people's rankings (WMT); what a language has by default
	Adequacy  Task = "adq"       // adequacy scores
	HTER      Task = "hter"      // the amount of post-editing
	Utility   Task = "util"      // usefulness for post-editing, meant to go with Characters
	LangIndep Task = "li"        // language-independent; the default of languages without Rank
	Tune      Task = "tune"      // a balanced setting, for tuning a system with
	Universal Task = "universal" // any language, with Exact and Paraphrase
)

var allTasks = []Task{Rank, Adequacy, HTER, Utility, LangIndep, Tune, Universal}

// Params are the parameters of METEOR's score (Denkowski and Lavie 2014, section 2):
//
//	P, R     weighted matches / weighted length, of the hypothesis and the reference
//	Fmean    P·R / (α·P + (1−α)·R)
//	penalty  γ · (chunks / matched words)^β
//	score    (1 − penalty) · Fmean
//
// with content words weighing δ and function words 1 − δ.
type Params struct {
	Alpha float64 // 0 to 1: 0 is precision alone, 1 recall alone
	Beta  float64 // 0 and up: how soon the penalty grows
	Gamma float64 // 0 to 1: the largest penalty
	Delta float64 // 0 to 1: the weight of content words
}

func (p Params) check() error {
	for _, v := range []struct {
		name  string
		value float64
		max   float64
	}{{"Alpha", p.Alpha, 1}, {"Beta", p.Beta, math.MaxFloat64}, {"Gamma", p.Gamma, 1}, {"Delta", p.Delta, 1}} {
		if !(v.value >= 0 && v.value <= v.max) {
			if v.max == 1 {
				return fmt.Errorf("meteor: %s %v is not from 0 to 1", v.name, v.value)
			}
			return fmt.Errorf("meteor: %s %v is not a number from 0 up", v.name, v.value)
		}
	}
	return nil
}

// preset holds what a task sets. The program has tables of these in which what was never
// tuned is all zeros, and every score 0.
type preset struct {
	params  Params
	weights []float64 // by place in the list of modules
}

// ranked are the languages with parameters of their own, and their modules' weights.
var ranked = map[string]preset{
	"en": {Params{.85, .2, .6, .75}, []float64{1, .6, .8, .6}},
	"de": {Params{.95, 1, .55, .55}, []float64{1, .8, .2}},
	"fr": {Params{.90, 1.4, .6, .65}, []float64{1, .2, .4}},
	"es": {Params{.65, 1.3, .5, .8}, []float64{1, .8, .6}},
	"ru": {Params{.75, 1.4, .7, .5}, []float64{1, .5, .5}},
	"cs": {Params{.95, .2, .6, .8}, []float64{1, .4}},
}

var english = map[Task]preset{
	Adequacy: {Params{.75, 1.4, .45, .7}, []float64{1, 1, .6, .8}},
	HTER:     {Params{.40, 1.5, .35, .55}, []float64{1, .2, .6, .8}},
	Utility:  {Params{.65, .1, .55, .65}, []float64{1, 0, 0, .8}},
}

var anyLanguage = map[Task]preset{
	LangIndep: {Params{.75, 1.4, .7, .5}, []float64{1, .5, .5, .5}},
	Tune:      {Params{.5, 1, .5, .5}, []float64{1, .5, .5, .5}},
	Universal: {Params{.7, 1.4, .3, .7}, []float64{1, .6}},
}

// presetOf returns the preset of a task, and false where the program has zeros.
func presetOf(language string, task Task) (preset, bool) {
	if p, ok := anyLanguage[task]; ok {
		return p, true
	}
	if task == Rank {
		p, ok := ranked[language]
		return p, ok
	}
	p, ok := english[task]
	return p, ok && language == "en"
}

// ParseModules reads names of modules with white space between, such as "exact stem".
func ParseModules(s string) ([]Module, error) {
	var out []Module
	for _, name := range strings.Fields(s) {
		m := Module(name)
		if !slices.Contains(allModules, m) {
			return nil, fmt.Errorf("meteor: no module %q: have %s", name, join(allModules, ", "))
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("meteor: no module is named: have %s", join(allModules, ", "))
	}
	return out, nil
}

// ParseTask reads the name of a task.
func ParseTask(s string) (Task, error) {
	if t := Task(s); slices.Contains(allTasks, t) {
		return t, nil
	}
	return "", fmt.Errorf("meteor: no task %q: have %s", s, join(allTasks, ", "))
}

func join[T ~string](names []T, sep string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return strings.Join(out, sep)
}

// javaFloat writes a number as Java does: with one decimal at least.
func javaFloat(x float64) string {
	if x != 0 && (math.Abs(x) < 1e-3 || math.Abs(x) >= 1e7) {
		s := strconv.FormatFloat(x, 'E', -1, 64)
		mantissa, exponent, _ := strings.Cut(s, "E")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		e, _ := strconv.Atoi(exponent)
		return mantissa + "E" + strconv.Itoa(e)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// javaFloats joins numbers as Java writes them.
func javaFloats(x []float64, sep string) string {
	out := make([]string, len(x))
	for i, v := range x {
		out[i] = javaFloat(v)
	}
	return strings.Join(out, sep)
}
