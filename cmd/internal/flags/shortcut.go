package flags

import (
	"fmt"

	"github.com/spf13/pflag"
)

// shortcut is a switch that stands for a value of another flag.
type shortcut struct {
	fs          *pflag.FlagSet
	name, value string
	on          bool
}

// Shortcut defines a hidden switch that gives another flag a value: --paired-bs is --paired bs. With
// another value of that flag it is an error.
func Shortcut(fs *pflag.FlagSet, name, of, value string) {
	f := fs.VarPF(&shortcut{fs: fs, name: of, value: value}, name, "", "--"+of+" "+value)
	f.NoOptDefVal, f.Hidden = "true", true
}

func (t *shortcut) Set(s string) error {
	if s != "true" && s != "false" {
		return wanted(wantSwitch)
	}
	if t.on = s == "true"; !t.on {
		return nil
	}
	if f := t.fs.Lookup(t.name); f.Changed && f.Value.String() != t.value {
		return &valueError{fmt.Sprintf("--%s is %s already: give one of them", t.name, f.Value), true}
	}
	return t.fs.Set(t.name, t.value)
}

func (t *shortcut) String() string { return fmt.Sprint(t.on) }
func (t *shortcut) Type() string   { return "bool" }
