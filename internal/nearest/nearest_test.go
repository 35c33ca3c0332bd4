package nearest

import "testing"

func TestName(t *testing.T) {
	metrics := []string{"bleu", "chrf", "ter", "wordf", "wer", "mer", "wil", "cer", "per", "meteor", "dreem", "multilevel-meteor", "multilevel-dreem", "bertscore", "bertscore-lexical"}
	names := []string{"tokenize", "target-language", "ter-asian-support", "sentence-level", "paired", "paired-n", "confidence", "smooth-method"}
	for _, tt := range []struct {
		typed string
		names []string
		want  string
	}{
		{"bleau", metrics, "bleu"},
		{"blue", metrics, "bleu"},
		{"BLUE", metrics, "bleu"},
		{"bert", metrics, "bertscore"},
		{"bertscor", metrics, "bertscore"},
		{"metoer", metrics, "meteor"},
		{"multilevel-metoer", metrics, "multilevel-meteor"},
		{"chr", metrics, "chrf"},
		{"chrff", metrics, "chrf"},
		{"tre", metrics, "ter"},
		{"zeta", []string{"beta"}, ""},
		{"csv", []string{"text", "tsv"}, ""},
		{"comet", metrics, ""},
		{"bleurt", metrics, ""},
		{"rouge", metrics, ""},
		{"b", metrics, ""},
		{"", metrics, ""},
		{"xy", metrics, ""},
		{"tokenise", names, "tokenize"},
		{"tok", names, "tokenize"},
		{"target-langauge", names, "target-language"},
		{"sentance-levle", names, "sentence-level"},
		{"confidnce", names, "confidence"},
		{"smothing-method", names, ""},
		{"paried", names, "paired"},
		{"no-such-flag", names, ""},
		{"bleu", nil, ""},
		{"\xff\xfe\xfd", metrics, ""},
		{"wmt2024", []string{"wmt20", "wmt22", "wmt24", "wmt24/B"}, "wmt24"},
		{"wmt42", []string{"wmt12", "wmt22", "wmt24"}, "wmt12"},
	} {
		if got := Name(tt.typed, tt.names); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.typed, got, tt.want)
		}
	}
}

// By hand: one substitution, one letter more, one less, one swap; and more than is counted.
func TestTypos(t *testing.T) {
	for _, tt := range []struct {
		a, b       string
		most, want int
	}{
		{"abc", "abc", 2, 0}, {"abc", "axc", 2, 1}, {"abc", "abxc", 2, 1}, {"abc", "ac", 2, 1}, {"abc", "acb", 2, 1},
		{"abcd", "badc", 2, 2}, {"ab", "", 2, 2}, {"", "abc", 2, 3}, {"abc", "xyz", 2, 3}, {"abc", "xyz", 5, 3}, {"für", "fur", 1, 1},
	} {
		if got := typos(tt.a, tt.b, tt.most); got != tt.want {
			t.Errorf("%s, %s, at most %d: %d, want %d", tt.a, tt.b, tt.most, got, tt.want)
		}
	}
}
