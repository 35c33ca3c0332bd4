package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/metaeval"
)

// check returns an error for flags that can't be, and sets what they stand for.
func (o *metaOptions) check(ctx context.Context) error {
	for _, f := range []func() error{o.checkLevel, o.checkHuman, o.checkOutput, o.checkTests, o.setForms, o.setGrouping} {
		if err := f(); err != nil {
			return err
		}
	}
	inputs := slices.Concat(uses("--human", o.human), uses("--human-system", o.humanSystem), uses("--scores", o.scores...))
	return checkFiles(ctx, inputs, uses("--html", o.html))
}

func (o *metaOptions) checkLevel() error {
	if o.level != "system" && o.level != "segment" {
		return fmt.Errorf("no level %q: have system, segment", o.level)
	}
	of := map[string]string{"kendall": "segment", "threshold": "segment", "group": "segment", "sweep": "segment", "human-system": "system", "outliers": "system"}
	for _, name := range []string{"kendall", "threshold", "group", "sweep", "human-system", "outliers"} {
		if o.set.Changed(name) && of[name] != o.level {
			return fmt.Errorf("--%s is an option of --level %s", name, of[name])
		}
	}
	return nil
}

// checkHuman checks what says where people's and metrics' scores are.
func (o *metaOptions) checkHuman() error {
	stdin := 0
	for _, p := range append([]string{o.human, o.humanSystem}, o.scores...) {
		if p == "-" {
			stdin++
		}
	}
	switch {
	case o.human == "" && (o.humanSystem == "" || o.level == "segment"):
		return errors.New("no human scores: name a file with --human")
	case len(o.scores) == 0:
		return errors.New("no metric's scores: name files with --scores")
	case stdin > 1:
		return errors.New("standard input (-) can be only one of the files")
	case o.humanFormat != "" && !slices.Contains(humanFormats, o.humanFormat):
		return fmt.Errorf("no human format %q: have %s", o.humanFormat, strings.Join(humanFormats, ", "))
	case o.humanFormat != "" && o.human == "":
		return errors.New("--human-format is of --human, which is not given")
	case o.humanScore != "" && o.humanScore != "raw" && o.humanScore != "z":
		return fmt.Errorf("no human score %q: have raw, z", o.humanScore)
	case o.humanScore == "z" && o.level == "segment" && !o.set.Changed("threshold"):
		return fmt.Errorf("--threshold %v is one of raw scores: give one for z scores", o.threshold)
	}
	return nil
}

func (o *metaOptions) checkOutput() error {
	switch {
	case !slices.Contains([]string{"text", "tsv", "latex", "json"}, o.output):
		return fmt.Errorf("no format %q: have text, tsv, latex, json", o.output)
	case o.set.Changed("html") && (o.html == "" || o.html == "-"):
		return errors.New("--html: name a file")
	}
	return nil
}

// checkTests checks the numbers.
func (o *metaOptions) checkTests() error {
	isDifference := func(t float64) bool { return t >= 0 && t-t == 0 }
	switch {
	case !isDifference(o.threshold):
		return fmt.Errorf("--threshold %v: no such difference", o.threshold)
	case !(o.alpha > 0 && o.alpha < 1):
		return fmt.Errorf("--alpha %v: a level is above 0 and below 1", o.alpha)
	case o.samples < 0 || o.samples > maxSamples:
		return noSamples("samples", o.samples)
	case o.seed == 0:
		return errors.New("--seed 0: a seed is from 1 up")
	}
	for _, t := range o.sweep {
		if !isDifference(t) {
			return fmt.Errorf("--sweep %v: no such difference", t)
		}
	}
	return nil
}

func (o *metaOptions) setForms() error {
	for _, f := range metaeval.KendallForms() {
		if len(o.kendall) == 0 || slices.Contains(o.kendall, f.Name) {
			o.forms = append(o.forms, f)
		}
	}
	if n := len(unique(o.kendall)); n > 0 && n != len(o.forms) {
		return fmt.Errorf("no form of Kendall's tau is called one of %s: have 4a, 4b, 4c, 5", strings.Join(o.kendall, ", "))
	}
	return nil
}

func (o *metaOptions) setGrouping() error {
	for _, g := range []metaeval.Grouping{metaeval.NoGrouping, metaeval.ByItem, metaeval.BySystem} {
		if g.String() == o.group {
			o.grouping = g
			return nil
		}
	}
	return fmt.Errorf("no group %q: have none, item, system", o.group)
}

// checkPairs returns an error for flags that are of scores, where people gave pairs.
func (o *metaOptions) checkPairs() error {
	switch {
	case o.set.Changed("threshold") || len(o.sweep) > 0:
		return errors.New("--threshold and --sweep make pairs of scores, and people gave pairs")
	case o.set.Changed("group"):
		return errors.New("--group is of correlations, which need people's scores, and people gave pairs")
	}
	return nil
}
