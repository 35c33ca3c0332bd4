// Package flags has what command lines need beyond package pflag: values with a type, each of
// which says in its error what there is and completes itself in a shell; files that know
// whether they are read or written; what flags have to do with each other, declared beside
// them and checked in one place; and help in groups.
//
// What it knows of a flag it keeps in the flag's annotations, so that flags of package pflag
// and of this one can be mixed. Install makes it work.
package flags

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/internal/nearest"
	"github.com/mteval/mteval/internal/outfile"
)

// Keys of annotations.
const (
	groupKey    = "mteval-group"
	requiresKey = "mteval-requires"
	choiceKey   = "mteval-choice"
	orKey       = "mteval-or"
	excludesKey = "mteval-excludes"
)

// A Flag is one that was defined, of which more can be said.
type Flag struct{ *pflag.Flag }

// Var defines a flag.
func Var(fs *pflag.FlagSet, v pflag.Value, name, usage string) Flag {
	return VarP(fs, v, name, "", usage)
}

// VarP defines a flag with a shorthand letter.
func VarP(fs *pflag.FlagSet, v pflag.Value, name, shorthand, usage string) Flag {
	return Flag{fs.VarPF(v, name, shorthand, usage)}
}

// Bool defines a switch that is off at first.
func Bool(fs *pflag.FlagSet, p *bool, name, usage string) Flag { return BoolP(fs, p, name, "", usage) }

// BoolP defines a switch with a shorthand letter.
func BoolP(fs *pflag.FlagSet, p *bool, name, shorthand, usage string) Flag {
	fs.BoolVarP(p, name, shorthand, false, usage)
	return Flag{fs.Lookup(name)}
}

// Group defines flags that stand together in the help, and returns them.
func Group(fs *pflag.FlagSet, title string, define func(fs *pflag.FlagSet)) []Flag {
	before := make(map[string]bool)
	fs.VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	define(fs)
	var out []Flag
	fs.VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] {
			out = append(out, Flag{f}.annotate(groupKey, title))
		}
	})
	return out
}

func (f Flag) annotate(key string, values ...string) Flag {
	if f.Annotations == nil {
		f.Annotations = make(map[string][]string)
	}
	f.Annotations[key] = append(f.Annotations[key], values...)
	return f
}

// OptionOf says that the flag has a meaning only where one of others is given: "paired" is
// that flag, "level=segment" one of its values, "metrics=bleu" one of its list.
func (f Flag) OptionOf(others ...string) Flag {
	return f.annotate(requiresKey, strings.Join(others, " "))
}

// For says that the flag has a meaning only where one of these was chosen, such as one of
// some metrics, by any flag whose value is an Enum or a List of that noun, or of one that
// begins with this word.
func (f Flag) For(noun string, names ...string) Flag {
	return f.annotate(choiceKey, noun+" "+strings.Join(names, " "))
}

// Or says that what For says does not hold where one of other flags is given.
func (f Flag) Or(others ...string) Flag { return f.annotate(orKey, others...) }

// Excludes says that the flag can't be given with others, and why, such as "prints scores
// only".
func (f Flag) Excludes(why string, others ...string) Flag {
	return f.annotate(excludesKey, why+"\t"+strings.Join(others, "\t"))
}

// NoDefault is for a flag whose default depends on others, which its usage tells.
func (f Flag) NoDefault() Flag {
	f.DefValue = ""
	return f
}

// Check returns an error for the first flag, in the order in which they were defined, that
// was given without what it is an option of, or with what it excludes.
func Check(fs *pflag.FlagSet) error {
	var err error
	inOrder(fs, func(f *pflag.Flag) {
		// A value that is empty was given, too; a switch that is turned off asks for nothing.
		if err == nil && f.Changed && !(f.Value.Type() == "bool" && !on(f)) {
			err = cmp.Or(checkChoice(fs, f), checkRequired(fs, f), checkExcluded(fs, f))
		}
	})
	return err
}

