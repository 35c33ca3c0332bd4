package wmtxml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts are the segments of the text of a kind and name, of all documents that have it, without
// their places.
func texts(f *File, kind Kind, name string) []string {
	var out []string
	for _, d := range f.Documents {
		for _, t := range d.Texts {
			if t.Kind != kind || t.Name != name {
				continue
			}
			for _, s := range t.Segments {
				out = append(out, s.ID+"|"+s.Text)
			}
		}
	}
	return out
}

func TestParseSGML(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		kind       Kind
		of         string
		want       []string
	}{
		{"a source", "<srcset setid=\"x\" srclang=\"any\">\n<doc docid=\"d1\" genre=\"news\" origlang=\"de\">\n<p>\n" +
			"<seg id=\"1\">Ein  Satz.</seg>\n<seg id=\"2\"> Noch\teiner &amp; &quot;mehr&quot; </seg>\n</p>\n</doc>\n</srcset>\n",
			Source, "", []string{"1|Ein Satz.", "2|Noch einer &amp; &quot;mehr&quot;"}},
		{"a reference by refid", "<refset refid=\"A\" trglang='en'><doc docid=\"d\"><seg id=1>a</seg></doc></refset>", Reference, "A", []string{"1|a"}},
		{"the document's sysid is first", "<refset refid=\"A\"><doc sysid=\"ref\" docid=\"d\"><seg id=1>a</seg></doc></refset>", Reference, "ref", []string{"1|a"}},
		{"outputs", "<tstset><DOC docid=\"d\" sysid=\"x\"><SEG id=1>a</SEG></DOC><doc docid=\"d\" sysid=\"y\"><seg id=1>b</seg></doc></tstset>", Output, "y", []string{"1|b"}},
		{"in upper case", "<TSTSET SYSID=\"s\"><DOC DOCID=\"d\"><SEG ID=\"7\">Text</SEG></DOC></TSTSET>", Output, "s", []string{"7|Text"}},
		{"no set", "<mteval>\n<doc docid=\"d\">\n<seg id=\"1\"> a </seg>\n</doc></mteval>", Unknown, "", []string{"1|a"}},
		{"no document", "<srcset><seg id=1>a</seg><seg id=2>b</seg></srcset>", Source, "", []string{"1|a", "2|b"}},
		{"over several lines", "<refset><doc><seg id=\"1\">\n one\r\n two\n</seg>\r\n</doc></refset>", Reference, "", []string{"1|one two"}},
		{"ends missing", "<refset><doc><p><seg id=1>one\n<seg id=2>two</p>\n</HL></doc><doc><hl><seg id=3>three", Reference, "", []string{"1|one", "2|two", "3|three"}},
		{"& and < as they are", "<refset><doc><seg id=1>R&D < 3 <b>x</b> <segment> <doctor</seg></doc></refset>", Reference, "", []string{"1|R&D < 3 <b>x</b> <segment> <doctor"}},
		{"empty ones", "<refset><doc><seg id=1></seg><seg id=2/><seg id=3> </seg></doc></refset>", Reference, "", []string{"1|", "2|", "3|"}},
		{"a comment", "<!-- <seg id=0>no</seg> --><refset><doc><!-- <seg id=0>no</seg> --><seg id=1>a <!-- b --></seg></doc></refset>", Reference, "", []string{"1|a <!-- b -->"}},
		{"two segments on a line", "<refset><doc><seg id=1>a</seg> x <seg id=2>b</seg></doc></refset>", Reference, "", []string{"1|a", "2|b"}},
		{"a byte order mark, a declaration", "\ufeff<!DOCTYPE mteval SYSTEM \"x.dtd\">\n<mteval><refset refid=r><doc><seg>a</seg></doc></refset></mteval>", Reference, "r", []string{"|a"}},
		{"odd attributes", "<refset><doc x><seg a = 'b \"c' id = \"1\" id=2 é>a</seg></doc></refset>", Reference, "", []string{"1|a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Parse([]byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, texts(f, tt.kind, tt.of)); diff != "" {
				t.Errorf("segments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseXML(t *testing.T) {
	const data = "\ufeff<?xml version='1.0' encoding='latin-1'?>\n<!DOCTYPE dataset>\n<dataset id=\"newstest\">\n" +
		"  <collection>\n  <doc id=\"d1\" origlang=\"en\" domain='a\n b'>\n" +
		"    <src lang=\"en\"><p><seg id=\"1\">R&amp;D &#233; é</seg><seg id=\"2\"><![CDATA[<x>]]>y<b>in</b>z</seg></p></src>\n" +
		"    <ref lang=\"de\" translator=\"A\"><p><seg id=\"1\">eins<!-- c -->zwei</seg><seg id=\"2\"/></p></ref>\n" +
		"    <hyp system=\"s\" language=\"de\"><p><seg id=\"1\"> one\r\n two </seg></p></hyp>\n" +
		"  </doc>\n  <doc id=\"d2\" origlang=\"de\"><src lang=\"en\"><seg id=\"1\">c</seg></src></doc>\n  </collection>\n</dataset>\n"
	f, err := Parse([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Documents: []Document{
		{Attr: map[string]string{"id": "d1", "origlang": "en", "domain": "a  b"}, Line: 6, Texts: []Text{
			{Kind: Source, Lang: "en", Segments: []Segment{{"1", "R&D é é", 7}, {"2", "<x>y", 7}}},
			{Kind: Reference, Name: "A", Lang: "de", Segments: []Segment{{"1", "eins", 8}, {"2", "", 8}}},
			{Kind: Output, Name: "s", Segments: []Segment{{"1", " one\n two ", 9}}},
		}},
		{Attr: map[string]string{"id": "d2", "origlang": "de"}, Line: 12, Texts: []Text{{Kind: Source, Lang: "en", Segments: []Segment{{"1", "c", 12}}}}},
	}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1|R&D é é", "2|<x>y", "1|c"}, texts(f, Source, "")); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
	if got := strings.Join(f.Names(Output), " "); got != "s" {
		t.Errorf("systems are %q, want s", got)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"nothing", "", "line 1: neither SGML nor XML"},
		{"plain text", "A line.\n<seg>", "line 1: neither SGML nor XML"},
		{"no segment", "<srcset>\n<doc>\n</doc></srcset>", "line 1: no segment"},
		{"SGML that is not UTF-8", "<srcset>\n<seg>\xff</seg>", "line 2: not UTF-8"},
		{"XML that is not UTF-8", "<dataset>\n\n\xe9</dataset>", "line 3: not UTF-8"},
		{"a bare &", "<dataset>\n<doc><src><seg>R&D</seg></src></doc></dataset>", "line 2: not well-formed XML"},
		{"an end missing", "<dataset><doc>\n</dataset>", "line 2: not well-formed XML"},
		{"cut off", "<dataset>\n<doc>", "line 2: not well-formed XML"},
		{"two roots", "<dataset></dataset>\n<dataset></dataset>", "line 2: not well-formed XML: <dataset> is a second root"},
		{"text behind", "<dataset></dataset>\nx", "line 2: not well-formed XML: text outside"},
		{"an attribute twice", "<dataset>\n<doc id=\"a\" id=\"b\"/></dataset>", "line 2: not well-formed XML: <doc> has the attribute id twice"},
		{"a doc in a doc", "<dataset><doc>\n<doc></doc></doc></dataset>", "line 2: a <doc> within another"},
		{"a ref in a src", "<dataset><doc><src>\n<ref></ref></src></doc></dataset>", "line 2: a <ref> within a <src>"},
		{"a seg in a seg", "<dataset><doc><src><seg>\n<seg/></seg></src></doc></dataset>", "line 2: a <seg> within another"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.data))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %q…", err, tt.want)
			}
		})
	}
}

