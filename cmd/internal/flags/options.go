package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ofKey is the annotation of an option: what it is of.
const ofKey = "mteval-of"

// Options makes the options of something that has a name, such as a metric, as flags are made. They
// are written NAME(option=value,option), and errors call one of them NAME(option).
func Options(name string, define func(fs *pflag.FlagSet)) *pflag.FlagSet {
	fs := set()
	define(fs)
	fs.VisitAll(func(f *pflag.Flag) { Flag{f}.annotate(ofKey, name) })
	return fs
}

// spelled is how a flag is called in messages: --flag, or NAME(option).
func spelled(f *pflag.Flag) string {
	if of := f.Annotations[ofKey]; of != nil {
		return of[0] + "(" + f.Name + ")"
	}
	return "--" + f.Name
}

// Split parts a text at its commas, but for those in parentheses or quotation marks.
func Split(text string) []string {
	var out []string
	depth, begin, quoted := 0, 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out, begin = append(out, text[begin:i]), i+1
		}
	}
	return append(out, text[begin:])
}

// CutOptions parts NAME(option=value,…) into the name and what is in the parentheses.
func CutOptions(text string) (name, options string, err error) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok {
		return text, "", nil
	}
	options, closed := strings.CutSuffix(rest, ")")
	if !closed || strings.TrimSpace(options) == "" {
		return name, "", fmt.Errorf("%s: want %s, or %[2]s(option=value,option=value)", text, name)
	}
	return name, options, nil
}

// SetOptions gives options of Options their values, as option=value with commas between: a switch
// needs no value, and one with commas or parentheses in it stands in quotation marks, of which two
// are one.
func SetOptions(fs *pflag.FlagSet, name, text string) error {
	if text == "" {
		return nil
	}
	var before []string
	for _, part := range Split(text) {
		option, value, given := strings.Cut(strings.TrimSpace(part), "=")
		f := fs.Lookup(option)
		switch {
		case f == nil:
			return unknown("option of "+name, option, optionNames(fs))
		case slices.Contains(before, option) && !strings.Contains(f.Value.Type(), "="): // which TEXT=FILE may be
			return fmt.Errorf("%s is given twice: leave one of them out", spelled(f))
		case !given && f.NoOptDefVal == "":
			return fmt.Errorf("%s: give it a value, as in %s=…", spelled(f), option)
		case !given:
			value = f.NoOptDefVal
		case len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"':
			value = strings.ReplaceAll(value[1:len(value)-1], `""`, `"`)
		}
		if err := fs.Set(option, value); err != nil {
			return parseError(fs, err)
		}
		before = append(before, option)
	}
	return nil
}

func optionNames(fs *pflag.FlagSet) []string {
	var out []string
	inOrder(fs, func(f *pflag.Flag) { out = append(out, f.Name) })
	return out
}

// Specs is List of names that may have options behind them, NAME(option=value,…). Open makes the
// options of one, with the values that it gives them.
func Specs(p *[]string, value []string, noun string, open func(text string) (*pflag.FlagSet, error), all ...string) pflag.Value {
	*p = value
	return &list{p: p, noun: noun, all: all, open: open}
}

// Spec is Specs of one.
func Spec(p *string, value, noun string, open func(text string) (*pflag.FlagSet, error), all ...string) pflag.Value {
	*p = value
	return &list{p: new([]string), noun: noun, all: all, open: open, one: p}
}

// options are those of each name.
func (l *list) options() []*pflag.FlagSet {
	var out []*pflag.FlagSet
	for _, text := range l.texts() {
		if l.open == nil || text == "" {
			continue
		}
		if fs, err := l.open(text); err == nil { // as it was when it was set
			out = append(out, fs)
		}
	}
	return out
}

// completeOption completes an option in parentheses, or what it may be.
func (l *list) completeOption(before, text string) (out []string, directive cobra.ShellCompDirective) {
	name, options, _ := strings.Cut(text, "(")
	fs, err := l.open(name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	given := Split(options)
	last := given[len(given)-1]
	before += strings.TrimSuffix(text, last)
	option, value, valued := strings.Cut(last, "=")
	f := fs.Lookup(option)
	if !valued || f == nil {
		for _, o := range beginning(optionNames(fs), last) {
			out = append(out, before+o)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	if v, ok := f.Value.(completer); ok {
		out, directive = v.complete(value)
	}
	for i := range out {
		out[i] = before + option + "=" + out[i]
	}
	return out, directive | cobra.ShellCompDirectiveNoSpace
}
