package meteor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/maphash"
	"io"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/vocab"
)

// Paraphrases is a table of phrases that mean the same. It is immutable and safe for
// concurrent use. The zero value is no table: see OpenParaphrases.
type Paraphrases struct {
	name  string
	words vocab.Vocab // of the phrases
	// A phrase that has paraphrases is a node of the trie of word numbers. rows holds,
	// by node, the number from 1 of its row; row n is others[ends[n-1]:ends[n]].
	phrases ngram.Trie
	rows    []int32
	ends    []int32
	others  []phrase
	// text holds the paraphrases, a space after each word but LF after the last.
	text []byte
	seed maphash.Seed
}

// A phrase is the right side of a pair. Most of them occur in one pair only, so that
// numbering them would cost more than it gives.
type phrase struct {
	hash uint32 // of its first word
	at   uint32 // its place in text
}

func (t *Paraphrases) hash(word []byte) uint32 { return uint32(maphash.Bytes(t.seed, word)) }

// length returns how many of words p is, 0 if they do not begin with it.
func (t *Paraphrases) length(p phrase, words []*word) int32 {
	if words[0].hash != p.hash {
		return 0
	}
	text := t.text[p.at:]
	for i, w := range words {
		n := len(w.text)
		if len(text) <= n || string(text[:n]) != w.text {
			break
		}
		if text[n] == '\n' {
			return int32(i + 1)
		}
		if text[n] != ' ' {
			break
		}
		text = text[n+1:]
	}
	return 0
}

// OpenParaphrases reads a file of METEOR's form, gzip or plain: three lines for each
// pair, a probability (which METEOR does not use), a phrase and its paraphrase, words
// with spaces between, perhaps after a byte order mark. The English one of METEOR 1.5 takes
// about 160 MB of memory. Errors name the file and the line; one that expands to more than
// 100 times its size is an error. When ctx is cancelled it stops and returns ctx's error.
func OpenParaphrases(ctx context.Context, path string) (*Paraphrases, error) {
	f, err := sidefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	return readParaphrases(ctx, f, path, size)
}

// ReadParaphrases is OpenParaphrases of what r gives. Errors tell it by the name given.
func ReadParaphrases(ctx context.Context, r io.Reader, name string) (*Paraphrases, error) {
	return readParaphrases(ctx, r, name, 0)
}

func readParaphrases(ctx context.Context, r io.Reader, name string, size int64) (*Paraphrases, error) {
	if contract.Nil(r) {
		return nil, fmt.Errorf("%s: %w", name, contract.ErrNoReader)
	}
	p := &paraphraseReader{t: new(Paraphrases), name: name}
	// In METEOR's own tables, packed, there are 3 bytes of paraphrases for every 2, and a
	// pair for every 12.
	size = min(size, 1<<28)
	p.t.text, p.t.seed = make([]byte, 0, size+size/2), maphash.MakeSeed()
	p.t.others, p.pairs = make([]phrase, 0, size/11), make([]int32, 0, size/11)
	sum := sha256.New()
	if err := p.read(ctx, io.TeeReader(r, sum)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p.line > 0 {
			name = fmt.Sprintf("%s:%d", name, p.line)
		}
		return nil, fmt.Errorf("%s: %w", name, sidefile.Plain(err))
	}
	p.finish()
	p.t.name = paraphraseName(sum)
	return p.t, nil
}

// englishParaphrases is the hash of METEOR 1.5's paraphrase-en.gz.
const englishParaphrases = "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48"

func paraphraseName(sum hash.Hash) string {
	s := hex.EncodeToString(sum.Sum(nil))
	if s == englishParaphrases {
		return program + "-en"
	}
	return "sha256-" + s[:8]
}

// paraphraseReader is what is needed while a table is read.
type paraphraseReader struct {
	t    *Paraphrases
	name string
	line int
	// pairs holds the row of every pair's phrase.
	pairs []int32
	last  []byte // the last phrase, as it stands
	row   int32  // and its row
}

func (p *paraphraseReader) read(ctx context.Context, r io.Reader) error {
	text, err := sidefile.Text(r)
	if err != nil {
		return err
	}
	free, stop := make(chan []byte, 3), make(chan struct{})
	defer close(stop)
	for range cap(free) {
		free <- make([]byte, 1<<20)
	}
	blocks := unpack(text, free, stop)
	var rest []byte // of a line that goes on in the next block
	for {
		var b block
		var more bool
		select {
		case b, more = <-blocks:
		case <-ctx.Done(): // however long the reader takes
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !more {
			return p.end(rest)
		}
		if rest, err = p.addLines(rest, b.data); err != nil {
			return err
		}
		if b.err != nil {
			p.line++
			return b.err
		}
		free <- b.data[:cap(b.data)]
	}
}

// A block of text, with the error or the end that came after it.
type block struct {
	data []byte
	err  error
	end  bool
}

// unpack reads text, into the slices that are free, in a goroutine of its own that ends with
// the text, at its first error or when stop is closed.
func unpack(text io.Reader, free <-chan []byte, stop <-chan struct{}) <-chan block {
	blocks := make(chan block, 2)
	go func() {
		defer close(blocks)
		for {
			var b block
			select {
			case b.data = <-free:
			case <-stop:
				return
			}
			n, err := io.ReadFull(text, b.data)
			b.data = b.data[:n]
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				b.err = err
			} else if _, err := text.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				// ReadFull turns the end of the text into the same error as a
				// text that is cut.
				b.err = err
			} else {
				b.end = true
			}
			select {
			case blocks <- b:
			case <-stop:
				return
			}
			if b.err != nil || b.end {
				return
			}
		}
	}()
	return blocks
}

