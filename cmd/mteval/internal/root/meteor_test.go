package root_test

import (
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// METEOR says what it takes for granted, once, in every command that makes it.
func TestMeteorNotes(t *testing.T) {
	dir := t.TempDir()
	german := "Das Wetter ist schön .\nDie Tür ist zu , glaube ich .\nSie können über die Straße gehen .\n"
	words := "the cat sat on the mat .\nit rained , they say .\n"
	raw := "The cat sat on the mat.\nIt rained, they say.\n"
	for name, text := range map[string]string{
		"ref": words, "hyp": words, "hyp2": words, "hyp3": words, "ref.de": words, "ref.en": words, "wmt.en-de": words, "news.ref": words, "raw": raw,
		"german": german, "ref.en.txt": german, "human.tsv": "hyp\t1\nhyp2\t2\nhyp3\t3\n",
	} {
		clitest.Write(t, dir+"/"+name, text)
	}
	const (
		plain   = "mteval: meteor: the rules of English are used: --target-language names another language\n"
		named   = "mteval: warning: meteor: the rules of English are used, and $T/ref.de is of language de by its name: add --target-language de\n"
		pair    = "mteval: warning: meteor: the rules of English are used, and $T/wmt.en-de is of language de by its name: add --target-language de\n"
		letters = "mteval: warning: meteor: the rules of English are used, and most lines have letters that English has not: add --target-language and the language's code\n"
		isRaw   = "mteval: warning: meteor: the text looks raw, and METEOR takes \"word.\" and \"word\" for two words: "
		add     = isRaw + "write meteor(normalize)\n"
		vectors = "mteval: dreem: the word vectors of English are used: --target-language names another language\n"
	)
	for _, tt := range []struct{ line, want string }{
		{"score -r $T/ref -m meteor $T/hyp $T/hyp2", plain},
		{"score -r $T/ref -m meteor --target-language en $T/hyp", ""},
		{"score -r $T/ref -m meteor(language=english) $T/hyp", ""},
		{"score -r $T/ref -m chrf $T/raw", ""},
		{"score -r $T/ref.de -m meteor $T/hyp", named},
		{"score -r $T/wmt.en-de -m meteor $T/hyp", pair},
		{"score -r $T/news.ref -m meteor $T/hyp", plain},
		{"score -r $T/ref.en -m meteor $T/hyp", ""},
		{"score -r $T/german -m meteor $T/german", letters},
		{"score -r $T/ref.en.txt -m meteor $T/german", letters},
		{"score -r $T/german -m meteor --target-language de $T/german", ""},
		{"score -r $T/ref.en -m meteor $T/raw", add},
		{"score -r $T/ref.en -m meteor(lowercase) $T/raw", add},
		{"score -r $T/ref.en -m meteor(normalize) $T/raw", ""},
		{"score -r $T/ref -m meteor --target-language fi $T/raw", isRaw + "tokenize it, as meteor(normalize) does not know the language\n"},
		{"score -r $T/ref -m meteor,dreem $T/hyp", plain + vectors},
		{"rank -r $T/ref -m meteor --base meteor $T/hyp $T/hyp2", plain},
		{"study -r $T/ref -m meteor --human $T/human.tsv --samples 2 $T/hyp $T/hyp2 $T/hyp3", plain},
	} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, tt.line)...)
		var got []string
		for line := range strings.Lines(stderr) {
			if strings.Contains(line, " meteor: ") || strings.Contains(line, " dreem: ") {
				got = append(got, line)
			}
		}
		if want := strings.ReplaceAll(tt.want, "$T", dir); status != 0 || strings.Join(got, "") != want {
			t.Errorf("%s: status %d, %swant %s", tt.line, status, stderr, want)
		}
	}
}

// METEOR has nothing for most languages, and scores them by equal words only if it is told so.
func TestMeteorLanguage(t *testing.T) {
	score := "score -r $Dref.de $Dsys/elder.txt -m chrf,meteor"
	for flags, want := range map[string]string{
		" --target-language kk":                   "--target-language kk: METEOR has nothing for this language: have ar, cs, da,",
		" --target-language xx":                   "--target-language xx: METEOR has nothing",
		"(language=xx)":                           "meteor(language) xx: METEOR has nothing",
		"(language=kk) --target-language de":      "meteor(language) kk: METEOR has nothing",
		"(language=klingon)":                      `meteor(language): meteor: language "klingon" is not a code`,
		"(language=other) --target-language kk":   "",
		" --target-language de-AT":                "",
		"(language=Czech)":                        "",
		"(task=li) -m dreem --target-language kk": "--target-language kk: METEOR",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", score+flags)...)
		if ok := status == 0; ok != (want == "") || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s%s, want %q", flags, status, stdout, stderr, want)
		}
	}
}

// Parameters are of the options that they were fitted with.
func TestParametersOptions(t *testing.T) {
	dir := t.TempDir()
	clitest.JudgedFolder(t, dir+"/one", 20, 1)
	fit := "tune --data $T/one --evaluations 5 --restarts 1 --folds 1 "
	for path, flags := range map[string]string{
		"norm": "-m meteor(normalize)", "plain": "", "german": "--target-language de", "lower": "-m dreem",
		"levels": "-m multilevel-meteor(levels=2)",
	} {
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, fit+flags+" -o $T/"+path)...); status != 0 {
			t.Fatal(stderr)
		}
	}
	score := "score -r $T/one/ref.en $T/one/sys/s0.txt -m chrf --parameters $T/"
	for _, tt := range []struct{ line, want string }{
		{score + "norm -m meteor(normalize)", ""},
		{score + "plain -m meteor", ""},
		{score + "german -m meteor --target-language de-CH", ""},
		{score + "lower -m dreem", ""},
		{score + "norm -m meteor", "fitted with norm:norm, here norm:no_norm; prefixes:mteval, here prefixes:none: use the options that they were fitted with (normalize, jar)"},
		{score + "norm -m meteor(lowercase)", "fitted with norm:norm, here norm:lc_only"},
		{score + "plain -m meteor(normalize)", "fitted with norm:no_norm, here norm:norm; prefixes:none, here prefixes:mteval: use the options that they were fitted with (without normalize"},
		{score + "plain -m meteor(beam=3)", "fitted with beam:40, here beam:3: use the options that they were fitted with (beam)"},
		{score + "german -m meteor --target-language fr", "fitted with lang:de, here lang:fr: use the options that they were fitted with (--target-language de)"},
		{score + "german -m meteor", "a parameter synonym, which was not tuned: use the options that it was tuned with (program:none|lang:de|"},
		{score + "levels -m multilevel-meteor(levels=3)", "which was not tuned"},
	} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, tt.line)...)
		if ok := status == 0; ok != (tt.want == "") || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %s, want %q", tt.line, status, stderr, tt.want)
		}
	}
	// A file that somebody wrote.
	clitest.Write(t, dir+"/by-hand", `{"version": 1, "metric": "meteor", "parameters": [{"name": "alpha", "value": 0.9}, {"name": "beta", "value": 1}, {"name": "gamma", "value": 0.5},
		{"name": "delta", "value": 0.7}, {"name": "exact", "value": 1}, {"name": "stem", "value": 1}, {"name": "synonym", "value": 1}], "figures": {}}`)
	_, stderr, status := clitest.Exec(t, clitest.Args(dir, score+"by-hand -m meteor")...)
	if status != 0 || !strings.Contains(stderr, "warning: --parameters: "+dir+"/by-hand does not tell the options that the parameters were fitted with") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
