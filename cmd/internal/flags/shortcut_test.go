package flags

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestShortcut(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string // the value, or the error
	}{
		{nil, ""},
		{[]string{"--test-a"}, "a"},
		{[]string{"--test-b"}, "b"},
		{[]string{"--test-a=false"}, ""},
		{[]string{"--test-a", "--test", "a"}, "a"},
		{[]string{"--test", "b", "--test-b"}, "b"},
		{[]string{"--test-a", "--test-b"}, "--test is a already: give one of them"},
		{[]string{"--test", "b", "--test-a"}, "--test is b already: give one of them"},
		{[]string{"--test-a=x"}, "want true or false, or no value"},
	} {
		var test string
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		Var(fs, Enum(&test, "", "test", "a", "b"), "test", "test")
		Shortcut(fs, "test-a", "test", "a")
		Shortcut(fs, "test-b", "test", "b")
		err := fs.Parse(tt.args)
		got := test
		if why := (*valueError)(nil); errors.As(err, &why) {
			got = why.Error()
		} else if fs.Changed("test") != (test != "") {
			t.Errorf("%q: changed: %v", tt.args, fs.Changed("test"))
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
		if !fs.Lookup("test-a").Hidden {
			t.Error("it is shown in the help")
		}
	}
}

// What is known is asked for when a shell asks.
func TestPartsOf(t *testing.T) {
	var set string
	asked := 0
	v := PartsOf(&set, "set", func() []string { asked++; return []string{"wmt18", "wmt19", "iwslt17"} })
	if err := v.Set("other"); err != nil || set != "other" || v.String() != "other" || v.Type() != "set" || asked != 0 {
		t.Errorf("%v, %q, %s, asked %d times", err, set, v.Type(), asked)
	}
	got, directive := v.(lazy).complete("wmt")
	if d := cmp.Diff([]string{"wmt18", "wmt19"}, got); d != "" || directive != cobra.ShellCompDirectiveNoFileComp {
		t.Errorf("%v (-want +got):\n%s", directive, d)
	}
}
