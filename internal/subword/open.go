package subword

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Parse reads a tokenizer.json of Hugging Face. An error names the field that is at fault
// or asks for what is not there. The fields truncation and padding are not looked at:
// [Tokenizer.EncodeMax] bounds the length.
func Parse(data []byte) (*Tokenizer, error) {
	o := &opener{t: &Tokenizer{classes: classes()}}
	o.open(data)
	if o.err != nil {
		return nil, o.err
	}
	return o.t, nil
}

// Bounds on what a file may ask for, far above what any tokenizer does: the largest part
// beside the model is SentencePiece's map of characters, of less than a megabyte.
const (
	maxPart       = 1 << 23 // bytes of the normalizer, the pre_tokenizer, the post_processor
	maxSteps      = 1000    // of all three
	maxSpecials   = 1 << 16 // pieces around a text
	maxAdded      = 1 << 17 // tokens
	maxExpression = 1000    // bytes, and instructions that it is compiled to
	maxError      = 1000    // bytes
)

// An opener keeps the first error; after one its methods give nothing of use.
type opener struct {
	t       *Tokenizer
	builder *vocabBuilder
	err     error
	steps   int
	// byteLevel says that the last pretokenizer spells bytes.
	byteLevel bool
}

func (o *opener) fail(path, format string, args ...any) {
	if o.err != nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if len(text) > maxError { // it shows what the file has
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	o.err = errors.New(path + ": " + text)
}

// text reads what a step writes or looks for.
func (f fields) text(field string) string {
	v := f.string(field)
	f.checkText(field, v)
	return v
}

func (f fields) checkText(field, v string) {
	if len(v) > maxPiece {
		f.fail(field, "%d bytes, and %d are the most", len(v), maxPiece)
	}
}

// step counts a normalizer, a pretokenizer or a postprocessor.
func (o *opener) step(path string) {
	if o.steps++; o.steps > maxSteps {
		o.fail(path, "there are more than %d steps", maxSteps)
	}
}

// decode reads raw, all of it, into v. A null leaves v as it is.
func (o *opener) decode(path string, raw json.RawMessage, v any) {
	if o.err != nil || isNull(raw) {
		return
	}
	if err := json.Unmarshal(raw, v); err != nil {
		o.fail(path, "%v", err)
	}
}

// need is decode where a value has to be.
func (o *opener) need(path string, raw json.RawMessage, v any) {
	if isNull(raw) {
		o.fail(path, "is missing")
	}
	o.decode(path, raw, v)
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// fields is a JSON object and where it is.
type fields struct {
	o    *opener
	path string
	m    map[string]json.RawMessage
}

func (o *opener) fields(path string, raw json.RawMessage) fields {
	f := fields{o: o, path: path}
	o.need(path, raw, &f.m)
	return f
}

func (f fields) name(field string) string {
	if f.path == "" {
		return field
	}
	return f.path + "." + field
}

func (f fields) fail(field, format string, args ...any) {
	f.o.fail(f.name(field), format, args...)
}

// need reads a field that has to be there, get one that need not.
func (f fields) need(field string, v any) { f.o.need(f.name(field), f.m[field], v) }
func (f fields) get(field string, v any)  { f.o.decode(f.name(field), f.m[field], v) }

func (f fields) bool(field string) (v bool) {
	f.need(field, &v)
	return v
}

func (f fields) string(field string) (v string) {
	f.need(field, &v)
	return v
}

// list returns the elements of a field, at most `most`, and their names.
func (f fields) list(field string, most int) (list []json.RawMessage, name func(int) string) {
	raw := f.m[field]
	if isNull(raw) {
		f.fail(field, "is missing")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if token, _ := d.Token(); token != json.Delim('[') {
		f.fail(field, "is no list")
	}
	for f.o.err == nil && d.More() {
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			f.fail(field, "%v", err)
		}
		if len(list) == most {
			f.fail(field, "has more than %d elements", most)
		}
		list = append(list, one)
	}
	return list, func(i int) string { return fmt.Sprintf("%s[%d]", f.name(field), i) }
}

func (o *opener) open(data []byte) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		o.err = fmt.Errorf("not a tokenizer.json: %w", err)
		return
	}
	f := fields{o, "", top}
	for _, part := range []string{"normalizer", "pre_tokenizer", "post_processor"} {
		if n := len(top[part]); n > maxPart {
			f.fail(part, "%d bytes, and %d are the most", n, maxPart)
			return
		}
	}
	if raw := top["normalizer"]; !isNull(raw) {
		o.t.normalizer = o.normalizer("normalizer", raw, 0)
	}
	if raw := top["pre_tokenizer"]; !isNull(raw) {
		o.t.pretokenizer = o.pretokenizer("pre_tokenizer", raw, 0)
	}
	if raw := top["post_processor"]; !isNull(raw) {
		o.postprocessor("post_processor", raw, 0)
	}
	o.model(o.fields("model", top["model"]))
	o.added(f)
}

