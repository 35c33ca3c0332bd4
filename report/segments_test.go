package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/reporttest"
)

// words are tokens at spaces, with these numbers.
func words(text string, difficulty, similarity float64) Text {
	out := Text{Text: text}
	at := 0
	for _, w := range strings.SplitAfter(text, " ") {
		if end := at + len(strings.TrimSuffix(w, " ")); end > at {
			out.Tokens = append(out.Tokens, Token{Start: at, End: end, Difficulty: difficulty, Similarity: similarity, To: -1})
		}
		at += len(w)
	}
	return out
}

func browse() *Page {
	ref := words("Das Haus ist alt.", .5, 1)
	ref.Tokens[1].Difficulty = 1
	out := words("Das Heim ist alt.", .5, 1)
	out.Tokens[1] = Token{Start: 4, End: 8, Difficulty: 1, Similarity: -.25, Share: .04, To: 1, Novel: true}
	return &Page{
		Title: "Systems & segments",
		Segments: &Segments{
			Title: "Segments", Text: []string{nasty}, Systems: []string{"a", nasty},
			Scores: []ScoreColumn{{"chrF", 2, false}, {nasty, 4, true}},
			Keys:   []Key{{Name: "change"}, {nasty, true}},
			All: slices.Values([]Segment{
				{Number: 7, Keys: []float64{3, .25}, Source: nasty, References: []Text{ref}, Outputs: []Output{
					{Text: out, Scores: []float64{50.126, math.NaN()}, Missed: []Missed{{1, .9, .3, .02, 1}}},
					{Text: Text{Text: nasty}, Scores: []float64{0, -1}, Missed: []Missed{{0, .5, 0, 0, -1}, {1, 1, 0, 0, -1}, {2, .5, 0, 0, -1}, {3, .5, 0, 0, -1}}},
				}},
				{Number: 1, Name: nasty, Keys: []float64{1, 1e-7}, Outputs: []Output{{Scores: []float64{1, 2}}, {Text: Text{Text: "ein Wort"}, Scores: []float64{1, 2}}}},
			}),
		},
	}
}

func TestSegmentsGolden(t *testing.T) {
	page, _ := write(t, browse())
	plain, err := reporttest.Plain(page)
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "segments.html", plain)
}

// Names and texts are text, wherever they stand, and nothing is fetched.
func TestSegmentsNames(t *testing.T) {
	page, root := write(t, browse())
	for _, element := range []string{"p", "th", "option", "legend", "label", "td"} {
		if !slices.ContainsFunc(root.all(element), func(n *node) bool { return strings.Contains(n.words(), shown) }) {
			t.Errorf("no %s says %q", element, shown)
		}
	}
	for _, s := range []string{"url(", "@import", "src=", "href=\"http", "innerHTML", "eval("} {
		if bytes.Contains(page, []byte(s)) {
			t.Errorf("the page has %q", s)
		}
	}
	got, err := reporttest.Read(page)
	if err != nil {
		t.Fatal(err)
	}
	if got.Systems[1] != shown || got.Scores[1].Name != shown || got.Keys[1].Name != shown || got.All[0].Source != shown || got.All[1].Name != shown {
		t.Errorf("the page has %+v", got)
	}
}

// packed is a text as a reader of the page finds it.
func (t *Text) packed(output bool) reporttest.Text {
	var out reporttest.Text
	at, units := 0, 0
	read := func(to int) (start int) {
		start = units
		piece := clean(t.Text[at:to])
		out.Text += piece
		units += len(utf16.Encode([]rune(piece)))
		at = to
		return start
	}
	for _, tok := range t.Tokens {
		got := reporttest.Token{Name: clean(t.Text[tok.Start:tok.End]), Difficulty: rounded(tok.Difficulty), Similarity: rounded(tok.Similarity)}
		if tok.Text != "" {
			got.Name = clean(tok.Text)
		}
		if tok.Start < at || tok.Start == tok.End {
			got.Start, got.End = units, units
		} else {
			read(tok.Start)
			got.Start = read(tok.End)
			got.End = units
		}
		if output {
			got.Share, got.To, got.Novel = rounded(tok.Share), max(tok.To, -1), tok.Novel
		}
		out.Tokens = append(out.Tokens, got)
	}
	read(len(t.Text))
	return out
}

