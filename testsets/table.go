package testsets

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// embedded is made by scripts/record_testsets.py: what sacreBLEU 2.6.0 knows of its sets,
// JSON with a line for each (zcat table.json.gz shows them).
//
//go:embed table.json.gz
var embedded []byte

// The kinds of sets: how their files are written.
type kind string

const (
	plainText kind = "text"
	tsv       kind = "tsv"
	sgml      kind = "sgm"      // of WMT until 2020
	iwslt     kind = "iwslt"    // XML by name, that is read as SGML
	addition  kind = "addition" // SGML, and further references as plain text
	wmtXML    kind = "xml"      // of WMT 2021 and later
)

// An archive is a file to download: what the set's files are packed in, or one of them.
type archive struct {
	URL string `json:"url"`
	MD5 string `json:"md5"`
}

// A pair is a language pair of a set.
type pair struct {
	Name string `json:"pair"`
	// Files are the source and the references, within raw, or the one file of WMT's XML. In a
	// set of TSV a number and a colon before the path are the column, from 0.
	Files []string `json:"files"`
	// Refs are the translators whose texts are references; nil for those of the set.
	Refs []string `json:"refs"`
}

// entry is a set as it stands in the table.
type entry struct {
	Name        string            `json:"name"`
	Kind        kind              `json:"kind"`
	Description string            `json:"description"`
	Citation    string            `json:"citation"`
	Archives    []archive         `json:"archives"`
	Refs        []string          `json:"refs"`
	Pairs       []pair            `json:"pairs"`
	Documents   map[string]string `json:"documents"`
}

// tables is all sets by name, and the names in order.
type tables struct {
	names []string
	sets  map[string]*Set
}

// table is read when it is first asked for.
var table = sync.OnceValue(func() tables {
	var entries []entry
	r, err := gzip.NewReader(bytes.NewReader(embedded))
	if err == nil {
		err = json.NewDecoder(r).Decode(&entries)
	}
	if err != nil {
		panic("testsets: " + err.Error()) // the package was built with another file
	}
	t := tables{sets: make(map[string]*Set, len(entries))}
	for _, e := range entries {
		t.names = append(t.names, e.Name)
		t.sets[e.Name] = &Set{Name: e.Name, Description: e.Description, Citation: e.Citation,
			kind: e.Kind, archives: e.Archives, refs: e.Refs, pairs: e.Pairs, documents: e.Documents}
	}
	for _, s := range t.sets {
		if whole, _, ok := strings.Cut(s.Name, "/"); ok && s.Citation == "" && t.sets[whole] != nil {
			s.Citation = t.sets[whole].Citation
		}
	}
	return t
})

// pair returns the language pair of that name, nil if there is none.
func (s *Set) pair(name string) *pair {
	for i := range s.pairs {
		if s.pairs[i].Name == name {
			return &s.pairs[i]
		}
	}
	return nil
}
