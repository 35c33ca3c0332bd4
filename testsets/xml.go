package testsets

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/wmtxml"
	"github.com/mteval/mteval/tokenize"
)

// convertXML makes all texts of WMT's XML, and keeps what is said of each segment's document.
func (p *part) convertXML() ([]fieldText, error) {
	at := p.store.raw(p.set, p.pair.Files[0])
	data, err := sidefile.ReadFile(at, maxFile)
	if err != nil {
		return nil, err
	}
	file, err := wmtxml.ParseXML(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; if the file is damaged, remove it, and it is unpacked anew", at, err)
	}
	texts, tags, err := extract(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	p.tags = tags
	return texts, nil
}

// extract takes the texts out of WMT's XML: the segments that have a reference, in documents
// that are of no test suite.
func extract(file *wmtxml.File) ([]fieldText, []document, error) {
	if err := oneLanguage(file, wmtxml.Source); err != nil {
		return nil, nil, err
	}
	if err := oneLanguage(file, wmtxml.Reference); err != nil {
		return nil, nil, err
	}
	x := extraction{texts: make(map[string][]string)}
	x.translators = file.Names(wmtxml.Reference)
	slices.Sort(x.translators)
	for i := range file.Documents {
		d := &file.Documents[i]
		if _, suite := d.Attr["testsuite"]; suite {
			continue
		}
		if err := x.add(d); err != nil {
			return nil, nil, fmt.Errorf("line %d: document %q: %w", d.Line, d.Attr["id"], err)
		}
	}
	return x.fields(), x.tags, nil
}

// oneLanguage is an error unless all texts of a kind are of one language.
func oneLanguage(file *wmtxml.File, kind wmtxml.Kind) error {
	seen := make(map[string]bool)
	for _, d := range file.Documents {
		for _, t := range d.Texts {
			if t.Kind == kind {
				seen[t.Lang] = true
			}
		}
	}
	switch names := slices.Sorted(maps.Keys(seen)); len(names) {
	case 0:
		return fmt.Errorf("no document has a <%s>", kind)
	case 1:
		return nil
	default:
		return fmt.Errorf("texts of <%s> are in several languages: %s", kind, strings.Join(names, ", "))
	}
}

// An extraction is the texts so far.
type extraction struct {
	translators []string            // all of the file, sorted
	texts       map[string][]string // by field, as they stand in the file
	systems     []string            // in order
	tags        []document          // of each segment
}

// segmentsOf are the segments of a text by their numbers.
type segmentsOf map[int]string

// add adds the segments of a document.
func (x *extraction) add(d *wmtxml.Document) error {
	source, references, outputs, systems, err := sides(d)
	if err != nil {
		return err
	}
	id, hasID := d.Attr["id"]
	language, hasLanguage := d.Attr["origlang"]
	domain, hasDomain := d.Attr["domain"]
	for _, n := range slices.Sorted(maps.Keys(source)) {
		if !translated(references, n) {
			continue
		}
		if !hasID || !hasLanguage {
			return fmt.Errorf("it lacks the attribute id or origlang")
		}
		x.put("src", source[n])
		for _, t := range x.translators {
			x.put(referenceField(t), references[t][n])
		}
		x.put("docid", id)
		x.put("origlang", language)
		x.put("domain", domain)
		for _, s := range systems {
			text, ok := outputs[s][n]
			if !ok {
				return fmt.Errorf("system %s has no segment %d", s, n)
			}
			if !slices.Contains(x.systems, s) {
				x.systems = append(x.systems, s)
			}
			x.put(systemField(s), text)
		}
		x.tags = append(x.tags, document{language: language, hasLanguage: true, subset: domain, hasSubset: hasDomain, segments: 1})
	}
	return nil
}

// systemField keeps systems apart from other fields while texts are added up.
func systemField(system string) string { return "hyp\x00" + system }

func (x *extraction) put(field, line string) { x.texts[field] = append(x.texts[field], line) }

// sides are the segments of a document's source, of its references by translator, and of its
// outputs by system, whose names are in order. Of several texts of a name the last counts.
func sides(d *wmtxml.Document) (source segmentsOf, references, outputs map[string]segmentsOf, systems []string, err error) {
	source = make(segmentsOf)
	references, outputs = make(map[string]segmentsOf), make(map[string]segmentsOf)
	for _, t := range d.Texts {
		into := source
		switch t.Kind {
		case wmtxml.Reference:
			into = make(segmentsOf)
			references[t.Name] = into
		case wmtxml.Output:
			if _, again := outputs[t.Name]; !again {
				systems = append(systems, t.Name)
			}
			into = make(segmentsOf)
			outputs[t.Name] = into
		}
		for _, s := range t.Segments {
			n, err := strconv.Atoi(tokenize.Trim(s.ID))
			if err != nil {
				return nil, nil, nil, nil, fmt.Errorf("segment in line %d: its id %q is no number", s.Line, s.ID)
			}
			into[n] = s.Text
		}
	}
	return source, references, outputs, systems, nil
}

// translated says whether any reference has a segment.
func translated(references map[string]segmentsOf, n int) bool {
	for _, r := range references {
		if r[n] != "" {
			return true
		}
	}
	return false
}

// fields are the texts in sacreBLEU's order. The domain is one if the last segment has it.
func (x *extraction) fields() []fieldText {
	out := []fieldText{{"src", x.texts["src"]}}
	for _, t := range x.translators {
		out = append(out, fieldText{referenceField(t), x.texts[referenceField(t)]})
	}
	out = append(out, fieldText{"docid", x.texts["docid"]}, fieldText{"origlang", x.texts["origlang"]})
	for _, s := range x.systems {
		out = append(out, fieldText{s, x.texts[systemField(s)]})
	}
	if n := len(x.tags); n > 0 && x.tags[n-1].hasSubset {
		out = append(out, fieldText{"domain", x.texts["domain"]})
	} else {
		for i := range x.tags {
			x.tags[i].subset, x.tags[i].hasSubset = "", false
		}
	}
	for i := range out {
		out[i].lines = cleaned(out[i].lines)
	}
	return out
}

func cleaned(text []string) []string {
	out := make([]string, len(text))
	for i, line := range text {
		out[i] = wmtxml.Clean(line)
	}
	return out
}
