package files

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
)

const (
	sgmlRef = `<!-- made by hand -->
<refset setid="x" srclang="de" trglang="en" refid="ref">
<doc docid="a"><seg id="1"> One  &amp;
two. </seg>
<SEG ID=2>A < b
</doc>
<doc docid='b'>
<seg id="1">Last</seg></doc></refset>
`
	sgmlSource = `<srcset setid="x" srclang="de"><doc docid="a"><seg id="1">eins</seg></doc></srcset>`
	sgmlOutput = `<tstset setid="x" srclang="de" trglang="en"><doc docid="a" sysid="north">
<seg id="1">One two.</seg><seg id="2">A b</seg></doc><doc docid="b" sysid="north"><seg id="1">Last</seg></doc></tstset>`
	sgmlOutputs = `<tstset trglang="en"><doc docid="a" sysid="north"><seg id="1">n1</seg></doc><doc docid="a" sysid="south"><seg id="1">s1</seg></doc></tstset>`
	// Segments without a reference, and other people's tests, do not count.
	xmlSet = `<?xml version='1.0' encoding='utf-8'?>
<dataset id="x"><doc origlang="en" id="d1">
<src lang="en"><p><seg id="1">one</seg><seg id="2">two</seg></p><p><seg id="3">three</seg></p></src>
<ref lang="de" translator="A"><p><seg id="1">eins &amp; mehr</seg><seg id="2">zwei
 Zeilen</seg></p></ref>
<ref lang="de" translator="B"><p><seg id="2">ZWEI</seg></p></ref>
<hyp system="north" language="de"><p><seg id="2">n2</seg><seg id="1">n1</seg><seg id="3">n3</seg></p></hyp>
<hyp system="south" language="de"><p><seg id="1">s1</seg><seg id="2">s2</seg><seg id="3">s3</seg></p></hyp></doc>
<doc origlang="en" id="t" testsuite="them"><src lang="en"><seg id="1">x</seg></src></doc>
<doc origlang="en" id="d2"><src lang="en"><seg id="1">four</seg></src>
<ref lang="de" translator="B"><seg id="1">VIER</seg></ref>
<hyp system="north"><seg id="1">n4</seg></hyp><hyp system="south"><seg id="1">s4</seg></hyp></doc>
</dataset>`
)

