package testsets

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Data is a test set, or several behind one another, for one language pair. Its methods read
// and download what they return, the same files once; they are not safe for concurrent use.
type Data struct{ parts []*part }

// Open opens one set, or several with commas between their names, for a language pair. Nothing
// is read or downloaded before a method asks for it. A set or pair that there is not is an
// error.
func Open(sets, pair string, o Options) (*Data, error) {
	d := new(Data)
	at, err := newStore(o)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(sets, ",") {
		s, err := Find(name)
		if err != nil {
			return nil, err
		}
		p, err := s.find(pair)
		if err != nil {
			return nil, err
		}
		d.parts = append(d.parts, &part{set: s, pair: p, store: at})
	}
	return d, nil
}

// Fields returns the names of the texts that all sets have, in the first's order.
func (d *Data) Fields(ctx context.Context) ([]string, error) {
	var out []string
	for i, p := range d.parts {
		of, err := p.fields(ctx)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = slices.Clone(of)
			continue
		}
		out = slices.DeleteFunc(out, func(f string) bool { return !slices.Contains(of, f) })
	}
	return out, nil
}

// Len returns the number of segments, those of the source.
func (d *Data) Len(ctx context.Context) (int, error) {
	text, err := d.Field(ctx, "src")
	return len(text), err
}

// Field returns a text by its name, without white space at the ends of its lines. "ref" is, if
// no text has that name, the first by name of those that begin so.
func (d *Data) Field(ctx context.Context, name string) ([]string, error) {
	columns, err := d.Columns(ctx, name)
	if err != nil {
		return nil, err
	}
	return columns[0], nil
}

// Columns returns texts by their names, as [Data.Field], or all that [Data.Fields] names for
// the only name "all": what sacreBLEU's --echo prints. It prints several sets one after another,
// each with its own fields: who wants that opens each alone. Texts of different lengths are an
// error.
func (d *Data) Columns(ctx context.Context, names ...string) ([][]string, error) {
	if slices.Contains(names, "all") {
		if len(names) != 1 {
			return nil, fmt.Errorf("testsets: the field all can't stand with others")
		}
		var err error
		if names, err = d.Fields(ctx); err != nil {
			return nil, err
		}
	}
	out := make([][]string, len(names))
	for _, p := range d.parts {
		texts, err := p.texts(ctx, names)
		if err != nil {
			return nil, err
		}
		for i, t := range texts {
			out[i] = append(out[i], t...)
		}
	}
	return out, nil
}

// References returns the references, each a text of as many segments as the source. Of several
// sets the first references are one text, the second another, so all sets must have as many.
func (d *Data) References(ctx context.Context) ([][]string, error) {
	var out [][]string
	for i, p := range d.parts {
		refs, err := p.references(ctx)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = make([][]string, len(refs))
		} else if len(refs) != len(out) {
			return nil, fmt.Errorf("testsets: %s has %d references for %s, %s has %d: score them one by one",
				d.parts[0].set.Name, len(out), p.pair.Name, p.set.Name, len(refs))
		}
		for k, r := range refs {
			out[k] = append(out[k], r...)
		}
	}
	return out, nil
}

// OriginalLanguages returns the languages that documents were written in, sorted, as far as the
// files tell.
func (d *Data) OriginalLanguages(ctx context.Context) ([]string, error) {
	return d.union(func(p *part) ([]string, error) { return p.languages(ctx) })
}

// Subsets returns what --subset can ask for, sorted: the domains of WMT's XML, or the countries
// and domains that sacreBLEU has for documents of WMT 2018 and 2019.
func (d *Data) Subsets(ctx context.Context) ([]string, error) {
	return d.union(func(p *part) ([]string, error) { return p.subsets(ctx) })
}

// Keep says for each segment whether it is of a document that was written in a language, and
// that matches a pattern. The language is as in the file, such as "en", with "non-" before it for
// all others; "" is any. The pattern is searched for in what the file calls the document's
// domain, or in sacreBLEU's annotation of it, such as "GB-sport"; "country:" before it is passed
// over, and "" is any document.
//
// The pattern is one of package regexp. sacreBLEU's are Python's: of these, look-around, back
// references, and atomic groups are an error here, and \d, \w and \s are ASCII's.
//
// A set whose files say nothing of documents is an error.
func (d *Data) Keep(ctx context.Context, language, pattern string) ([]bool, error) {
	if language == "" && pattern == "" {
		n, err := d.Len(ctx)
		return slices.Repeat([]bool{true}, n), err
	}
	match, err := newMatcher(language, pattern)
	if err != nil {
		return nil, err
	}
	var out []bool
	for _, p := range d.parts {
		docs, err := p.documents(ctx, pattern != "")
		if err != nil {
			return nil, err
		}
		source, err := p.text(ctx, "src")
		if err != nil {
			return nil, err
		}
		before := len(out)
		for _, doc := range docs {
			keep := match(doc)
			for range doc.segments {
				out = append(out, keep)
			}
		}
		if n := len(out) - before; n != len(source) {
			return nil, fmt.Errorf("%s: it has %d lines, the file it was made of has %d segments: remove it, and it is made anew", p.path("src"), len(source), n)
		}
	}
	return out, nil
}
