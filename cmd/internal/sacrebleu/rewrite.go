// Package sacrebleu makes of command lines that sacreBLEU takes such as package pflag does.
//
// sacreBLEU has options of several letters behind one dash (-tok, -lc), which would be letters
// each, and options with values after one another (-m bleu chrf ter), of which all but the
// first would be arguments.
package sacrebleu

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// spellings are those of sacreBLEU, and the names of the flags.
var spellings = [...][2]string{
	{"-tok", "--tokenize"},
	{"-lc", "--lowercase"},
	{"-sv", "--smooth-value"},
	{"-cc", "--chrf-char-order"},
	{"-cw", "--chrf-word-order"},
	{"-nr", "--num-refs"},
	{"-sl", "--sentence-level"},
	{"-ci", "--confidence"},
	{"-cin", "--confidence-n"},
	{"-pbs", "--paired-bs"},
	{"-pbsn", "--paired-bs-n"},
	{"-par", "--paired-ar"},
	{"-parn", "--paired-ar-n"},
	{"-sh", "--short"},
	{"-ol", "--origlang"},
	{"-nc", "--no-color"},
	{"--cite", "--citation"},
	{"-V", "--version"},
}

// named is a token with the flag's name in place of sacreBLEU's spelling, which may have a
// value behind a =.
func named(token string) string {
	spelling, value, given := strings.Cut(token, "=")
	for _, s := range spellings {
		switch {
		case s[0] != spelling:
		case given:
			return s[1] + "=" + value
		default:
			return s[1]
		}
	}
	return token
}

// A Several is a flag that takes values after one another: the first, and then those that
// Takes says yes to, which gets the values so far and the next token. What it says no to is
// an argument.
type Several struct {
	Flag  string
	Takes func(values []string, token string) (bool, error)
}

// Rewrite returns arguments with the flags' names in place of sacreBLEU's spellings, and with
// a flag before each of several values. A spelling is a whole token: -tok is one, -to is not. A
// token that is the value of the flag before it is left alone, and so is all that stands after
// --. Of arguments without either it returns the same.
func Rewrite(args []string, fs *pflag.FlagSet, several ...Several) ([]string, error) {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...), nil
		}
		token := named(args[i])
		out = append(out, token)
		f := awaits(token, fs)
		if f == nil || i+1 == len(args) {
			continue
		}
		i++
		out = append(out, args[i])
		k := slices.IndexFunc(several, func(s Several) bool { return s.Flag == f.Name })
		if k < 0 {
			continue
		}
		for first := i; i+1 < len(args) && !option(args[i+1]); i++ {
			ok, err := several[k].Takes(args[first:i+1], args[i+1])
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			out = append(out, "--"+f.Name, args[i+1])
		}
	}
	return out, nil
}

// option says whether a token is an option where none is the value of the one before.
func option(token string) bool { return len(token) > 1 && token[0] == '-' }

// awaits is the flag of a token whose value is the next token, nil if there is none.
func awaits(token string, fs *pflag.FlagSet) *pflag.Flag {
	if !option(token) {
		return nil
	}
	if name, long := strings.CutPrefix(token, "--"); long {
		// With a = in it there is no such flag.
		if f := fs.Lookup(name); f != nil && f.NoOptDefVal == "" {
			return f
		}
		return nil
	}
	// Letters of switches, and at the end one that may have a value, in the token or in the
	// next one.
	for letters := token[1:]; letters != ""; letters = letters[1:] {
		f := fs.ShorthandLookup(letters[:1])
		switch {
		case f == nil:
			return nil
		case f.NoOptDefVal != "":
			if len(letters) > 2 && letters[1] == '=' {
				return nil
			}
		case len(letters) == 1:
			return f
		default:
			return nil
		}
	}
	return nil
}
