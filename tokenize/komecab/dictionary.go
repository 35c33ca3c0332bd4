package komecab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/sidefile"
)

// A dictionary is MeCab's compiled one: sys.dic and unk.dic have the words, char.bin says
// what characters are, matrix.bin what it costs that one word follows another.
type dictionary struct {
	system words
	// categories of characters, and the words of each that are in no dictionary
	categories []string
	unknown    [][]token
	chars      []byte // four bytes for each of the first characters of Unicode
	costs      []byte // two bytes for each pair of right and left
	rights     int
	// penalties of words with a space before them, by part of speech
	penalties map[uint16]int64
}

// files are those of a dictionary that are read.
var files = []string{"char.bin", "dicrc", "matrix.bin", "sys.dic", "unk.dic"}

// dictionaryMagic tells a file of words by its size: their exclusive or is at its beginning.
const dictionaryMagic = 0xef718f77

// words are a file of words: a double array from a word's bytes to its tokens.
type words struct {
	count  int
	array  []byte // base and check, four bytes each
	tokens []byte // tokenSize bytes each
}

const tokenSize = 16

// A token is one entry of a word.
type token struct {
	left, right, pos uint16
	cost             int16
}

func openDictionary(dir string) (*dictionary, error) {
	d := new(dictionary)
	for _, part := range []struct {
		name  string
		parse func(data []byte) error
	}{
		{"dicrc", d.parsePenalties},
		{"matrix.bin", d.parseCosts},
		{"char.bin", d.parseChars},
	} {
		path := filepath.Join(dir, part.name)
		data, err := sidefile.ReadFile(path, maxFile)
		if err != nil {
			return nil, err
		}
		if err := part.parse(data); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	path := filepath.Join(dir, "unk.dic")
	unknown, err := d.openWords(path)
	if err != nil {
		return nil, err
	}
	if err := d.setUnknown(unknown); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d.system, err = d.openWords(filepath.Join(dir, "sys.dic"))
	return d, err
}

// parsePenalties reads the setting of dicrc that mecab-ko alone has: pairs of a part of speech
// and of what it costs that a space is before it.
func (d *dictionary) parsePenalties(data []byte) error {
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "left-space-penalty-factor" {
			continue
		}
		var numbers []int64
		for s := range strings.SplitSeq(value, ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
			if err != nil || n < 0 {
				return fmt.Errorf("left-space-penalty-factor: %.80q is no number", s)
			}
			numbers = append(numbers, n)
		}
		if len(numbers)%2 != 0 {
			return errors.New("left-space-penalty-factor: wants pairs of numbers")
		}
		d.penalties = make(map[uint16]int64)
		for i := 0; i < len(numbers); i += 2 {
			d.penalties[uint16(numbers[i])] = numbers[i+1]
		}
		return nil
	}
	return errors.New("has no left-space-penalty-factor: is this a dictionary of mecab-ko?")
}

// parseCosts reads matrix.bin: how many right and left contexts there are, and the cost of
// each pair.
func (d *dictionary) parseCosts(data []byte) error {
	if len(data) < 4 {
		return errDamaged
	}
	d.rights = int(binary.LittleEndian.Uint16(data))
	lefts := int(binary.LittleEndian.Uint16(data[2:]))
	d.costs = data[4:]
	if d.rights == 0 || lefts == 0 || int64(len(d.costs)) != 2*int64(d.rights)*int64(lefts) {
		return errDamaged
	}
	return nil
}

var errDamaged = errors.New("is damaged, or no file of MeCab's")

// cost is what it costs that a word with this left context follows one with this right one.
func (d *dictionary) cost(right, left uint16) int64 {
	at := 2 * (int(right) + d.rights*int(left))
	return int64(int16(binary.LittleEndian.Uint16(d.costs[at:])))
}

const (
	charName  = 32    // bytes of a category's name
	charCount = 65535 // of char.bin
)

// parseChars reads char.bin.
func (d *dictionary) parseChars(data []byte) error {
	if len(data) < 4 {
		return errDamaged
	}
	n := int(binary.LittleEndian.Uint32(data))
	if n < 1 || n > 18 || len(data) != 4+n*charName+4*charCount {
		return errDamaged
	}
	for i := range n {
		name, _, _ := bytes.Cut(data[4+i*charName:][:charName], []byte{0})
		d.categories = append(d.categories, string(name))
	}
	d.chars = data[4+n*charName:]
	for r := range charCount {
		if d.char(rune(r)).category() >= n {
			return errDamaged
		}
	}
	return nil
}