// addLines adds the lines of a block, the first of which begins with rest, and returns what
// is left of the last one.
func (p *paraphraseReader) addLines(rest, data []byte) ([]byte, error) {
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		line := data[:end]
		data = data[end+1:]
		if len(rest) > 0 {
			rest = append(rest, line...)
			line = rest
		}
		p.line++
		if err := p.add(line); err != nil {
			return nil, err
		}
		rest = rest[:0]
	}
	if rest = append(rest, data...); len(rest) > 1<<16 {
		p.line++
		return nil, errors.New("the line is longer than 65,536 bytes; this is no paraphrase table")
	}
	return rest, nil
}

// end adds the last line, if it has no end of line, and says what is missing.
func (p *paraphraseReader) end(rest []byte) error {
	if len(rest) > 0 {
		p.line++
		if err := p.add(rest); err != nil {
			return err
		}
	}
	if p.line == 0 {
		return errors.New("there is nothing in it")
	}
	if p.line%3 != 0 {
		return errors.New("the file ends within a pair: want three lines each, a probability, a phrase and its paraphrase")
	}
	return nil
}

// add takes a line.
func (p *paraphraseReader) add(line []byte) error {
	t := p.t
	line = bytes.TrimSuffix(line, []byte("\r"))
	switch p.line % 3 {
	case 1:
		if !isNumber(line) {
			return fmt.Errorf("%.40q is not a probability: want three lines a pair, a probability, a phrase and its paraphrase", line)
		}
	case 2:
		if bytes.Equal(line, p.last) && p.row > 0 {
			break
		}
		node := int32(0)
		split(line, func(word []byte) { node = t.phrases.Add(node, t.words.Add(word)) })
		if node == 0 {
			return errors.New("the phrase is empty")
		}
		if int(node) >= len(t.rows) {
			t.rows = append(t.rows, make([]int32, max(int(node)+1-len(t.rows), len(t.rows)/2))...)
		}
		if t.rows[node] == 0 {
			t.ends = append(t.ends, 0)
			t.rows[node] = int32(len(t.ends))
		}
		p.last, p.row = append(p.last[:0], line...), t.rows[node]
	case 0:
		at := len(t.text)
		if uint64(at)+uint64(len(line)) >= math.MaxUint32 {
			return errors.New("the table is too large: more than 4 GiB of paraphrases")
		}
		for _, c := range line {
			if !javaBlank(rune(c)) {
				t.text = append(t.text, c)
			} else if n := len(t.text); n > at && t.text[n-1] != ' ' {
				t.text = append(t.text, ' ')
			}
		}
		text := bytes.TrimSuffix(t.text[at:], []byte(" "))
		if len(text) == 0 {
			return errors.New("the paraphrase is empty")
		}
		t.text = append(t.text[:at+len(text)], '\n')
		first, _, _ := bytes.Cut(text, []byte(" "))
		p.pairs = append(p.pairs, p.row)
		t.others = append(t.others, phrase{t.hash(first), uint32(at)})
	}
	return nil
}

// isNumber says whether a line looks like a number. What it is does not matter, but a file
// that lost a line shows here.
func isNumber(line []byte) bool {
	for _, c := range line {
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '-' && c != '+' {
			return false
		}
	}
	return len(line) > 0
}

// split calls each for the words of a line.
func split(line []byte, each func(word []byte)) {
	for i := 0; i < len(line); {
		if javaBlank(rune(line[i])) {
			i++
			continue
		}
		lo := i
		for i < len(line) && !javaBlank(rune(line[i])) {
			i++
		}
		each(line[lo:i])
	}
}

// finish puts the paraphrases in the order of their rows, as METEOR tries them: row by row,
// and in a row as in the file.
func (p *paraphraseReader) finish() {
	t := p.t
	ends := make([]int32, len(t.ends)+1)
	for _, row := range p.pairs {
		ends[row]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	t.ends = ends
	if slices.IsSorted(p.pairs) { // as in METEOR's own
		return
	}
	at := slices.Clone(ends)
	others := make([]phrase, len(t.others))
	for i, row := range p.pairs {
		others[at[row-1]] = t.others[i]
		at[row-1]++
	}
	t.others = others
}

// find appends the phrases among words that have paraphrases. A nil table has none.
func (t *Paraphrases) find(dst []tablePhrase, words []*word, p *pace.Pace) ([]tablePhrase, error) {
	if t == nil {
		return dst, nil
	}
	for i := range words {
		node, n := int32(0), i
		for ; n < len(words) && words[n].phrase != 0; n++ {
			if node = t.phrases.Next(node, words[n].phrase); node == 0 {
				break
			}
			if int(node) < len(t.rows) && t.rows[node] != 0 {
				dst = append(dst, tablePhrase{int32(i), int32(n - i + 1), t.rows[node]})
			}
		}
		if err := p.Done(10 * (n - i + 1)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// row returns the paraphrases of a row.
func (t *Paraphrases) row(n int32) []phrase { return t.others[t.ends[n-1]:t.ends[n]] }
