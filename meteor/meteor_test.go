package meteor

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit/limittest"
	"github.com/mteval/mteval/internal/stem"
	"github.com/mteval/mteval/tunable"
)

func mustNew(t testing.TB, o Options) *Scorer {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewErrors(t *testing.T) {
	table := smallTable(t, readRecording(t))
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Language: "ar-bw-red"}, `language "ar-bw-red" is not a code`},
		{Options{Language: "zz"}, `language "zz" is not a code`},
		{Options{Language: "englisch"}, `language "englisch" is not a code`},
		{Options{Language: "de", Modules: []Module{Exact, Synonym}}, "synonyms for English only"},
		{Options{Language: "cz", Modules: []Module{Exact, Stem}}, "no stemmer for language cs"},
		{Options{Language: "ja", Normalization: Full}, "no normalization for language ja"},
		{Options{Normalization: 7}, "no normalization 7"},
		{Options{Modules: []Module{Exact, Paraphrase}}, "needs a table"},
		{Options{Modules: []Module{Exact}, Paraphrases: table}, "module paraphrase is not among the modules"},
		{Options{Modules: []Module{Exact, Exact}}, "named twice"},
		{Options{Modules: []Module{"exakt"}}, `no module "exakt"`},
		{Options{Modules: []Module{}}, "0 modules"},
		{Options{Task: "ranking"}, `no task "ranking"`},
		{Options{Language: "de", Task: Adequacy}, "every score would be 0"},
		{Options{Language: "pt", Task: Rank}, "every score would be 0"},
		{Options{Params: &Params{Alpha: 1.5}}, "Alpha 1.5 is not from 0 to 1"},
		{Options{Params: &Params{Gamma: math.NaN()}}, "Gamma NaN"},
		{Options{Params: &Params{Beta: math.Inf(1)}}, "Beta +Inf"},
		{Options{Weights: []float64{1, -1}}, "weight 2 is -1"},
		{Options{Weights: []float64{1, 1, 1, 1}}, "4 weights for 3 modules"},
		{Options{Beam: -1}, "Beam -1"},
	} {
		if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}
}

// The signature names what the number can be compared with.
func TestSignature(t *testing.T) {
	table := smallTable(t, readRecording(t))
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, "program:none|lang:en|norm:no_norm|modules:exact,stem,synonym|weights:1,0.6,0.8|params:0.85,0.2,0.6,0.75|unit:word|" +
			"fwords:sha256-092af400|prefixes:none|synonyms:wordnet-3.0|paraphrases:none|beam:40|corrected:none"},
		{Options{Language: "german", Normalization: Full, Characters: true, Beam: 5, Correct: Corrections{Rewards: true, FunctionWords: true}},
			"program:none|lang:de|norm:norm|modules:exact,stem|weights:1,0.8|params:0.95,1,0.55,0.55|unit:char|" +
				"fwords:sha256-0435a456|prefixes:mteval|synonyms:none|paraphrases:none|beam:5|corrected:rewards,function-words"},
		{Options{Language: "xx", FunctionWords: []string{}, Task: Universal, Paraphrases: table, Normalization: Lower},
			"program:none|lang:other|norm:lc_only|modules:exact,paraphrase|weights:1,0.6|params:0.7,1.4,0.3,0.7|unit:word|" +
				"fwords:sha256-e3b0c442|prefixes:none|synonyms:none|paraphrases:sha256-6a4a8630|beam:40|corrected:none"},
	} {
		s := mustNew(t, tt.o)
		if d := cmp.Diff(tt.want, s.Info().Signature.String()); d != "" {
			t.Errorf("signature (-want +got):\n%s", d)
		}
	}
}

