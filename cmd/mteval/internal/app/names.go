package app

import (
	"encoding/csv"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mteval/mteval"
)

// Matches says whether a name is a pattern, or what it stands for: * is any letters.
func Matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == name
}

// SplitExcluded splits the list of systems to leave out, and returns an error for one that is
// none, which would have no effect.
func (o *MetaOptions) SplitExcluded(systems []string) (err error) {
	isSystem := func(p string) bool {
		return slices.ContainsFunc(systems, func(s string) bool { return Matches(p, s) })
	}
	if o.Exclude, err = SplitNames("exclude", o.Exclude, isSystem); err != nil {
		return err
	}
	for _, p := range o.Exclude {
		if !isSystem(p) {
			return fmt.Errorf("--exclude %s: no such system: have %s", p, strings.Join(systems, ", "))
		}
	}
	return nil
}

// SplitNames splits values at commas, unless there are such in names: then a value is one
// name, or in quotation marks as in CSV.
func SplitNames(flag string, values []string, known func(string) bool) ([]string, error) {
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

// List is a list in words.
func List(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// SystemNames are the names of systems.
func SystemNames(systems []mteval.System) []string {
	var names []string
	for _, s := range systems {
		names = append(names, s.Name)
	}
	return names
}