// maxDepth is how far Sequences may be in each other.
const maxDepth = 8

func (o *opener) sequence(f fields, field string, depth int, each func(path string, raw json.RawMessage)) {
	if depth >= maxDepth {
		o.fail(f.path, "a Sequence in too many others")
		return
	}
	list, name := f.list(field, maxSteps)
	for i, raw := range list {
		if o.err != nil {
			return
		}
		each(name(i), raw)
	}
}

func (o *opener) normalizer(path string, raw json.RawMessage, depth int) normalizer {
	o.step(path)
	f := o.fields(path, raw)
	switch kind := f.string("type"); kind {
	case "Sequence":
		var s sequence
		o.sequence(f, "normalizers", depth, func(path string, raw json.RawMessage) {
			s = append(s, o.normalizer(path, raw, depth+1))
		})
		return s
	case "BertNormalizer":
		b := bert{clean: f.bool("clean_text"), chinese: f.bool("handle_chinese_chars"), lower: f.bool("lowercase")}
		b.strip = b.lower
		f.get("strip_accents", &b.strip)
		return b
	case "NFC":
		return form{norm.NFD, true}
	case "NFD":
		return form{norm.NFD, false}
	case "NFKC":
		return form{norm.NFKD, true}
	case "NFKD":
		return form{norm.NFKD, false}
	case "Lowercase":
		return lowercase{}
	case "Strip":
		return strip{f.bool("strip_left"), f.bool("strip_right")}
	case "StripAccents":
		return remove(isMark)
	case "Prepend":
		return prepend(f.text("prepend"))
	case "Replace":
		return replace{o.pattern(f.name("pattern"), f.m["pattern"]), f.text("content")}
	case "Precompiled":
		data, err := base64.StdEncoding.DecodeString(f.string("precompiled_charsmap"))
		if err != nil {
			f.fail("precompiled_charsmap", "%v", err)
			return nil
		}
		m, err := newCharsmap(data)
		if err != nil {
			f.fail("precompiled_charsmap", "%v", err)
			return nil
		}
		return m
	default:
		f.fail("type", "%q is not supported", kind)
		return nil
	}
}

// pattern reads what Replace and Split look for.
func (o *opener) pattern(path string, raw json.RawMessage) finder {
	f := o.fields(path, raw)
	var text, expression *string
	f.get("String", &text)
	f.get("Regex", &expression)
	switch {
	case o.err != nil:
		return nil
	case (text == nil) == (expression == nil):
		o.fail(path, "neither String nor Regex, or both")
		return nil
	case text != nil:
		if *text == "" {
			f.fail("String", "is empty")
		}
		f.checkText("String", *text)
		return findString(*text)
	}
	p, err := compile(*expression)
	if err != nil {
		f.fail("Regex", "%q is not supported: %v", *expression, err)
	}
	return p
}

var oneRun = regexp.MustCompile(`^( |[^\\.+*?()|\[\]{}^$])(?:(\+)|\{(\d),\})$`)

