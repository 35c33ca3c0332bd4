package flags

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mteval/mteval/internal/nearest"
)

// A valueError says why a value is wrong.
type valueError struct {
	text string
	// whole: the text tells the value, or there is none to tell.
	whole bool
}

func (e *valueError) Error() string { return e.text }

// wantSwitch is what a switch says of another value.
const wantSwitch = "want true or false, or no value"

func wanted(format string, args ...any) error { return &valueError{text: fmt.Sprintf(format, args...)} }

// filled is an error of a value that is empty or blank, as a shell leaves it where a variable is not
// set: it would be taken for a flag that is not given. All values that are texts ask it; kind is
// what they are. For package pflag the value of -o= is the =.
func filled(s, kind string) error {
	if s != "=" && strings.TrimSpace(s) != "" {
		return nil
	}
	if kind == "file" || kind == "folder" || kind == "path" {
		return &valueError{"name a " + kind, true}
	}
	return &valueError{"the value is empty: give one, or leave the flag out", true}
}

// partsFilled is filled for a value of several parts with commas between, or with quotation marks
// as in CSV where commas are in them. What is not so is left to who reads it.
func partsFilled(s, kind string) error {
	if err := filled(s, kind); err != nil {
		return err
	}
	parts, err := csv.NewReader(strings.NewReader(s)).Read()
	if err == nil && slices.ContainsFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" }) {
		return wanted("a part between the commas is empty")
	}
	return nil
}

// filledText is partsFilled for a text that has parts, and filled for others.
func filledText(s, kind string, parts bool) error {
	if parts {
		return partsFilled(s, kind)
	}
	return filled(s, kind)
}

func unknown(noun, name string, have []string) error {
	return &valueError{fmt.Sprintf("no %s %q%s: have %s", noun, name, nearest.DidYouMean(name, "", have), strings.Join(have, ", ")), true}
}

// enum is one of some values.
type enum[T comparable] struct {
	p    *T
	noun string
	all  []T
	none T // the value at first, which may be none of all
}

// Enum is a value of some, which go by what fmt.Sprint makes of them, in upper or lower case.
// The noun is what they are, for the error. It is value at first, which need not be one of them.
func Enum[T comparable](p *T, value T, noun string, all ...T) pflag.Value {
	*p = value
	return &enum[T]{p, noun, all, value}
}

func (e *enum[T]) Set(s string) error {
	if err := filled(s, e.Type()); err != nil {
		return err
	}
	for _, v := range append(slices.Clip(e.all), e.none) {
		if strings.EqualFold(fmt.Sprint(v), s) {
			*e.p = v
			return nil
		}
	}
	return unknown(e.noun, s, e.names())
}

func (e *enum[T]) names() []string {
	var out []string
	for _, v := range e.all {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

func (e *enum[T]) String() string             { return fmt.Sprint(*e.p) }
func (e *enum[T]) Type() string               { return "name" }
func (e *enum[T]) chosen() (string, []string) { return e.noun, []string{e.String()} }
func (e *enum[T]) complete(typed string) ([]string, cobra.ShellCompDirective) {
	return beginning(e.names(), typed), cobra.ShellCompDirectiveNoFileComp
}

// beginning are the names that begin so.
func beginning(names []string, with string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, with) })
}

// list is a list of names.
type list struct {
	p       *[]string
	noun    string
	all     []string
	changed bool
	// open makes the options of a name, which stand behind it; nil: names have none.
	open func(text string) (*pflag.FlagSet, error)
	one  *string // where there is one name
}

// List is a list of some names, each once, in upper or lower case, with commas between; a flag
// that is repeated adds to it. It is value at first. Without names that there are it takes any, as
// they are written.
func List(p *[]string, value []string, noun string, all ...string) pflag.Value {
	return Specs(p, value, noun, nil, all...)
}

