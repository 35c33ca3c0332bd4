package flags

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"":                     {""},
		"a,b":                  {"a", "b"},
		"a(x=1,y),b":           {"a(x=1,y)", "b"},
		`a(x="1,)",y(z,w)),b,`: {`a(x="1,)",y(z,w))`, "b", ""},
		`a(x="1,""2""",y),b`:   {`a(x="1,""2""",y)`, "b"},
		"a(x,b":                {"a(x,b"},
	} {
		if got := Split(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Options are set as they are written, and errors say which is wrong.
func TestSetOptions(t *testing.T) {
	for text, want := range map[string]string{
		"m":                      "[] 0 false",
		"m(text=a b)":            "[a b] 0 false",
		`m(text="a,""b"")",n=2)`: `[a,"b")] 2 false`,
		"m( n=3 , on )":          "[] 3 true",
		"m(on=false,text=x=y)":   "[x=y] 0 false",
		"m(n=one)":               "m(n)=one: want 0 to 9",
		"m(n)":                   "m(n): give it a value, as in n=…",
		"m(n=1,n=2)":             "m(n) is given twice: leave one of them out",
		"m(an=1)":                `no option of m "an": have text, n, on`,
		"m(on=maybe)":            "m(on)=maybe: want true or false, or no value",
		"m(text=)":               "m(text): the value is empty: give one, or leave the flag out",
		"m()":                    "m(): want m, or m(option=value,option=value)",
		"m(n=1":                  "m(n=1: want m, or m(option=value,option=value)",
		"m(n=1,":                 "m(n=1,: want m, or m(option=value,option=value)",
	} {
		var s string
		var n int
		var on bool
		fs := Options("m", func(fs *pflag.FlagSet) {
			Var(fs, Text(&s, "", "text"), "text", "a text")
			Var(fs, Int(&n, 0, 0, 9), "n", "a number")
			Bool(fs, &on, "on", "a switch")
		})
		name, options, err := CutOptions(text)
		if err == nil {
			err = SetOptions(fs, name, options)
		}
		got := strings.Join([]string{"[" + s + "]", fs.Lookup("n").Value.String(), fs.Lookup("on").Value.String()}, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