func TestIs(t *testing.T) {
	for _, tt := range []struct {
		data string
		want bool
	}{
		{"<srcset setid=\"x\">", true},
		{"\ufeff\n <?xml version=\"1.0\"?>\n<!-- c -->\n<dataset>", true},
		{"<!DOCTYPE mteval>\n<MTEVAL>", true},
		{"<refset", true},
		{"<doc>", true},
		{"<seg id=1>", true},
		{"<!DOCTYPE dataset [\n<!ENTITY a \"b\">\n]>\n<dataset>", true},
		{"<html>", false},
		{"<s> a sentence </s>", false},
		{"a <doc>", false},
		{"<!-- ", false},
		{"", false},
		{"<", false},
	} {
		if got := Is([]byte(tt.data)); got != tt.want {
			t.Errorf("Is(%q) is %t, want %t", tt.data, got, tt.want)
		}
	}
}

// Whatever there is, a parser ends, finds no more than there can be, and puts SGML on one line.
func FuzzParse(f *testing.F) {
	f.Add([]byte("<srcset setid=\"x\" srclang='a'><doc docid=d><p><seg id=\"1\">a &amp; b</seg></p></doc></srcset>"))
	f.Add([]byte("<dataset><doc id=\"1\"><src lang=\"a\"><p><seg id=\"1\">a</seg></p></src><ref lang=\"b\" translator=\"A\"><seg id=\"1\">b</seg></ref></doc></dataset>"))
	f.Add([]byte("<refset><doc><seg id=1>one\n<seg a<seg a=\"<doc <!-- "))
	f.Fuzz(func(t *testing.T, data []byte) {
		Is(data)
		file, err := Parse(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("the error %q does not say where", err)
			}
			return
		}
		found := 0
		for _, d := range file.Documents {
			for _, x := range d.Texts {
				for _, s := range x.Segments {
					found++
					if s.Line < 1 || s.Line > 1+strings.Count(string(data), "\n") {
						t.Errorf("segment in line %d", s.Line)
					}
					if file.SGML && s.Text != Clean(s.Text) {
						t.Errorf("segment %q is not clean", s.Text)
					}
				}
			}
		}
		if most := strings.Count(strings.ToLower(string(data)), "<seg"); found > most {
			t.Errorf("%d segments of %d tags", found, most)
		}
	})
}
