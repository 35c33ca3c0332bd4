package subword_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/subword"
)

// sentenceModel is a model and what SentencePiece makes of texts.
type sentenceModel struct {
	Name     string
	Model    []byte
	Charsmap string
	Cases    []sentenceCase
}

type sentenceCase struct {
	Text   []byte
	Pieces []string
	IDs    []int32
	Starts []int
}

// readSentenceModels reads testdata/sentencepiece.json.gz, written by
// scripts/record_sentencepiece.py. A large charsmap is kept once, as a message that goes
// after a model's.
func readSentenceModels(t testing.TB) []sentenceModel {
	t.Helper()
	var recorded struct {
		Texts     [][]byte // of the cases of every model
		Charsmaps map[string][]byte
		Models    []sentenceModel
	}
	shareddata.ReadJSON(t, "testdata/sentencepiece.json.gz", &recorded)
	for i := range recorded.Models {
		m := &recorded.Models[i]
		m.Model = append(m.Model, recorded.Charsmaps[m.Charsmap]...)
		for k := range m.Cases {
			m.Cases[k].Text = recorded.Texts[k]
		}
	}
	if len(recorded.Models) == 0 {
		t.Fatal("no models")
	}
	return recorded.Models
}

func parseSentencePiece(t testing.TB, data []byte) *subword.Tokenizer {
	t.Helper()
	k, err := subword.ParseSentencePiece(data)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// checkSentence compares pieces, ids and where they begin with SentencePiece's.
func checkSentence(t *testing.T, k *subword.Tokenizer, c *sentenceCase) {
	t.Helper()
	text := string(c.Text)
	var pieces []string
	var ids []int32
	var starts []int
	for _, p := range k.Encode(nil, text) {
		pieces, ids, starts = append(pieces, p.Text), append(ids, p.ID), append(starts, p.Start)
		if p.Start > p.End || p.End > len(text) {
			t.Errorf("%q: %q is from %d to %d", text, p.Text, p.Start, p.End)
		}
	}
	switch {
	case !slices.Equal(pieces, c.Pieces):
		t.Errorf("%q:\ngot  %q\nwant %q", text, pieces, c.Pieces)
	case !slices.Equal(ids, c.IDs):
		t.Errorf("%q: %q:\ngot  %v\nwant %v", text, pieces, ids, c.IDs)
	case !slices.Equal(starts, c.Starts):
		t.Errorf("%q: %q begin at:\ngot  %v\nwant %v", text, pieces, starts, c.Starts)
	}
}

// Pieces, ids and their beginnings are SentencePiece's.
func TestSentencePiece(t *testing.T) {
	for _, m := range readSentenceModels(t) {
		t.Run(m.Name, func(t *testing.T) {
			k := parseSentencePiece(t, m.Model)
			var group sync.WaitGroup
			for range 2 { // they do not disturb each other
				group.Go(func() {
					for i := range m.Cases {
						checkSentence(t, k, &m.Cases[i])
					}
				})
			}
			group.Wait()
		})
	}
}
