package files

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sources line up with references and outputs, or with outputs alone.
func TestCorpusSources(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{
		"src": "a\n\n", "src.gz": zip(t, "a\n\n"), "ref": "one\ntwo\n", "out": "1\n2\n", "more": "1\n2\n3\n", "none": "",
		"src.sgm": `<srcset setid="s" srclang="en"><doc docid="d"><seg id="1">a &amp; b</seg><seg id="2"></seg></doc></srcset>`,
		"ref.sgm": `<refset setid="s" srclang="en" trglang="de"><doc docid="d" sysid="r"><seg id="1">one</seg><seg id="2">two</seg></doc></refset>`,
		"wmt.xml": `<?xml version="1.0"?><dataset><doc id="d" origlang="en"><src lang="en"><p><seg id="1">a</seg><seg id="2">b</seg></p></src>` +
			`<ref lang="de" translator="A"><p><seg id="1">one</seg><seg id="2">two</seg></p></ref><hyp system="s" lang="de"><p><seg id="1">1</seg><seg id="2">2</seg></p></hyp></doc></dataset>`,
	})
	for _, tt := range []struct {
		refs, source, outputs string
		sources               []string
		want                  string // an error, or the place of the second source
	}{
		{"ref", "src", "out", []string{"a", ""}, "src:2"},
		{"", "src", "out", []string{"a", ""}, "src:2"},
		{"", "src.gz", "out", []string{"a", ""}, "src.gz:2"},
		{"ref.sgm", "src.sgm", "out", []string{"a & b", ""}, "src.sgm:1"},
		{"wmt.xml", "wmt.xml", "wmt.xml", []string{"a", "b"}, "wmt.xml:1"},
		{"ref", "more", "out", nil, "more:3: no such line in ref, which has 2 lines, not 3"},
		{"more", "src", "out", nil, "src:3: missing line: the file has 2 lines, more 3"},
		{"", "src", "more", nil, "more:3: no such line in src, which has 2 lines, not 3"},
		{"", "none", "out", nil, "none: no lines in it"},
		{"ref", "no", "out", nil, "no: no such file or directory"},
		{"ref", "ref.sgm", "out", nil, "ref.sgm: no source in this SGML or XML, which has reference r: give a file with a segment a line"},
		{"ref", "-", "-", nil, "standard input (-) can be only one of the files"},
	} {
		c, err := OpenCorpus(t.Context(), strings.Fields(tt.refs), []string{tt.outputs}, CorpusOptions{Source: tt.source})
		if err != nil {
			if err.Error() != tt.want || tt.sources != nil {
				t.Errorf("%s, %s, %s: %v, want %s", tt.refs, tt.source, tt.outputs, err, tt.want)
			}
			continue
		}
		if d := cmp.Diff(tt.sources, c.Sources); d != "" || c.SourcePlace(1) != tt.want {
			t.Errorf("%s, %s, %s: %s (-want +got):\n%s", tt.refs, tt.source, tt.outputs, c.SourcePlace(1), d)
		}
		if len(c.Refs) != 2 || (len(c.Refs[0]) == 0) != (tt.refs == "") {
			t.Errorf("%s, %s: references %q", tt.refs, tt.source, c.Refs)
		}
	}
	// Of a set that was read.
	text := &Text{Name: "set", Lines: []string{"a", "b"}}
	c, err := OpenOutputs(t.Context(), nil, []string{"out"}, CorpusOptions{SourceText: text})
	if err != nil || c.SourcePlace(1) != "set:2" {
		t.Errorf("%v", err)
	}
	if c, err := OpenCorpus(t.Context(), []string{"ref"}, []string{"out"}, CorpusOptions{}); err != nil || c.Sources != nil || c.SourcePlace(0) != "" {
		t.Errorf("%v, %v", c, err)
	}
}
