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

// specs is a list of names with options.
type specs struct {
	list
	open func(text string) (*pflag.FlagSet, error)
}

// Specs is List of names that may have options behind them, NAME(option=value,…). Open makes the
// options of one, with the values that it gives them.
func Specs(p *[]string, value []string, noun string, open func(text string) (*pflag.FlagSet, error), all ...string) pflag.Value {
	*p = value
	return &specs{list{p: p, noun: noun, all: all}, open}
}

func (s *specs) Set(text string) error {
	if err := filled(text, s.Type()); err != nil {
		return err
	}
	var out []string
	if s.changed {
		out = *s.p
	}
	for _, part := range Split(text) {
		one, err := s.one(strings.TrimSpace(part))
		if err != nil {
			return err
		}
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	*s.p, s.changed = out, true
	return nil
}

// one is a name as it is known, with its options as they are written.
func (s *specs) one(text string) (string, error) {
	if text == "" {
		return "", wanted("a part between the commas is empty")
	}
	name, _, err := CutOptions(text)
	if err != nil {
		return "", &valueError{err.Error(), true}
	}
	i := slices.IndexFunc(s.all, func(known string) bool { return strings.EqualFold(known, name) })
	if i < 0 {
		return "", unknown(s.noun, name, s.all)
	}
	text = s.all[i] + text[len(name):]
	if _, err := s.open(text); err != nil {
		return "", &valueError{err.Error(), true}
	}
	return text, nil
}

func (s *specs) chosen() (string, []string) {
	var names []string
	for _, text := range *s.p {
		name, _, _ := strings.Cut(text, "(")
		names = append(names, name)
	}
	return s.noun, names
}

// options are those of each name.
func (s *specs) options() []*pflag.FlagSet {
	var out []*pflag.FlagSet
	for _, text := range *s.p {
		if fs, err := s.open(text); err == nil { // as it was when it was set
			out = append(out, fs)
		}
	}
	return out
}

// complete completes names, and in parentheses options and what they may be.
func (s *specs) complete(typed string) ([]string, cobra.ShellCompDirective) {
	parts := Split(typed)
	name, options, open := strings.Cut(parts[len(parts)-1], "(")
	if !open {
		return s.list.complete(typed)
	}
	fs, err := s.open(name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	of := Split(options)
	last := of[len(of)-1]
	out, directive := completeOption(fs, last)
	for i := range out {
		out[i] = strings.TrimSuffix(typed, last) + out[i]
	}
	return out, directive | cobra.ShellCompDirectiveNoSpace
}

func completeOption(fs *pflag.FlagSet, typed string) (out []string, directive cobra.ShellCompDirective) {
	option, value, given := strings.Cut(typed, "=")
	if !given {
		inOrder(fs, func(f *pflag.Flag) {
			if name := f.Name; f.NoOptDefVal == "" {
				out = append(out, name+"=")
			} else {
				out = append(out, name)
			}
		})
		return beginning(out, typed), cobra.ShellCompDirectiveNoFileComp
	}
	if f := fs.Lookup(option); f != nil {
		if v, ok := f.Value.(completer); ok {
			out, directive = v.complete(value)
		}
	}
	for i := range out {
		out[i] = option + "=" + out[i]
	}
	return out, directive
}

// spec is one name with options.
type spec struct {
	specs
	p *string
}

// Spec is Specs of one.
func Spec(p *string, value, noun string, open func(text string) (*pflag.FlagSet, error), all ...string) pflag.Value {
	*p = value
	return &spec{specs{list{p: &[]string{value}, noun: noun, all: all}, open}, p}
}

func (s *spec) Set(text string) error {
	if err := filled(text, s.Type()); err != nil {
		return err
	}
	one, err := s.one(strings.TrimSpace(text))
	if err != nil {
		return err
	}
	*s.p, *s.specs.p = one, []string{one}
	return nil
}

// String is of the variable, which a command may empty.
func (s *spec) String() string { return *s.p }
func (s *spec) Type() string   { return "name" }
func (s *spec) chosen() (string, []string) {
	name, _, _ := strings.Cut(*s.p, "(")
	return s.noun, []string{name}
}
func (s *spec) complete(typed string) ([]string, cobra.ShellCompDirective) {
	if !strings.Contains(typed, "(") {
		return beginning(s.all, typed), cobra.ShellCompDirectiveNoFileComp
	}
	return s.specs.complete(typed)
}

// then is a value that tells what it was set to.
type then struct {
	pflag.Value
	tell func(value string)
}

// Then is a value that tells what it was set to.
func Then(v pflag.Value, tell func(value string)) pflag.Value { return &then{v, tell} }

func (t *then) Set(value string) error {
	err := t.Value.Set(value)
	if err == nil {
		t.tell(value)
	}
	return err
}

func (t *then) complete(typed string) ([]string, cobra.ShellCompDirective) {
	if v, ok := t.Value.(completer); ok {
		return v.complete(typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