// compile compiles expressions that mean the same to Oniguruma and to Go.
func compile(e string) (finder, error) {
	if len(e) > maxExpression {
		return nil, fmt.Errorf("%d bytes, and %d are the most", len(e), maxExpression)
	}
	if m := oneRun.FindStringSubmatch(e); m != nil && m[3] != "0" {
		least := 1
		if m[3] != "" {
			least = int(m[3][0] - '0')
		}
		return findRun{m[1], least}, nil
	}
	if err := checkExpression(e); err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(e, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	// A character of text may take as many steps.
	if n := len(program.Inst); n > maxExpression {
		return nil, fmt.Errorf("it repeats too much: %d steps, and %d are the most", n, maxExpression)
	}
	re, err := regexp.Compile(e)
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, errors.New("it matches nothing")
	}
	return findRegexp{re}, nil
}

// checkExpression names what does not mean the same to both, or may not.
func checkExpression(e string) error {
	class := false
	for i := 0; i < len(e); i++ {
		rest := e[i:]
		switch c := e[i]; {
		case c == '\\':
			if i++; i == len(e) || !strings.ContainsRune(`\.+*?()|[]{}^$-/ntr`, rune(e[i])) {
				return errors.New(`\ before a letter`)
			}
		case class && (c == '[' || c == '&'), c == '^' && (!class || e[i-1] != '['):
			return fmt.Errorf("%q", c)
		case class:
			class = c != ']'
		case strings.HasPrefix(rest, "{,"), strings.HasPrefix(rest, "}?"):
			return fmt.Errorf("%q", rest[:2])
		case c == '[':
			if strings.HasPrefix(rest, "[]") || strings.HasPrefix(rest, "[^]") {
				return errors.New("[]")
			}
			class = true
		case c == '$', strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:"):
			return fmt.Errorf("%q", rest[:min(len(rest), 2)])
		}
	}
	return nil
}

func (o *opener) pretokenizer(path string, raw json.RawMessage, depth int) pretokenizer {
	o.step(path)
	f := o.fields(path, raw)
	kind := f.string("type")
	if o.byteLevel {
		f.fail("type", "%q after ByteLevel is not supported", kind)
		return nil
	}
	switch kind {
	case "Sequence":
		var s preSequence
		o.sequence(f, "pretokenizers", depth, func(path string, raw json.RawMessage) {
			s = append(s, o.pretokenizer(path, raw, depth+1))
		})
		return s
	case "BertPreTokenizer":
		return bertPre{}
	case "ByteLevel":
		o.byteLevel = true
		split := true
		f.get("use_regex", &split)
		return byteLevel{f.bool("add_prefix_space"), split}
	case "Metaspace":
		return o.metaspace(f)
	case "WhitespaceSplit":
		return whitespaceSplit{}
	case "Whitespace":
		return whitespace{}
	case "Punctuation":
		return splitter{behaviour: o.behaviour(f, isolated)}
	case "Split":
		p := splitter{behaviour: o.behaviour(f, ""), invert: f.bool("invert")}
		pattern := o.fields(f.name("pattern"), f.m["pattern"])
		var expression string
		pattern.get("Regex", &expression)
		if expression == gptExpression && !p.invert && p.behaviour == isolated {
			return byteLevel{split: true}
		}
		p.find = o.pattern(f.name("pattern"), f.m["pattern"])
		return p
	default:
		f.fail("type", "%q is not supported", kind)
		return nil
	}
}

func (o *opener) metaspace(f fields) pretokenizer {
	p := metaspace{mark: f.string("replacement"), scheme: "always", split: true}
	f.get("prepend_scheme", &p.scheme)
	f.get("split", &p.split)
	prefix := true
	f.get("add_prefix_space", &prefix)
	if utf8.RuneCountInString(p.mark) != 1 {
		f.fail("replacement", "%q is not one character", p.mark)
	}
	if !slices.Contains([]string{"always", "first", "never"}, p.scheme) {
		f.fail("prepend_scheme", "%q is not supported", p.scheme)
	}
	if !prefix && p.scheme != "never" {
		f.fail("add_prefix_space", "false, but prepend_scheme is %q", p.scheme)
	}
	return p
}