// With the jar's lists a score is the program's, by its name; with anything else it is not.
func TestProgram(t *testing.T) {
	jar := openJar(t)
	full := openParaphrases(t, filepath.Join(jarDir(t), "data", "paraphrase-en.gz"))
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Resources: jar, Normalization: Full, Paraphrases: full}, "meteor-1.5-wo-en-norm-0.85_0.2_0.6_0.75-ex_st_sy_pa-1.0_0.6_0.8_0.6"},
		{Options{Resources: jar, Language: "sv"}, "meteor-1.5-wo-se-no_norm-0.75_1.4_0.7_0.5-ex_st-1.0_0.5"},
		{Options{Resources: jar, Params: &Params{.5, 1e-4, 1, 0}, Weights: []float64{1}}, "meteor-1.5-wo-en-no_norm-0.5_1.0E-4_1.0_0.0-ex_st_sy-1.0_0.0_0.0"},
		{Options{Resources: jar, Language: "ja"}, "none"},
		{Options{Resources: jar, Correct: Corrections{Strings: true}}, "none"},
		{Options{Resources: jar, FunctionWords: []string{"the"}}, "none"},
		{Options{Resources: jar, Language: "de", Paraphrases: full}, "none"},
		{Options{Resources: jar, Paraphrases: smallTable(t, readRecording(t))}, "none"},
		{Options{}, "none"},
	} {
		s := mustNew(t, tt.o)
		if got := s.Info().Signature.Get("program"); got != tt.want {
			t.Errorf("%s: program %q, want %q", s.Info().Signature, got, tt.want)
		}
	}
}

// Each correction changes what its quirk does, and nothing where there is no quirk.
func TestCorrections(t *testing.T) {
	three := []Module{Exact, Stem, Synonym}
	for _, tt := range []struct {
		name     string
		o        Options
		correct  Corrections
		hyp, ref string
		was, is  string // the alignment
	}{
		{"words with one hash", Options{Modules: []Module{Exact}}, Corrections{Strings: true}, "misused variants", "misused gelato", "0:1-0:1/0 1:1-1:1/0", "0:1-0:1/0"},
		{"a match found twice", Options{Modules: three}, Corrections{Rewards: true}, "a cats b", "x cat y", "", "1:1-1:1/1"},
		{"distance of the state before", Options{Modules: []Module{Exact}}, Corrections{Distance: true}, "d", "g x d d", "0:1-2:1/0", "0:1-2:1/0"},
		{"equal texts", Options{Modules: []Module{Stem, Exact}}, Corrections{AllModules: true}, "a b", "a b", "", "0:1-0:1/1 1:1-1:1/1"},
	} {
		before, after := tt.o, tt.o
		after.Correct = tt.correct
		if got := spanText(limittest.MustAlign(t, mustNew(t, before).Align, tt.ref, tt.hyp).Spans); got != tt.was {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.was)
		}
		if got := spanText(limittest.MustAlign(t, mustNew(t, after).Align, tt.ref, tt.hyp).Spans); got != tt.is {
			t.Errorf("%s, corrected: %s, want %s", tt.name, got, tt.is)
		}
	}
	// Function words and weights are in the statistics and the score.
	de := limittest.MustAlign(t, mustNew(t, Options{Language: "de", Correct: Corrections{FunctionWords: true}}).Align, "der in", "der Hund in")
	if de.HypFunction != 2 || limittest.MustAlign(t, mustNew(t, Options{Language: "de"}).Align, "der in", "der Hund in").HypFunction != 1 {
		t.Errorf("%v function words", de.HypFunction)
	}
	modules := []Module{Exact, Synonym}
	place, name := mustNew(t, Options{Modules: modules}), mustNew(t, Options{Modules: modules, Correct: Corrections{WeightsByModule: true}})
	if place.weights[1] != .6 || name.weights[1] != .8 {
		t.Errorf("weights of synonym %v by place, %v by module", place.weights[1], name.weights[1])
	}
	// Names go forth and back.
	all, err := ParseCorrections("all")
	if err != nil || all != (Corrections{true, true, true, true, true, true}) {
		t.Errorf("%+v, %v", all, err)
	}
	if c, err := ParseCorrections(strings.Join(all.names(), ",")); err != nil || c != all {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := ParseCorrections("distance,colour"); err == nil || !strings.Contains(err.Error(), `no correction "colour": have strings, rewards`) {
		t.Errorf("error %v", err)
	}
}

