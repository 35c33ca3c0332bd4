package outfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const in, twice = "; it would be overwritten", "; one would overwrite the other"
	long := strings.Repeat("a", 300)
	for _, tt := range []struct {
		name         string
		ins, outs    []Use
		want         string // "" is none
		stdin, chdir string
	}{
		{"different", []Use{{"--human", "a"}}, []Use{{"--html", "new"}, {"-o", "new2"}}, "", "", ""},
		{"same", []Use{{"--human", "a"}}, []Use{{"--html", "a"}}, "--html a: that is also the file of --human" + in, "", ""},
		{"argument", []Use{{"--human", "b"}, {"SYS", "a"}}, []Use{{"--html", "a"}}, "--html a: that is also the file of SYS" + in, "", ""},
		{"spelling", []Use{{"--human", "./d/../a"}}, []Use{{"--html", "a"}},
			"--html a: that is also the file of --human (./d/../a)" + in, "", ""},
		{"absolute", []Use{{"--human", "$/a"}}, []Use{{"--html", "a"}}, "--html a: that is also the file of --human ($/a)" + in, "", ""},
		{"input is a link", []Use{{"--human", "l"}}, []Use{{"--html", "a"}}, "--html a: that is also the file of --human (l)" + in, "", ""},
		{"output is a link", []Use{{"--human", "a"}}, []Use{{"--html", "l"}}, "--html l: that is also the file of --human (a)" + in, "", ""},
		{"hard link", []Use{{"--human", "a"}}, []Use{{"--html", "hard"}}, "--html hard: that is also the file of --human (a)" + in, "", ""},
		{"through a folder's link", []Use{{"--human", "d/x"}}, []Use{{"--html", "ld/x"}},
			"--html ld/x: that is also the file of --human (d/x)" + in, "", ""},
		{"other folder", []Use{{"--human", "../a"}}, []Use{{"--html", "../l"}},
			"--html ../l: that is also the file of --human (../a)" + in, "", "d"},
		{"second output", []Use{{"--human", "a"}}, []Use{{"--html", "new"}, {"-o", "a"}}, "-o a: that is also the file of --human" + in, "", ""},
		{"outputs", nil, []Use{{"--html", "b"}, {"-o", "b"}}, "-o b: that is also the file of --html" + twice, "", ""},
		{"new outputs", nil, []Use{{"--html", "new"}, {"-o", "new"}}, "-o new: that is also the file of --html" + twice, "", ""},
		{"new outputs, spelling", nil, []Use{{"--html", "d/new"}, {"-o", "./ld/../d//new"}},
			"-o ./ld/../d//new: that is also the file of --html (d/new)" + twice, "", ""},
		{"new outputs, folder's link", nil, []Use{{"--html", "d/new"}, {"-o", "ld/new"}},
			"-o ld/new: that is also the file of --html (d/new)" + twice, "", ""},
		{"new outputs, link to nothing yet", nil, []Use{{"--html", "broken"}, {"-o", "d/new"}},
			"-o d/new: that is also the file of --html (broken)" + twice, "", ""},
		{"new outputs, absolute", nil, []Use{{"--html", "$/new"}, {"-o", "new"}},
			"-o new: that is also the file of --html ($/new)" + twice, "", ""},
		{"new outputs in two folders", nil, []Use{{"--html", "d/new"}, {"-o", "new"}}, "", "", ""},
		{"above a link's target", nil, []Use{{"--html", "le/../new"}, {"-o", "d/new"}},
			"-o d/new: that is also the file of --html (le/../new)" + twice, "", ""},
		{"input that is not there", []Use{{"--human", "new"}}, []Use{{"--html", "new"}},
			"--html new: that is also the file of --human" + in, "", ""},
		{"one input twice", []Use{{"--human", "a"}, {"SYS", "a"}}, []Use{{"--html", "b"}}, "", "", ""},
		{"standard streams", []Use{{"--human", "-"}}, []Use{{"--html", "-"}, {"-o", "-"}}, "", "", ""},
		{"standard input", []Use{{"--human", "-"}}, []Use{{"--html", "l"}},
			"--html l: that is also the file of --human (standard input)" + in, "a", ""},
		{"another as standard input", []Use{{"--human", "-"}}, []Use{{"--html", "b"}}, "", "a", ""},
		{"addresses", []Use{{"--vectors", "http://a/b"}, {"--m", "https://a/b"}}, []Use{{"--html", "b"}}, "", "", ""},
		{"no names", []Use{{"--human", ""}}, []Use{{"--html", ""}, {"-o", ""}}, "", "", ""},
		{"a device", []Use{{"--human", os.DevNull}}, []Use{{"--html", os.DevNull}, {"-o", os.DevNull}}, "", "", ""},
		{"a folder", []Use{{"--data", "d"}}, []Use{{"--html", "d"}}, "", "", ""},
		{"what can't be", []Use{{"--data", "cycle"}, {"--human", long}}, []Use{{"--html", "cycle"}, {"-o", "no/folder"}, {"-p", "no/folder"}}, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, map[string]string{"a": "a", "b": "b", "l": "-> a", "d/x": "x", "ld": "-> d", "d/e/y": "y", "le": "-> d/e",
				"broken": "-> d/new", "cycle": "-> cycle"})
			if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "hard")); err != nil {
				t.Skip("no hard links here: ", err)
			}
			t.Chdir(filepath.Join(dir, tt.chdir))
			if tt.stdin != "" {
				f, err := os.Open(filepath.Join(dir, tt.stdin))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				defer func(old *os.File) { os.Stdin = old }(os.Stdin)
				os.Stdin = f
			}
			place := func(uses []Use) (out []Use) {
				for _, u := range uses {
					out = append(out, Use{u.By, strings.ReplaceAll(u.Path, "$", dir)})
				}
				return out
			}
			got := ""
			if err := Check(place(tt.ins), place(tt.outs)); err != nil {
				got = err.Error()
			}
			if want := strings.ReplaceAll(tt.want, "$", dir); got != want {
				t.Errorf("%q\nwant %q", got, want)
			}
		})
	}
}

// Case counts or does not, as the file system says.
func TestCheckCase(t *testing.T) {
	dir := tree(t, map[string]string{"a": "a"})
	_, err := os.Stat(filepath.Join(dir, "A"))
	conflict := Check([]Use{{"--human", filepath.Join(dir, "a")}}, []Use{{"--html", filepath.Join(dir, "A")}})
	if (conflict != nil) != (err == nil) {
		t.Errorf("%v where A is %v", conflict, err)
	}
}
