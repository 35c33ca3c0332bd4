package bert

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/subword"
)

// debertaFolder reads the files of a tokenizer of DeBERTa's, and remembers them for its hash.
type debertaFolder struct {
	dir  string
	all  []byte
	o    subword.DebertaOptions
	name string // of its kind
}

// openDeberta opens the tokenizers of DeBERTa that have no tokenizer.json, as the models of
// Microsoft have none: vocab.json and merges.txt of v1, spm.model of v2 and v3. It does what
// transformers does with them.
func openDeberta(dir, kind string) (*subword.Tokenizer, string, error) {
	f := &debertaFolder{dir: dir}
	t, err := f.open(kind)
	if err != nil {
		return nil, "", err
	}
	return t, f.name + short(sha256.Sum256(f.all)), nil
}

func (f *debertaFolder) open(kind string) (*subword.Tokenizer, error) {
	if kind == "deberta" {
		f.name = "bpe-"
		vocab, err := f.need("vocab.json")
		if err != nil {
			return nil, err
		}
		merges, err := f.need("merges.txt")
		if err != nil {
			return nil, err
		}
		if err := f.readOptions(); err != nil {
			return nil, err
		}
		t, err := subword.ParseDeberta(vocab, merges, f.o)
		return t, f.at("", err)
	}
	f.name = "spm-"
	model, err := f.need("spm.model")
	if err != nil {
		return nil, err
	}
	if err := f.readOptions(); err != nil {
		return nil, err
	}
	t, err := subword.ParseDebertaV2(model, f.o)
	return t, f.at("", err)
}

// at puts a file's path before an error, "" if the error begins with the file's name.
func (f *debertaFolder) at(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case name == "":
		return fmt.Errorf("%s%c%w", f.dir, filepath.Separator, err)
	}
	return fmt.Errorf("%s: %w", filepath.Join(f.dir, name), err)
}

// need reads a file of pieces, which has to be there.
func (f *debertaFolder) need(name string) ([]byte, error) {
	data, err := sidefile.ReadFile(filepath.Join(f.dir, name), maxTokenizer)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: no tokenizer.json in it, and no %s", f.dir, name)
	}
	f.all = append(f.all, data...)
	return data, err
}

// get reads a file of JSON into v, if it is there.
func (f *debertaFolder) get(name string, v any) error {
	data, err := sidefile.ReadFile(filepath.Join(f.dir, name), maxConfig)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		f.all = append(f.all, data...)
		err = json.Unmarshal(data, v)
	}
	return f.at(name, err)
}

// readOptions reads tokenizer_config.json and, where that does not list the added tokens,
// the files that did so before.
func (f *debertaFolder) readOptions() error {
	const config, special, added = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"
	var c struct {
		specialTokens
		Lower  bool                          `json:"do_lower_case"`
		Punct  bool                          `json:"split_by_punct"`
		Prefix bool                          `json:"add_prefix_space"`
		Added  map[string]subword.AddedToken `json:"added_tokens_decoder"`
	}
	if err := f.get(config, &c); err != nil {
		return err
	}
	f.o.LowerCase, f.o.SplitPunctuation, f.o.PrefixSpace = c.Lower, c.Punct, c.Prefix
	for id, t := range c.Added {
		n, err := strconv.ParseUint(id, 10, 31)
		if err != nil {
			return f.at(config, fmt.Errorf("added_tokens_decoder: %.100q is no id", id))
		}
		t.ID = int64(n)
		f.o.Added = append(f.o.Added, t)
	}
	if c.Added == nil {
		var ids map[string]int32
		if err := f.get(added, &ids); err != nil {
			return err
		}
		for _, content := range slices.Sorted(maps.Keys(ids)) {
			if !slices.Contains(debertaSpecial[:], content) {
				f.o.Added = append(f.o.Added, subword.AddedToken{ID: int64(ids[content]), Content: content, Normalized: true})
			}
		}
		var old specialTokens
		if err := f.get(special, &old); err != nil {
			return err
		}
		if err := old.check(&f.o); err != nil {
			return f.at(special, err)
		}
	}
	slices.SortStableFunc(f.o.Added, func(a, b subword.AddedToken) int { return cmp.Compare(uint64(a.ID), uint64(b.ID)) })
	return f.at(config, c.check(&f.o))
}

// specialTokens are the fields that name them.
type specialTokens struct {
	CLS        json.RawMessage   `json:"cls_token"`
	SEP        json.RawMessage   `json:"sep_token"`
	UNK        json.RawMessage   `json:"unk_token"`
	PAD        json.RawMessage   `json:"pad_token"`
	Mask       json.RawMessage   `json:"mask_token"`
	Additional []json.RawMessage `json:"additional_special_tokens"`
}

var debertaSpecial = [...]string{"[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"}

// check makes special tokens of other names an error, as a text would mean something else
// with them, and adds those besides.
func (s *specialTokens) check(o *subword.DebertaOptions) error {
	names := []string{"cls_token", "sep_token", "unk_token", "pad_token", "mask_token"}
	for i, raw := range []json.RawMessage{s.CLS, s.SEP, s.UNK, s.PAD, s.Mask} {
		token, err := readToken(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
		if token.Content != "" && token.Content != debertaSpecial[i] {
			return fmt.Errorf("%s: %.100q is not %s", names[i], token.Content, debertaSpecial[i])
		}
	}
	for _, raw := range s.Additional {
		token, err := readToken(raw)
		if err != nil {
			return fmt.Errorf("additional_special_tokens: %w", err)
		}
		listed := func(t subword.AddedToken) bool { return t.Content == token.Content }
		if !slices.ContainsFunc(o.Added, listed) {
			o.Added = append(o.Added, token)
		}
	}
	return nil
}

// readToken reads a token, its text alone or an object, whose id follows the vocabulary.
func readToken(raw json.RawMessage) (subword.AddedToken, error) {
	t := subword.AddedToken{ID: -1}
	if raw == nil || json.Unmarshal(raw, &t.Content) == nil {
		return t, nil
	}
	err := json.Unmarshal(raw, &t)
	return t, err
}
