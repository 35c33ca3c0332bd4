package wmtxml

import (
	"fmt"
	"strings"
	"testing"
)

// Many attributes of a tag take no time by the square of their number, which would be minutes.
func TestManyAttributes(t *testing.T) {
	const n = 300_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ` a%d="x"`, i)
	}
	for name, data := range map[string]string{
		"SGML": `<refset refid="r"><doc` + b.String() + `><seg id="1">a</seg></doc></refset>`,
		"XML":  `<dataset><doc` + b.String() + `><ref><p><seg id="1">a</seg></p></ref></doc></dataset>`,
	} {
		f, err := Parse([]byte(data))
		if err != nil || len(f.Documents) != 1 || len(f.Documents[0].Attr) != n || len(f.Documents[0].Texts[0].Segments) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Parse([]byte(`<dataset><doc` + b.String() + ` a7="">`)); err == nil || err.Error() != "line 1: not well-formed XML: <doc> has the attribute a7 twice" {
		t.Error(err)
	}
}

// Tags that do not end, each within another, are read so often only.
func TestTagsInVain(t *testing.T) {
	for _, text := range []string{`<seg b" c="`, `<doc a='`, `<seg x `, "<", "<<seg/"} {
		data := `<refset><doc><seg id=1>a</seg>` + strings.Repeat(text, 50_000)
		f, err := ParseSGML([]byte(data))
		if err == nil && len(f.Documents) == 0 || err != nil && err.Error() != "line 1: too many tags that do not end" {
			t.Errorf("%s: %v", text, err)
		}
	}
}