// rounded is a number with three decimals, in thousandths.
func rounded(x float64) int {
	n, err := strconv.Atoi(strings.Replace(strconv.FormatFloat(max(-20, min(x, 20)), 'f', 3, 64), ".", "", 1))
	if err != nil {
		panic(err)
	}
	return n
}

// pack is what a reader of the page finds of segments.
func pack(all []Segment, decimals []int) []reporttest.Segment {
	var out []reporttest.Segment
	for _, s := range all {
		p := reporttest.Segment{Number: s.Number, Name: clean(s.Name), Keys: s.Keys, Source: clean(s.Source)}
		measured := s.Source
		if len(s.References) > 0 {
			measured = s.References[0].Text
		}
		p.Words, p.Characters = len(strings.Fields(measured)), len([]rune(measured))
		tokens := 0
		for k := range s.References {
			p.References = append(p.References, s.References[k].packed(false))
			tokens += len(s.References[k].Tokens)
		}
		for i := range s.Outputs {
			o := &s.Outputs[i]
			q := reporttest.Output{Text: o.Text.packed(true), Reference: o.Reference}
			tokens += len(o.Tokens)
			for _, m := range o.Missed {
				q.Missed = append(q.Missed, reporttest.Missed{Index: m.Index, Difficulty: rounded(m.Difficulty), Similarity: rounded(m.Similarity), Share: rounded(m.Share), To: max(m.To, -1)})
			}
			for c, x := range o.Scores {
				if !math.IsNaN(x) {
					x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals[c], 64), 64)
				}
				q.Scores = append(q.Scores, x)
			}
			p.Outputs = append(p.Outputs, q)
		}
		out = append(out, p)
	}
	return out
}

func checkPacked(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Segments, all []Segment) {
	t.Helper()
	s.All = slices.Values(all)
	var b bytes.Buffer
	if err := (&Page{Segments: s}).Write(&b); err != nil {
		t.Fatalf("%v", err)
	}
	if _, err := parse(b.Bytes()); err != nil {
		t.Fatalf("%v", err)
	}
	got, err := reporttest.Read(b.Bytes())
	if err != nil {
		t.Fatalf("%v", err)
	}
	var decimals []int
	for _, c := range s.Scores {
		decimals = append(decimals, c.Decimals)
	}
	if diff := cmp.Diff(pack(all, decimals), got.All, cmpopts.EquateEmpty(), cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-15, 0)); diff != "" {
		t.Fatalf("(-given +page):\n%s", diff)
	}
}

// What tokens can be, in texts of any script.
func TestSegmentsTokens(t *testing.T) {
	token := func(start, end int) Token {
		return Token{Start: start, End: end, Difficulty: .3, Similarity: .7, To: -1}
	}
	named := func(start, end int, text string) Token {
		out := token(start, end)
		out.Text = text
		return out
	}
	for name, text := range map[string]Text{
		"none":        {},
		"spaces":      {Text: "  "},
		"words":       words("ein  Haus ", .1, .2),
		"punctuation": {"alt, neu.", []Token{token(0, 3), token(3, 4), token(5, 8), token(8, 9)}},
		"emoji":       {"😀😀 👩‍🚀 x", []Token{token(0, 4), token(4, 8), token(9, 20), token(21, 22)}},
		"combining":   {"u\u0308ber e\u0301", []Token{token(0, 1), token(1, 6), token(7, 10)}},
		"rtl":         {"שלום, עולם", []Token{token(0, 8), token(8, 9), token(10, 18)}},
		"chinese":     {"你好世界", []Token{token(0, 3), token(3, 6), token(6, 9), token(9, 12)}},
		"own texts":   {"Die Häuser", []Token{named(0, 3, "die"), named(4, 7, "häu"), named(7, 11, "##ser")}},
		"gaps":        {"<s>ein Haus</s>", []Token{token(3, 6), token(7, 11)}},
		"no-break":    {"ein\u00a0Haus", []Token{token(0, 3), token(5, 9)}},
		"space in it": {"New York ist", []Token{token(0, 8), token(9, 12)}},
		"overlap":     {"vom Haus", []Token{named(0, 3, "von"), named(0, 3, "dem"), token(4, 8)}},
		"nowhere":     {"Haus", []Token{named(0, 0, "[CLS]"), token(0, 4), named(4, 4, "[SEP]")}},
		"backwards":   {"ein Haus", []Token{token(4, 8), token(0, 3)}},
		"controls":    {"a\x01b c\nd\t\x00", []Token{token(0, 1), token(2, 3), token(4, 7)}},
		"not UTF-8":   {"a\xff\xfe b\xe4", []Token{token(0, 2), token(2, 3), token(4, 6)}},
		"some":        {"ein Haus steht", []Token{token(0, 3)}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ref := range []Text{text, words("das Haus", .3, .4), {Text: "ohne"}} {
				s := &Segments{Systems: []string{"a", "b"}}
				checkPacked(t, s, []Segment{{Number: 1, References: []Text{ref}, Outputs: []Output{{Text: text}, {Text: words("ein Haus", .2, .1)}}}, {Number: 3, Outputs: []Output{{Text: text}, {}}}})
			}
		})
	}
}

