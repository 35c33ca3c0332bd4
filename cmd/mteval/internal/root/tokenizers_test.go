package root_test

import (
	"os"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// A model in sacreBLEU's place is used as it is, under all of its names.
func TestSentencePiece(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SACREBLEU", dir)
	model, err := os.ReadFile("../../tokenize/spm/testdata/small.model")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/models", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sacrebleu_tokenizer_spm.model", "flores200sacrebleuspm", "spbleu-1k_tokenizer_spm.model"} {
		clitest.Write(t, dir+"/models/"+name, string(model))
	}
	clitest.Write(t, dir+"/own.model", string(model))
	clitest.Write(t, dir+"/13a.model", string(model))
	clitest.Write(t, dir+"/broken.model", "no model")
	for _, tt := range []struct{ name, signature, stderr string }{
		{"flores101", "flores101", ""},
		{"flores200", "flores200", ""},
		{"spBLEU-1K", "spBLEU-1K", ""},
		{"spm", "flores101", "mteval: the tokenizer spm is called flores101 now"},
		{dir + "/own.model", "own", ""},
		{dir + "/13a.model", "13a.model", ""}, // not those of 13a
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", "score -r $Dref.de -f json --tokenize "+tt.name+" $Dsys/elder.txt")...)
		if status != 0 || !strings.Contains(stdout, "|tok:"+tt.signature+"|") || !strings.HasPrefix(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
			t.Errorf("%s: status %d, %s%s", tt.name, status, stdout, stderr)
		}
	}
	for name, want := range map[string]string{
		dir + "/broken.model": "bleu(tokenize): " + dir + "/broken.model: ",
		dir + "/none.model":   "bleu(tokenize): spm: open " + dir + "/none.model: ",
		"flores":              `no tokenizer "flores" (did you mean flores101?): have none, 13a, intl, zh, char, ja-mecab, ko-mecab, spm, flores101, flores200, spBLEU-1K`,
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", "score -r $Dref.de --tokenize "+name+" $Dsys/elder.txt")...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s; want %q", name, status, stderr, want)
		}
	}
}
