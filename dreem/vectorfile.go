package dreem

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/sidefile"
)

// VectorOptions say what to keep of a file of word vectors. The zero value keeps all.
type VectorOptions struct {
	// First keeps the first so many words only, which in most files are the most
	// frequent ones, and reads no further; 0 is all.
	First int
	// Keep, if not nil, says which words to keep, so that a file of gigabytes takes
	// the room of the words of some texts: see Options.Lookups. Scores of these texts and
	// signatures are the same as with all words.
	Keep func(word string) bool
}

// OpenVectors reads a file of word vectors, see ReadVectors.
func OpenVectors(path string, o VectorOptions) (*Vectors, error) {
	return sidefile.Load(path, func(r io.Reader, name string) (*Vectors, error) { return ReadVectors(r, name, o) })
}

// ReadVectors reads word vectors. The format is told from the content, which may be
// compressed by gzip and begin with a byte order mark:
//
//   - word2vec's text format, which is that of fastText's .vec files: a line with the
//     number of words and that of numbers, then a line for each word with its numbers
//   - GloVe's: the same without the first line
//   - word2vec's binary format: the first line, then for each word the word, a space, and
//     its numbers as little-endian ones of 32 bits; a line feed before a word is dropped
//
// A word may hold spaces, as some of GloVe's do, but its second part cannot be a number.
// fastText's .bin files, which hold a whole model, are not read: the error says how to get
// a .vec file. Nor are its vectors of parts of words: a word that is not in the file is
// unknown.
//
// Of a word that is there more than once the first row counts, as for gensim; Repeated says
// how many others there were. They are among the rows that the first line counts.
//
// A row with more or fewer numbers, a number that is none, NaN or infinite, fewer or more
// rows than the first line says, bytes that are not UTF-8 in a text file, and gzip data
// that expand to more than 100 times their size are errors that name the file and the line,
// or of a binary file the word's number.
func ReadVectors(r io.Reader, name string, o VectorOptions) (*Vectors, error) {
	if o.First < 0 {
		return nil, fmt.Errorf("dreem: the first %d words of a file", o.First)
	}
	in, err := sidefile.Text(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, sidefile.Plain(err))
	}
	p := &vectorParser{in: in, name: name, o: o, v: &Vectors{}, rows: -1}
	if err := p.parse(); err != nil {
		return nil, err
	}
	p.all.finish(p.v)
	return p.v, nil
}

// fastTextMagic starts fastText's model files.
var fastTextMagic = binary.LittleEndian.AppendUint32(nil, 793712314)

type vectorParser struct {
	in   *bufio.Reader
	name string
	o    VectorOptions
	v    *Vectors
	all  summary // of all rows, those of words that are not kept, too
	rows int64   // as the first line has it, −1 without one
	n    int64   // rows read
	line int64
	row  []float32
}

func (p *vectorParser) parse() error {
	if head, _ := p.in.Peek(4); bytes.Equal(head, fastTextMagic) {
		return fmt.Errorf("%s: a fastText model, which is not read; write its vectors as text (a .vec file) with fastText's print-word-vectors", p.name)
	}
	if head, _ := p.in.Peek(len(modelMagic)); string(head) == modelMagic {
		return fmt.Errorf("%s: a model of vectors and autoencoder; open it with OpenModel", p.name)
	}
	if head, _ := p.in.Peek(4); string(head) == "PK\x03\x04" {
		return fmt.Errorf("%s: a zip archive, which is not read: unpack it", p.name)
	}
	first, err := p.readLine()
	if err == io.EOF {
		return fmt.Errorf("%s: empty", p.name)
	} else if err != nil {
		return err
	}
	fields := splitFields(first)
	if len(fields) == 2 {
		rows, err1 := strconv.ParseInt(string(fields[0]), 10, 64)
		dim, err2 := strconv.Atoi(string(fields[1]))
		if err1 == nil && err2 == nil {
			if rows < 1 || dim < 1 || dim > maxDim {
				return p.errorf("a header for %d words of %d numbers: at least 1 word, and 1 to %d numbers, are possible", rows, dim, maxDim)
			}
			p.rows, p.v.dim = rows, dim
			if p.isBinary() {
				return p.binary()
			}
			return p.text(nil)
		}
	}
	if p.v.dim = len(fields) - 1; p.v.dim > 0 {
		// The word of the first row may hold spaces too.
		for p.v.dim > 1 && !isNumber(fields[len(fields)-p.v.dim]) {
			p.v.dim--
		}
	}
	if p.v.dim < 1 || p.v.dim > maxDim {
		return p.errorf("a row of %d numbers, or not a file of word vectors", p.v.dim)
	}
	return p.text(first)
}

// isBinary says whether what follows the first line holds bytes that no text has.
func (p *vectorParser) isBinary() bool {
	head, _ := p.in.Peek(min(p.in.Size(), 64+8*p.v.dim))
	for i, b := range head {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' {
			return true
		}
		if b >= utf8.RuneSelf && !utf8.FullRune(head[i:]) {
			break
		}
		if r, w := utf8.DecodeRune(head[i:]); r == utf8.RuneError && w == 1 && !(i > 0 && b&0xc0 == 0x80) {
			return true
		}
	}
	return false
}