// Numbers are those that are shown, whatever they are.
func TestSegmentsNumbers(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 1, -1, .0005, .0015, .0625, .1875, .9995, .99949999, -.0005, 1e-9, 19.9999, 20, 20.001, -20, -1e300, 1e300, 2.0005, 1. / 3}
	var tokens []Token
	text := strings.Repeat("x ", len(values)*len(values))
	for i, x := range values {
		for j, y := range values {
			at := 2 * (i*len(values) + j)
			tokens = append(tokens, Token{Start: at, End: at + 1, Difficulty: x, Similarity: y, Share: values[(i+j)%len(values)], To: at % 7})
		}
	}
	s := &Segments{Systems: []string{"a"}, Scores: []ScoreColumn{{"0", 0, false}, {"2", 2, false}, {"15", 15, true}}}
	var all []Segment
	for i, x := range []float64{0, .125, .375, 2.675, 1.005, -.5, 99.995, 123456789.125, 1e15, 1. / 3, math.NaN()} {
		all = append(all, Segment{Number: i + 1, References: []Text{{text, tokens}}, Outputs: []Output{{Text: Text{text, tokens}, Scores: []float64{x, x, math.Mod(x, 1)}}}})
	}
	checkPacked(t, s, all)
}

// Any segments are read again as they were.
func TestSegmentsAny(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine, and long")
	}
	number := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(-20, 20), rapid.SampledFrom([]float64{0, 1, .5}))
	text := rapid.Custom(func(t *rapid.T) Text {
		out := Text{Text: rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune("ab ,ä😀\u0301\u00a0\x01\n")), 0, 20, -1), rapid.String()).Draw(t, "text")}
		var cuts []int
		for i := range out.Text {
			cuts = append(cuts, i)
		}
		cuts = append(cuts, len(out.Text))
		for range rapid.IntRange(0, 6).Draw(t, "tokens") {
			a, b := rapid.SampledFrom(cuts).Draw(t, "a"), rapid.SampledFrom(cuts).Draw(t, "b")
			out.Tokens = append(out.Tokens, Token{Start: min(a, b), End: max(a, b), Text: rapid.SampledFrom([]string{"", "", "a", "##b"}).Draw(t, "name"),
				Difficulty: number.Draw(t, "d"), Similarity: number.Draw(t, "s"), Share: number.Draw(t, "share"), To: rapid.IntRange(-1, 6).Draw(t, "to"), Novel: rapid.Bool().Draw(t, "novel")})
		}
		if rapid.Bool().Draw(t, "in order") {
			slices.SortFunc(out.Tokens, func(a, b Token) int { return a.Start - b.Start })
		}
		return out
	})
	rapid.Check(t, func(t *rapid.T) {
		s := &Segments{Systems: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "systems"), Scores: []ScoreColumn{{"x", 4, false}}}
		var all []Segment
		for i := range rapid.IntRange(0, 3).Draw(t, "segments") {
			seg := Segment{Number: i + 1, Source: rapid.String().Draw(t, "source"), References: rapid.SliceOfN(text, 0, 2).Draw(t, "references")}
			for range s.Systems {
				o := Output{Text: text.Draw(t, "output"), Scores: []float64{rapid.SampledFrom([]float64{.25, -3, math.NaN(), 100}).Draw(t, "score")}}
				if n := len(seg.References); n > 0 {
					o.Reference = rapid.IntRange(0, n-1).Draw(t, "reference")
					if m := len(seg.References[o.Reference].Tokens); m > 0 {
						for range rapid.IntRange(0, 3).Draw(t, "missed") {
							o.Missed = append(o.Missed, Missed{rapid.IntRange(0, m-1).Draw(t, "index"), number.Draw(t, "d"), number.Draw(t, "s"), number.Draw(t, "share"), rapid.IntRange(-1, 5).Draw(t, "to")})
						}
					}
				}
				seg.Outputs = append(seg.Outputs, o)
			}
			all = append(all, seg)
		}
		checkPacked(t, s, all)
	})
}