// inOrder visits flags as they were defined.
func inOrder(fs *pflag.FlagSet, visit func(f *pflag.Flag)) {
	defer func(was bool) { fs.SortFlags = was }(fs.SortFlags)
	fs.SortFlags = false
	fs.VisitAll(visit)
}

func checkRequired(fs *pflag.FlagSet, f *pflag.Flag) error {
	for _, any := range f.Annotations[requiresKey] {
		others := strings.Fields(any)
		if slices.ContainsFunc(others, func(o string) bool { return is(fs, o) }) {
			continue
		}
		flag, _, _ := strings.Cut(others[0], "=")
		for i, o := range others {
			if name, value, ok := strings.Cut(o, "="); ok && i > 0 && name == flag {
				others[i] = value
			} else if f.Annotations[ofKey] == nil {
				others[i] = "--" + strings.Replace(o, "=", " ", 1)
			}
		}
		return fmt.Errorf("%s is an option of %s", spelled(f), strings.Join(others, " or "))
	}
	return nil
}

// is says whether a flag is set, or to a value after =.
func is(fs *pflag.FlagSet, condition string) bool {
	name, value, ok := strings.Cut(condition, "=")
	f := fs.Lookup(name)
	switch {
	case f == nil:
		return false
	case ok:
		if c, several := f.Value.(interface{ chosen() (string, []string) }); several {
			_, names := c.chosen()
			return slices.Contains(names, value)
		}
		return f.Value.String() == value
	}
	return on(f)
}

// on says whether a flag has a value that is something.
func on(f *pflag.Flag) bool { return !slices.Contains([]string{"", "false", "[]"}, f.Value.String()) }

func checkChoice(fs *pflag.FlagSet, f *pflag.Flag) error {
	if slices.ContainsFunc(f.Annotations[orKey], func(other string) bool { return is(fs, other) }) {
		return nil
	}
	for _, c := range f.Annotations[choiceKey] {
		words := strings.Fields(c)
		noun, names := words[0], words[1:]
		chosen, by := choices(fs, noun)
		if by != "" && !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(chosen, n) }) {
			return fmt.Errorf("--%s is an option of %s: add %s %s or leave it out", f.Name, strings.Join(names, ", "), by, names[0])
		}
	}
	return nil
}

// choices are the names that flags of a noun have, and the first of these flags.
func choices(fs *pflag.FlagSet, noun string) (chosen []string, by string) {
	inOrder(fs, func(f *pflag.Flag) {
		if c, ok := f.Value.(interface{ chosen() (string, []string) }); ok {
			if of, names := c.chosen(); of == noun || strings.HasPrefix(of, noun+" ") {
				chosen = append(chosen, names...)
				if by == "" {
					by = By(f)
				}
			}
		}
	})
	return chosen, by
}

func checkExcluded(fs *pflag.FlagSet, f *pflag.Flag) error {
	if !on(f) {
		return nil
	}
	for _, x := range f.Annotations[excludesKey] {
		words := strings.Split(x, "\t")
		for _, name := range words[1:] {
			if other := fs.Lookup(name); other != nil && other.Changed && on(other) {
				return fmt.Errorf("%s %s: leave %s out", spelled(f), words[0], spelled(other))
			}
		}
	}
	return nil
}

// By is how a flag is called in messages about its file: -r, --html.
func By(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return spelled(f)
}

// Inputs are the files that flags name to be read, and Outputs those to be written.
func Inputs(fs *pflag.FlagSet) []outfile.Use { return uses(fs, false) }

// Outputs are the files that flags name to be written.
func Outputs(fs *pflag.FlagSet) []outfile.Use { return uses(fs, true) }

func uses(fs *pflag.FlagSet, written bool) []outfile.Use {
	var out []outfile.Use
	inOrder(fs, func(f *pflag.Flag) {
		switch v := f.Value.(type) {
		case interface {
			files() (paths []string, written bool)
		}:
			if paths, w := v.files(); w == written {
				for _, p := range paths {
					out = append(out, outfile.Use{By: By(f), Path: p})
				}
			}
		case interface{ options() []*pflag.FlagSet }:
			for _, options := range v.options() {
				out = append(out, uses(options, written)...)
			}
		}
	})
	return out
}

