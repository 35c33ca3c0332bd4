package mteval_test

import (
	"context"
	"reflect"
	"runtime"
	"testing"
	"weak"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

// What was prepared is gone with the first collection after its last use. The runtime holds
// every sync.Pool, and what it is a part of, through two: a server, which prepares the
// references of each request, would have those of many in memory.
func TestPreparedIsGarbage(t *testing.T) {
	ctx, refs := t.Context(), loopReferences()
	_, hyps := loopHypotheses(len(refs))
	words, err := lexical.New(lexical.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer words.Close()
	over, err := bertscore.New(words, bertscore.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	synonyms, err := meteor.New(meteor.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := dreem.New(dreem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	levels, err := multilevel.New(synonyms, multilevel.IntoEnglish(nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]mteval.Scorer{
		"bleu": new(bleu.Scorer), "chrf": new(chrf.Scorer), "ter": new(ter.Scorer), "overlap f": new(overlap.FScorer),
		"overlap wer": new(overlap.RateScorer), "meteor": synonyms, "dreem": trees, "bertscore": over, "multilevel": levels,
	} {
		all, err := dropped(ctx, s, refs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		for k, p := range all {
			if p.Value() != nil {
				t.Errorf("%s: part %d of what was prepared is still in memory", name, k)
			}
		}
	}
}

// dropped prepares references, scores hypotheses, and returns where what was prepared, and the
// Matcher in it, were.
func dropped(ctx context.Context, s mteval.Scorer, refs [][]string, hyps []string) ([]weak.Pointer[byte], error) {
	p, err := s.Prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	if _, err := p.Append(ctx, nil, nil, hyps); err != nil {
		return nil, err
	}
	at := func(x any) weak.Pointer[byte] { return weak.Make((*byte)(reflect.ValueOf(x).UnsafePointer())) }
	all := []weak.Pointer[byte]{at(p)}
	if ms, ok := s.(mteval.MatchScorer); ok {
		m, err := ms.PrepareMatch(ctx, refs)
		if err != nil {
			return nil, err
		}
		if _, err := mteval.PrepareMatched(ms, m).Append(ctx, nil, nil, hyps); err != nil {
			return nil, err
		}
		all = append(all, at(m))
	}
	return all, nil
}