func (o *opener) behaviour(f fields, otherwise behaviour) behaviour {
	b := otherwise
	f.get("behavior", &b)
	if !slices.Contains(behaviours, b) {
		f.fail("behavior", "%q is not supported", b)
	}
	return b
}

func (o *opener) postprocessor(path string, raw json.RawMessage, depth int) {
	o.step(path)
	f := o.fields(path, raw)
	t := o.t
	switch kind := f.string("type"); kind {
	case "Sequence":
		o.sequence(f, "processors", depth, func(path string, raw json.RawMessage) {
			o.postprocessor(path, raw, depth+1)
		})
	case "BertProcessing", "RobertaProcessing":
		t.before = append([]Piece{o.special(f, "cls")}, t.before...)
		t.after = append(t.after, o.special(f, "sep"))
		if kind == "RobertaProcessing" && f.bool("trim_offsets") {
			t.trim, t.trimPrefix = true, f.bool("add_prefix_space")
		}
	case "ByteLevel":
		prefix := f.bool("add_prefix_space")
		if f.bool("trim_offsets") {
			t.trim, t.trimPrefix = true, prefix
		}
	case "TemplateProcessing":
		o.template(f)
	default:
		f.fail("type", "%q is not supported", kind)
	}
	if n := t.Specials(); n > maxSpecials {
		o.fail(path, "%d special pieces around a text, and %d are the most", n, maxSpecials)
	}
}

// special reads ["[SEP]", 102].
func (o *opener) special(f fields, field string) Piece {
	list, name := f.list(field, 3)
	p := Piece{Special: true}
	if len(list) != 2 {
		f.fail(field, "%d values, want a piece and its id", len(list))
		return p
	}
	o.need(name(0), list[0], &p.Text)
	o.need(name(1), list[1], &p.ID)
	if p.ID < 0 {
		o.fail(name(1), "%d is out of range", p.ID)
	}
	return p
}

func (o *opener) template(f fields) {
	type special struct {
		IDs    []int32  `json:"ids"`
		Tokens []string `json:"tokens"`
	}
	var known map[string]special
	f.need("special_tokens", &known)
	list, name := f.list("single", maxSpecials)
	var sides [2][]Piece // before and after the text
	side := 0
	for i, raw := range list {
		var item struct {
			SpecialToken, Sequence *struct {
				ID string `json:"id"`
			}
		}
		o.need(name(i), raw, &item)
		switch {
		case o.err != nil:
			return
		case (item.Sequence == nil) == (item.SpecialToken == nil):
			o.fail(name(i), "neither Sequence nor SpecialToken, or both")
		case item.Sequence != nil:
			if item.Sequence.ID != "A" || side != 0 {
				o.fail(name(i), "Sequence %q is not supported, but A once is", item.Sequence.ID)
			}
			side = 1
		default:
			s, ok := known[item.SpecialToken.ID]
			if !ok || len(s.IDs) != len(s.Tokens) {
				o.fail(name(i), "%q has no ids and tokens, as many of both, in special_tokens", item.SpecialToken.ID)
				return
			}
			sides[side] = o.appendSpecials(sides[side], name(i), s.IDs, s.Tokens)
			if n := len(sides[side]); n > maxSpecials {
				f.fail("single", "more than %d special pieces", maxSpecials)
				return
			}
		}
	}
	if side == 0 {
		f.fail("single", "no Sequence A")
	}
	o.t.before = append(sides[0], o.t.before...)
	o.t.after = append(o.t.after, sides[1]...)
}

func (o *opener) appendSpecials(dst []Piece, path string, ids []int32, texts []string) []Piece {
	for k, id := range ids {
		if id < 0 {
			o.fail(path, "id %d is out of range", id)
		}
		dst = append(dst, Piece{ID: id, Text: texts[k], Special: true})
	}
	return dst
}