func TestSegmentsErrors(t *testing.T) {
	one := func(s Segment) *Segments {
		return &Segments{Systems: []string{"a"}, Scores: []ScoreColumn{{Name: "x"}}, Keys: []Key{{Name: "k"}}, All: slices.Values([]Segment{s})}
	}
	output := func(o Output) *Segments {
		if o.Scores == nil {
			o.Scores = []float64{1}
		}
		return one(Segment{Number: 26, Keys: []float64{1}, References: []Text{words("ein Haus", 0, 0)}, Outputs: []Output{o}})
	}
	for _, tt := range []struct {
		s    *Segments
		want string
	}{
		{one(Segment{Number: 26}), "report: segments: segment 26: 0 numbers for 1 keys"},
		{one(Segment{}), "segment 0: the number is not from 1 up"},
		{&Segments{All: slices.Values([]Segment{{Number: 2}, {Number: 2}})}, "segment 2: another has this number"},
		{one(Segment{Number: 26, Keys: []float64{1}}), "segment 26: 0 outputs of 1 systems"},
		{one(Segment{Number: 26, Keys: []float64{math.NaN()}, Outputs: make([]Output, 1)}), "segment 26: a key is NaN"},
		{one(Segment{Number: 26, Keys: []float64{1}, Outputs: make([]Output, 1)}), "segment 26: output of a: 0 scores for 1 columns"},
		{output(Output{Scores: []float64{math.Inf(1)}}), "output of a: a score is +Inf"},
		{output(Output{Scores: []float64{-1e16}}), "output of a: a score is -1e+16"},
		{output(Output{Reference: 1}), "output of a: reference 1 of 1"},
		{output(Output{Reference: -1}), "output of a: reference -1 of 1"},
		{output(Output{Text: Text{"ä", []Token{{Start: 0, End: 1}}}}), "output of a: token 0–1 does not lie within the 2 bytes of a text, between characters"},
		{output(Output{Text: Text{"a", []Token{{Start: 0, End: 2}}}}), "token 0–2 does not lie within the 1 bytes"},
		{output(Output{Text: Text{"a", []Token{{Start: 1, End: 0}}}}), "token 1–0 does not lie"},
		{output(Output{Text: Text{"a", []Token{{Start: -1, End: 0}}}}), "token -1–0 does not lie"},
		{output(Output{Text: Text{"a", []Token{{Difficulty: math.NaN()}}}}), "output of a: a number of a token is NaN"},
		{output(Output{Missed: []Missed{{Index: 2}}}), "output of a: it misses token 2 of a reference that has 2"},
		{output(Output{Missed: []Missed{{Share: math.Inf(-1)}}}), "output of a: a number of a token is -Inf"},
		{one(Segment{Number: 26, Keys: []float64{1}, References: []Text{{Text: "a", Tokens: []Token{{End: 3}}}}, Outputs: make([]Output, 1)}), "segment 26: reference 1: token 0–3"},
		{&Segments{Scores: []ScoreColumn{{Name: "x", Decimals: 16}}}, "16 decimals of x: want 0 to 15"},
	} {
		var b bytes.Buffer
		if err := (&Page{Segments: tt.s}).Write(&b); err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("%v after %d bytes, want %q", err, b.Len(), tt.want)
		}
	}
	if _, root := write(t, &Page{Segments: &Segments{}}); len(root.all("form")) != 1 {
		t.Error("no segments are no page")
	}
}

