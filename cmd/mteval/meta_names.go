package main

import (
	"encoding/csv"
	"fmt"
	"path"
	"slices"
	"strings"
)

// excluded says whether a system is one to leave out.
func (o *metaOptions) excluded(system string) bool {
	return slices.ContainsFunc(o.exclude, func(p string) bool { return matches(p, system) })
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == name
}

// splitExcluded splits the list of systems to leave out, and returns an error for one that is
// none, which would have no effect.
func (o *metaOptions) splitExcluded(systems []string) (err error) {
	isSystem := func(p string) bool {
		return slices.ContainsFunc(systems, func(s string) bool { return matches(p, s) })
	}
	if o.exclude, err = splitNames("exclude", o.exclude, isSystem); err != nil {
		return err
	}
	for _, p := range o.exclude {
		if !isSystem(p) {
			return fmt.Errorf("--exclude %s: no such system: have %s", p, strings.Join(systems, ", "))
		}
	}
	return nil
}

// splitNames splits values at commas, unless there are such in names: then a value is one
// name, or in quotation marks as in CSV.
func splitNames(flag string, values []string, known func(string) bool) ([]string, error) {
	var out []string
	for _, v := range values {
		if v == "" {
			continue
		}
		parts, err := csv.NewReader(strings.NewReader(v)).Read()
		one, several := err != nil || known(v), err == nil && !slices.ContainsFunc(parts, func(p string) bool { return !known(p) })
		switch {
		case one && several && len(parts) > 1:
			return nil, fmt.Errorf("--%s %s: one name, or several with commas between? Type --%s '\"%s\"' or --%s %s", flag, v, flag, v, flag, strings.Join(parts, " --"+flag+" "))
		case one:
			out = append(out, v)
		default:
			out = append(out, parts...)
		}
	}
	return out, nil
}
