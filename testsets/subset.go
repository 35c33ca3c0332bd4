package testsets

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A document is what --origlang and --subset look at, and how many segments it has.
type document struct {
	language    string
	hasLanguage bool
	subset      string // the domain, or sacreBLEU's annotation
	hasSubset   bool
	segments    int
	none        bool // stands for the segments before the first document
}

// newMatcher returns what says whether a document is kept.
func newMatcher(language, pattern string) (func(document) bool, error) {
	re, err := regexp.Compile(strings.TrimPrefix(pattern, "country:"))
	if err != nil {
		return nil, fmt.Errorf("testsets: the pattern of a subset, %q: %w", pattern, err)
	}
	other, negated := strings.CutPrefix(language, "non-")
	return func(d document) bool {
		switch {
		case d.none:
			return false
		case negated && d.hasLanguage && d.language == other:
			return false
		case language != "" && !negated && (!d.hasLanguage || d.language != language):
			return false
		}
		return pattern == "" || d.hasSubset && re.MatchString(d.subset)
	}, nil
}

// documents are those of the part, with the segments that each has, in order.
func (p *part) documents(ctx context.Context, subsets bool) ([]document, error) {
	if p.set.kind == wmtXML {
		err := p.make(ctx)
		return p.tags, err
	}
	if !p.hasDocuments() {
		return nil, fmt.Errorf("%s: its files do not say which document a segment is of, so no part of it can be chosen", p.where())
	}
	if subsets && p.set.documents == nil {
		return nil, fmt.Errorf("%s: nobody has said of what kind its documents are, so no subset can be chosen", p.where())
	}
	if p.tags != nil {
		return p.tags, nil
	}
	text, err := p.sourceFile(ctx)
	if err != nil {
		return nil, err
	}
	out := []document{{none: true}}
	for _, line := range text {
		switch {
		case strings.HasPrefix(line, "<doc "):
			d := document{hasSubset: true}
			if m := documentLanguage().FindStringSubmatch(line); m != nil {
				d.language, d.hasLanguage = m[1], true
			}
			id := line
			if m := documentID().FindStringSubmatch(line); m != nil {
				id = m[1]
			}
			d.subset = p.set.documents[id]
			out = append(out, d)
		case strings.HasPrefix(line, "<seg "):
			out[len(out)-1].segments++
		}
	}
	p.tags = out
	return out, nil
}

// The last of these attributes in a line counts.
var (
	documentLanguage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`.* origlang="([^"]+)"`) })
	documentID       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`.* docid="([^"]+)"`) })
)

// hasDocuments says whether the source is SGML of WMT's.
func (p *part) hasDocuments() bool { return strings.HasSuffix(p.pair.Files[0], ".sgm") }

// sourceFile is the source as it is in raw.
func (p *part) sourceFile(ctx context.Context) ([]string, error) {
	if err := p.store.have(ctx, p.set, p.pair); err != nil {
		return nil, err
	}
	return read(ctx, p.store.raw(p.set, p.pair.Files[0]))
}

// languages are those that documents were written in.
func (p *part) languages(ctx context.Context) ([]string, error) {
	if p.set.kind != wmtXML && !p.hasDocuments() {
		return nil, nil
	}
	docs, err := p.documents(ctx, false)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range docs {
		if d.hasLanguage {
			out = append(out, d.language)
		}
	}
	return out, nil
}

// subsets are what there is to choose by.
func (p *part) subsets(ctx context.Context) ([]string, error) {
	var out []string
	if p.set.kind == wmtXML {
		docs, err := p.documents(ctx, false)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			if d.hasSubset {
				out = append(out, d.subset)
			}
		}
		return out, nil
	}
	for _, says := range p.set.documents { // US-politics, OTHER-crime-AE
		country, rest, _ := strings.Cut(says, "-")
		domain, _, _ := strings.Cut(rest, "-")
		out = append(out, "country:"+country, domain)
	}
	return out, nil
}

// union is what parts say, each once, sorted.
func (d *Data) union(of func(*part) ([]string, error)) ([]string, error) {
	all := make(map[string]bool)
	for _, p := range d.parts {
		some, err := of(p)
		if err != nil {
			return nil, err
		}
		for _, s := range some {
			all[s] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}
