package dreem

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/lineup"
	"github.com/mteval/mteval/internal/sidefile"
)

// A Tree says in which order the words of a sentence are combined, two nodes at a time.
// Node k < len(Words) is word k, and node len(Words)+k is made of the nodes Merges[k], the
// first of which stands left. The last node is the sentence; every other one is part of
// exactly one merge, and made before it.
type Tree struct {
	Words  []string
	Merges [][2]int
	Line   int // where it starts in its file, 0 if it has none
}

// check says what is wrong with a tree that someone made by hand. It returns memory that it
// was given, to be used again.
func (t *Tree) check(used []bool) ([]bool, error) {
	n := len(t.Words)
	if n == 0 {
		return used, fmt.Errorf("a tree without words")
	}
	if len(t.Merges) != n-1 {
		return used, fmt.Errorf("%d merges of %d words, where there must be %d", len(t.Merges), n, n-1)
	}
	used = grown(used, 2*n-1)
	clear(used)
	for k, m := range t.Merges {
		for _, node := range m {
			if node < 0 || node >= n+k || used[node] {
				return used, fmt.Errorf("merge %d takes node %d, which is not there or used already", k+1, node)
			}
			used[node] = true
		}
	}
	return used, nil
}

// A TreeSource gives the trees of a text, one for each of its sentences in order. It is
// safe for concurrent use, gives the same trees every time, and stops when ctx is
// cancelled. A text without trees is an error; an empty one has none.
type TreeSource interface {
	Trees(ctx context.Context, text string) ([]Tree, error)
}

// A Treebank holds the trees of texts. Texts are added first; then it is safe for
// concurrent use. The zero value is empty.
type Treebank struct{ trees lineup.Bank[Tree] }

var treeKind = lineup.Kind[Tree]{Name: "tree", Of: func(t *Tree) (int, []string) { return t.Line, t.Words }}

// Add adds the trees of texts, one or more for each, in order: their words must have the
// characters of the text, white space aside. The error names the file and line of the
// tree, and the line of the text, of the first that has not, and nothing is added then.
// An empty text takes no tree.
func (b *Treebank) Add(texts []string, trees []Tree, name string) error {
	return b.trees.Add(texts, trees, name, treeKind)
}

// Trees returns the trees of a text that was added.
func (b *Treebank) Trees(_ context.Context, text string) ([]Tree, error) {
	t, ok := b.trees.Get(text)
	if !ok {
		return nil, fmt.Errorf("dreem: no tree for the text %q: add the trees of every hypothesis and reference", text)
	}
	return t, nil
}

// FromParser makes trees of dependency parses, see FromDependencies.
func FromParser(p conllu.Parser) TreeSource { return parserTrees{p} }

type parserTrees struct{ p conllu.Parser }