func (o *opener) model(f fields) {
	if o.err != nil {
		return
	}
	kind := ""
	if f.m["type"] != nil {
		kind = f.string("type")
	} else {
		// Files of old leave it to the reader.
		switch {
		case f.m["merges"] != nil:
			kind = "BPE"
		case f.m["unk_id"] != nil:
			kind = "Unigram"
		case f.m["max_input_chars_per_word"] != nil:
			kind = "WordPiece"
		}
	}
	o.builder = newVocabBuilder()
	if o.byteLevel && kind != "BPE" {
		f.fail("type", "%q with the pre_tokenizer ByteLevel is not supported", kind)
		return
	}
	switch kind {
	case "WordPiece":
		o.wordPiece(f)
	case "BPE":
		o.bpe(f)
	case "Unigram":
		o.unigram(f)
	default:
		f.fail("type", "%q is not supported", kind)
	}
	o.t.vocab = &o.builder.vocabulary
}

// pieces reads the object of pieces and ids.
func (o *opener) pieces(f fields) {
	path := f.name("vocab")
	var object map[string]json.RawMessage
	if raw := bytes.TrimSpace(f.m["vocab"]); len(raw) == 0 || raw[0] != '{' {
		// Whatever it is, this says what it should be.
		f.need("vocab", &object)
		return
	}
	in := scanner{b: f.m["vocab"]}
	in.take('{')
	for !in.take('}') {
		text, _ := in.string()
		in.take(':')
		number, ok := in.number()
		if !ok {
			o.fail(path, "%q has the id %s", text, in.here())
			return
		}
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			o.fail(path, "%q has the id %s", text, number)
			return
		}
		if err := o.builder.add(text, id); err != nil {
			o.fail(path, "%v", err)
			return
		}
		in.take(',')
	}
}

// known reads a piece that has to be in the vocabulary.
func (o *opener) known(f fields, field, text string) int32 {
	i, ok := o.builder.index[text]
	if !ok {
		f.fail(field, "%q is not in %s", text, f.name("vocab"))
	}
	return i
}

func (o *opener) wordPiece(f fields) {
	o.pieces(f)
	unk, prefix := f.string("unk_token"), f.string("continuing_subword_prefix")
	var chars uint64
	f.need("max_input_chars_per_word", &chars)
	m := &wordPiece{vocabulary: &o.builder.vocabulary, unk: o.known(f, "unk_token", unk), maxChars: int(min(chars, math.MaxInt32))}
	if o.err != nil {
		return
	}
	o.builder.finish(nil)
	m.continued = m.trie.walk(root, prefix)
	o.t.model = m
}

func (o *opener) unigram(f fields) {
	m := &unigram[float64]{vocabulary: &o.builder.vocabulary, steps: doubleSteps, unkScore: math.Inf(1)}
	in, ok := o.bigList(f, "vocab")
	for i := 0; ok && !in.take(']'); i++ {
		open := in.take('[')
		text, isString := in.string()
		comma := in.take(',')
		number, isNumber := in.number()
		score, err := strconv.ParseFloat(number, 64)
		if !open || !isString || !comma || !isNumber || !in.take(']') || err != nil {
			o.fail(fmt.Sprintf("%s[%d]", f.name("vocab"), i), "not a piece and its score")
			return
		}
		if err := o.builder.add(text, int64(i)); err != nil {
			o.fail(fmt.Sprintf("%s[%d]", f.name("vocab"), i), "%v", err)
			return
		}
		m.scores = append(m.scores, score)
		m.unkScore = min(m.unkScore, score)
		in.take(',')
	}
	m.unkScore -= 10
	var unk int64
	f.need("unk_id", &unk)
	if o.err == nil && (unk < 0 || unk >= int64(len(m.scores))) {
		f.fail("unk_id", "%d, where there are %d pieces", unk, len(m.scores))
	}
	if o.err != nil {
		return
	}
	m.unk = int32(unk)
	m.bytes = o.byteFallback(f)
	o.builder.finish(nil)
	o.t.model = m
}

// byteFallback returns the pieces <0x00> to <0xFF>, -1 where there is none, if the model
// falls back to them.
func (o *opener) byteFallback(f fields) *[256]int32 {
	var is bool
	f.get("byte_fallback", &is)
	if !is {
		return nil
	}
	pieces := new([256]int32)
	for b := range pieces {
		i, ok := o.builder.index[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			i = -1
		}
		pieces[b] = i
	}
	return pieces
}

