package testsets

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/wmtxml"
)

// recorded is what scripts/record_testsets_cache.py recorded.
type recorded struct {
	Cases  []recordedCase    `json:"cases"`
	Broken map[string]string `json:"broken"` // XML that sacreBLEU does not take
}

type recordedCase struct {
	Set        string            `json:"set"`
	Pair       string            `json:"pair"`
	Raw        map[string]string `json:"raw"`
	Fields     []string          `json:"fields"`
	Texts      map[string]string `json:"texts"`
	References []string          `json:"references"`
	Echo       []struct {
		Fields []string `json:"fields"`
		Out    *string  `json:"out"` // nil: it fails
	} `json:"echo"`
	Languages []string `json:"languages"` // nil: not recorded
	Subsets   []string `json:"subsets"`
	Kept      []struct {
		Language, Subset string
		Lines            []string // nil: it fails
	} `json:"kept"`
}

func loadRecorded(t *testing.T) recorded {
	t.Helper()
	data, err := os.ReadFile("testdata/sacrebleu.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// lay writes files below a folder.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// open opens a case over files in raw.
func (c *recordedCase) open(t *testing.T) (*Data, string) {
	t.Helper()
	dir := t.TempDir()
	lay(t, filepath.Join(dir, c.Set, "raw"), c.Raw)
	return c.reopen(t, dir), dir
}

func (c *recordedCase) reopen(t *testing.T, dir string) *Data {
	t.Helper()
	d, err := Open(c.Set, c.Pair, Options{Dir: dir, Client: noNet, Note: func(text string) { t.Errorf("note: %s", text) }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The texts made of an archive's files are sacreBLEU's, byte for byte, at the same place.
func TestTexts(t *testing.T) {
	for _, c := range loadRecorded(t).Cases {
		t.Run(c.Set, func(t *testing.T) {
			d, dir := c.open(t)
			fields, err := d.Fields(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Fields, fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			s := d.parts[0].set
			if _, err := s.Download(t.Context(), c.Pair, Options{Dir: dir, Client: noNet}); err != nil {
				t.Fatal(err)
			}
			got := make(map[string]string)
			for _, e := range entries(t, filepath.Join(dir, c.Set)) {
				data, err := os.ReadFile(filepath.Join(dir, c.Set, e))
				if err != nil {
					t.Fatal(err)
				}
				got[c.Set+"/"+e] = string(data)
			}
			if diff := cmp.Diff(c.Texts, got); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
		})
	}
}

// entries are the names of the files in a folder, folders left out.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range all {
		if !e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// columns are the lines of a file of the recorded texts, as they are read.
func (c *recordedCase) column(file string) []string {
	text, _ := split([]byte(c.Texts[file]), file)
	return trimmed(text)
}

// References, what --echo prints, and what --origlang and --subset choose are as sacreBLEU has
// them: with the texts made of the archive's files, and with texts that sacreBLEU made.
func TestData(t *testing.T) {
	for _, c := range loadRecorded(t).Cases {
		t.Run(c.Set, func(t *testing.T) {
			d, dir := c.open(t)
			checkData(t, d, &c)
			lay(t, dir, c.Texts)
			checkData(t, c.reopen(t, dir), &c)
		})
	}
}

func checkData(t *testing.T, d *Data, c *recordedCase) {
	t.Helper()
	var want [][]string
	for _, file := range c.References {
		want = append(want, c.column(file))
	}
	got, err := d.References(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	for _, e := range c.Echo {
		columns, err := d.Columns(t.Context(), e.Fields...)
		if (err == nil) != (e.Out != nil) {
			t.Errorf("fields %q: error %v, sacreBLEU prints %v", e.Fields, err, e.Out != nil)
		}
		if err != nil || e.Out == nil {
			continue
		}
		var out strings.Builder
		for i := range columns[0] {
			for k, column := range columns {
				if k > 0 {
					out.WriteByte('\t')
				}
				out.WriteString(column[i])
			}
			out.WriteByte('\n')
		}
		if diff := cmp.Diff(*e.Out, out.String()); diff != "" {
			t.Errorf("fields %q (-want +got):\n%s", e.Fields, diff)
		}
	}
	checkChoice(t, d, c)
}

func checkChoice(t *testing.T, d *Data, c *recordedCase) {
	t.Helper()
	for _, k := range c.Kept {
		kept, err := d.Keep(t.Context(), k.Language, k.Subset)
		if (err == nil) != (k.Lines != nil) {
			t.Errorf("origlang %q, subset %q: error %v, sacreBLEU keeps lines: %v", k.Language, k.Subset, err, k.Lines != nil)
		}
		if err != nil || k.Lines == nil {
			continue
		}
		lines := []string{}
		for i, keep := range kept {
			if keep {
				lines = append(lines, itoa(i))
			}
		}
		if diff := cmp.Diff(k.Lines, lines); diff != "" {
			t.Errorf("origlang %q, subset %q keep (-want +got):\n%s", k.Language, k.Subset, diff)
		}
	}
	if c.Languages != nil {
		got, err := d.OriginalLanguages(t.Context())
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.Languages, append([]string{}, got...)); diff != "" {
			t.Errorf("languages (-want +got):\n%s", diff)
		}
	}
	if c.Subsets != nil {
		got, err := d.Subsets(t.Context())
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.Subsets, append([]string{}, got...)); diff != "" {
			t.Errorf("subsets (-want +got):\n%s", diff)
		}
	}
}

// Texts that are there are enough: nothing else is read, and nothing downloaded.
func TestTextsAlone(t *testing.T) {
	for _, c := range loadRecorded(t).Cases {
		// Of several references the folder must have all that the table names.
		t.Run(c.Set, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, c.Texts)
			d := c.reopen(t, dir)
			source, err := d.Field(t.Context(), "src")
			if err != nil {
				t.Fatal(err)
			}
			refs, err := d.References(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, file := range c.References {
				if diff := cmp.Diff(c.column(file), refs[i]); diff != "" || len(source) != len(refs[i]) {
					t.Errorf("reference %d of %d lines, %d in the source (-want +got):\n%s", i, len(refs[i]), len(source), diff)
				}
			}
		})
	}
}

// What sacreBLEU does not take as WMT's XML is an error here, with its place.
func TestBrokenXML(t *testing.T) {
	broken := loadRecorded(t).Broken
	for _, name := range slices.Sorted(maps.Keys(broken)) {
		t.Run(name, func(t *testing.T) {
			file, err := wmtxml.ParseXML([]byte(broken[name]))
			if err == nil {
				_, _, err = extract(file)
			}
			if err == nil {
				t.Error("no error")
			}
		})
	}
}