func (s parserTrees) Trees(ctx context.Context, text string) ([]Tree, error) {
	if contract.Nil(s.p) {
		return nil, errors.New("dreem: trees of no parser")
	}
	sentences, err := s.p.Parse(ctx, text)
	if err != nil {
		return nil, err
	}
	out := make([]Tree, len(sentences))
	for i := range sentences {
		if out[i], err = FromDependencies(&sentences[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FromDependencies makes a tree of two-way merges of a dependency parse: each word
// combines with its dependents, whose own trees are made first, from the nearest outwards,
// of two as near with the left one first. Several roots combine from left to right.
// Crossing arcs are no problem: nodes need not stand for words in a row. Words whose
// governors form a ring, or a governor that is not there, are an error.
func FromDependencies(s *conllu.Sentence) (Tree, error) {
	if s == nil || len(s.Words) == 0 {
		return Tree{}, errors.New("dreem: a tree of no words")
	}
	n := len(s.Words)
	d, err := newDependents(s)
	if err != nil {
		return Tree{}, err
	}
	t := Tree{Words: make([]string, n), Line: s.Line}
	for i, w := range s.Words {
		t.Words[i] = w.Form
	}
	// Governors before their dependents; then nodes are made in the other direction.
	order := d.of(nil, 0)
	for k := 0; k < len(order); k++ {
		order = d.of(order, order[k]+1)
	}
	if len(order) != n {
		return Tree{}, fmt.Errorf("dreem: parse of line %d: some words' governors form a ring", s.Line)
	}
	node := make([]int, n)
	var below []int
	for k := n - 1; k >= 0; k-- {
		below = d.of(below[:0], order[k]+1)
		node[order[k]] = t.join(order[k], below, node)
	}
	roots := d.of(nil, 0)
	for k := len(roots) - 2; k >= 0; k-- {
		node[roots[k]] = t.merge(node[roots[k+1]], node[roots[k]])
	}
	return t, nil
}

// dependents has for each word, from 1, and for the root, 0, the first of its dependents, and
// for each of these the next, from right to left; −1 where there is none.
type dependents struct{ first, next []int }

func newDependents(s *conllu.Sentence) (dependents, error) {
	n := len(s.Words)
	d := dependents{make([]int, n+1), make([]int, n)}
	for i := range d.first {
		d.first[i] = -1
	}
	for i, w := range s.Words {
		if w.Head < 0 || w.Head > n || w.Head == i+1 {
			return d, fmt.Errorf("dreem: parse of line %d: word %d has the governor %d", s.Line, i+1, w.Head)
		}
		d.next[i], d.first[w.Head] = d.first[w.Head], i
	}
	return d, nil
}

// of appends the dependents of a word, from right to left.
func (d *dependents) of(dst []int, word int) []int {
	for at := d.first[word]; at >= 0; at = d.next[at] {
		dst = append(dst, at)
	}
	return dst
}

// merge makes a node of two, and returns it.
func (t *Tree) merge(l, r int) int {
	t.Merges = append(t.Merges, [2]int{l, r})
	return len(t.Words) + len(t.Merges) - 1
}

// join makes a node of a word and its dependents, which come from right to left and have nodes,
// and returns it.
func (t *Tree) join(word int, dependents, node []int) int {
	split := 0 // those on the left come from there on
	for split < len(dependents) && dependents[split] > word {
		split++
	}
	right, left := dependents[:split], dependents[split:]
	at := word
	for len(left)+len(right) > 0 {
		if r := len(right) - 1; r < 0 || len(left) > 0 && word-left[0] <= right[r]-word {
			at, left = t.merge(node[left[0]], at), left[1:]
		} else {
			at, right = t.merge(at, node[right[r]]), right[:r]
		}
	}
	return at
}

// OpenPenn reads the bracketed trees of the file at path, see ReadPenn.
func OpenPenn(path string) ([]Tree, error) {
	return sidefile.Load(path, ReadPenn)
}

// ReadPenn reads bracketed trees as the Penn Treebank has them, "(S (NP (DT the) (NN
// man)) (VP (VBZ sleeps)))", one after another. A node of more than two parts combines them
// from the right, (a (b c)); one of a single part is that part. -LRB- and the like become
// the brackets that they stand for, and empty nodes (label -NONE-) are left out. The file
// may be compressed by gzip and begin with a byte order mark. Errors name file and line.
func ReadPenn(r io.Reader, name string) ([]Tree, error) {
	in, err := sidefile.Text(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, sidefile.Plain(err))
	}
	p := &pennParser{in: in, line: 1}
	trees, err := p.parse()
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
	}
	return trees, nil
}

var pennBrackets = strings.NewReplacer("-LRB-", "(", "-RRB-", ")", "-LSB-", "[", "-RSB-", "]", "-LCB-", "{", "-RCB-", "}")

type pennParser struct {
	in   *bufio.Reader
	line int
	out  []Tree
	tree Tree // that is read
	open []pennNode
}

// token returns the next bracket or run of other characters, "" at the end.
func (p *pennParser) token() (string, error) {
	var out bytes.Buffer
	for {
		r, w, err := p.in.ReadRune()
		switch {
		case err == io.EOF:
			return out.String(), nil
		case err != nil:
			return "", err
		case r == utf8.RuneError && w == 1:
			return "", fmt.Errorf("bytes that are not UTF-8")
		case r == '(' || r == ')' || unicode.IsSpace(r):
			if out.Len() > 0 {
				return out.String(), p.in.UnreadRune()
			}
			if r == '\n' {
				p.line++
			} else if !unicode.IsSpace(r) {
				return string(r), nil
			}
		case out.Len() >= maxToken:
			return "", fmt.Errorf("a word of more than %d bytes", maxToken)
		default:
			out.WriteRune(r)
		}
	}
}

// Bounds of a tree, and of a word or label in bytes.
const (
	maxWords = 1 << 16
	maxToken = 1 << 16
)

// A pennNode is open: its label and what it holds so far.
type pennNode struct {
	label string
	word  string
	parts []int // −1−k: merge k, else a word
}

func (p *pennParser) parse() ([]Tree, error) {
	named := false // the last token opened a node, so that a label may follow
	for {
		tok, err := p.token()
		if err != nil {
			return nil, err
		}
		switch {
		case tok == "" && len(p.open) > 0:
			return nil, p.unended()
		case tok == "":
			return p.out, nil
		case tok == "(":
			err = p.openNode()
		case tok == ")":
			err = p.closeNode()
		case len(p.open) == 0:
			err = fmt.Errorf("%q outside of a tree", tok)
		case named:
			err = p.label(tok)
		default:
			err = fmt.Errorf("the word %q without a node of its own", tok)
		}
		if err != nil {
			return nil, err
		}
		named = tok == "("
	}
}

func (p *pennParser) unended() error {
	return fmt.Errorf("the file ends within a tree, which starts at line %d", p.tree.Line)
}

func (p *pennParser) openNode() error {
	if len(p.open) == 0 {
		p.tree = Tree{Line: p.line}
	}
	if len(p.open) > 0 && p.open[len(p.open)-1].word != "" {
		return fmt.Errorf("a node within that of the word %q", p.open[len(p.open)-1].word)
	}
	if len(p.open) == maxWords {
		return fmt.Errorf("more than %d nodes within each other", maxWords)
	}
	p.open = append(p.open, pennNode{})
	return nil
}

// label reads what follows the label of the node that is open: its word, if it has one.
func (p *pennParser) label(label string) error {
	n := &p.open[len(p.open)-1]
	n.label = label
	next, err := p.token()
	switch {
	case err != nil:
		return err
	case next == "":
		return p.unended()
	case next == "(" || next == ")": // the last character read
		return p.in.UnreadRune()
	}
	n.word = next
	return nil
}

// closeNode makes merges of the parts of the node that is open, and with the outermost ends the
// tree.
func (p *pennParser) closeNode() error {
	if len(p.open) == 0 {
		return fmt.Errorf("a closing bracket without an opening one")
	}
	n, t := &p.open[len(p.open)-1], &p.tree
	if n.word != "" && n.label != "-NONE-" {
		if len(t.Words) == maxWords {
			return fmt.Errorf("a tree of more than %d words", maxWords)
		}
		n.parts = append(n.parts, len(t.Words))
		t.Words = append(t.Words, pennBrackets.Replace(n.word))
	}
	at, has := 0, len(n.parts) > 0
	if has {
		at = n.parts[len(n.parts)-1]
	}
	for k := len(n.parts) - 2; k >= 0; k-- {
		t.Merges = append(t.Merges, [2]int{n.parts[k], at})
		at = -len(t.Merges)
	}
	p.open = p.open[:len(p.open)-1]
	switch {
	case len(p.open) > 0:
		if has {
			p.open[len(p.open)-1].parts = append(p.open[len(p.open)-1].parts, at)
		}
		return nil
	case !has:
		return fmt.Errorf("a tree without words")
	}
	for k := range t.Merges {
		for j, x := range t.Merges[k] {
			if x < 0 {
				t.Merges[k][j] = len(t.Words) - 1 - x
			}
		}
	}
	p.out = append(p.out, *t)
	return nil
}