func (o *opener) bpe(f fields) {
	o.pieces(f)
	m := &bpe{vocabulary: &o.builder.vocabulary, unk: -1, byteLevel: o.byteLevel}
	var unk *string
	var dropout float64
	f.get("unk_token", &unk)
	f.get("dropout", &dropout)
	f.get("fuse_unk", &m.fuse)
	f.get("ignore_merges", &m.ignoreMerges)
	f.get("continuing_subword_prefix", &m.prefix)
	f.get("end_of_word_suffix", &m.suffix)
	if dropout != 0 {
		f.fail("dropout", "%v is not supported: pieces would be left to chance", dropout)
	}
	if o.byteLevel && m.prefix+m.suffix != "" {
		f.fail("continuing_subword_prefix", "this and end_of_word_suffix are not supported with ByteLevel")
	}
	if o.err != nil {
		return
	}
	if unk != nil && *unk != "" {
		m.unk = o.known(f, "unk_token", *unk)
	}
	m.bytes = o.byteFallback(f)
	if m.bytes != nil && m.prefix+m.suffix != "" {
		f.fail("byte_fallback", "is not supported with continuing_subword_prefix or end_of_word_suffix")
	}
	o.merges(f, m)
	if o.err != nil {
		return
	}
	if m.byteLevel {
		o.builder.finish(o.spellBytes(m))
	} else {
		o.builder.finish(nil)
	}
	o.t.model = m
}

// merges reads the pairs that a model joins.
func (o *opener) merges(f fields, m *bpe) {
	in, ok := o.bigList(f, "merges")
	if !ok {
		return
	}
	m.merges.grow()
	rank := int32(0)
	for i := 0; !in.take(']'); i++ {
		a, b, skip, err := readMerge(in)
		in.take(',')
		if skip {
			continue
		}
		if err == nil {
			err = o.addMerge(m, a, b, rank)
		}
		if err != nil {
			o.fail(fmt.Sprintf("%s[%d]", f.name("merges"), i), "%v", err)
			return
		}
		rank++
	}
}

// addMerge adds a pair of pieces, all of which have to be in the vocabulary.
func (o *opener) addMerge(m *bpe, a, b string, rank int32) error {
	made := pair{rank: rank}
	var left, right int32
	for _, x := range []struct {
		piece *int32
		text  string
	}{{&left, a}, {&right, b}, {&made.piece, a + strings.TrimPrefix(b, m.prefix)}} {
		i, ok := o.builder.index[x.text]
		if !ok {
			return fmt.Errorf("%q is not in model.vocab", x.text)
		}
		*x.piece = i
	}
	if !m.merges.add(left, right, made) {
		return fmt.Errorf("%q and %q twice", a, b)
	}
	return nil
}

// spellBytes finds the pieces of single bytes, and returns what turns the spelling of a
// piece into bytes.
func (o *opener) spellBytes(m *bpe) func(s string) (string, bool) {
	of := make(map[rune]byte)
	for b, r := range byteChars() {
		of[r] = byte(b)
		i, ok := o.builder.index[string(r)]
		if !ok {
			i = -1
		}
		m.pieces[b] = i
	}
	return func(s string) (string, bool) { return byteSpelling(s, of) }
}

// bigList returns a scanner after the beginning of a list.
func (o *opener) bigList(f fields, field string) (*scanner, bool) {
	in := &scanner{b: f.m[field]}
	if o.err == nil && !in.take('[') {
		f.fail(field, "is missing, or no list")
	}
	return in, o.err == nil
}

// readMerge reads "a b" or ["a", "b"].
func readMerge(in *scanner) (a, b string, skip bool, err error) {
	if !in.take('[') {
		line, ok := in.string()
		if !ok {
			return "", "", false, errors.New("not two pieces")
		}
		a, b, ok = strings.Cut(line, " ")
		if !ok || strings.Contains(b, " ") {
			err = errors.New("not two pieces")
		}
		skip = strings.HasPrefix(line, "#version")
		return a, b, skip, err
	}
	a, first := in.string()
	comma := in.take(',')
	b, second := in.string()
	if !first || !comma || !second || !in.take(']') {
		return "", "", false, errors.New("not two pieces")
	}
	return a, b, false, nil
}

