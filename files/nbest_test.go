package files

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadNBest(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       *NBest
	}{
		{"Moses", "0 ||| the cat  ||| Distortion0= 0 LM0= -20.5 TranslationModel0= -1.5 -2 ||| -4.25 ||| 0=0 1=1\n" +
			"0 ||| a cat ||| Distortion0= -1 LM0= -2e1 TranslationModel0= 0 0 ||| -5\n1 |||  ||| Distortion0= 0 LM0= 0 TranslationModel0= 0 0 ||| 0\n",
			&NBest{"f", []string{"Distortion0", "LM0", "TranslationModel0", "TranslationModel0"}, [][]Candidate{
				{{"the cat", []float64{0, -20.5, -1.5, -2}, -4.25}, {"a cat", []float64{-1, -20, 0, 0}, -5}}, {{"", []float64{0, 0, 0, 0}, 0}}}}},
		{"Moses of old", "0 ||| b ||| d: 0 -1 lm: -3 ||| -1\n", &NBest{"f", []string{"d", "d", "lm"}, [][]Candidate{{{"b", []float64{0, -1, -3}, -1}}}}},
		{"Joshua", "0 ||| b ||| tm_pt_0=-2.5 lm_0=-3 ||| -1\n", &NBest{"f", []string{"tm_pt_0", "lm_0"}, [][]Candidate{{{"b", []float64{-2.5, -3}, -1}}}}},
		{"names of signs", "0 ||| b ||| a=b= 1 =c= 2 x=y=3 : 4= 5\n", nil},
		{"names with signs in them", "0 ||| b ||| a=b= 1 x=y=3\n", &NBest{"f", []string{"a=b", "x=y"}, [][]Candidate{{{"b", []float64{1, 3}, 0}}}}},
		{"no names, no score, two runs", "0|||a|||1 2\n1|||b|||3 4\n\n0|||c|||5 6\n",
			&NBest{"f", []string{"", ""}, [][]Candidate{{{"a", []float64{1, 2}, 0}, {"c", []float64{5, 6}, 0}}, {{"b", []float64{3, 4}, 0}}}}},
		{"no features", "0 ||| a ||| ||| -1\n", &NBest{"f", nil, [][]Candidate{{{"a", nil, -1}}}}},
	} {
		got, err := from(ReadNBest, tt.text)
		if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" || (err != nil) != (tt.want == nil) {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, d)
		}
	}
}

func TestReadNBestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "f: no candidates in it",
		"\n \n":                             "f: no candidates in it",
		"the cat\n":                         "f:1: 1 fields, want 3",
		"0 ||| a ||| x= 1\n0 ||| b\n":       "f:2: 2 fields, want 3",
		"1 ||| a ||| x= 1\n":                "f:1: segment 1, and none is numbered 0: segments are numbered from 0 without gaps",
		"0 ||| a |||\n2000000000 ||| a |||": "f:2: segment 2000000000, and none is numbered 1",
		"-1 ||| a ||| x= 1\n":               `f:1: the segment is "-1"`,
		"0 ||| a ||| x= 1_0\n":              `f:1: a value of the feature x is "1_0", not a finite number`,
		"0 ||| a ||| x= -inf\n":             `f:1: a value of the feature x is "-inf"`,
		"0 ||| a ||| x= 1e300\n":            `f:1: a value of the feature x is "1e300", too large`,
		"0 ||| a ||| x= y= 1\n":             "f:1: the feature x has no value",
		"0 ||| a ||| x= y=1\n":              "f:1: the feature x has no value",
		"0 ||| a ||| y= 1 x:\n":             "f:1: the feature x has no value",
		"0 ||| a ||| x= 1 ||| best\n":       `f:1: the score is "best"`,
		"\n0 ||| a ||| x= 1\n0 ||| b ||| y= 1 2 ||| 1\n": "f:3: 2 features (y y), line 2 has 1 (x): each line must have the same",
	} {
		_, err := from(ReadNBest, text)
		if !strings.HasPrefix(fmt.Sprint(err), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		var at *LineError
		if strings.HasPrefix(want, "f:1") && !errors.As(err, &at) {
			t.Errorf("%q: %T has no line", text, err)
		}
	}
}

func FuzzNBest(f *testing.F) {
	seed(f, "0 ||| a b ||| x= 1 2 y: 3 ||| -1 ||| 0-0\n0 ||| c ||| x= 1 2 y= 3\n1 ||| ||| x= 0 0 y=.5", "0|||a|||=|||", "0|||a||| a==1", "7|||")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := parsed(t, text, ReadNBest)
		if !ok {
			return
		}
		var again strings.Builder
		for i, list := range n.Lists {
			if len(list) == 0 {
				t.Errorf("no candidates of segment %d", i)
			}
			for _, c := range list {
				if len(c.Features) != len(n.Features) {
					t.Errorf("%d values, %d names", len(c.Features), len(n.Features))
				}
				fmt.Fprintf(&again, "%d ||| %s |||", i, c.Text)
				for j, v := range c.Features {
					if n.Features[j] != "" {
						fmt.Fprintf(&again, " %s=", n.Features[j])
					}
					fmt.Fprintf(&again, " %v", v)
				}
				fmt.Fprintf(&again, " ||| %v\n", c.Score)
			}
		}
		// Names that repeat may be written before each value.
		got, err := ReadNBest(strings.NewReader(again.String()), "f", Options{})
		if d := cmp.Diff(n, got, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Errorf("%q: %v (-read +again):\n%s", again.String(), err, d)
		}
	})
}
