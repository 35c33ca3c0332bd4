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

// check says what is wrong with a tree that someone made by hand.
func (t *Tree) check() error {
	n := len(t.Words)
	if n == 0 {
		return fmt.Errorf("a tree without words")
	}
	if len(t.Merges) != n-1 {
		return fmt.Errorf("%d merges of %d words, where there must be %d", len(t.Merges), n, n-1)
	}
	used := make([]bool, 2*n-1)
	for k, m := range t.Merges {
		for _, node := range m {
			if node < 0 || node >= n+k || used[node] {
				return fmt.Errorf("merge %d takes node %d, which is not there or used already", k+1, node)
			}
			used[node] = true
		}
	}
	return nil
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
func FromParser(p conllu.Parser) TreeSource { return parsed{p} }

type parsed struct{ p conllu.Parser }

func (s parsed) Trees(ctx context.Context, text string) ([]Tree, error) {
	if s.p == nil {
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
	t := Tree{Words: make([]string, n), Line: s.Line}
	first, next := make([]int, n+1), make([]int, n) // dependents, from right to left
	for i := range first {
		first[i] = -1
	}
	for i, w := range s.Words {
		t.Words[i] = w.Form
		if w.Head < 0 || w.Head > n || w.Head == i+1 {
			return Tree{}, fmt.Errorf("dreem: parse of line %d: word %d has the governor %d", s.Line, i+1, w.Head)
		}
		next[i], first[w.Head] = first[w.Head], i
	}
	// Governors before their dependents; then nodes are made in the other direction.
	var order []int
	for d := first[0]; d >= 0; d = next[d] {
		order = append(order, d)
	}
	for k := 0; k < len(order); k++ {
		for d := first[order[k]+1]; d >= 0; d = next[d] {
			order = append(order, d)
		}
	}
	if len(order) != n {
		return Tree{}, fmt.Errorf("dreem: parse of line %d: some words' governors form a ring", s.Line)
	}
	node := make([]int, n)
	merge := func(l, r int) int {
		t.Merges = append(t.Merges, [2]int{l, r})
		return n + len(t.Merges) - 1
	}
	for k := n - 1; k >= 0; k-- {
		h := order[k]
		var left, right []int // both from right to left
		for d := first[h+1]; d >= 0; d = next[d] {
			if d < h {
				left = append(left, d)
			} else {
				right = append(right, d)
			}
		}
		at := h
		for len(left)+len(right) > 0 {
			if r := len(right) - 1; r < 0 || len(left) > 0 && h-left[0] <= right[r]-h {
				at, left = merge(node[left[0]], at), left[1:]
			} else {
				at, right = merge(at, node[right[r]]), right[:r]
			}
		}
		node[h] = at
	}
	var roots []int
	for d := first[0]; d >= 0; d = next[d] {
		roots = append(roots, d)
	}
	for k := len(roots) - 2; k >= 0; k-- {
		node[roots[k]] = merge(node[roots[k+1]], node[roots[k]])
	}
	return t, nil
}

// OpenPenn reads the bracketed trees of the file at path, see ReadPenn.
func OpenPenn(path string) ([]Tree, error) {
	f, err := sidefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadPenn(f, path)
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
	var out []Tree
	var open []pennNode
	var t Tree
	labelled := false // the last token opened a node, so that a label may follow
	for {
		tok, err := p.token()
		if err != nil {
			return nil, err
		}
		switch {
		case tok == "" && len(open) > 0:
			return nil, fmt.Errorf("the file ends within a tree, which starts at line %d", t.Line)
		case tok == "":
			return out, nil
		case tok == "(":
			if len(open) == 0 {
				t = Tree{Line: p.line}
			}
			if len(open) > 0 && open[len(open)-1].word != "" {
				return nil, fmt.Errorf("a node within that of the word %q", open[len(open)-1].word)
			}
			if len(open) == maxWords {
				return nil, fmt.Errorf("more than %d nodes within each other", maxWords)
			}
			open = append(open, pennNode{})
			labelled = true
			continue
		case tok == ")":
			if len(open) == 0 {
				return nil, fmt.Errorf("a closing bracket without an opening one")
			}
			n := &open[len(open)-1]
			if n.word != "" && n.label != "-NONE-" {
				if len(t.Words) == maxWords {
					return nil, fmt.Errorf("a tree of more than %d words", maxWords)
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
			open = open[:len(open)-1]
			if len(open) > 0 {
				if has {
					open[len(open)-1].parts = append(open[len(open)-1].parts, at)
				}
			} else if !has {
				return nil, fmt.Errorf("a tree without words")
			} else {
				for k := range t.Merges {
					for j, x := range t.Merges[k] {
						if x < 0 {
							t.Merges[k][j] = len(t.Words) - 1 - x
						}
					}
				}
				out = append(out, t)
			}
		case len(open) == 0:
			return nil, fmt.Errorf("%q outside of a tree", tok)
		case labelled:
			open[len(open)-1].label = tok
			labelled = true
			// A second token is the word.
			next, err := p.token()
			if err != nil {
				return nil, err
			}
			if next != "(" && next != ")" && next != "" {
				open[len(open)-1].word = next
				labelled = false
				continue
			}
			if next == "" {
				return nil, fmt.Errorf("the file ends within a tree, which starts at line %d", t.Line)
			}
			// A bracket was the last character read.
			if err := p.in.UnreadRune(); err != nil {
				return nil, err
			}
			continue
		default:
			return nil, fmt.Errorf("the word %q without a node of its own", tok)
		}
		labelled = false
	}
}
