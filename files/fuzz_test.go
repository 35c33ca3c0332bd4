package files

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// seed gives a fuzz target the files of testdata with this ending, and some lines that
// are nearly right.
func seed(f *testing.F, texts ...string) {
	f.Helper()
	paths, err := filepath.Glob("testdata/*.?sv")
	if err != nil || len(paths) < 7 {
		f.Fatal(paths, err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	for _, s := range append(texts, "", "\n\n", "\t\t", ",,,,,,,,", `"`, "a\tb\n") {
		f.Add(s)
	}
}

// parsed runs a reader on a text, of which errors must name the file, and a line that
// there is.
func parsed[T any](t *testing.T, text string, read func(r io.Reader, name string, o Options) (T, error)) (T, bool) {
	t.Helper()
	out, err := from(read, text)
	if err != nil {
		var at *LineError
		if errors.As(err, &at) && (at.Path != "f" || at.Line < 1 || at.Line > strings.Count(text, "\n")+1) && !strings.HasPrefix(text, "\x1f\x8b") {
			t.Errorf("line %d of %d: %v", at.Line, strings.Count(text, "\n")+1, err)
		}
		if !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("no file in %v", err)
		}
	}
	return out, err == nil
}

func FuzzScores(f *testing.F) {
	seed(f, "a\t1\t0x1p-2\n", "SYS\tSID\tx\na\t1\tInf")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := parsed(t, text, ReadScores); ok {
			if err := s.Check(); err != nil || slices.Contains(s.Systems, "") || slices.Contains(s.Items, "") {
				t.Errorf("%v: %+v", err, s)
			}
		}
	})
}

func FuzzWMTSegments(f *testing.F) {
	seed(f, "SYS,SEGID,RAW.SCR,Z.SCR,N,SID\na,b::1,1,2,3,4\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := parsed(t, text, ReadWMTSegments); ok {
			if s.Raw.Check() != nil || s.Z.Check() != nil || s.N.Check() != nil || len(s.N.Values) != len(s.Raw.Values) {
				t.Errorf("%+v", s)
			}
			for _, k := range s.SystemScores() {
				if k.Segments < 1 || math.IsNaN(k.Raw) || math.IsNaN(k.Z) {
					t.Errorf("%+v", k)
				}
			}
		}
	})
}

func FuzzWMTSystems(f *testing.F) {
	seed(f, "RAW.SCR Z.SCR N SYS N.ALL\n1 2 3 a 4\n")
	f.Fuzz(func(t *testing.T, text string) { parsed(t, text, ReadWMTSystems) })
}

func FuzzJudgements(f *testing.F) {
	seed(f, "judge\tsystem\tsegment\tscore\nann\ta+b\t1\t3\n", "WorkerId sys_id doc_id score\nw \"a b\" 1 2\n", "u,s,1,TGT,a,b,5,1,2\n", "u,s,1,TGT,a,b,5,d,True,1,2,\"[{\"\"x\"\": 1}]\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []JudgementOptions{{}, {Scale: human.FivePoint(), Column: "adequacy"}, {Scale: human.AnyScore(), Documents: true, Shared: "+"}} {
			js, ok := parsed(t, text, func(r io.Reader, name string, _ Options) ([]human.Judgement, error) {
				return ReadJudgements(r, name, o)
			})
			if !ok {
				continue
			}
			kept, rejected := human.Filter(js, human.Quality{})
			n := len(kept)
			for _, r := range rejected {
				n += r.Judgements
			}
			if n != len(js) {
				t.Errorf("%d judgements of %d", n, len(js))
			}
			z, _ := human.Standardize(kept)
			if s, _, err := human.Average(z); err == nil && s.Check() != nil {
				t.Errorf("%v: %+v", s.Check(), s)
			}
			if a, err := human.Krippendorff(human.ByOutput(js), human.Interval); err == nil && !(a <= 1) {
				t.Errorf("alpha %v", a)
			}
		}
	})
}

func FuzzPairs(f *testing.F) {
	seed(f, "segment\ta\tb\tresult\tjudge\n1\tx\ty\t>\tann\n1\ty\tx\t=\tbob\n", "DATA SID BETTER WORSE\nx-y n 1 a b\n", "LP DATA SID BETTER WORSE\nx-y n 1 a b 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := parsed(t, text, pairsOf("")); ok {
			counts, err := p.Counts()
			if err != nil || len(counts) == 0 {
				t.Errorf("%v: %+v", err, p)
			}
		}
	})
}

func FuzzMQM(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		if es, ok := parsed(t, text, ReadMQM); ok {
			if js, err := human.MQMJudgements(es, nil); err == nil {
				if s, _, err := human.Average(js); err != nil || s.Check() != nil {
					t.Errorf("%v: %+v", err, s)
				}
			}
		}
	})
}

func FuzzText(f *testing.F) {
	seed(f, "a\r\nb", "\ufeffa\x00", "\x1f\x8b\x08")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := parsed(t, text, ReadText); ok {
			for _, l := range got.Lines {
				if strings.Contains(l, "\n") {
					t.Errorf("line %q", l)
				}
			}
		}
	})
}

