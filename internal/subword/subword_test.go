package subword_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/subword"
)

// recorded is testdata/tokenizers.json.gz, written by scripts/record_tokenizers.py.
type recorded struct {
	Tokenizers map[string]map[string]json.RawMessage
	Sets       []struct {
		Base  string
		Patch map[string]json.RawMessage
		Cases []expected
	}
}

func readRecorded(t testing.TB) *recorded {
	t.Helper()
	r := new(recorded)
	if err := json.Unmarshal(shareddata.ReadFile(t, "testdata/tokenizers.json.gz"), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// file returns a tokenizer.json with other fields in the place of its own.
func (r *recorded) file(t testing.TB, base string, patch map[string]json.RawMessage) []byte {
	t.Helper()
	all := make(map[string]json.RawMessage)
	for k, v := range r.Tokenizers[base] {
		all[k] = v
	}
	for k, v := range patch {
		all[k] = v
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func (r *recorded) open(t testing.TB, base string) *subword.Tokenizer {
	t.Helper()
	k, err := subword.Parse(r.file(t, base, nil))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Ids, pieces and offsets are Hugging Face's.
func TestRecorded(t *testing.T) {
	r := readRecorded(t)
	for i, set := range r.Sets {
		t.Run(fmt.Sprint(i, " ", set.Base), func(t *testing.T) {
			k, err := subword.Parse(r.file(t, set.Base, set.Patch))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range set.Cases {
				check(t, k.Encode(nil, want.Text), &want)
			}
			if t.Failed() {
				t.Logf("%s", set.Patch["normalizer"])
				t.Logf("%s", set.Patch["pre_tokenizer"])
			}
		})
	}
}

// Many goroutines get what one does.
func TestConcurrent(t *testing.T) {
	r := readRecorded(t)
	for _, set := range r.Sets[:5] {
		k := r.open(t, set.Base)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				var pieces []subword.Piece
				for _, want := range set.Cases {
					pieces = k.Encode(pieces[:0], want.Text)
					check(t, pieces, &want)
				}
			})
		}
		group.Wait()
	}
}
