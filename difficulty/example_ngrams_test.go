package difficulty_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// ngrams is chrF of a segment as a metric that matches tokens: the character n-grams of
// orders 1 to 6 are the tokens, equal ones match as often as they stand in both texts,
// and they weigh so that each order has the same part in precision and recall. (chrF leaves
// out an order that one side is too short for, this does not.) A row is P, R, F and 1.
type ngrams struct{}

var signature = mteval.Signature{{Key: "order", Abbr: "n", Value: "6"}}

func (ngrams) Width() int { return 4 }

func (ngrams) Info() mteval.Info {
	return mteval.Info{Name: "ngrams", Signature: signature, Scale: 1}
}

// tokens have no place in the text: those of several orders have no order there.
func (ngrams) tokens(text string) []mteval.Token {
	chars := []rune(strings.Join(strings.Fields(text), ""))
	var out []mteval.Token
	for n := 1; n <= 6; n++ {
		for i := range len(chars) - n + 1 {
			out = append(out, mteval.Token{Text: string(chars[i : i+n]), Weight: 1 / float32(len(chars)-n+1)})
		}
	}
	return out
}

func (g ngrams) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	m, err := g.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	return mteval.PrepareMatched(g, m), nil
}

func (g ngrams) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := make(ngramMatcher, len(refs))
	for i, texts := range refs {
		for _, text := range texts {
			m[i] = append(m[i], g.tokens(text))
		}
	}
	return m, ctx.Err()
}

func (ngrams) AppendMatch(dst []float64, _ int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	mean := func(tokens []mteval.Token, links []mteval.Link) float64 {
		sum, weights := 0.0, 0.0
		for i, t := range tokens {
			sum += float64(t.Weight) * float64(links[i].Sim)
			weights += float64(t.Weight)
		}
		if weights == 0 {
			return 0
		}
		return sum / weights
	}
	var best [3]float64
	for r, tokens := range refs {
		p, q := mean(m.Tokens, m.Pairings[r].Hyp), mean(tokens, m.Pairings[r].Ref)
		if f := (mteval.PRF{P: p, R: q}).FBeta(2); r == 0 || f > best[2] {
			best = [3]float64{p, q, f}
		}
	}
	return append(dst, best[0], best[1], best[2], 1)
}

func (ngrams) Score(row []float64) float64 {
	mteval.CheckRow(row, 4)
	return row[2] / max(1, row[3])
}

type ngramMatcher [][][]mteval.Token

func (m ngramMatcher) Len() int                               { return len(m) }
func (m ngramMatcher) RefTokens(segment int) [][]mteval.Token { return m[segment] }

func (m ngramMatcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m), segs, hyps); err != nil {
		return err
	}
	for k, hyp := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		tokens := ngrams{}.tokens(hyp)
		out[k] = mteval.Matching{Tokens: tokens}
		for _, ref := range m[seg] {
			none := mteval.Link{To: -1}
			p := mteval.Pairing{Hyp: slices.Repeat([]mteval.Link{none}, len(tokens)), Ref: slices.Repeat([]mteval.Link{none}, len(ref))}
			left := make(map[string][]int) // places in the reference
			for j, t := range ref {
				left[t.Text] = append(left[t.Text], j)
			}
			for i, t := range tokens {
				if at := left[t.Text]; len(at) > 0 {
					left[t.Text] = at[1:]
					p.Hyp[i] = mteval.Link{To: int32(at[0]), Sim: 1}
					p.Ref[at[0]] = mteval.Link{To: int32(i), Sim: 1}
				}
			}
			out[k].Pairings = append(out[k].Pairings, p)
		}
	}
	return ctx.Err()
}

// Difficulty over character n-grams, with a metric of one's own: an n-gram is as
// difficult as the share of systems that miss it.
func Example_characterNGrams() {
	ctx := context.Background()
	refs := [][]string{{"Die Fähre legt um sieben ab."}}
	systems := []mteval.System{
		{Name: "a", Hyps: []string{"Die Fähre legt um sieben ab."}},
		{Name: "b", Hyps: []string{"Die Fähre fährt um sieben ab."}},
		{Name: "c", Hyps: []string{"Die Fähre geht um sieben."}},
	}
	matcher, err := ngrams{}.PrepareMatch(ctx, refs)
	if err != nil {
		panic(err)
	}
	matchings, err := mteval.MatchSystems(ctx, matcher, systems)
	if err != nil {
		panic(err)
	}
	weights, err := difficulty.EstimateFrom(matchings, nil, difficulty.Function{})
	if err != nil {
		panic(err)
	}
	scorer, err := difficulty.New(ngrams{}, weights, difficulty.Normalized())
	if err != nil {
		panic(err)
	}
	plain, aware := matchings.Table(ngrams{}).Scores(), matchings.Table(scorer).Scores()
	for k, s := range systems {
		fmt.Printf("%s  chrF %.3f  with difficulty %.3f\n", s.Name, plain[k], aware[k])
	}
	// Output:
	// a  chrF 1.000  with difficulty 1.000
	// b  chrF 0.716  with difficulty 0.173
	// c  chrF 0.617  with difficulty 0.030
}
