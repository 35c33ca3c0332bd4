package sacrebleu

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// letters are the flags of the tests: those that spellings lead to, and letters.
func letters() *pflag.FlagSet {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, v := range []string{"reference r", "metrics m", "input i", "echo ", "test-set t", "language-pair l", "smooth-method s", "width w", "tokenize ",
		"smooth-value ", "chrf-char-order ", "chrf-word-order ", "num-refs ", "confidence-n ", "paired-bs-n ", "paired-ar-n ", "origlang "} {
		name, letter, _ := strings.Cut(v, " ")
		fs.StringArrayP(name, letter, nil, "")
	}
	for _, b := range []string{"score-only b", "quiet q", "lowercase ", "sentence-level ", "confidence ", "paired-bs ", "paired-ar ", "short ", "no-color ", "citation ", "version "} {
		name, letter, _ := strings.Cut(b, " ")
		fs.BoolP(name, letter, false, "")
	}
	return fs
}

var errTer = errors.New("ter is there, too")

func several() []Several {
	isMetric := func(values []string, token string) (bool, error) {
		if token == "ter" && slices.Contains(values, "bleu") {
			return false, errTer
		}
		return slices.Contains([]string{"bleu", "chrf", "ter"}, token), nil
	}
	any := func([]string, string) (bool, error) { return true, nil }
	return []Several{{"metrics", isMetric}, {"input", any}}
}

func TestRewrite(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"-r ref -m bleu,chrf hyp -", "-r ref -m bleu,chrf hyp -"},
		{"-tok zh", "--tokenize zh"},
		{"-tok=zh", "--tokenize=zh"},
		{"-tok=", "--tokenize="},
		{"-t ok", "-t ok"},
		{"-tokens", "-tokens"}, // -t okens
		{"-to zh", "-to zh"},
		{"-twmt24 -len-de", "-twmt24 -len-de"},
		{"-lc -l cs-en", "--lowercase -l cs-en"},
		{"-lc=false", "--lowercase=false"},
		{"-sl -s floor -sv .5 -sh", "--sentence-level -s floor --smooth-value .5 --short"},
		{"-cin 50 -ci -cc 5 -cw 2", "--confidence-n 50 --confidence --chrf-char-order 5 --chrf-word-order 2"},
		{"-par -parn 5 -pbs -pbsn 6", "--paired-ar --paired-ar-n 5 --paired-bs --paired-bs-n 6"},
		{"-nr 2 -ol de -nc --cite -V", "--num-refs 2 --origlang de --no-color --citation --version"},
		// Values are not looked at, wherever they come from.
		{"-r -sl -sl", "-r -sl --sentence-level"},
		{"-tok -lc -lc", "--tokenize -lc --lowercase"},
		{"--tokenize -lc", "--tokenize -lc"},
		{"--tokenize=13a -lc", "--tokenize=13a --lowercase"},
		{"-bq -lc", "-bq --lowercase"},
		{"-bqr -lc", "-bqr -lc"},
		{"-bqrx -lc", "-bqrx --lowercase"},
		{"-r=x -lc", "-r=x --lowercase"},
		{"-b=true -lc", "-b=true --lowercase"},
		{"-b -lc", "-b --lowercase"},
		{"-z -lc", "-z --lowercase"}, // no flag of ours
		{"--nosuch -lc", "--nosuch --lowercase"},
		{"-r -- -lc", "-r -- --lowercase"},
		// Nor what is behind --.
		{"-- -sl -i a b", "-- -sl -i a b"},
		{"-sl -- -sl", "--sentence-level -- -sl"},
		// Values after one another.
		{"-m bleu chrf hyp", "-m bleu --metrics chrf hyp"},
		{"-m hyp chrf", "-m hyp --metrics chrf"},
		{"--metrics chrf ter -b", "--metrics chrf --metrics ter -b"},
		{"-mbleu chrf", "-mbleu chrf"},
		{"-m=bleu chrf", "-m=bleu chrf"},
		{"ref -i a - b -tok zh c", "ref -i a --input - --input b --tokenize zh c"},
		{"-i a -- b", "-i a -- b"},
		{"-i", "-i"},
		{"-i -sl b", "-i -sl --input b"},
	} {
		got, err := Rewrite(strings.Fields(tt.in), letters(), several()...)
		if d := cmp.Diff(strings.Fields(tt.want), got); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.in, err, d)
		}
	}
	if got, err := Rewrite([]string{"-m", "bleu", "ter"}, letters(), several()...); err != errTer || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// What is typed in sacreBLEU's spelling is parsed as what is meant, whatever the values look
// like.
func TestRewriteParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var typed, wantArgs []string
		want := make(map[string][]string) // of flags
		inputs := false                   // were the last
		word := rapid.SampledFrom([]string{"a", "ref.de", "wmt24", "ok", "", "-", "chrf", "a b", "ü", "tok=zh", "=", "x=-sl"})
		value := rapid.OneOf(word, rapid.SampledFrom([]string{"-sl", "-tok", "-lc", "-i", "--", "--cite", "-t", "-b", "-tok=zh"}))
		give := func(name string, values ...string) { want[name] = append(want[name], values...) }
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			s := rapid.SampledFrom(spellings[:]).Draw(t, "spelling")
			f := letters().Lookup(s[1][2:])
			kind := rapid.IntRange(0, 5).Draw(t, "kind")
			switch kind {
			case 0:
				if v := word.Draw(t, "argument"); !inputs { // else it would be one
					typed, wantArgs = append(typed, v), append(wantArgs, v)
				}
				continue
			case 1, 2:
				v := value.Draw(t, "value")
				switch {
				case f.NoOptDefVal != "":
					typed = append(typed, s[0])
					give(f.Name, "true")
				case rapid.Bool().Draw(t, "joined"):
					typed = append(typed, s[0]+"="+v)
					give(f.Name, v)
				default:
					typed = append(typed, s[0], v)
					give(f.Name, v)
				}
			case 3:
				values := append([]string{value.Draw(t, "first")}, rapid.SliceOfN(word, 0, 3).Draw(t, "inputs")...)
				typed = append(append(typed, "-i"), values...)
				give("input", values...)
			case 4:
				typed = append(typed, "-t", "ok")
				give("test-set", "ok")
			case 5:
				typed = append(typed, "-bq")
				give("score-only", "true")
				give("quiet", "true")
			}
			inputs = kind == 3
		}
		if rapid.Bool().Draw(t, "end") {
			rest := rapid.SliceOfN(value, 0, 3).Draw(t, "rest")
			typed, wantArgs = append(append(typed, "--"), rest...), append(wantArgs, rest...)
		}
		before := slices.Clone(typed)
		args, err := Rewrite(typed, letters(), several()...)
		if err != nil || !slices.Equal(typed, before) {
			t.Fatalf("%q: %v", typed, err)
		}
		fs := letters()
		got := make(map[string][]string)
		if err := fs.ParseAll(args, func(f *pflag.Flag, v string) error { got[f.Name] = append(got[f.Name], v); return nil }); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if d := cmp.Diff(want, got) + cmp.Diff(slices.Concat(wantArgs), slices.Concat(fs.Args())); d != "" {
			t.Fatalf("%q became %q (-want +got):\n%s", typed, args, d)
		}
		// Once more it changes nothing.
		if again, err := Rewrite(args, letters(), several()...); err != nil || !slices.Equal(again, args) {
			t.Fatalf("%q became %q, and that %q: %v", typed, args, again, err)
		}
	})
}