func TestMarkup(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"references", sgmlRef, []string{"One & two.", "A < b", "Last"}},
		{"source", sgmlSource, []string{"eins"}},
		{"output", sgmlOutput, []string{"One two.", "A b", "Last"}},
		{"no set", "<doc><seg id=1>a</seg><seg id=2>b</doc>", []string{"a", "b"}},
		{"of no document", " \n<mteval><srcset><seg>x</seg></srcset><refset><seg>a</seg><seg>b</seg></refset></mteval>", []string{"a", "b"}},
		{"XML", `<dataset><doc id="1"><src><seg id="1">x</seg></src><hyp system="s"><seg id="1"> a </seg></hyp></doc></dataset>`, []string{"a"}},
		{"segments alone", "<seg id=\"1\">a</seg>\n<seg id=\"2\">b</seg>\n", []string{"a", "b"}},
		{"a long comment", "<!-- " + strings.Repeat("words ", 1000) + "-->\n<doc><seg id=1>a</seg></doc>", []string{"a"}},
		{"a comment of 70 KB", "<!-- " + strings.Repeat("a ", 35_000) + "-->\n<doc><seg id=1>a</seg></doc>", []string{"a"}},
		{"a comment of many lines", "<!--\n" + strings.Repeat("a line\n", 100_000) + "-->\n<srcset><doc><seg id=1>a</seg></doc></srcset>", []string{"a"}},
		{"many comments", strings.Repeat("<!-- a -->\n", 20_000) + "<doc><seg id=1>a</seg></doc>", []string{"a"}},
		{"space of 70 KB", strings.Repeat(" ", 35_000) + strings.Repeat("\n", 35_000) + "<doc><seg id=1>a</seg></doc>", []string{"a"}},
		{"XML behind a comment of 70 KB", "<?xml version='1.0'?><!-- " + strings.Repeat("a ", 35_000) + "-->\n" + `<dataset><doc id="1"><src><seg id="1">x</seg></src><hyp system="s"><seg id="1">a</seg></hyp></doc></dataset>`, []string{"a"}},
		{"a declaration of 70 KB", "<!DOCTYPE mteval [" + strings.Repeat("<!ENTITY x \"y\">\n", 5000) + "]>\n<mteval><seg>a</seg></mteval>", []string{"a"}},
		{"declarations", "<!DOCTYPE mteval [<!ENTITY x \"y\">]>\n<mteval><seg>a</seg></mteval>", []string{"a"}},
		// Plain text, whatever it looks like.
		{"a tag", "<b>bold</b>\n<seg id=1>x</seg>\n", []string{"<b>bold</b>", "<seg id=1>x</seg>"}},
		{"a name", "<docile>\n", []string{"<docile>"}},
		{"a comparison", "<3 you\n< doc >\n", []string{"<3 you", "< doc >"}},
		{"a tag later", "He said\n<refset>\n", []string{"He said", "<refset>"}},
		{"a page", "<html><body>x</body></html>\n", []string{"<html><body>x</body></html>"}},
		{"a comment", "<!-- x -->\n", []string{"<!-- x -->"}},
	} {
		for _, text := range []string{tt.text, zip(t, tt.text), "\ufeff" + tt.text, strings.ReplaceAll(tt.text, "\n", "\r\n")} {
			got, err := ReadText(strings.NewReader(text), "f", Options{})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if d := cmp.Diff(tt.want, got.Lines); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, d)
			}
		}
	}
	for _, tt := range []struct{ text, want string }{
		{xmlSet, "f: not one text in this SGML or XML, which has source, reference A, reference B, system north, system south: give a file with a segment a line"},
		{"<refset>\n", "f:1: no segment"},
		{"<dataset>\n<doc>\n</dataset>", "f:3: not well-formed XML: "},
		{"<dataset></dataset>", "f: no text in this SGML or XML"},
		{"<dataset>\n\xff", "f:2: byte 1 (0xff) is not valid UTF-8"},
		{`<dataset><doc id="1"><src><seg id="1">x</seg><seg id="2">y</seg></src>` + "\n" + `<hyp system="s"><seg id="1">a</seg></hyp></doc></dataset>`, "f:1: the document has no segment 2 of s"},
	} {
		if _, err := ReadText(strings.NewReader(tt.text), "f", Options{}); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%.30s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestMarkupCorpus(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{
		"ref.sgm": sgmlRef, "src.sgm": sgmlSource, "out.sgm": sgmlOutput, "two.sgm": sgmlOutputs, "set.xml": zip(t, xmlSet), "three": "1\n2\n3\n", "one": "1\n",
		"turned.sgm": `<tstset><doc docid="b"><seg id="1">Last</seg></doc><doc docid="a"><seg id="1">One two.</seg><seg id="2">A b</seg></doc></tstset>`,
		// As many segments, in other documents.
		"shifted.sgm": `<tstset><doc docid="a"><seg id="1">One two.</seg></doc><doc docid="b"><seg id="1">A b</seg><seg id="2">Last</seg></doc></tstset>`,
		"others.sgm":  `<tstset><doc docid="x"><seg id="1">1</seg></doc><doc docid="y"><seg id="1">2</seg><seg id="2">3</seg></doc></tstset>`,
		"flat.sgm":    `<tstset><seg id="1">1</seg><seg id="2">2</seg><seg id="3">3</seg></tstset>`,
		"nested.sgm":  `<refset><doc><seg id="1">1</seg><seg id="2">2</seg></doc><doc><seg id="1">3</seg></doc></refset>`,
		"unnamed.sgm": `<tstset><doc sysid="a"><seg>a</seg></doc><doc><seg>b</seg></doc></tstset>`,
		"none.xml":    `<dataset><doc id="1"><src><seg id="1">x</seg></src></doc></dataset>`,
	})
	var notes []string
	o := CorpusOptions{Options: Options{Note: func(name, what string) { notes = append(notes, name+": "+what) }}}
	for _, tt := range []struct {
		refs, outputs string
		want          *Corpus
		note          string
	}{
		{"ref.sgm", "out.sgm three", &Corpus{
			Refs:    [][]string{{"One & two."}, {"A < b"}, {"Last"}},
			Systems: []mteval.System{{Name: "out", Hyps: []string{"One two.", "A b", "Last"}}, {Name: "three", Hyps: []string{"1", "2", "3"}}},
		}, ""},
		// References that a document lacks are missing.
		{"set.xml", "set.xml three", &Corpus{
			Refs: [][]string{{"eins & mehr"}, {"zwei Zeilen", "ZWEI"}, {"VIER"}},
			Systems: []mteval.System{
				{Name: "north", Hyps: []string{"n1", "n2", "n4"}}, {Name: "south", Hyps: []string{"s1", "s2", "s4"}},
				{Name: "three", Hyps: []string{"1", "2", "3"}},
			},
		}, "set.xml: 2 references: A, B"},
		{"three set.xml", "mine=out.sgm", &Corpus{
			Refs:    [][]string{{"1", "eins & mehr"}, {"2", "zwei Zeilen", "ZWEI"}, {"3", "VIER"}},
			Systems: []mteval.System{{Name: "mine", Hyps: []string{"One two.", "A b", "Last"}}},
		}, "set.xml: 2 references: A, B"},
		// An output may be a reference, and people's translation an output.
		{"out.sgm", "ref.sgm", &Corpus{
			Refs:    [][]string{{"One two."}, {"A b"}, {"Last"}},
			Systems: []mteval.System{{Name: "ref", Hyps: []string{"One & two.", "A < b", "Last"}}},
		}, ""},
		// Documents of other names, or of none, are taken as they come.
		{"ref.sgm", "others.sgm", &Corpus{
			Refs: [][]string{{"One & two."}, {"A < b"}, {"Last"}}, Systems: []mteval.System{{Name: "others", Hyps: []string{"1", "2", "3"}}},
		}, ""},
		{"nested.sgm", "flat.sgm", &Corpus{Refs: [][]string{{"1"}, {"2"}, {"3"}}, Systems: []mteval.System{{Name: "flat", Hyps: []string{"1", "2", "3"}}}}, ""},
		{"one", "unnamed.sgm", &Corpus{
			Refs:    [][]string{{"1"}},
			Systems: []mteval.System{{Name: "a", Hyps: []string{"a"}}, {Name: "unnamed", Hyps: []string{"b"}}},
		}, ""},
		{"one", "two.sgm", &Corpus{
			Refs:    [][]string{{"1"}},
			Systems: []mteval.System{{Name: "north", Hyps: []string{"n1"}}, {Name: "south", Hyps: []string{"s1"}}},
		}, ""},
	} {
		notes = nil
		got, err := OpenCorpus(t.Context(), strings.Fields(tt.refs), strings.Fields(tt.outputs), o)
		if d := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(Corpus{})); err != nil || d != "" {
			t.Errorf("%s, %s: %v (-want +got):\n%s", tt.refs, tt.outputs, err, d)
		}
		if n := strings.Join(notes, "\n"); n != tt.note {
			t.Errorf("%s: %q, want %q", tt.refs, n, tt.note)
		}
	}
	for _, tt := range []struct{ refs, outputs, want string }{
		{"src.sgm", "one", "src.sgm: no references in this SGML or XML, which has source: "},
		{"none.xml", "one", "none.xml: no references in this SGML or XML, which has source: "},
		{"one", "src.sgm", "src.sgm: no system's output in this SGML or XML, which has source: "},
		{"two.sgm", "one", "two.sgm: no references in this SGML or XML, which has system north, system south: "},
		{"ref.sgm", "one", "one: 1 segments, ref.sgm has 3"},
		{"three", "two.sgm", "two.sgm: 1 segments, three has 3"},
		{"ref.sgm", "turned.sgm", "turned.sgm:1: segment 1 of document b, where ref.sgm has segment 1 of document a: both must have the same, in one order"},
		{"ref.sgm", "shifted.sgm", "shifted.sgm:1: segment 1 of document b, where ref.sgm has segment 2 of document a: both must have the same"},
		{"one", "x=two.sgm", "two.sgm: 2 systems in it, not one to be called x: give it without the name"},
		{"one", "two.sgm north=one", "one: there is another output of a system north: give it another name, NAME=PATH"},
	} {
		if _, err := OpenCorpus(t.Context(), strings.Fields(tt.refs), strings.Fields(tt.outputs), CorpusOptions{}); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s, %s: %v, want %s", tt.refs, tt.outputs, err, tt.want)
		}
	}
}