// added reads the added tokens. Their ids are those of the vocabulary, or follow it.
func (o *opener) added(f fields) {
	if isNull(f.m["added_tokens"]) || o.err != nil {
		o.t.added, o.t.addedNormal = newAdded(nil), newAdded(nil)
		return
	}
	list, name := f.list("added_tokens", maxAdded)
	a := o.newAdder()
	for i, raw := range list {
		var x tokenField
		a.need(name(i), raw, &x)
		if a.add(name(i), &x); o.err != nil {
			return
		}
	}
	o.t.added, o.t.addedNormal = newAdded(a.plain), newAdded(a.normal)
}

// tokenField is an added token as the file has it.
type tokenField struct {
	ID         *int64
	Content    *string
	SingleWord bool `json:"single_word"`
	LStrip     bool
	RStrip     bool
	Normalized bool
}

func (x *tokenField) equal(y *tokenField) bool {
	return *x.ID == *y.ID && x.SingleWord == y.SingleWord && x.LStrip == y.LStrip && x.RStrip == y.RStrip && x.Normalized == y.Normalized
}

// An adder collects the added tokens.
type adder struct {
	*opener
	scratch       *scratch
	seen          map[string]tokenField
	size          int // of all contents
	plain, normal map[string]addedToken
	next          int64 // the id of a token that is not in the vocabulary
}

func (o *opener) newAdder() *adder {
	return &adder{
		opener: o,
		// One for all tokens, so that they do not grow without bounds together.
		scratch: &scratch{t: o.t, room: 1 << 22},
		seen:    make(map[string]tokenField),
		plain:   make(map[string]addedToken),
		normal:  make(map[string]addedToken),
		next:    int64(len(o.builder.text)),
	}
}

func (a *adder) add(path string, x *tokenField) {
	switch {
	case a.err != nil:
		return
	case x.ID == nil:
		a.fail(path+".id", "is missing")
		return
	case x.Content == nil || *x.Content == "":
		a.fail(path+".content", "is missing")
		return
	}
	content := *x.Content
	if a.size += len(content); len(content) > maxPiece || a.size > maxPieces {
		a.fail(path+".content", "%d bytes, and %d with those before it: %d and %d are the most", len(content), a.size, maxPiece, maxPieces)
		return
	}
	if known, ok := a.seen[content]; ok {
		if !known.equal(x) {
			a.fail(path+".content", "%q twice", content)
		}
		return
	}
	a.seen[content] = *x
	id := a.id(content)
	a.next = max(a.next, id+1)
	if id != *x.ID {
		a.fail(path+".id", "%d, where %q has %d by the vocabulary", *x.ID, content, id)
		return
	}
	token := addedToken{content, int32(id), x.SingleWord, x.LStrip, x.RStrip}
	if !x.Normalized {
		a.plain[content] = token
		return
	}
	a.addNormal(path, token)
}

// id is the one that a token gets.
func (a *adder) id(content string) int64 {
	if p, ok := a.builder.index[content]; ok {
		return int64(a.builder.ids[p])
	}
	return a.next
}

// addNormal adds a token that is looked for in normalized text.
func (a *adder) addNormal(path string, token addedToken) {
	content := token.content
	if a.t.normalizer != nil {
		s := a.scratch
		s.text = buffer{b: []byte(content)}
		s.apply(a.t.normalizer)
		content = string(s.text.b)
		if a.size += len(content); s.cut || len(content) > maxPiece || a.size > maxPieces {
			a.fail(path+".content", "%q is too long after normalization", token.content)
			return
		}
	}
	if content == "" {
		a.fail(path+".content", "%q is nothing after normalization", token.content)
		return
	}
	if _, ok := a.normal[content]; !ok {
		a.normal[content] = token
	}
}