func (l *list) Set(s string) error {
	if err := filledText(s, l.Type(), l.open == nil); err != nil {
		return err
	}
	names, err := Split(s), error(nil)
	if l.open == nil {
		names, err = csv.NewReader(strings.NewReader(s)).Read()
	}
	if err != nil || l.one != nil && len(names) > 1 {
		return wanted("want names with commas between")
	}
	var out []string
	if l.changed {
		out = *l.p
	}
	for _, n := range names {
		if l.all != nil {
			if n, err = l.known(strings.TrimSpace(n)); err != nil {
				return err
			}
		}
		if l.all == nil || !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if l.one != nil {
		*l.one = out[0]
		return nil
	}
	*l.p, l.changed = out, true
	return nil
}

// known is a name as it is known, with its options as they are written.
func (l *list) known(text string) (string, error) {
	name, _, err := text, "", error(nil)
	if l.open != nil {
		name, _, err = CutOptions(text)
	}
	i := slices.IndexFunc(l.all, func(known string) bool { return strings.EqualFold(known, name) })
	switch {
	case text == "":
		return "", wanted("a part between the commas is empty")
	case err == nil && i < 0:
		return "", unknown(l.noun, name, l.all)
	case err == nil && l.open != nil:
		text = l.all[i] + text[len(name):]
		_, err = l.open(text)
	case err == nil:
		text = l.all[i]
	}
	if err != nil {
		return "", &valueError{err.Error(), true}
	}
	return text, nil
}

// texts are the names with their options.
func (l *list) texts() []string {
	if l.one != nil {
		return []string{*l.one}
	}
	return *l.p
}

func (l *list) String() string { return strings.Join(l.texts(), ",") }
func (l *list) Type() string {
	if l.one != nil {
		return "name"
	}
	return "names"
}

func (l *list) chosen() (string, []string) {
	var names []string
	for _, text := range l.texts() {
		name, _, _ := strings.Cut(text, "(")
		names = append(names, name)
	}
	return l.noun, names
}

func (l *list) complete(typed string) ([]string, cobra.ShellCompDirective) {
	parts := Split(typed)
	last := parts[len(parts)-1]
	before := strings.TrimSuffix(typed, last)
	if l.open != nil && strings.Contains(last, "(") {
		return l.completeOption(before, last)
	}
	var out []string
	for _, n := range beginning(l.all, last) {
		if !slices.Contains(parts, n) || n == last {
			out = append(out, before+n)
		}
	}
	if l.one != nil {
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// text is any text, of which some are known.
type text struct {
	p     *string
	kind  string
	known []string
	parts bool
}

// Text is any text; the known ones are completed. The kind stands in the help, such as
// "language".
func Text(p *string, value, kind string, known ...string) pflag.Value {
	*p = value
	return &text{p: p, kind: kind, known: known}
}

// Parts is Text that has parts with commas between.
func Parts(p *string, kind string, known ...string) pflag.Value {
	return &text{p: p, kind: kind, known: known, parts: true}
}

func (t *text) Set(s string) error {
	if err := filledText(s, t.kind, t.parts); err != nil {
		return err
	}
	*t.p = s
	return nil
}
func (t *text) String() string { return *t.p }
func (t *text) Type() string   { return t.kind }
func (t *text) complete(typed string) ([]string, cobra.ShellCompDirective) {
	return beginning(t.known, typed), cobra.ShellCompDirectiveNoFileComp
}

// named is text that must be a name that is known, of which some are shown.
type named struct {
	text
	is func(name string) bool
}

// Name is a name that is says is one, of more than are shown in errors and completed. It is "" at
// first.
func Name(p *string, noun string, is func(name string) bool, shown ...string) pflag.Value {
	return &named{text{p: p, kind: noun, known: shown}, is}
}

func (n *named) Set(s string) error {
	if !n.is(s) && strings.TrimSpace(s) != "" {
		return unknown(n.kind, s, n.known)
	}
	return n.text.Set(s)
}

// number is a number within bounds.
type number[T int | uint64 | float64] struct {
	p     *T
	kind  string
	parse func(string) (T, error)
	fits  func(T) bool
	want  string
}

func (n *number[T]) Set(s string) error {
	v, err := n.parse(s)
	if err != nil || !n.fits(v) {
		return wanted("%s", n.want)
	}
	*n.p = v
	return nil
}

func (n *number[T]) String() string { return fmt.Sprint(*n.p) }
func (n *number[T]) Type() string   { return n.kind }
func (n *number[T]) complete(string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// Int is a whole number from low to high; math.MaxInt is no bound. It is value at first,
// which need not be one of these.
func Int(p *int, value, low, high int) pflag.Value {
	*p = value
	want := fmt.Sprintf("want %d to %d", low, high)
	if high == math.MaxInt {
		want = fmt.Sprintf("want a whole number from %d up", low)
	}
	parse := func(s string) (int, error) {
		v, err := strconv.ParseInt(s, 0, strconv.IntSize)
		return int(v), err
	}
	return &number[int]{p, "int", parse, func(v int) bool { return low <= v && v <= high }, want}
}

// MaxSamples bounds the samples of tests, each of which keeps a number a system.
const MaxSamples = 1_000_000

// Samples is a number of samples from low, which may be 0 for none.
func Samples(p *int, value, low int) pflag.Value { return Int(p, value, low, MaxSamples) }

// Seed is a seed of random numbers, not 0.
func Seed(p *uint64, value uint64) pflag.Value {
	*p = value
	parse := func(s string) (uint64, error) { return strconv.ParseUint(s, 0, 64) }
	return &number[uint64]{p, "int", parse, func(v uint64) bool { return v > 0 }, "a seed is a whole number from 1 up"}
}

func float(p *float64, value float64, want string, fits func(float64) bool) pflag.Value {
	*p = value
	return &number[float64]{p, "float", finite, fits, want}
}

func finite(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && v-v != 0 {
		err = strconv.ErrRange
	}
	return v, err
}

// Share is a number above 0 and below 1, such as a level of significance.
func Share(p *float64, value float64) pflag.Value {
	return float(p, value, "want a number above 0 and below 1", func(v float64) bool { return v > 0 && v < 1 })
}

// Positive is a number above 0.
func Positive(p *float64, value float64) pflag.Value {
	return float(p, value, "want a number above 0", func(v float64) bool { return v > 0 })
}

// NonNegative is a number that is 0 or more.
func NonNegative(p *float64, value float64) pflag.Value {
	return float(p, value, "want a number, 0 or more", func(v float64) bool { return v >= 0 })
}

// Number is any number.
func Number(p *float64, value float64) pflag.Value {
	return float(p, value, "want a number", func(float64) bool { return true })
}

// numbers is a list of numbers.
type numbers struct {
	p       *[]float64
	changed bool
}

// NonNegatives is a list of numbers that are 0 or more, with commas between; a flag that is
// repeated adds to it.
func NonNegatives(p *[]float64) pflag.Value { return &numbers{p: p} }

func (n *numbers) Set(s string) error {
	var out []float64
	if n.changed {
		out = *n.p
	}
	for part := range strings.SplitSeq(s, ",") {
		v, err := finite(strings.TrimSpace(part))
		if err != nil || v < 0 {
			return wanted("want numbers, 0 or more, with commas between")
		}
		out = append(out, v)
	}
	*n.p, n.changed = out, true
	return nil
}

func (n *numbers) String() string {
	var out []string
	for _, v := range *n.p {
		out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(out, ",")
}
func (n *numbers) Type() string { return "floats" }
func (n *numbers) complete(string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// input is a file to read.
type input struct{ p *string }

// Input is a file that is read. What is wrong with it is told by who reads it.
func Input(p *string) pflag.Value { return input{p} }

func (i input) Set(s string) error {
	if err := filled(s, "file"); err != nil {
		return err
	}
	*i.p = s
	return nil
}
func (i input) String() string          { return *i.p }
func (i input) Type() string            { return "file" }
func (i input) files() ([]string, bool) { return []string{*i.p}, false }

// texts is a list of texts, of which each stands in a flag of its own.
type texts struct {
	p       *[]string
	kind    string
	parts   bool
	changed bool
}

// Repeated is a list of texts, one for each time that the flag is given. The kind stands in
// the help.
func Repeated(p *[]string, kind string) pflag.Value { return &texts{p: p, kind: kind} }

// RepeatedParts is Repeated for texts of several parts with commas between.
func RepeatedParts(p *[]string, kind string) pflag.Value {
	return &texts{p: p, kind: kind, parts: true}
}

func (t *texts) Set(s string) error {
	if err := filledText(s, t.kind, t.parts); err != nil {
		return err
	}
	if !t.changed {
		*t.p = nil
	}
	*t.p, t.changed = append(*t.p, s), true
	return nil
}
func (t *texts) String() string { return strings.Join(*t.p, ",") }
func (t *texts) Type() string   { return t.kind }
func (t *texts) complete(string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// naming is text that names files to read.
type naming struct {
	pflag.Value
	of    func(value string) []string
	all   func() []string
	pairs bool // the text may be NAME=FILE
}

func (n naming) Set(s string) error {
	if name, path, ok := strings.Cut(s, "="); ok && n.pairs && (strings.TrimSpace(name) == "" || strings.TrimSpace(path) == "") {
		if _, err := os.Stat(s); err != nil { // no file is called so
			return wanted("want a name before the = and a file behind it")
		}
	}
	return n.Value.Set(s)
}

func (n naming) files() ([]string, bool) {
	var out []string
	for _, v := range n.all() {
		if v != "" {
			out = append(out, n.of(v)...)
		}
	}
	return out, false
}

// InputList is a list of files that are read, one for each time that the flag is given.
func InputList(p *[]string) pflag.Value {
	return Naming(p, "file", func(path string) []string { return []string{path} })
}

// Naming is Repeated, and of are the files that each text names to be read.
func Naming(p *[]string, kind string, of func(text string) []string) pflag.Value {
	return naming{Repeated(p, kind), of, func() []string { return *p }, false}
}

// NamingPairs is Naming of texts that may be NAME=FILE.
func NamingPairs(p *[]string, kind string, of func(text string) []string) pflag.Value {
	return naming{Repeated(p, kind), of, func() []string { return *p }, true}
}

// FilesIn are the files of a folder with such names. What can't be read is told by who opens it.
func FilesIn(dir string, such func(name string) bool) []string {
	entries, _ := os.ReadDir(dir)
	var out []string
	for _, e := range entries {
		if such(e.Name()) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

type folder struct{ naming }

// Folder is a folder, and of are those of its files that are read.
func Folder(p *string, of func(dir string) []string) pflag.Value {
	return folder{naming{Text(p, "", "folder"), of, func() []string { return []string{*p} }, false}}
}

func (folder) complete(string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// OwnFolder is a folder that the program keeps files of its own in, and makes where it is
// missing.
func OwnFolder(p *string) pflag.Value {
	return folder{naming{Value: Text(p, "", "folder"), all: func() []string { return nil }}}
}

// output is a file to write.
type output struct {
	p      *string
	stdout bool
}

// Output is a file that is written, and not standard output.
func Output(p *string) pflag.Value { return output{p, false} }

// OutputOrStdout is a file that is written, or - for standard output.
func OutputOrStdout(p *string) pflag.Value { return output{p, true} }

func (o output) Set(s string) error {
	switch {
	case strings.TrimSpace(s) == "" && o.stdout:
		return &valueError{"name a file, or - for standard output", true}
	case s == "-" && !o.stdout:
		s = ""
	}
	if err := filled(s, "file"); err != nil {
		return err
	}
	*o.p = s
	return nil
}
func (o output) String() string          { return *o.p }
func (o output) Type() string            { return "file" }
func (o output) files() ([]string, bool) { return []string{*o.p}, true }
