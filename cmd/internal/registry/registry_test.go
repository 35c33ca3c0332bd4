package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
)

// Every name makes a metric of that name, with all flags as they are at first.
func TestNames(t *testing.T) {
	var f Flags
	var chosen []string
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Var(fs, f.Metrics(&chosen, nil, "metric", Names()...), "metrics", "metrics")
	f.Add(fs, t.Logf)
	names := Names()
	names[slices.Index(names, "comet")] += "(model=../../../comet/testdata/wmt22)" // it has none at first
	if err := f.Check(t.Context(), names); err != nil {
		t.Fatal(err)
	}
	var open Backend
	defer open.Close()
	scorers, err := f.Scorers(t.Context(), names, &open)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range scorers {
		got = append(got, s.Info().Name)
	}
	// Files without a direction have it by these names, and by those of forms made of them.
	for _, s := range scorers {
		name := s.Info().Name
		for _, form := range []string{name, strings.ToUpper(name), name + "+da"} {
			m, err := files.Directions{}.Metrics([]files.MetricScores{{Name: form}})
			if err != nil || m[0].LowerIsBetter != s.Info().LowerIsBetter {
				t.Errorf("%s: %v, %v", form, m, err)
			}
		}
	}
	// The two of BERTScore are one, over lexical vectors.
	if want := slices.DeleteFunc(Names(), func(n string) bool { return n == "bertscore" }); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// What mteval metrics tells of them is so.
	for _, s := range scorers {
		info := s.Info()
		i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == info.Name })
		if scale := fmt.Sprintf("%g", info.Scale); info.Name != learned && !slices.Contains(strings.FieldsFunc(metrics[i].scale, func(r rune) bool { return r == ' ' || r == ',' }), scale) {
			t.Errorf("%s: %s, and its scale is %s", info.Name, metrics[i].scale, scale)
		}
		if (metrics[i].better == less) != info.LowerIsBetter {
			t.Errorf("%s: %s", info.Name, metrics[i].better)
		}
	}
	if cuts := open.Cuts(); cuts != nil {
		t.Errorf("cut: %v", cuts)
	}
	if _, err := f.Scorer(t.Context(), "bleau", &open); err == nil {
		t.Error("no error for bleau")
	}
}