// The tags of others are no text either.
func TestOtherMarkup(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		isText     bool
	}{
		{"f", "<?xml version=\"1.0\"?>\n<xliff>\n", false},
		{"f", "\n<!DOCTYPE html>\n<p>\n", false},
		{"f.xml", "<xliff>\n", false},
		{"f.SGM.gz", "<hl>a</hl>\n", false},
		{"f.txt", "<hl>a</hl>\n", true},
		{"f.xml", "A line.\n<b>\n", true},
	} {
		for _, text := range []string{tt.text, zip(t, tt.text), "\ufeff" + tt.text} {
			_, err := ReadText(strings.NewReader(text), tt.name, Options{})
			if want := tt.name + ": SGML or XML, and not as WMT's"; tt.isText != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, %q: %v", tt.name, tt.text, err)
			}
		}
	}
}

// Places are those of the files.
func TestPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{"set.xml": xmlSet, "three": "1\n2\n3\n", "cols": "a\t\tc\n\td\t\n\t\t\n"})
	c, err := OpenCorpus(t.Context(), []string{"three", "set.xml"}, []string{"three", "set.xml"}, CorpusOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want string }{
		{c.RefPlace(0, 0), "three:1"}, {c.RefPlace(0, 1), "set.xml:4"}, {c.RefPlace(1, 1), "set.xml:4"}, {c.RefPlace(1, 2), "set.xml:6"},
		{c.RefPlace(2, 1), "set.xml:11"}, {c.HypPlace("three", 2), "three:3"}, {c.HypPlace("north", 0), "set.xml:7"}, {c.HypPlace("no", 0), ""},
		{new(Corpus).RefPlace(0, 0), ""}, {new(Corpus).HypPlace("three", 0), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
	c, err = OpenCorpus(t.Context(), []string{"cols"}, []string{"three"}, CorpusOptions{RefColumns: 3, SkipEmptyRefs: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]string{{"a", "c"}, {"d"}, {""}}, c.Refs); d != "" || c.RefPlace(1, 0) != "cols:2" {
		t.Errorf("%s, (-want +got):\n%s", c.RefPlace(1, 0), d)
	}
}

// However a file of tags is broken, texts come out or an error with its name.
func FuzzMarkup(f *testing.F) {
	for _, s := range []string{sgmlRef, sgmlOutputs, xmlSet} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadText(strings.NewReader(text), "f", Options{})
		var at *LineError
		switch {
		case err != nil && !errors.As(err, &at) && !strings.HasPrefix(err.Error(), "f: "):
			t.Fatal(err)
		case err == nil:
			for _, line := range got.Lines {
				if strings.Contains(line, "\n") {
					t.Fatalf("%q", line)
				}
			}
		}
	})
}

// Entities are characters, once; what begins none stays.
func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "AT&T": "AT&T", "a & b;": "a & b;", "&amp;": "&", "&amp;amp;": "&amp;", "&quot;x&quot;": `"x"`, "&#233;&#xe9;&eacute;": "ééé",
		"?a=1&para=2": "?a=1&para=2", "&nosuch;": "&nosuch;", "&lt;seg&gt;&": "<seg>&", "&;": "&;", "& &lt;": "& <", "&a&lt;": "&a<", "&lt;;": "<;",
	} {
		if got := unescape(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