// The distance that a match moves a word is added to other alignments than its own: with
// the correction the nearest word is matched.
func TestDistanceCorrected(t *testing.T) {
	differ := 0
	plain, corrected := mustNew(t, Options{Modules: []Module{Exact}}), mustNew(t, Options{Modules: []Module{Exact}, Correct: Corrections{Distance: true}})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "x"}), 1, 8)
		hyp, ref := strings.Join(words.Draw(t, "hyp"), " "), strings.Join(words.Draw(t, "ref"), " ")
		was, is := limittest.MustAlign(t, plain.Align, ref, hyp), limittest.MustAlign(t, corrected.Align, ref, hyp)
		if was.HypMatched != is.HypMatched {
			t.Fatalf("%v and %v words matched", was.HypMatched, is.HypMatched)
		}
		moved := func(a *Alignment) (sum int) {
			for _, c := range a.Spans {
				sum += int(max(c.Hyp-c.Ref, c.Ref-c.Hyp))
			}
			return sum
		}
		if was.Chunks == is.Chunks && moved(is) > moved(was) {
			t.Fatalf("moved by %d, and by %d when corrected", moved(was), moved(is))
		}
		if moved(is) < moved(was) {
			differ++
		}
	})
	if differ == 0 {
		t.Error("the correction never made a difference")
	}
}

// The best alignment has no fewer matches, of as many no more chunks, than any other.
func TestAlignmentIsBest(t *testing.T) {
	s := mustNew(t, Options{Modules: []Module{Exact}, Beam: 2000, Correct: Corrections{Strings: true}})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 6)
		hyp, ref := words.Draw(t, "hyp"), words.Draw(t, "ref")
		a := limittest.MustAlign(t, s.Align, strings.Join(ref, " "), strings.Join(hyp, " "))
		matches, chunks := best(hyp, ref, 0, nil, -1)
		got := int(a.Chunks)
		if got == 0 && len(a.Spans) > 0 {
			got = 1 // a perfect match
		}
		if len(a.Spans) != matches || got != chunks {
			t.Fatalf("%d matches in %d chunks, the best are %d in %d", len(a.Spans), got, matches, chunks)
		}
	})
}

// best tries all alignments of ref[i:], end being where the chunk goes on.
func best(hyp, ref []string, i int, used []int, end int) (matches, chunks int) {
	if i == len(ref) {
		return 0, 0
	}
	matches, chunks = best(hyp, ref, i+1, used, -1)
	for j := range hyp {
		if hyp[j] != ref[i] || slices.Contains(used, j) {
			continue
		}
		m, c := best(hyp, ref, i+1, append(slices.Clone(used), j), j+1)
		m++
		if j != end {
			c++
		}
		if m > matches || m == matches && c < chunks {
			matches, chunks = m, c
		}
	}
	return matches, chunks
}

// Kept rows give under other parameters what scoring again gives.
func TestKeep(t *testing.T) {
	rec := readRecording(t)
	s := mustNew(t, Options{Paraphrases: smallTable(t, rec)})
	for _, r := range rec.Runs {
		if len(r.Refs[0]) == 1 {
			continue
		}
		kept, err := tunable.Keep(context.Background(), s, r.Refs, nil, r.Hyps)
		if err != nil {
			t.Fatal(err)
		}
		moved := 0
		for _, p := range []Params{{.1, 2, .9, .9}, {.99, .1, .1, .1}, {.5, 1, .5, .5}} {
			other, err := s.With(p, []float64{1, .1, .9, .3})
			if err != nil {
				t.Fatal(err)
			}
			again := mustNew(t, Options{Paraphrases: smallTable(t, rec), Params: &p, Weights: []float64{1, .1, .9, .3}})
			prepared, err := again.Prepare(context.Background(), r.Refs)
			if err != nil {
				t.Fatal(err)
			}
			want, err := prepared.Append(context.Background(), nil, nil, r.Hyps)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, kept.Append(nil, other)); d != "" {
				t.Errorf("%+v: rows (-scored again +kept):\n%s", p, d)
			}
			if d := cmp.Diff(again.Info(), other.Info()); d != "" {
				t.Errorf("%+v: Info (-new +changed):\n%s", p, d)
			}
			if !slices.Equal(want, kept.Append(nil, s)) {
				moved++
			}
		}
		if moved == 0 {
			t.Error("no parameters chose another reference")
		}
	}
}

