package registry

import (
	"errors"
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
)

// Every name makes a metric of that name, with all flags as they are at first.
func TestNames(t *testing.T) {
	var f Flags
	var chosen []string
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Var(fs, flags.List(&chosen, nil, "metric", Names()...), "metrics", "metrics")
	f.Add(fs, t.Logf)
	if err := f.Check(t.Context(), Names()); err != nil {
		t.Fatal(err)
	}
	var open Backend
	defer open.Close()
	scorers, err := f.Scorers(t.Context(), Names(), &open)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range scorers {
		got = append(got, s.Info().Name)
	}
	// The two of BERTScore are one, over lexical vectors.
	if want := slices.DeleteFunc(Names(), func(n string) bool { return n == "bertscore" }); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if texts, _ := open.Cut(); texts != 0 || len(open.Signature()) == 0 {
		t.Errorf("%d texts are cut, signature %v", texts, open.Signature())
	}
	if _, err := f.Scorer(t.Context(), "bleau", &open); err == nil {
		t.Error("no error for bleau")
	}
}

// Standard metrics are those of no options but the language's.
func TestStandard(t *testing.T) {
	for _, tt := range []struct{ language, want string }{{"", "13a"}, {"de", "13a"}, {"zh-CN", "zh"}, {"ja", "ja-mecab-kagome-IPA"}} {
		var f Flags
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.Add(fs, t.Logf)
		given := []string{"--idf", "--chrf-word-order=2", "--tokenize=char", "--lowercase", "--backend=transformer", "--model=no/such"}
		if tt.language != "" {
			given = append(given, "--target-language="+tt.language)
		}
		if err := fs.Parse(given); err != nil {
			t.Fatal(err)
		}
		var open Backend
		defer open.Close()
		for name, want := range map[string][2]string{"bertscore": {"tok", tt.want}, "bleu": {"tok", tt.want}, "chrf": {"nw", "0"}} {
			s, err := f.Standard(t.Context(), name, &open)
			if err != nil {
				t.Fatal(err)
			}
			sig := s.Info().Signature
			if got := sig.Get(want[0]); got != want[1] || sig.Get("idf") == "yes" || sig.Get("case") == "lc" {
				t.Errorf("%s for %q: %s, want %s", name, tt.language, sig, want)
			}
		}
	}
	// Korean has spaces, and so words for lexical vectors, but no tokenizer of BLEU here.
	var f Flags
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Add(fs, t.Logf)
	if err := fs.Parse([]string{"--target-language=ko"}); err != nil {
		t.Fatal(err)
	}
	var open Backend
	defer open.Close()
	if s, err := f.Standard(t.Context(), "bertscore", &open); err != nil || s.Info().Signature.Get("tok") != "13a" {
		t.Errorf("Korean: %v, %v", s, err)
	}
	if s, err := f.Standard(t.Context(), "bleu", &open); err == nil || s != nil {
		t.Errorf("BLEU of Korean: %v, %v", s, err)
	}
}

// A limit is the user's, whose lines it is for.
func TestStandardLimit(t *testing.T) {
	var f Flags
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Add(fs, t.Logf)
	if err := fs.Parse([]string{"--max-tokens=2"}); err != nil {
		t.Fatal(err)
	}
	var open Backend
	defer open.Close()
	for _, name := range []string{"bertscore", "chrf"} {
		s, err := f.Standard(t.Context(), name, &open)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prepare(t.Context(), [][]string{{"a text of many words"}}); !errors.Is(err, mteval.ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