// A completer is a value that a shell can complete.
type completer interface {
	complete(typed string) ([]string, cobra.ShellCompDirective)
}

// Install makes all of this work for a command and those below it: help in groups, errors,
// completion, and the check of what flags have to do with each other and of standard input,
// which only one of the files can be.
func Install(root *cobra.Command) {
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return parseError(c.Flags(), err) })
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().SortFlags = false
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if v, ok := f.Value.(completer); ok {
				// The only error is that of a flag that is not there, or has one.
				_ = c.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
					return v.complete(typed)
				})
			}
		})
		if c.RunE != nil && c.PreRunE == nil {
			c.PreRunE = func(c *cobra.Command, args []string) error {
				return cmp.Or(checkArguments(args), Check(c.Flags()), checkStdin(c.Flags(), args))
			}
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
}

// checkArguments refuses an empty argument, as it does an empty value of a flag.
func checkArguments(args []string) error {
	if i := slices.IndexFunc(args, func(a string) bool { return filled(a, "") != nil }); i >= 0 {
		return fmt.Errorf("argument %d is empty", i+1)
	}
	return nil
}

func checkStdin(fs *pflag.FlagSet, args []string) error {
	n := 0
	for _, u := range Inputs(fs) {
		args = append(slices.Clip(args), u.Path)
	}
	for _, a := range args {
		if a == "-" {
			n++
		}
	}
	if n > 1 {
		return errors.New("standard input (-) can be only one of the files")
	}
	return nil
}

// parseError says which flag has a wrong value, as the values of this package tell it, and which
// one may be meant by one that there is not.
func parseError(fs *pflag.FlagSet, err error) error {
	if none := (*pflag.NotExistError)(nil); errors.As(err, &none) {
		var names []string
		inOrder(fs, func(f *pflag.Flag) { names = append(names, f.Name) })
		// Of -tok the name is "t".
		typed := cmp.Or(none.GetSpecifiedShortnames(), none.GetSpecifiedName())
		return fmt.Errorf("%w%s", err, nearest.DidYouMean(typed, "--", names))
	}
	var bad *pflag.InvalidValueError
	var why *valueError
	switch {
	case !errors.As(err, &bad):
		return err
	case errors.As(err, &why):
	case bad.GetFlag().Value.Type() == "bool":
		why = &valueError{text: wantSwitch}
	default:
		return err
	}
	if why.whole {
		return fmt.Errorf("%s: %w", spelled(bad.GetFlag()), why)
	}
	value := bad.GetValue()
	if value == "" {
		value = `""`
	}
	if bad.GetFlag().Annotations[ofKey] != nil {
		return fmt.Errorf("%s=%s: %w", spelled(bad.GetFlag()), value, why)
	}
	return fmt.Errorf("%s %s: %w", spelled(bad.GetFlag()), value, why)
}

// CheckFiles returns an error for an output that is an input or another output, and for one
// that can't be written, so that it is not found out after the work. Beside the flags' inputs
// there are others, such as arguments.
func CheckFiles(ctx context.Context, fs *pflag.FlagSet, others ...outfile.Use) error {
	outputs := Outputs(fs)
	if err := outfile.Check(append(others, Inputs(fs)...), outputs); err != nil {
		return err
	}
	for _, o := range outputs {
		if at, err := os.Stat(o.Path); o.Path == "" || o.Path == "-" || err == nil && !at.Mode().IsRegular() && !at.IsDir() {
			continue // a pipe can't be opened twice
		}
		f, err := outfile.Create(ctx, o.Path)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", o.By, err)
		}
	}
	return nil
}

// Arguments are files that a command's arguments name, as what they are called in its usage.
func Arguments(name string, paths []string) []outfile.Use {
	var out []outfile.Use
	for _, p := range paths {
		out = append(out, outfile.Use{By: name, Path: p})
	}
	return out
}