func TestOpenJarErrors(t *testing.T) {
	lists := map[string]string{"synonym/english.synsets": "car\n1 2\n", "synonym/english.exceptions": "mouse\nmice\n"}
	for code, name := range jarNames {
		lists["function/"+name+".words"] = "the\n"
		if slices.Contains(normalized, code) {
			lists["nonbreaking/"+name+".prefixes"] = "# titles\nDr\nNo #NUMERIC_ONLY#\n"
		}
	}
	jar := func(without, name, text string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for n, list := range lists {
			if n == without {
				continue
			}
			if n == name {
				list = text
			}
			w, err := z.Create(n)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(list)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	path := filepath.Join(t.TempDir(), "some.jar")
	open := func(data []byte) (*Resources, error) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return OpenJar(path)
	}
	good := jar("", "", "")
	r, err := open(good)
	if err != nil {
		t.Fatal(err)
	}
	// Other lists go into the signature by their hash.
	s := mustNew(t, Options{Resources: r, Normalization: Full})
	sig := s.Info().Signature
	if !strings.HasPrefix(r.name, "sha256-") || sig.Get("fwords") != r.name || sig.Get("synonyms") != r.name || sig.Get("prefixes") != r.name || sig.Get("program") != "none" {
		t.Errorf("signature %s", sig)
	}
	if got := limittest.MustAlign(t, s.Align, "the", "Dr. No. 5 No. x"); strings.Join(got.Hyp, " ") != "dr. no. 5 no. x" {
		t.Errorf("words %q", got.Hyp)
	}
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{good[:len(good)/2], "not a jar, or cut short"},
		{[]byte("no zip at all"), "not a jar, or cut short"},
		{jar("function/english.words", "", ""), "!/function/english.words: the jar has no such list"},
		{jar("nonbreaking/czech.prefixes", "", ""), "!/nonbreaking/czech.prefixes: the jar has no such list"},
		{jar("synonym/english.exceptions", "", ""), "!/synonym/english.exceptions: the jar has no such list"},
		{jar("", "synonym/english.synsets", "car\n1\nauto\nx\n"), `!/synonym/english.synsets:4: "x" is not the number of a synset`},
		{jar("", "synonym/english.exceptions", "mouse\n"), `!/synonym/english.exceptions:1: the file ends after "mouse"`},
		{jar("", "nonbreaking/german.prefixes", "Dr\n\nz B\n"), `!/nonbreaking/german.prefixes:3: "z B" is not one abbreviation`},
	} {
		_, err := open(tt.data)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	if _, err := OpenJar("no/such.jar"); err == nil || err.Error() != "no/such.jar: no such file or directory" {
		t.Errorf("error %v", err)
	}
	// A byte that is changed is found by the checksum.
	for i := 0; i < len(good); i += 11 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x55
		if r, err := open(bad); err == nil && r.name == program {
			t.Fatalf("with byte %d changed the lists are the program's", i)
		}
	}
}

func pack(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParaphraseErrors(t *testing.T) {
	long := strings.Repeat("0.5\na b\nc d\n", 3000)
	packed := pack(t, long)
	for _, tt := range []struct {
		data string
		want string
	}{
		{"", "f: there is nothing in it"},
		{"0.5\na b\nc\n0.5\n", "f:4: the file ends within a pair"},
		{"0.5\na b\nc\n0.5\nx", "f:5: the file ends within a pair"},
		{"0.5\na b\nc\nd e\n0.5\nx\n", `f:4: "d e" is not a probability`},
		{"\na\nb\n", `f:1: "" is not a probability`},
		{"0.5\n\nb\n", "f:2: the phrase is empty"},
		{"0.5\na\n \t\n", "f:3: the paraphrase is empty"},
		{"0.5\n" + strings.Repeat("x", 3<<20), "f:2: the line is longer than 65,536 bytes"},
		{string(packed[:len(packed)-9]), "damaged gzip data: unexpected EOF"},
		{string(packed[:5]), "damaged gzip data"},
		{strings.Replace(string(packed), string(packed[20:24]), "\xff\xff\xff\xff", 1), "damaged gzip data"},
	} {
		_, err := ReadParaphrases(context.Background(), strings.NewReader(tt.data), "f")
		if err == nil || !strings.HasPrefix(err.Error(), "f:") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: error %v, want %q", tt.data, err, tt.want)
		}
	}
	if _, err := OpenParaphrases(context.Background(), "no/such.gz"); err == nil || err.Error() != "no/such.gz: no such file or directory" {
		t.Errorf("error %v", err)
	}
	if _, err := OpenParaphrases(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("error %v", err)
	}
	if _, err := OpenLanguage(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "function.words: no such file or directory") {
		t.Errorf("error %v", err)
	}
}

