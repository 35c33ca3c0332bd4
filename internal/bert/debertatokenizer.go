package bert

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/subword"
)

// openDeberta opens the files of DeBERTa's tokenizers that have no tokenizer.json, as the
// models of Microsoft have none: vocab.json and merges.txt of v1, spm.model of v2 and v3.
func openDeberta(dir, kind string) (*subword.Tokenizer, string, error) {
	var o subword.DebertaOptions
	config := filepath.Join(dir, "tokenizer_config.json")
	data, err := sidefile.ReadFile(config, maxConfig)
	if err == nil {
		err = readDebertaOptions(data, &o)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: %w", config, err)
	}
	read := func(name string) ([]byte, error) {
		data, err := sidefile.ReadFile(filepath.Join(dir, name), maxTokenizer)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: no tokenizer.json in it, and no %s", dir, name)
		}
		return data, err
	}
	var t *subword.Tokenizer
	var files [2][]byte
	if kind == "deberta" {
		for i, name := range []string{"vocab.json", "merges.txt"} {
			if files[i], err = read(name); err != nil {
				return nil, "", err
			}
		}
		t, err = subword.ParseDeberta(files[0], files[1], o)
	} else {
		if files[0], err = read("spm.model"); err != nil {
			return nil, "", err
		}
		if t, err = subword.ParseDebertaV2(files[0], o); err != nil {
			err = fmt.Errorf("spm.model: %w", err)
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s%c%w", dir, filepath.Separator, err)
	}
	name := map[bool]string{true: "bpe-", false: "spm-"}[kind == "deberta"]
	return t, name + short(sha256.Sum256(slices.Concat(files[0], files[1], data))), nil
}

// readDebertaOptions reads a tokenizer_config.json. Special tokens of other names are an
// error: with them a text would mean something else.
func readDebertaOptions(data []byte, o *subword.DebertaOptions) error {
	var c struct {
		Lower  bool                          `json:"do_lower_case"`
		Punct  bool                          `json:"split_by_punct"`
		Prefix bool                          `json:"add_prefix_space"`
		Added  map[string]subword.AddedToken `json:"added_tokens_decoder"`
		CLS    json.RawMessage               `json:"cls_token"`
		SEP    json.RawMessage               `json:"sep_token"`
		UNK    json.RawMessage               `json:"unk_token"`
		PAD    json.RawMessage               `json:"pad_token"`
		Mask   json.RawMessage               `json:"mask_token"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	o.LowerCase, o.SplitPunctuation, o.PrefixSpace = c.Lower, c.Punct, c.Prefix
	for _, s := range []struct {
		name, want string
		raw        json.RawMessage
	}{{"cls_token", "[CLS]", c.CLS}, {"sep_token", "[SEP]", c.SEP}, {"unk_token", "[UNK]", c.UNK}, {"pad_token", "[PAD]", c.PAD}, {"mask_token", "[MASK]", c.Mask}} {
		token := struct{ Content string }{s.want}
		if s.raw != nil && json.Unmarshal(s.raw, &token.Content) != nil {
			if err := json.Unmarshal(s.raw, &token); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		if token.Content != s.want {
			return fmt.Errorf("%s: %.100q is not %s", s.name, token.Content, s.want)
		}
	}
	for id, t := range c.Added {
		n, err := strconv.ParseInt(id, 10, 32)
		if err != nil {
			return fmt.Errorf("added_tokens_decoder: %.100q is no id", id)
		}
		t.ID = n
		o.Added = append(o.Added, t)
	}
	slices.SortFunc(o.Added, func(a, b subword.AddedToken) int { return int(a.ID - b.ID) })
	return nil
}
