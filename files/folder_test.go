package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folderOf makes a folder with files of these names.
func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wmt-de-en")
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("a\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindJudged(t *testing.T) {
	texts := []string{"ref.en", "sys/b.txt", "sys/a.gz", "sys/.hidden", "src.de", "human-segment.tsv"}
	for _, tt := range []struct {
		human []string
		want  string // the file, or a part of the error
		ok    bool
	}{
		{[]string{"human.tsv"}, "human.tsv", true},
		{[]string{"human.tsv.gz"}, "human.tsv.gz", true},
		{[]string{"human-system.tsv", "human.da.tsv"}, "human-system.tsv", true},
		{[]string{"human-system.tsv.gz"}, "human-system.tsv.gz", true},
		{nil, "no scores of systems by people in it: want human.tsv or human-system.tsv", false},
		{[]string{"human.tsv", "human-system.tsv"}, "human.tsv and human-system.tsv are both people's scores of the systems: leave one of them out", false},
		{[]string{"human.tsv", "human.tsv.gz", "human-system.tsv"}, "human.tsv and human.tsv.gz are both", false},
	} {
		dir := folderOf(t, append(tt.human, texts...)...)
		got, err := FindJudged(dir)
		if !tt.ok {
			if err == nil || !strings.HasPrefix(err.Error(), dir+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v: %v, want %s", tt.human, err, tt.want)
			}
			continue
		}
		want := &Folder{
			Name: "wmt-de-en", Refs: []string{dir + "/ref.en"}, Outputs: []string{dir + "/sys/a.gz", dir + "/sys/b.txt"},
			Human: filepath.Join(dir, tt.want),
		}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%v: %v (-want +got):\n%s", tt.human, err, d)
		}
	}
	// A link that leads nowhere is not passed over.
	dir := folderOf(t, append([]string{"human.tsv"}, texts...)...)
	if err := os.Symlink("nowhere", filepath.Join(dir, "human-system.tsv")); err != nil {
		t.Skip(err)
	}
	if got, err := FindJudged(dir); err == nil || !strings.Contains(err.Error(), "are both") {
		t.Errorf("%+v, error %v", got, err)
	}
	if _, err := FindJudged(folderOf(t, "human.tsv", "sys/a")); err == nil || !strings.Contains(err.Error(), "no reference in it") {
		t.Error(err)
	}
}

// A folder is called by its name wherever one stands.
func TestFolderName(t *testing.T) {
	dir := folderOf(t, "ref.en", "sys/a", "human.tsv")
	t.Chdir(dir)
	for _, path := range []string{".", "./", "sys/..", dir + "/"} {
		f, err := FindJudged(path)
		if err != nil || f.Name != "wmt-de-en" {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
}

func TestLanguage(t *testing.T) {
	for _, tt := range []struct {
		refs string
		want string
		ok   bool
	}{
		{"ref.de", "de", true},
		{"ref.de.gz", "de", true},
		{"ref.de.txt", "de", true},
		{"ref.kk", "kk", true},
		{"ref.zh-CN", "zh-CN", true},
		{"ref.ZH_tw.txt.gz", "ZH_tw", true},
		{"ref.txt", "", true},
		{"ref.txt.gz", "", true},
		{"ref.gz", "", true},
		{"ref.0", "", true},
		{"ref.A.txt", "", true},
		{"ref.german", "", true},
		{"ref.x1", "", true},
		{"ref.", "", true},
		{"ref.de.0 ref.de.1", "de", true},
		{"ref.0 ref.1 ref.txt", "", true},
		{"ref.de ref.en", "", false},
		{"ref.de ref.txt", "", false},
		{"", "", true},
	} {
		f := &Folder{Refs: strings.Fields(tt.refs)}
		got, err := f.Language()
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("%s: %q, %v", tt.refs, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), f.Refs[0]+" and "+f.Refs[1]+" are not of one language") {
			t.Error(err)
		}
	}
}