// chrF++ is one whatever chrF is, and is named once.
func TestChrFPlusPlus(t *testing.T) {
	for _, tt := range []struct{ given, metrics, want string }{
		{"", "chrf,chrf++", "chrf:0 chrf++:2"},
		{"--chrf-word-order=1", "chrf,chrf++", "chrf:1 chrf++:2"},
		{"--chrf-word-order=2", "chrf", "chrf++:2"},
		{"--chrf-word-order=2", "chrf,chrf++", "chrf++:2"},
		{"--chrf-word-order=2", "chrf++", "--chrf-word-order is an option of chrf: add --metrics chrf or leave it out"},
		{"--chrf-beta=1", "chrf++", "chrf++:2"},
		{"", "chrf,chrf(word-order=2),chrf(word-order=1)", "chrf:0 chrf++:2 chrf(word-order=1):1"},
	} {
		var f Flags
		var chosen []string
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Var(fs, f.Metrics(&chosen, nil, "metric", Names()...), "metrics", "metrics")
		f.Add(fs, t.Logf)
		f.AddSacreBLEU(fs)
		if err := fs.Parse(append(strings.Fields(tt.given), "--metrics="+tt.metrics)); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := cmp.Or(flags.Check(fs), f.Check(t.Context(), chosen))
		if err == nil {
			scorers, err := f.Scorers(t.Context(), chosen, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scorers {
				got = append(got, s.Info().Name+":"+s.Info().Signature.Get("nw"))
			}
		} else {
			got = []string{err.Error()}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s -m %s: %q, want %q", tt.given, tt.metrics, got, tt.want)
		}
	}
}

// Standard metrics are those of no options but the language's.
func TestStandard(t *testing.T) {
	for _, tt := range []struct{ language, want string }{{"", "13a"}, {"de", "13a"}, {"zh-CN", "zh"}, {"ja", "ja-mecab-kagome-IPA"}} {
		var f Flags
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		f.Add(fs, t.Logf)
		f.AddSacreBLEU(fs)
		if err := f.Check(t.Context(), []string{"bertscore(idf,backend=transformer,model=no/such)"}); err != nil {
			t.Fatal(err)
		}
		given := []string{"--chrf-word-order=2", "--tokenize=char", "--lowercase"}
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
	// Korean has spaces, and so words for lexical vectors; BLEU's tokenizer needs a dictionary.
	noModels(t)
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

// Metrics of one kind are told apart by the options in which they differ.
func TestSeveralOfAKind(t *testing.T) {
	model := func(name string) string { return "comet(model=../../../comet/testdata/" + name }
	for metrics, want := range map[string]string{
		"bleu(tokenize=13a),bleu(tokenize=zh)":                    "bleu(tokenize=13a) bleu(tokenize=zh)",
		"bleu,bleu(tokenize=zh,lowercase)":                        "bleu bleu(tokenize=zh,lowercase)",
		"bleu(lowercase),bleu(lowercase,tokenize=zh)":             "bleu bleu(tokenize=zh)",
		"bleu(tokenize=zh),bleu(tokenize=zh)":                     "bleu",
		"bleu(tokenize=zh,lowercase),bleu(lowercase,tokenize=zh)": "bleu",
		"bertscore,bertscore-lexical":                             "bertscore-lexical",
		"bertscore,bertscore-lexical(idf),bertscore(idf)":         "bertscore-lexical bertscore-lexical(idf)",
		`meteor(params=".8,1,.5,.7"),meteor(params=".9 1 .5 .7")`: `meteor(params=".8,1,.5,.7") meteor(params=.9 1 .5 .7)`,
		model("wmt22)"):                                "comet",
		model("wmt22),") + model("kiwi)"):              "wmt22 kiwi",
		model("wmt22),") + model("wmt22,dtype=bf16)"):  "comet comet(dtype=bf16)",
		model("wmt22),") + model("kiwi,dtype=bf16)"):   "wmt22 kiwi(dtype=bf16)",
		model("wmt22),") + model("../testdata/wmt22)"): "are both called wmt22",
		"bleu(tokenise=zh)":                            `no option of bleu "tokenise" (did you mean tokenize?): have tokenize, lowercase, smooth-method, smooth-value, max-ngram-order`,
		"bleu(tokenize=ja-mecb)":                       `bleu(tokenize): no tokenizer "ja-mecb" (did you mean ja-mecab?): have none, 13a`,
		"bleu(max-ngram-order=0)":                      "bleu(max-ngram-order)=0: want 1 to 16",
		"bleu(tokenize)":                               "bleu(tokenize): give it a value, as in tokenize=…",
		"bleu(tokenize=zh,tokenize=13a)":               "bleu(tokenize) is given twice",
		"bleu(lowercase=perhaps)":                      "bleu(lowercase)=perhaps: want true or false, or no value",
		"bleu(tokenize=zh":                             "want bleu, or bleu(option=value,option=value)",
		"meteor(new=x,language=de)":                    "meteor(new) is of a new language: leave meteor(language) out",
		"bertscore(layer=3)":                           "bertscore(layer) is an option of backend=transformer or libtorch",
		"bertscore(backend=transformer)":               "bertscore(backend) needs a model",
	} {
		var f Flags
		var chosen []string
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Var(fs, f.Metrics(&chosen, nil, "metric", Names()...), "metrics", "metrics")
		f.Add(fs, func(string, ...any) {})
		var open Backend
		var got []string
		err := cmp.Or(fs.Set("metrics", metrics), f.Check(t.Context(), chosen))
		if err == nil {
			var scorers []mteval.Scorer
			scorers, err = f.Scorers(t.Context(), chosen, &open)
			for _, s := range scorers {
				got = append(got, s.Info().Name)
			}
		}
		open.Close()
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", metrics, err, want)
			}
		} else if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", metrics, got, want)
		}
	}
}

// A renamed metric can do what it can without.
func TestRenamed(t *testing.T) {
	var f Flags
	f.Add(pflag.NewFlagSet("", pflag.ContinueOnError), func(string, ...any) {})
	metrics := []string{"bertscore", "bertscore(idf)", "bleu", "bleu(lowercase)", "wordf", "wordf(lowercase)", "meteor", "meteor(lowercase)"}
	if err := f.Check(t.Context(), metrics); err != nil {
		t.Fatal(err)
	}
	scorers, err := f.Scorers(t.Context(), metrics, new(Backend))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(scorers); i += 2 {
		for _, can := range []func(s mteval.Scorer) bool{
			func(s mteval.Scorer) bool { _, ok := s.(mteval.MatchScorer); return ok },
			func(s mteval.Scorer) bool { _, ok := s.(mteval.PRFScorer); return ok },
		} {
			if can(scorers[i]) != can(scorers[i+1]) {
				t.Errorf("%s is not as %s", scorers[i+1].Info().Name, scorers[i].Info().Name)
			}
		}
		if s := Plain(scorers[i+1]); s == scorers[i+1] || s.Info().Name != scorers[i].Info().Name {
			t.Errorf("%s is %s", scorers[i+1].Info().Name, s.Info().Name)
		}
	}
}
