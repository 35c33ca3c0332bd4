package bertscore_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
)

// Precision, recall and F over the backend that needs no model; package transformer has
// those that do.
func Example() {
	b, err := lexical.New(lexical.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	s, err := bertscore.New(b, bertscore.Options{IDF: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	refs := [][]string{{"The cat sat on the mat."}, {"It was asleep."}}
	r, err := mteval.Corpus(context.Background(), s, refs, []string{"The cats sat on a mat.", "Asleep."})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range refs {
		prf := s.PRF(r.Row(i))
		fmt.Printf("segment %d: P %.2f, R %.2f, F %.2f\n", i+1, prf.P, prf.R, prf.F)
	}
	fmt.Printf("%.2f %s\n", r.Score, s.Info().Signature)
	// Output:
	// segment 1: P 0.69, R 0.76, F 0.72
	// segment 2: P 0.69, R 0.31, F 0.43
	// 0.58 backend:lexical|tok:13a|dim:512|ngram:2-4|neighbour:0.6|idf:yes
}

// A matching says which token of the reference each of the output's is most like.
func ExampleScorer_PrepareMatch() {
	b, err := lexical.New(lexical.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	s, err := bertscore.New(b, bertscore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	m, err := s.PrepareMatch(ctx, [][]string{{"The cat sat on the mat."}})
	if err != nil {
		fmt.Println(err)
		return
	}
	out := make([]mteval.Matching, 1)
	if err := m.Match(ctx, out, nil, []string{"Two cats sat down"}); err != nil {
		fmt.Println(err)
		return
	}
	ref := m.RefTokens(0)[0]
	for i, l := range out[0].Pairings[0].Hyp {
		fmt.Printf("%s → %s %.2f\n", out[0].Tokens[i].Text, ref[l.To].Text, l.Sim)
	}
	// Output:
	// Two → cat 0.25
	// cats → cat 0.61
	// sat → sat 0.74
	// down → sat 0.42
}

func ExampleReadBaseline() {
	b, err := bertscore.ReadBaseline(strings.NewReader("LAYER,P,R,F\n8,0.41,0.42,0.41\n9,0.38,0.38,0.38\n"), "model.tsv", 9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", b.F)
	_, err = bertscore.ReadBaseline(strings.NewReader("LAYER,P,R,F\n9,0.38,0.38\n"), "model.tsv", 9)
	fmt.Println(err)
	// Output:
	// 0.38
	// model.tsv:2: 3 columns, want LAYER,P,R,F
}