// A reader without script has the first segments.
func TestSegmentsPlain(t *testing.T) {
	s := &Segments{Systems: []string{"a", "b"}, Scores: []ScoreColumn{{"x", 1, false}}}
	var all []Segment
	for i := range 30 {
		all = append(all, Segment{Number: i + 1, Source: fmt.Sprint("source ", i+1), References: []Text{{Text: "r <b>"}}, Outputs: []Output{{Text: Text{Text: "a & b"}, Scores: []float64{.25}}, {Scores: []float64{math.NaN()}}}})
	}
	s.All = slices.Values(all)
	_, root := write(t, &Page{Segments: s})
	plain := root.all("noscript")
	if len(plain) != 1 {
		t.Fatalf("%d noscript", len(plain))
	}
	cards := plain[0].all("article")
	if len(cards) != plainSegments || !strings.Contains(plain[0].words(), "the first 20 of 30 segments") {
		t.Errorf("%d segments; %s", len(cards), plain[0].words())
	}
	var got [][]string
	for _, tr := range cards[0].all("tr") {
		var row []string
		for _, c := range tr.children {
			row = append(row, c.words())
		}
		got = append(got, row)
	}
	if diff := cmp.Diff([][]string{{"system", "x", "output"}, {"a", "0.2", "a & b"}, {"b", "–", ""}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A tenth of as many texts as WMT's, with numbers for each token, are less than a tenth of 5 MB.
func TestSegmentsSize(t *testing.T) {
	const systems, segments, length = 22, 200, 22
	r := rand.New(rand.NewPCG(1, 2))
	s := &Segments{Scores: []ScoreColumn{{"x", 4, false}, {"y", 4, false}}, Keys: []Key{{Name: "k"}}}
	for i := range systems {
		s.Systems = append(s.Systems, fmt.Sprint("system ", i))
	}
	word := func() string { // as often as words are: few of them make most of a text
		n := int(math.Exp(r.Float64() * 10))
		return strconv.FormatUint(uint64(n)*2654435761%9999991, 26)
	}
	s.All = func(yield func(Segment) bool) {
		for n := range segments {
			var ref []string
			for range length {
				ref = append(ref, word())
			}
			seg := Segment{Number: n + 1, Keys: []float64{float64(n)}, Source: strings.Join(ref, " "), References: []Text{words(strings.Join(ref, " "), 0, 0)}}
			known := make(map[string]float64)
			for range systems {
				// An output differs from the others here and there, and what stands next to
				// these places has other numbers.
				seg.Outputs = append(seg.Outputs, sample(r, ref, word, known))
			}
			for j := range seg.References[0].Tokens {
				seg.References[0].Tokens[j].Difficulty = r.Float64()
			}
			if !yield(seg) {
				return
			}
		}
	}
	var b bytes.Buffer
	if err := (&Page{Segments: s}).Write(&b); err != nil {
		t.Fatal(err)
	}
	packed := 0
	for _, name := range []string{"heads", "texts", "odd", "similarities", "difficulties", "links", "shares"} {
		_, rest, _ := bytes.Cut(b.Bytes(), []byte(`id="segment-`+name+`">`))
		packed += bytes.IndexByte(rest, '<')
	}
	if packed > 500_000 {
		t.Errorf("the segments have %d bytes", packed)
	}
}

// sample is an output like a reference, with numbers that depend on a token and its neighbours, as a
// model's do.
func sample(r *rand.Rand, ref []string, word func() string, known map[string]float64) Output {
	list := slices.Clone(ref)
	for j := range list {
		if r.IntN(3) == 0 {
			list[j] = ref[j] + "x"
			if r.IntN(3) == 0 {
				list[j] = word()
			}
		}
	}
	out := Output{Text: words(strings.Join(list, " "), 0, 0), Scores: []float64{r.Float64(), r.Float64()}}
	for j := range out.Tokens {
		context := strings.Join(list[max(0, j-1):min(j+2, len(list))], " ")
		if _, ok := known[context]; !ok {
			known[context] = r.Float64()
		}
		t := &out.Tokens[j]
		t.Similarity, t.To, t.Novel = known[context], j, list[j] != ref[j]
		t.Share = t.Similarity / float64(len(list))
		if t.Novel {
			out.Missed = append(out.Missed, Missed{j, 0, t.Similarity, t.Share, j})
		}
	}
	return out
}