// A table is the same plain or packed, with its pairs in any order of phrases.
func TestParaphraseOrder(t *testing.T) {
	pairs := []string{"a b|x", "c|y z", "a b|q", "c|w", "a|x", "a b|x y"}
	text := ""
	for _, p := range pairs {
		text += "1.0E-5\r\n" + strings.ReplaceAll(p, "|", "\r\n") + "\r\n"
	}
	for _, data := range [][]byte{[]byte(text), pack(t, text), []byte(strings.TrimSuffix(text, "\r\n"))} {
		table, err := ReadParaphrases(context.Background(), bytes.NewReader(data), "f")
		if err != nil {
			t.Fatal(err)
		}
		s := mustNew(t, Options{Modules: []Module{Paraphrase}, Paraphrases: table})
		for _, tt := range []struct{ hyp, ref, want string }{
			{"x", "a b", "0:1-0:2/0"}, {"a b", "q", "0:2-0:1/0"}, {"y z w", "c", "0:2-0:1/0"}, {"m x y n", "a b", "1:2-0:2/0"}, {"b", "x", ""},
			{"zzz", "c", ""},
		} {
			if got := spanText(limittest.MustAlign(t, s.Align, tt.ref, tt.hyp).Spans); got != tt.want {
				t.Errorf("%q, %q: %s, want %s", tt.hyp, tt.ref, got, tt.want)
			}
		}
	}
}

// The words of a text are in it, where they say.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		norm       Normalization
		line, want string // word:start-end
	}{
		{Raw, " The  cat\tsat", "The:1-4 cat:6-9 sat:10-13"},
		{Lower, "ÉTÉ ΑΣ", "été:0-5 ας:6-10"},
		{Full, "Don't stop... “U.S.”", "don:0-3 't:3-5 stop:6-10 ...:10-13 \":14-17 us:17-20 \":21-24"},
		{Full, "a--b ''x''", "a:0-1 b:3-4 \":5-7 x:7-8 \":8-10"},
		{FullNoPunct, "Don't (stop)!", "don:0-3 t:4-5 stop:7-11"},
	} {
		s := mustNew(t, Options{Normalization: tt.norm})
		m, err := s.PrepareMatch(context.Background(), [][]string{{tt.line}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range m.RefTokens(0)[0] {
			got = append(got, fmt.Sprintf("%s:%d-%d", k.Text, k.Start, k.End))
		}
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%v %q (-want +got):\n%s", tt.norm, tt.line, d)
		}
	}
}

// The means of the links' similarities are precision and recall.
func TestLinksArePrecisionAndRecall(t *testing.T) {
	rec := readRecording(t)
	s := mustNew(t, Options{Paraphrases: smallTable(t, rec)})
	for _, r := range rec.Runs {
		m, err := s.PrepareMatch(context.Background(), r.Refs)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]mteval.Matching, len(r.Hyps))
		if err := m.Match(context.Background(), out, nil, r.Hyps); err != nil {
			t.Fatal(err)
		}
		for i := range out {
			refs := m.RefTokens(i)[:1]
			one := mteval.Matching{Tokens: out[i].Tokens, Pairings: out[i].Pairings[:1]}
			d := s.Detail(s.AppendMatch(nil, i, refs, &one))
			mean := func(tokens []mteval.Token, links []mteval.Link) float64 {
				sum, all := 0.0, 0.0
				for j, l := range links {
					sum += float64(tokens[j].Weight) * float64(l.Sim)
					all += float64(tokens[j].Weight)
				}
				if all == 0 {
					return 0
				}
				return sum / all
			}
			if p, q := mean(one.Tokens, one.Pairings[0].Hyp), mean(refs[0], one.Pairings[0].Ref); math.Abs(p-d.Precision) > 1e-6 || math.Abs(q-d.Recall) > 1e-6 {
				t.Errorf("%q: links give %v and %v, precision and recall are %v and %v", r.Hyps[i], p, q, d.Precision, d.Recall)
			}
		}
	}
}

