package testsets

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/wmtxml"
)

func itoa(i int) string { return strconv.Itoa(i) }

// noNet fails whatever is downloaded.
var noNet = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
	return nil, errors.New("nothing may be downloaded here: " + r.URL.String())
})}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The table is whole, and no path in it leads out of a folder.
func TestTable(t *testing.T) {
	all := Names()
	if len(all) != 67 || !slices.IsSorted(all) { // as sacrebleu --list has
		t.Errorf("%d names, sorted: %t", len(all), slices.IsSorted(all))
	}
	for _, name := range all {
		s, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != name || s.Description == "" || len(s.Description) > 90 || strings.ContainsAny(s.Description, "\n\t") {
			t.Errorf("%s: name %q, description %q", name, s.Name, s.Description)
		}
		if len(s.pairs) == 0 || len(s.archives) == 0 || s.kind == wmtXML && s.refs == nil {
			t.Errorf("%s: %d pairs, %d archives, references %q", name, len(s.pairs), len(s.archives), s.refs)
		}
		for _, a := range s.archives {
			if !strings.HasPrefix(a.URL, "https://") || len(a.MD5) != 32 {
				t.Errorf("%s: address %s, MD5 %s", name, a.URL, a.MD5)
			}
		}
		if i := strings.IndexFunc(s.Citation, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); i >= 0 {
			t.Errorf("%s: control character in the citation: %q", name, s.Citation[max(0, i-9):i+1])
		}
		for i := range s.pairs {
			p := &s.pairs[i]
			if source, target, ok := strings.Cut(p.Name, "-"); !ok || source == "" || target == "" || len(p.Files) == 0 {
				t.Errorf("%s: pair %q of %d files", name, p.Name, len(p.Files))
			}
			for _, f := range files(s, p) {
				if !filepath.IsLocal(f) || strings.Contains(f, ":") {
					t.Errorf("%s: file %q", name, f)
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	s, err := Find("wmt19")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Pairs()[:3], " "); got != "cs-de de-cs de-en" || !s.Has("en-de") || s.Has("en-fr") {
		t.Errorf("pairs begin with %s", got)
	}
	if !strings.HasPrefix(s.Citation, "@proceedings{ws-2019-machine,") || s.Description != "WMT 2019, news task" {
		t.Errorf("description %q, citation %.40q", s.Description, s.Citation)
	}
	// A part of a set is cited as the set is, and what nobody cites is not.
	for name, want := range map[string]string{"wmt19/dev": s.Citation, "wmt24": ""} {
		if s, err := Find(name); err != nil || s.Citation != want {
			t.Errorf("%s: error %v, citation %.40q", name, err, s.Citation)
		}
	}
}

// As sacrebleu --list -l en-ha prints it.
func TestNamesOf(t *testing.T) {
	want := []string{"wmt21", "wmt21/dev", "wmt21/systems"}
	for _, pair := range []string{"en-ha", "ha-en"} {
		if diff := cmp.Diff(want, NamesOf(pair)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pair, diff)
		}
	}
	for _, pair := range []string{"", "en", "xx-yy", "-"} {
		if got := NamesOf(pair); got != nil {
			t.Errorf("%q: %q", pair, got)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct{ sets, pair, want string }{
		{"wmt42", "en-de", `testsets: no test set is called "wmt42" (did you mean wmt12?)`},
		{"wmt-24", "en-de", `testsets: no test set is called "wmt-24" (did you mean wmt24?)`},
		{"WMT24", "en-de", `called "WMT24" (did you mean wmt24?)`},
		{"wmt21/system", "en-de", `did you mean wmt21/systems?`},
		{"flores", "en-de", `testsets: no test set is called "flores": there are iwslt17, `},
		{"", "en-de", `testsets: no test set is called ""`},
		{"wmt24,", "en-de", `testsets: no test set is called ""`},
		{"wmt24", "de-en", `testsets: test set wmt24 has no language pair "de-en": it has cs-uk, en-cs, en-de, `},
		{"wmt24,wmt19", "en-es", `testsets: test set wmt19 has no language pair "en-es"`},
		{"wmt24", "", `testsets: test set wmt24 has no language pair ""`},
	} {
		if _, err := Open(tt.sets, tt.pair, Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q, %q: error %v, want …%s…", tt.sets, tt.pair, err, tt.want)
		}
	}
}

// Several sets stand behind one another.
func TestSeveral(t *testing.T) {
	dir := t.TempDir()
	lay(t, filepath.Join(dir, "wmt19", "raw"), map[string]string{"sgm/newstest2019-ende-src.en.sgm": sgmSource, "sgm/newstest2019-ende-ref.de.sgm": sgmReference})
	lay(t, filepath.Join(dir, "wmt21", "raw"), map[string]string{"test/newstest2021.en-de.xml": "<dataset><doc id=\"x\" origlang=\"de\" domain=\"a\"><src lang=\"en\"><seg id=\"1\">three</seg></src>" +
		"<ref lang=\"de\" translator=\"A\"><seg id=\"1\">drei</seg></ref><ref lang=\"de\" translator=\"B\"><seg id=\"1\">DREI</seg></ref></doc></dataset>"})
	d, err := Open("wmt19,wmt21", "en-de", Options{Dir: dir, Client: noNet})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, d, "src", "one", "two", "three")
	ask(t, d, "ref", "eins", "zwei", "drei")
	refs, err := d.References(t.Context())
	if diff := cmp.Diff([][]string{{"eins", "zwei", "drei"}}, refs); diff != "" || err != nil {
		t.Errorf("error %v, references (-want +got):\n%s", err, diff)
	}
	fields, err := d.Fields(t.Context())
	if diff := cmp.Diff([]string{"src", "docid", "origlang"}, fields); diff != "" || err != nil {
		t.Errorf("error %v, fields (-want +got):\n%s", err, diff)
	}
	if n, err := d.Len(t.Context()); n != 3 || err != nil {
		t.Errorf("%d segments, error %v", n, err)
	}
	for _, tt := range []struct {
		language, pattern string
		want              string
	}{
		{"", "", "[true true true]"},
		{"en", "", "[true true false]"},
		{"non-en", "", "[false false true]"},
		{"", "a", "[false false true]"}, // nobody has said what d of WMT 2019 is of
	} {
		got, err := d.Keep(t.Context(), tt.language, tt.pattern)
		if fmt.Sprint(got) != tt.want || err != nil {
			t.Errorf("Keep(%q, %q) is %v, error %v, want %s", tt.language, tt.pattern, got, err, tt.want)
		}
	}
	both, err := d.OriginalLanguages(t.Context())
	if diff := cmp.Diff([]string{"de", "en"}, both); diff != "" || err != nil {
		t.Errorf("error %v, languages (-want +got):\n%s", err, diff)
	}
	if _, err := d.Keep(t.Context(), "", "(?=a)"); err == nil || !strings.HasPrefix(err.Error(), `testsets: the pattern of a subset, "(?=a)": `) {
		t.Errorf("error %v", err)
	}
	// Two references here, one there.
	lay(t, filepath.Join(dir, "wmt16/tworefs"), map[string]string{"wmt16_tworefs.en-fi.src": "a\n", "wmt16_tworefs.en-fi.ref-0": "b\n", "wmt16_tworefs.en-fi.ref-1": "c\n"})
	lay(t, filepath.Join(dir, "wmt16"), map[string]string{"wmt16.en-fi.src": "a\n", "wmt16.en-fi.ref": "b\n"})
	d, err = Open("wmt16/tworefs,wmt16", "en-fi", Options{Dir: dir, Client: noNet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.References(t.Context()); err == nil || err.Error() != "testsets: wmt16/tworefs has 2 references for en-fi, wmt16 has 1: score them one by one" {
		t.Errorf("error %v", err)
	}
}

// Parts of sets that say nothing of documents can't be chosen.
func TestKeepErrors(t *testing.T) {
	dir := t.TempDir()
	lay(t, filepath.Join(dir, "mtedx/test"), map[string]string{"mtedx_test.es-en.src": "a\n", "mtedx_test.es-en.ref": "b\n"})
	lay(t, filepath.Join(dir, "wmt19", "raw"), map[string]string{"sgm/newstest2019-ende-src.en.sgm": sgmSource, "sgm/newstest2019-ende-ref.de.sgm": sgmReference})
	for _, tt := range []struct{ set, pair, language, pattern, want string }{
		{"mtedx/test", "es-en", "es", "", "testsets: mtedx/test/es-en: its files do not say which document"},
		{"wmt18", "en-de", "", "sport", "x"},
	} {
		d, err := Open(tt.set, tt.pair, Options{Dir: dir, Client: noNet})
		if err != nil {
			t.Fatal(err)
		}
		if tt.set == "wmt18" {
			d.parts[0].set, tt.want = &Set{Name: "x", kind: sgml}, "testsets: x/en-de: nobody has said"
		}
		if _, err := d.Keep(t.Context(), tt.language, tt.pattern); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s…", tt.set, err, tt.want)
		}
		if tt.set != "mtedx/test" {
			continue
		}
		if got, err := d.OriginalLanguages(t.Context()); got != nil || err != nil {
			t.Errorf("languages %q, error %v", got, err)
		}
	}
}

// No field is a path.
func TestFieldNames(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"secret": "x\n", "wmt24/wmt24.en-de.src": "a\n"})
	lay(t, filepath.Join(dir, "wmt24", "raw"), map[string]string{"xml/wmttest2024.en-de.all.xml": "<dataset><doc id=\"x\" origlang=\"de\"><src lang=\"en\"><seg id=\"1\">a</seg></src>" +
		"<ref lang=\"de\" translator=\"/../../../secret\"><seg id=\"1\">drei</seg></ref></doc></dataset>"})
	d, err := Open("wmt24", "en-de", Options{Dir: dir, Client: noNet})
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"x/../../../secret", "ref:/../../../secret", "", "x\x00", "ref"} {
		if got, err := d.Field(t.Context(), field); err == nil || !strings.Contains(err.Error(), "can't be the name of a file") {
			t.Errorf("field %q is %q, error %v", field, got, err)
		}
	}
	if diff := cmp.Diff([]string{"secret", "wmt24/raw/xml/wmttest2024.en-de.all.xml", "wmt24/wmt24.en-de.src"}, tree(t, dir)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
}

// Of well-formed SGML, a segment a line, sacreBLEU's rules and the parser take the same.
func TestSegmentsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b ", " ", "\t", "&amp;", "é", "\u00a0", "<", ">", "&", "\"", "<b>", "。", "\r", "\x1f"})
		var b strings.Builder
		b.WriteString("<srcset setid=\"x\" srclang=\"any\">\n")
		for d := range rapid.IntRange(0, 3).Draw(t, "documents") {
			fmt.Fprintf(&b, "<doc docid=\"d%d\" genre=\"g\" origlang=\"de\">\n<p>\n", d)
			for n := range rapid.IntRange(1, 4).Draw(t, "segments") {
				fmt.Fprintf(&b, "<seg id=\"%d\">%s</seg>\n", n, strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "words"), ""))
			}
			b.WriteString("</p>\n</doc>\n")
		}
		b.WriteString("</srcset>\n")
		want := segments(strings.Split(b.String(), "\n"))
		file, err := wmtxml.ParseSGML([]byte(b.String()))
		if err != nil {
			if want != nil {
				t.Fatalf("error %v, sacreBLEU takes %q", err, want)
			}
			return
		}
		var got []string
		for _, d := range file.Documents {
			for _, s := range d.Texts[0].Segments {
				got = append(got, s.Text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("segments (-want +got):\n%s", diff)
		}
	})
}