func FuzzSystems(f *testing.F) {
	seed(f, "system\tscore\na\t1\nb\tNA\n", "a\t1\n\n b \t 1e3 \n")
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := parsed(t, text, func(r io.Reader, name string, o Options) (*metaeval.Scores, error) {
			return ReadSystems(r, name, []string{"a"}, o)
		})
		if ok && (s.Check() != nil || len(s.Items) != 1 || len(s.Systems) == 0) {
			t.Errorf("%v: %+v", s.Check(), s)
		}
	})
}

func FuzzMetrics(f *testing.F) {
	seed(f, "system\tmetric\tsegment\tscore\na\tm\t1\t.5\n", "a\tm\t1\t.5\na\tn\t1\t.5\t1\t2\t3\n", "system\tbleu\tter\na\t1\tNone\n", "system\tgroup\tabove_next\tbest\tm\tm_rank\na\t1\t\t1\t1\t1\n", "system\tmetric\tscore\tsignature\na\\t\tm\t1\t\n",
		"a.de\tSegment 0\tscore: 0.5\na.de\tscore: 0.5\n", `{"a.de": [{"COMET": 0.5}]}`, `{"translations": [{"name": "a", "scores": [1, null]}]}`, `{"system_id": 1, "segment_id": "x", "prediction": 1}`, "1\nNA\n", "a\t1\na\t2\n", "m\tzh-en\tt\tA\ta\t1\t1\n", ",a,b\n0,1,2\n", "segment\tscore\n1\t1\n",
		"system\tmetric\tsegment\tscore\tlower_is_better\na\\t\tm\t1\t.5\ttrue\n", "system,x,x_lower_is_better,y,lower_is_better\na,1,True,2,False\n", "segment,a,b,lower_is_better\n1,2,3,TRUE\n", "SYS\tSEGID\tSCORE\na\tb::1\t-1\n",
		`{"results": [{"system": "a", "metric": "m", "score": 1, "lower_is_better": true, "segments": [{"score": 1}]}]}`, `{"systems": [{"system": "a", "scores": {"m": 1}}], "lower_is_better": {"m": true}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if ms, ok := parsed(t, text, ReadMetrics); ok {
			for _, m := range ms {
				if m.Scores.Check() != nil || m.SystemsOnly && len(m.Scores.Items) != 1 || m.Name == "" && len(ms) > 1 {
					t.Errorf("%v: %+v", m.Scores.Check(), m)
				}
			}
		}
	})
}

// Segments that are lined up stay as many, and apart.
func FuzzNumbering(f *testing.F) {
	seed(f, "a\t0\t.5\na\t1\t.5\n", "a\t2\t.5\n", `{"segment_id": 0, "source": "x", "prediction": 1}`, `{"segment_id": 1.0, "source": "y", "prediction": 1}`, "system\tsegment\tscore\tsrc\na\t1\t.5\tx\n", `{"a": [{"COMET": 0.5, "src": "y", "mt": "z"}]}`, ",a,b\n0,1,2\n", "a\tSegment 0\tscore: 0.5\n", `{"segment_id": 1, "prediction": 1}`)
	texts := &Segments{Name: "src", Lines: 3, Sources: []string{"x", "y", "x"}, References: [][]string{{"r"}, nil, {"x"}}, Outputs: map[string][]string{"a": {"z"}}}
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []Options{{}, {FirstSegment: "0"}, {Beside: texts}, {Beside: texts, FirstSegment: "1"}, {Beside: &Segments{Name: "h", Items: []string{"1", "2", "3"}}}, {Beside: &Segments{Name: "h", Items: []string{"0", "2"}}, FirstSegment: "1"}} {
			ms, ok := parsed(t, text, func(r io.Reader, name string, with Options) ([]MetricScores, error) {
				with.Beside, with.FirstSegment = o.Beside, o.FirstSegment
				return ReadMetrics(r, name, with)
			})
			for _, m := range ms {
				if ok && (m.Scores.Check() != nil || slices.Contains(m.Scores.Items, "-1")) {
					t.Errorf("%v: %+v", m.Scores.Check(), m)
				}
			}
		}
	})
}

func FuzzPeople(f *testing.F) {
	seed(f, "a\t1\n", "a\t1\t3\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := parsed(t, text, func(r io.Reader, name string, o Options) (*People, error) {
			return ReadPeople(r, name, PeopleOptions{Options: o})
		})
		if ok && p.Scores == nil && p.Segments == nil && p.Systems == nil && p.Pairs == nil {
			t.Errorf("%+v", p)
		}
	})
}

// What a list names is among the segments, and errors say where.
func FuzzSegmentNames(f *testing.F) {
	seed(f, "1\n2\n", "segment\tx\n2\ty\n", "x,segment\n\"a,b\",1\n", `{"item_id":"2"}`, `{"chosen":[{"segment":"1"}]}`, "segment\n\"\n", "1\n9\n", "0\n2\n", "{\n", "item_id", "segment  rank\n1        2\n", "a;segment\n\"x\ny\";1\n", "{\n\"item_id\": 3}\n{")
	segments := []string{"1", "2", "3"}
	f.Fuzz(func(t *testing.T, text string) {
		names, err := ReadSegmentNames(strings.NewReader(text), "the list", segments, Options{})
		if err != nil && !strings.HasPrefix(err.Error(), "the list") {
			t.Fatal(err)
		}
		for _, name := range names {
			if err != nil || !slices.Contains(segments, name) {
				t.Fatalf("%q, %v", name, err)
			}
		}
	})
}