// setUnknown takes the words of unk.dic, which are the categories of characters.
func (d *dictionary) setUnknown(w words) error {
	for _, name := range d.categories {
		var tokens []token
		w.prefixes(name, func(length, first, count int) {
			if length == len(name) {
				for k := range count {
					tokens = append(tokens, w.token(first+k))
				}
			}
		})
		if tokens == nil {
			return fmt.Errorf("has no category %q, which char.bin has", name)
		}
		d.unknown = append(d.unknown, tokens)
	}
	return nil
}

// A char is what char.bin says of a character: a bit for each of its categories, and how
// words that are not in the dictionary are made of it.
type char uint32

func (d *dictionary) char(r rune) char {
	return char(binary.LittleEndian.Uint32(d.chars[4*int(r):]))
}

func (c char) category() int      { return int(c >> 18 & 0xff) }
func (c char) length() int        { return int(c >> 26 & 0xf) } // words of 1 to so many characters
func (c char) group() bool        { return c>>30&1 != 0 }       // a word of all that are alike
func (c char) invoke() bool       { return c>>31 != 0 }         // also where the dictionary has a word
func (c char) isKind(o char) bool { return c&o&(1<<18-1) != 0 }

// openWords reads sys.dic or unk.dic, but for the texts about the words, which make up half
// of it.
func (d *dictionary) openWords(path string) (w words, err error) {
	f, err := os.Open(path)
	if err != nil {
		return w, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return w, err
	}
	damaged := fmt.Errorf("%s: %w", path, errDamaged)
	const headerSize = 72
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(f, header); err != nil {
		return w, damaged
	}
	field := func(i int) int64 { return int64(binary.LittleEndian.Uint32(header[4*i:])) }
	arrayBytes, tokenBytes, textBytes := field(6), field(7), field(8)
	if info.Size() > maxFile || field(0)^dictionaryMagic != info.Size() || headerSize+arrayBytes+tokenBytes+textBytes != info.Size() ||
		arrayBytes%8 != 0 || arrayBytes == 0 || tokenBytes%tokenSize != 0 {
		return w, damaged
	}
	charset, _, _ := strings.Cut(string(header[40:]), "\x00")
	if c := strings.ToLower(charset); c != "utf-8" && c != "utf8" {
		return w, fmt.Errorf("%s: is in %.32q, not in UTF-8", path, charset)
	}
	data := make([]byte, arrayBytes+tokenBytes)
	if _, err := io.ReadFull(f, data); err != nil {
		return w, err
	}
	w = words{int(field(3)), data[:arrayBytes], data[arrayBytes:]}
	lefts := len(d.costs) / 2 / d.rights
	for i := range len(w.tokens) / tokenSize {
		if t := w.token(i); int(t.right) >= d.rights || int(t.left) >= lefts {
			return w, damaged
		}
	}
	return w, nil
}

func (w *words) token(i int) token {
	b := w.tokens[i*tokenSize:]
	return token{
		left: binary.LittleEndian.Uint16(b), right: binary.LittleEndian.Uint16(b[2:]),
		pos: binary.LittleEndian.Uint16(b[4:]), cost: int16(binary.LittleEndian.Uint16(b[6:])),
	}
}

// unit is the base and the check at a place of the array, and no value anywhere else.
func (w *words) unit(at uint32) (base int32, check uint32) {
	if int64(at)*8+8 > int64(len(w.array)) {
		return 0, ^uint32(0)
	}
	b := w.array[int64(at)*8:]
	return int32(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint32(b[4:])
}

// prefixes calls f for each word that the text begins with, the shortest first, with its
// length and its tokens: count of them from first on.
func (w *words) prefixes(text string, f func(length, first, count int)) {
	root, _ := w.unit(0)
	at := uint32(root)
	for i := 0; ; i++ {
		if value, check := w.unit(at); check == at && value < 0 {
			first, count := int(-value-1)>>8, int(-value-1)&0xff
			if (first+count)*tokenSize <= len(w.tokens) {
				f(i, first, count)
			}
		}
		if i == len(text) {
			return
		}
		next, check := w.unit(at + uint32(text[i]) + 1)
		if check != at {
			return
		}
		at = uint32(next)
	}
}