// Long and repetitive texts take neither forever nor all memory.
func TestLong(t *testing.T) {
	s := mustNew(t, Options{Normalization: Full})
	same := strings.Repeat("the ", 700)
	if d := s.Detail(limittest.MustAlign(t, s.Align, same+"end", same).Row()); d.Recall < .99 {
		t.Errorf("%v", d)
	}
	var words []string
	for i := range 3000 {
		words = append(words, fmt.Sprintf("w%d", i*i%1009))
	}
	a := limittest.MustAlign(t, s.Align, strings.Join(append(words[500:], words[:500]...), " "), strings.Join(words, " "))
	if a.HypMatched != 3000 || a.Chunks < 2 {
		t.Errorf("%v words in %v chunks", a.HypMatched, a.Chunks)
	}
	limittest.MustAlign(t, s.Align, strings.Repeat("…'", 100_000), strings.Repeat("x", 1_000_000))
}

// Every language with a stemmer can be scored, and others by their words.
func TestLanguages(t *testing.T) {
	for _, code := range append(stem.Languages(), "cs", "ja", "zh", "other", "swh") {
		s := mustNew(t, Options{Language: code})
		if r, err := mteval.Sentence(context.Background(), s, []string{"a b c"}, "a b c"); err != nil || r.Score != 1 {
			t.Errorf("%s: %v, %v", code, r.Score, err)
		}
	}
}

// Languages are those that have more than equal words and the parameters of any language.
func TestLanguagesKnown(t *testing.T) {
	known := Languages()
	if !slices.IsSorted(known) || len(known) != 19 { // 18 stemmers, and Czech
		t.Error(known)
	}
	for _, code := range append([]string{"zh", "kk", "other"}, known...) {
		s := mustNew(t, Options{Language: code})
		more := len(s.modules) > 1 || s.task != LangIndep
		if more != slices.Contains(known, code) {
			t.Errorf("%s: modules %v, task %s", code, s.modules, s.task)
		}
	}
	if code, err := ParseLanguage("Klingon"); err == nil || !strings.HasPrefix(err.Error(), "meteor: ") {
		t.Errorf("%q, %v", code, err)
	}
}

// A language goes by any of its names.
func TestLanguageNames(t *testing.T) {
	for name, want := range map[string]string{
		"": "en", "en": "en", "eng": "en", "English": "en", "cz": "cs", "cs": "cs", "ces": "cs", "se": "sv", "sv": "sv",
		"deu": "de", "GERMAN": "de", "nb": "no", "nno": "no", "no": "no", "xx": "other", "other": "other", "ja": "ja", "swh": "swh", "ga": "ga",
	} {
		if got := mustNew(t, Options{Language: name}).Info().Signature.Get("lang"); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, line := range []string{"Mr. X's co-op... “a”", "DOTMULTI.DOTDOTMULTI..", "\xff,'\v–--`’", "İΣ"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, norm := range []Normalization{Raw, Lower, Full, FullNoPunct} {
			for _, language := range []string{"en", "fr", "de"} {
				s := splitter{norm: norm, english: language == "en", french: language == "fr", prefixes: DefaultResources().prefixes[language]}
				var w words
				s.split(&w, line)
				for _, at := range w.spans {
					if at.lo >= at.hi || at.start < 0 || at.end < at.start || int(at.end) > len(line) {
						t.Fatalf("%v %q: %+v", norm, line, at)
					}
				}
			}
		}
	})
}

func FuzzParaphrases(f *testing.F) {
	f.Add([]byte("0.5\na b\nc\n"), "a b", "c")
	f.Add(pack(f, "1\na\nb c\n"), "b c", "a")
	f.Fuzz(func(t *testing.T, data []byte, hyp, ref string) {
		table, err := ReadParaphrases(context.Background(), bytes.NewReader(data), "f")
		if err != nil {
			return
		}
		s, err := New(Options{Paraphrases: table})
		if err != nil {
			return
		}
		limittest.MustAlign(t, s.Align, ref, hyp)
	})
}
