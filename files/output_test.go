package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSystemNames(t *testing.T) {
	for _, tt := range []struct{ paths, want string }{
		{"", ""},
		{"a.txt b.txt", "a b"},
		{"a/sys.txt b/sys.txt", "a/sys b/sys"},
		{"a/sys.txt.gz b/sys.de c/other.txt", "a/sys b/sys other"},
		{"x/a/sys y/a/sys", "x/a/sys y/a/sys"},
		{"x/a/sys y/a/sys y/b/sys", "x/a/sys y/a/sys b/sys"},
		{"/x/a/sys x/a/sys", "/x/a/sys x/a/sys"},
		{"sys.txt a/sys.txt", "sys a/sys"},
		{"./a/sys.txt b//sys.txt", "a/sys b/sys"},
		{"../sys sys", "../sys sys"},
		// No folder tells these apart.
		{"d/sys.txt d/sys.de", "sys sys"},
		{"d/sys.txt d/sys.de e/sys.txt", "d/sys d/sys e/sys"},
		{"d/sys d/./sys", "sys sys"},
	} {
		if d := cmp.Diff(strings.Fields(tt.want), append([]string{}, SystemNames(strings.Fields(tt.paths))...)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.paths, d)
		}
	}
}

// Different paths have different names, of which each is an end of its path; names that are unique
// stay what they are.
func TestSystemNamesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfNDistinct(rapid.StringMatching(`([ab]/){0,3}[st]`), 0, 6, rapid.ID[string]).Draw(t, "paths")
		count := make(map[string]int)
		for _, p := range paths {
			count[SystemName(p)]++
		}
		seen := make(map[string]bool)
		for i, name := range SystemNames(paths) {
			if seen[name] || !strings.HasSuffix("/"+paths[i], "/"+name) || count[SystemName(paths[i])] == 1 && name != SystemName(paths[i]) {
				t.Fatalf("%q are called %q", paths, SystemNames(paths))
			}
			seen[name] = true
		}
	})
}

func TestOutputsEmpty(t *testing.T) {
	if got, err := Outputs([]string{"-", ""}); err == nil || err.Error() != "files: an output without a path" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{"a": "", "b.txt": "", "a=b.txt": "", "d/b.txt": "", "e=f/b.txt": "", "x=y": "", "=z": ""})
	for _, tt := range []struct{ args, want string }{
		{"", ""},
		{"a b.txt", "a:a b:b.txt"},
		{"mine=a b.txt", "mine:a b:b.txt"},
		{"-", "-:-"},
		{"mine=-", "mine:-"},
		// What there is as it stands is a path.
		{"a=b.txt", "a=b:a=b.txt"},
		{"./a=b.txt", "a=b:./a=b.txt"},
		{"n=a=b.txt", "n:a=b.txt"},
		{"a=b=b.txt", "a=b:b.txt"},
		{"e=f/b.txt", "b:e=f/b.txt"},
		{"e/f=d/b.txt", "e/f:d/b.txt"},
		{"=z", "=z:=z"},
		{"x=y=a", "x=y:a"},
		// Names that were given stay.
		{"b=a d/b.txt", "b:a d/b:d/b.txt"},
		{"b=a b.txt", "error: a and b.txt are both outputs of a system b"},
		{"a/x=b.txt", "a/x:b.txt"},
		{"d/b=a b.txt d/b.txt", "error: a and d/b.txt are both outputs of a system d/b"},
		{"n=a n=b.txt", "error: a and b.txt are both outputs of a system n: give one of them another file name, or a name, NAME=b.txt"},
		{"n=a m=a", "n:a m:a"},
		{"a a", "error: a and a are both outputs of a system a"},
		{"a ./a", "error: a and ./a are both outputs of a system a"},
		{"n=c", "error: n=c: no such file, and no c either, whose name would be n"},
		{"n=c=a=x", "error: n=c=a=x: no such file, and no c=a=x either, whose name would be n"},
		{"n= a", "error: n=: no such file, and no path behind the ="},
		{"n=", "error: n=: no such file, and no path behind the ="},
		{"=c", "error: =c: no such file, and no name before the ="},
		{"=a", "error: =a: no name before the ="},
		// A path without = is not looked for.
		{"no/such", "such:no/such"},
	} {
		var got []string
		all, err := Outputs(strings.Fields(tt.args))
		for _, o := range all {
			got = append(got, o.Name+":"+o.Path)
		}
		out := strings.Join(got, " ")
		if err != nil {
			out = "error: " + err.Error()
		}
		if out != tt.want && (!strings.HasPrefix(tt.want, "error: ") || !strings.HasPrefix(out, tt.want)) {
			t.Errorf("%s: %s, want %s", tt.args, out, tt.want)
		}
	}
}
