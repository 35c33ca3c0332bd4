package testsets

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/nearest"
)

// A Set is a test set of sacreBLEU's: texts of one or several language pairs.
type Set struct {
	Name        string // such as "wmt24" or "wmt21/systems"
	Description string // in a few words, on one line
	Citation    string // BibTeX, that of the set before the slash if it has none; "" if that has none

	kind      kind
	archives  []archive
	refs      []string // the translators whose texts are references, for pairs without their own
	pairs     []pair
	documents map[string]string // what sacreBLEU says of documents, such as "GB-sport", by docid
}

// Options say where test sets are. The zero value is sacreBLEU's folder and the net.
type Options struct {
	// Dir is the folder. "" is the value of the environment variable SACREBLEU, or .sacrebleu
	// in the user's home folder.
	Dir string
	// Client is used to download for its transport, cookies and time limit. Nil is one with the
	// environment's proxies.
	Client *http.Client
	// Progress, unless it is nil, is told how far a download is: its address, the bytes that
	// are there, and those that there will be, -1 if the server does not tell. It begins anew
	// with each file and each try.
	Progress func(url string, done, total int64)
	// Note, unless it is nil, is told what a user should know, a line at a time: what is
	// downloaded or waited for, and that the folder can't be written.
	Note func(text string)
}

// Names returns the names of all sets, sorted.
func Names() []string { return slices.Clone(table().names) }

// NamesOf returns the names of the sets that have a language pair, such as "en-de", in this
// direction or the other, sorted. That is what sacreBLEU lists for a pair.
func NamesOf(pair string) []string {
	source, target, _ := strings.Cut(pair, "-")
	var out []string
	for _, name := range table().names {
		if s := table().sets[name]; s.Has(source+"-"+target) || s.Has(target+"-"+source) {
			out = append(out, name)
		}
	}
	return out
}

// Find returns a set by its name. The error of an unknown one says which name is nearest.
func Find(name string) (*Set, error) {
	s, ok := table().sets[name]
	if !ok {
		known := table().names
		hint := cmp.Or(nearest.DidYouMean(name, "", known), ": there are "+names.Few(known))
		return nil, fmt.Errorf("testsets: no test set is called %q%s", name, hint)
	}
	return s, nil
}

// Pairs returns the language pairs of a set, source before target, as "en-de", in the order
// that sacreBLEU has them in.
func (s *Set) Pairs() []string {
	out := make([]string, len(s.pairs))
	for i, p := range s.pairs {
		out[i] = p.Name
	}
	return out
}

// Has says whether a set has a language pair, in this direction.
func (s *Set) Has(pair string) bool { return s.pair(pair) != nil }

// find is the language pair of that name.
func (s *Set) find(name string) (*pair, error) {
	if p := s.pair(name); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("testsets: test set %s has no language pair %q: it has %s", s.Name, name, strings.Join(s.Pairs(), ", "))
}

// Fields returns the names of the texts that a set has for a language pair: "src", "ref" or
// "ref:NAME" for each reference, "docid", "origlang" and such, and the names of systems whose
// outputs are there. For WMT's XML, of 2021 and later, that takes the file, which may be
// downloaded.
func (s *Set) Fields(ctx context.Context, pair string, o Options) ([]string, error) {
	d, err := Open(s.Name, pair, o)
	if err != nil {
		return nil, err
	}
	return d.Fields(ctx)
}

// Download has the archives of a set in the folder, and all texts of a language pair, or of all
// pairs if pair is "". It returns the files of the texts.
func (s *Set) Download(ctx context.Context, pair string, o Options) ([]string, error) {
	pairs := []string{pair}
	if pair == "" {
		pairs = s.Pairs()
	}
	var files []string
	for _, name := range pairs {
		d, err := Open(s.Name, name, o)
		if err != nil {
			return nil, err
		}
		of, err := d.parts[0].download(ctx)
		if err != nil {
			return nil, err
		}
		files = append(files, of...)
	}
	return files, nil
}