func (p *vectorParser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", p.name, p.line, fmt.Errorf(format, args...))
}

// maxLine bounds a line: that of the most numbers, and a long word.
const maxLine = 64*maxDim + 1<<16

// readLine returns the next line without its end, for as long as nothing else is read.
func (p *vectorParser) readLine() ([]byte, error) {
	line, err := p.in.ReadSlice('\n')
	p.line++
	if err == bufio.ErrBufferFull || len(line) > maxLine {
		return nil, p.errorf("a line of more than %d bytes", maxLine)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w (after line %d)", p.name, err, p.line-1)
	}
	if len(line) == 0 {
		return nil, io.EOF
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}

// splitFields splits at spaces and tabs; other white space belongs to words.
func splitFields(line []byte) [][]byte {
	return bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
}

// parseNumber reads a number as the files have it: decimal, nothing that Go alone writes.
func parseNumber(field []byte) (float32, error) {
	if bytes.ContainsAny(field, "_xXpP") {
		return 0, strconv.ErrSyntax
	}
	x, err := strconv.ParseFloat(string(field), 32)
	return float32(x), err
}

func isNumber(field []byte) bool {
	_, err := parseNumber(field)
	return err == nil
}

// done says whether no more rows are wanted.
func (p *vectorParser) done() bool { return p.o.First > 0 && p.n >= int64(p.o.First) }

// text reads rows, the first of which may have been read.
func (p *vectorParser) text(line []byte) error {
	for !p.done() {
		if line == nil {
			var err error
			if line, err = p.readLine(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
		if !utf8.Valid(line) {
			return p.errorf("bytes that are not UTF-8")
		}
		fields := splitFields(line)
		if len(fields) == 0 {
			return p.errorf("an empty line")
		}
		dim := p.v.dim
		if len(fields) < dim+1 {
			return p.errorf("%d numbers after the word where the others have %d", len(fields)-1, dim)
		}
		if len(fields) > dim+1 && isNumber(fields[1]) {
			return p.errorf("%d numbers after the word where the others have %d", len(fields)-1, dim)
		}
		p.row = p.row[:0]
		for _, f := range fields[len(fields)-dim:] {
			x, err := parseNumber(f)
			if err != nil {
				return p.errorf("%q is not a number (the others have %d after the word)", f, dim)
			}
			p.row = append(p.row, x)
		}
		word := fields[0]
		if extra := len(fields) - dim - 1; extra > 0 {
			word = bytes.Join(fields[:extra+1], []byte(" "))
		}
		if err := p.take(word); err != nil {
			return p.errorf("%w", err)
		}
		line = nil
	}
	return p.checkRows()
}

func (p *vectorParser) checkRows() error {
	if p.rows >= 0 && p.n != p.rows && !p.done() {
		return fmt.Errorf("%s: %d words where line 1 says %d: cut short, or another file's first line", p.name, p.n, p.rows)
	}
	return nil
}

// take adds a word with the vector in p.row, if it is to be kept.
func (p *vectorParser) take(word []byte) error {
	p.n++
	if p.rows >= 0 && p.n > p.rows {
		return fmt.Errorf("more words than the %d that line 1 says", p.rows)
	}
	if err := checkVector(word, p.row); err != nil {
		return err
	}
	if p.n == 1 {
		p.all.start(p.v.dim)
	}
	p.all.add(word, p.row)
	switch {
	case p.o.Keep != nil && !p.o.Keep(string(word)):
	case p.v.add(word):
		p.v.data = append(p.v.data, p.row...)
	default:
		p.v.repeated++
	}
	return nil
}

// binary reads the rows of word2vec's binary format.
func (p *vectorParser) binary() error {
	numbers := make([]byte, 4*p.v.dim)
	p.row = make([]float32, p.v.dim)
	var word []byte
	for p.n < p.rows && !p.done() {
		fail := func(err error) error {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = fmt.Errorf("cut short: line 1 says %d words", p.rows)
			}
			return fmt.Errorf("%s: word %d: %w", p.name, p.n+1, err)
		}
		word = word[:0]
		for {
			b, err := p.in.ReadByte()
			if err != nil {
				return fail(err)
			}
			if b == ' ' {
				break
			}
			if b != '\n' || len(word) > 0 {
				word = append(word, b)
			}
			if len(word) > 1<<16 {
				return fail(fmt.Errorf("longer than %d bytes: not word2vec's binary format", 1<<16))
			}
		}
		if _, err := io.ReadFull(p.in, numbers); err != nil {
			return fail(err)
		}
		for i := range p.row {
			p.row[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
		}
		if err := p.take(word); err != nil {
			p.n--
			return fail(err)
		}
	}
	if !p.done() {
		if rest, _ := io.ReadAll(io.LimitReader(p.in, 2)); len(bytes.TrimSpace(rest)) > 0 {
			return fmt.Errorf("%s: more after the %d words that line 1 says", p.name, p.rows)
		}
	}
	return nil
}
