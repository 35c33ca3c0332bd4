package testsets

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/tokenize"
)

// A part of a Data is a set in a language pair.
type part struct {
	set   *Set
	pair  *pair
	store *store

	made  map[string][]string // texts that were made, by field
	names []string            // their fields, in order
	tags  []document          // what documents are told, once they are
	lost  error               // why texts that were made are not in the folder
}

// where names the part in errors.
func (p *part) where() string { return "testsets: " + p.set.Name + "/" + p.pair.Name }

// fields are the names of all texts, in order.
func (p *part) fields(ctx context.Context) ([]string, error) {
	if p.set.kind == wmtXML {
		if err := p.make(ctx); err != nil {
			return nil, err
		}
		return p.names, nil
	}
	out := []string{"src", "ref"}
	switch p.set.kind {
	case sgml, iwslt, addition:
		if n := len(p.pair.Files); n > 2 {
			out = out[:1]
			for i := range n - 1 {
				out = append(out, fmt.Sprintf("ref:%d", i))
			}
		}
		if !strings.HasPrefix(p.set.Name, "wmt08") { // it has none of these
			out = append(out, "docid", "genre", "origlang")
		}
	}
	return out, nil
}

// texts are the texts of some fields, with as many lines as the source.
func (p *part) texts(ctx context.Context, names []string) ([][]string, error) {
	source, err := p.text(ctx, "src")
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(names))
	for i, name := range names {
		if name, err = p.resolve(ctx, name); err != nil {
			return nil, err
		}
		if out[i], err = p.text(ctx, name); err != nil {
			return nil, err
		}
		if len(out[i]) != len(source) {
			return nil, fmt.Errorf("%s: it has %d lines, the source %s has %d; if one was cut off, remove it, and it is made anew",
				p.path(name), len(out[i]), p.path("src"), len(source))
		}
	}
	return out, nil
}

// resolve is the field that a name stands for. It is an error if there is none.
func (p *part) resolve(ctx context.Context, name string) (string, error) {
	if p.set.kind == wmtXML && plain(name) && p.there(name) {
		return name, nil // without the file that it was made of
	}
	fields, err := p.fields(ctx)
	if err != nil {
		return "", err
	}
	if slices.Contains(fields, name) {
		return name, nil
	}
	first := firstReference(fields)
	if name == "ref" && first != "" {
		return first, nil
	}
	also := ""
	if first != "" && !slices.Contains(fields, "ref") {
		also = fmt.Sprintf(", and ref stands for %s", first)
	}
	return "", fmt.Errorf("%s: there is no field %q: there are %s%s", p.where(), name, strings.Join(fields, ", "), also)
}

// firstReference is the first by name of the fields of references, "" if there is none.
func firstReference(fields []string) string {
	first := ""
	for _, f := range fields {
		if strings.HasPrefix(f, "ref") && (first == "" || f < first) {
			first = f
		}
	}
	return first
}

// references are the texts of the fields that are references.
func (p *part) references(ctx context.Context) ([][]string, error) {
	var names []string
	if p.set.kind == wmtXML {
		var err error
		if names, err = p.allowed(ctx); err != nil {
			return nil, err
		}
	} else {
		fields, err := p.fields(ctx)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			if strings.HasPrefix(f, "ref") {
				names = append(names, f)
			}
		}
	}
	return p.texts(ctx, names)
}

// allowed are the fields of WMT's XML that the table says are references, sorted.
func (p *part) allowed(ctx context.Context) ([]string, error) {
	refs := p.pair.Refs
	if refs == nil {
		refs = p.set.refs
	}
	var out []string
	there := true
	for _, r := range refs {
		f := referenceField(r)
		out = append(out, f)
		there = there && p.there(f)
	}
	slices.Sort(out)
	if there {
		return out, nil
	}
	fields, err := p.fields(ctx)
	if err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(f string) bool { return !slices.Contains(fields, f) })
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: the file has no reference that the table names: it has the fields %s", p.where(), strings.Join(fields, ", "))
	}
	return out, nil
}

// referenceField is the field of a translator's reference.
func referenceField(translator string) string {
	if translator == "" {
		return "ref"
	}
	return "ref:" + translator
}

func (p *part) path(field string) string { return p.store.text(p.set, p.pair.Name, field) }

// there says whether the text of a field is in the folder. An empty one was cut off.
func (p *part) there(field string) bool {
	info, err := os.Stat(p.path(field))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// plain says whether a field's name can be part of a file's.
func plain(field string) bool {
	return field != "" && len(field) <= 200 && !strings.ContainsAny(field, "/\\\x00") && lines.Valid(field) == nil
}

// text is the text of a field that there is, from the folder if it is there.
func (p *part) text(ctx context.Context, field string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if p.there(field) {
		data, err := sidefile.ReadFile(p.path(field), maxFile)
		if err != nil {
			return nil, err
		}
		text, err := split(data, p.path(field))
		return trimmed(text), err
	}
	if err := p.make(ctx); err != nil {
		return nil, err
	}
	return trimmed(p.made[field]), nil
}

// trimmed is a text without white space at the ends of lines.
func trimmed(text []string) []string {
	out := make([]string, len(text))
	for i, line := range text {
		out[i] = tokenize.TrimRight(line)
	}
	return out
}

// make makes all texts of the files in raw, once, and writes those that are not in the folder.
func (p *part) make(ctx context.Context) error {
	if p.made != nil {
		return nil
	}
	if err := p.store.have(ctx, p.set, p.pair); err != nil {
		return err
	}
	texts, err := p.convert(ctx)
	if err != nil {
		return err
	}
	made := make(map[string][]string, len(texts))
	var names []string
	for _, t := range texts {
		if !plain(t.field) {
			return fmt.Errorf("%s: %.100q can't be the name of a file, as which it stands for a system or translator", p.where(), t.field)
		}
		if _, again := made[t.field]; !again {
			names = append(names, t.field)
		}
		made[t.field] = t.lines
	}
	if err := p.save(ctx, names, made); err != nil {
		return err
	}
	p.made, p.names = made, names
	return nil
}

// save writes the texts that are not in the folder. That it can't is only noted.
func (p *part) save(ctx context.Context, names []string, made map[string][]string) error {
	for _, field := range names {
		if p.there(field) {
			continue
		}
		var b strings.Builder
		for _, line := range made[field] {
			b.WriteString(line)
			b.WriteByte('\n')
		}
		if err := outfile.Write(ctx, p.path(field), []byte(b.String())); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p.store.note("the text is not kept: %v", err)
			p.lost = err
			return nil
		}
	}
	return nil
}

// download has all texts of the part in the folder, and returns their files.
func (p *part) download(ctx context.Context) ([]string, error) {
	if err := p.store.have(ctx, p.set, p.pair); err != nil {
		return nil, err
	}
	names, err := p.fields(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range names {
		if _, err := p.text(ctx, name); err != nil {
			return nil, err
		}
		if p.lost != nil {
			return nil, fmt.Errorf("%s: %w", p.where(), p.lost)
		}
		out = append(out, p.path(name))
	}
	return out, nil
}
