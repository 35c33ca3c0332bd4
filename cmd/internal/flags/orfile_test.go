package flags

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Some names, or a file, which is one of those that are read.
func TestEnumOrFile(t *testing.T) {
	for _, tt := range []struct{ value, err, file string }{
		{"char", "", ""},
		{"a/char.model", "", "a/char.model"},
		{"-.model", "", "-.model"},
		{"chars", `no tokenizer "chars" (did you mean char?): have none, char`, ""},
		{"a/char", `no tokenizer "a/char"`, ""},
	} {
		var p string
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		Var(fs, EnumOrFile(&p, "none", "tokenizer", ".model", "none", "char"), "tokenize", "")
		err := fs.Parse([]string{"--tokenize", tt.value})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %s", tt.value, err, tt.err)
			}
			continue
		}
		if err != nil || p != tt.value {
			t.Errorf("%s: %q, %v", tt.value, p, err)
		}
		var files []string
		for _, use := range Inputs(fs) {
			files = append(files, use.Path)
		}
		if want := slices.DeleteFunc([]string{tt.file}, func(s string) bool { return s == "" }); !slices.Equal(files, want) {
			t.Errorf("%s: files %q, want %q", tt.value, files, want)
		}
	}
}
