package meteor

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recording is testdata/recorded.json, made by scripts/record_meteor.py.
type recording struct {
	Runs []struct {
		Name, ID string
		Args     []string
		Own      bool // with the package's own function words
		Hyps     []string
		Refs     [][]string
		System   float64
		Rows     []struct {
			P, R, Penalty, Score *float64
			Stats, Align         string
			Hyp, Ref             string
		}
	}
	Paraphrases [][2]string
	OwnWords    []string `json:"own_words"`
}

func readRecording(t testing.TB) recording {
	t.Helper()
	data, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var rec recording
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	if len(rec.Runs) < 28 {
		t.Fatalf("%d runs", len(rec.Runs))
	}
	return rec
}

// smallTable is the paraphrase table of the recording.
func smallTable(t testing.TB, rec recording) *Paraphrases {
	t.Helper()
	var text strings.Builder
	for _, p := range rec.Paraphrases {
		text.WriteString("0.5\n" + p[0] + "\n" + p[1] + "\n")
	}
	table, err := ReadParaphrases(context.Background(), strings.NewReader(text.String()), "small")
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The program's values on our own texts: with the package's own lists on every machine,
// with the jar's where there is one.
func TestRecorded(t *testing.T) {
	rec := readRecording(t)
	for _, r := range rec.Runs {
		t.Run(r.Name, func(t *testing.T) {
			var lists *Resources
			if !r.Own {
				lists = openJar(t)
			}
			args := slices.Clone(r.Args)
			small := slices.Index(args, "PARAPHRASES")
			if small > 0 {
				args = slices.Delete(args, small-1, small+1)
			}
			// The table that the program has by default is not needed where
			// modules are named, or -a names another.
			opt := Options{}
			if small > 0 {
				opt = parseRun(t, ".", append(args, "-m", "exact stem synonym paraphrase"), lists).opt
				opt.Paraphrases = smallTable(t, rec)
			} else {
				opt = parseRun(t, ".", args, lists).opt
			}
			s, err := New(opt)
			if err != nil {
				t.Fatal(err)
			}
			var want []recordedRow
			for _, row := range r.Rows {
				number := func(x *float64) float64 {
					if x == nil {
						return math.NaN()
					}
					return *x
				}
				want = append(want, recordedRow{number(row.P), number(row.R), number(row.Penalty), number(row.Score), row.Stats, row.Align, row.Hyp, row.Ref})
			}
			checkRun(t, s, r.Hyps, r.Refs, want, r.System)
			if got := s.EvaluationID(); got != r.ID {
				t.Errorf("evaluation ID %s, want %s", got, r.ID)
			}
			if got, want := s.Info().Signature.Get("program"), "none"; r.Own && got != want {
				t.Errorf("program %s, want %s", got, want)
			} else if !r.Own && got != r.ID {
				t.Errorf("program %s, want %s", got, r.ID)
			}
		})
	}
	var own []string
	for w := range DefaultResources().function["en"].words {
		own = append(own, w)
	}
	slices.Sort(own)
	slices.Sort(rec.OwnWords)
	if d := cmp.Diff(rec.OwnWords, own); d != "" {
		t.Errorf("the list of function words has changed since the recording (-recorded +now):\n%s", d)
	}
}