// Whatever a file is, every segment has a document and a value of each attribute, and no text a
// line end.
func FuzzSGML(f *testing.F) {
	f.Add(sgmSource)
	f.Add("<doc docid=\"<seg \n<seg ></seg></seg>\n<seg >\n<doc x docid=\"\"")
	f.Fuzz(func(t *testing.T, data string) {
		text, err := split([]byte(data), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("error %v", err)
			}
			return
		}
		found := segments(text)
		if ids := projected(text, "docid"); len(ids) != len(found) {
			t.Errorf("%d segments, %d with documents", len(found), len(ids))
		}
		for _, s := range found {
			if s != wmtxml.Clean(s) || strings.Contains(s, "\n") {
				t.Errorf("segment %q is not clean", s)
			}
		}
	})
}

// Whatever XML holds, its texts are an error or of one length, but for systems that lack
// documents.
func FuzzXML(f *testing.F) {
	f.Add("<dataset><doc id=\"x\" origlang=\"de\" domain=\"a\"><src lang=\"en\"><seg id=\"1\">three</seg></src>" +
		"<ref lang=\"de\" translator=\"A\"><seg id=\"1\">drei</seg></ref><hyp system=\"s\"><seg id=\"1\">d</seg></hyp></doc></dataset>")
	f.Add("<x><doc id='' origlang='' testsuite=''><src lang='a'/><ref lang='a'/></doc></x>")
	f.Fuzz(func(t *testing.T, data string) {
		file, err := wmtxml.ParseXML([]byte(data))
		if err != nil {
			return
		}
		texts, tags, err := extract(file)
		if err != nil {
			return
		}
		systems := file.Names(wmtxml.Output)
		for _, x := range texts {
			if len(x.lines) != len(tags) && !slices.Contains(systems, x.field) {
				t.Errorf("field %q has %d lines of %d", x.field, len(x.lines), len(tags))
			}
			for _, line := range x.lines {
				if strings.Contains(line, "\n") {
					t.Errorf("field %q has the line %q", x.field, line)
				}
			}
		}
	})
}
