package meteor

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/wordnet"
)

// Resources are the lists that METEOR looks words up in: function words, abbreviations and
// synonyms. They are immutable and safe for concurrent use. The zero value has none and can't
// be used.
type Resources struct {
	name     string
	function map[string]wordList // by language
	prefixes map[string]prefixes
	synonyms func() *wordnet.Table
}

// A wordList is a set of words with the name that it has in a signature.
type wordList struct {
	name  string
	words map[string]bool
}

func newWordList(name string, words []string) wordList {
	l := wordList{name, make(map[string]bool, len(words))}
	for _, w := range words {
		l.words[w] = true
	}
	return l
}

// named is a list under the hash of its words.
func hashedWordList(words []string) wordList {
	sorted := slices.Sorted(slices.Values(words))
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(sorted), "\n")))
	return newWordList("sha256-"+hex.EncodeToString(sum[:4]), words)
}

//go:embed lists/*.txt
var lists embed.FS

// DefaultResources returns the lists that come with the package: function words and
// abbreviations of the project's own, written down by class of words, and the synonyms of
// WordNet 3.0 in METEOR's form. With other function words than the program's a score is
// not the program's, if not far from it: on WMT19's 16 German-English systems it is
// .0024 higher at most, with the same ranking.
func DefaultResources() *Resources { return defaultResources() }

var defaultResources = sync.OnceValue(func() *Resources {
	r := &Resources{name: "mteval", function: map[string]wordList{}, prefixes: map[string]prefixes{}, synonyms: wordnet.Default}
	for _, language := range normalized {
		if f, err := lists.ReadFile("lists/function." + language + ".txt"); err == nil {
			r.function[language] = hashedWordList(ownWords(f))
		}
		p := prefixes{map[string]bool{}, map[string]bool{}}
		if f, err := lists.ReadFile("lists/prefixes." + language + ".txt"); err == nil {
			into := p.always
			for _, w := range ownWords(f) {
				if w == "numbers:" {
					into = p.numbers
				} else {
					into[w] = true
				}
			}
		}
		r.prefixes[language] = p
	}
	return r
})

// ownWords reads a list of the package's own.
func ownWords(text []byte) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.Fields(line)...)
		}
	}
	return out
}

// jarLists is the hash of the lists of meteor-1.5.jar, see OpenJar.
const jarLists = "84cd72f7cc986c7daec834edcab5ec08c8fd78ddb043dc24c51f95271e4c1c4a"

// OpenJar reads the lists of a meteor-1.5.jar: with them scores are those of the
// program. (There is no reader beside it: a jar is read from its end.) A list that is missing, damaged or larger than 64 MB is an error that names it;
// a byte order mark is no part of its first word. The lists of
// another jar go into signatures by their hash.
func OpenJar(path string) (*Resources, error) {
	jar, err := zip.OpenReader(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return nil, fmt.Errorf("%s: %w", path, p.Err)
		}
		return nil, fmt.Errorf("%s: not a jar, or cut short: %w", path, err)
	}
	defer jar.Close()
	return readResources(jar, path)
}

// maxList bounds a list, in bytes; the largest of METEOR 1.5, that of synsets, has 5 MB.
const maxList = 1 << 26

// readResources reads lists from a jar.
func readResources(jar fs.FS, path string) (*Resources, error) {
	in := jarReader{jar, path, sha256.New()}
	r := &Resources{function: map[string]wordList{}, prefixes: map[string]prefixes{}}
	for _, code := range slices.Sorted(maps.Keys(jarNames)) {
		text, at, err := in.list("function/" + jarNames[code] + ".words")
		if err != nil {
			return nil, err
		}
		words, err := splitLines(text, at)
		if err != nil {
			return nil, err
		}
		r.function[code] = newWordList("", words)
	}
	for _, code := range normalized {
		text, at, err := in.list("nonbreaking/" + jarNames[code] + ".prefixes")
		if err != nil {
			return nil, err
		}
		if r.prefixes[code], err = readPrefixes(text, at); err != nil {
			return nil, err
		}
	}
	table, err := in.synonyms()
	if err != nil {
		return nil, err
	}
	r.synonyms = func() *wordnet.Table { return table }
	r.name = hex.EncodeToString(in.sum.Sum(nil))
	if r.name == jarLists {
		r.name = program
	} else {
		r.name = "sha256-" + r.name[:8]
	}
	for code, l := range r.function {
		l.name = r.name
		r.function[code] = l
	}
	return r, nil
}

// A jarReader reads lists from a jar, and takes the hash of all of them.
type jarReader struct {
	jar  fs.FS
	path string
	sum  hash.Hash
}

// list returns a list, and its name for errors.
func (in *jarReader) list(name string) (text []byte, at string, err error) {
	at = in.path + "!/" + name
	f, err := in.jar.Open(name)
	if err != nil {
		return nil, at, fmt.Errorf("%s: the jar has no such list; is it meteor-1.5.jar?", at)
	}
	defer f.Close()
	if text, err = sidefile.ReadAll(f, maxList); err != nil {
		return nil, at, fmt.Errorf("%s: %w", at, err)
	}
	fmt.Fprintf(in.sum, "%s %d\n", name, len(text))
	in.sum.Write(text)
	return sidefile.WithoutBOM(text), at, nil
}

// synonyms reads the lists of English synonyms.
func (in *jarReader) synonyms() (*wordnet.Table, error) {
	synsets, at, err := in.list("synonym/english.synsets")
	if err != nil {
		return nil, err
	}
	exceptions, exceptionsAt, err := in.list("synonym/english.exceptions")
	if err != nil {
		return nil, err
	}
	return wordnet.Read(bytes.NewReader(synsets), at, bytes.NewReader(exceptions), exceptionsAt)
}

// maxEntry bounds a line of a list, in bytes.
const maxEntry = 1 << 16

// splitLines returns the lines that are not empty, without white space around them.
func splitLines(text []byte, name string) ([]string, error) {
	var out []string
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if len(line) > maxEntry {
			return nil, fmt.Errorf("%s:%d: a line of more than %d bytes; this is no list of words", name, n, maxEntry)
		}
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out, nil
}

// readPrefixes reads abbreviations, one a line; "#" begins a comment, and
// "#NUMERIC_ONLY#" after one says that it is such before a number only.
func readPrefixes(text []byte, name string) (prefixes, error) {
	p := prefixes{map[string]bool{}, map[string]bool{}}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if len(line) > maxEntry {
			return p, fmt.Errorf("%s:%d: a line of more than %d bytes; this is no list of abbreviations", name, n, maxEntry)
		}
		line = strings.TrimSpace(line)
		word, numeric := strings.CutSuffix(line, "#NUMERIC_ONLY#")
		word = strings.TrimSpace(word)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.ContainsAny(word, "# \t"):
			return p, fmt.Errorf("%s:%d: %q is not one abbreviation", name, n, line)
		case numeric:
			p.numbers[word] = true
		default:
			p.always[word] = true
		}
	}
	return p, nil
}
