package human

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/lines"
)

// seed gives a fuzz target the files of testdata with this ending, and some lines that
// are nearly right.
func seed(f *testing.F, texts ...string) {
	f.Helper()
	paths, err := filepath.Glob("testdata/*.?sv")
	if err != nil || len(paths) < 8 {
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

// parsed runs a parser on a text, of which errors must name the file, and a line that
// there is.
func parsed[T any](t *testing.T, text string, parse func(f *lines.File) (T, error)) (T, bool) {
	t.Helper()
	in := file(text)
	out, err := parse(in)
	if err != nil {
		var at *LineError
		if errors.As(err, &at) && (at.Path != "f" || at.Line < 1 || at.Line > len(in.Lines)) {
			t.Errorf("line %d of %d: %v", at.Line, len(in.Lines), err)
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
		if s, ok := parsed(t, text, parseScores); ok {
			if err := s.Check(); err != nil || slices.Contains(s.Systems, "") || slices.Contains(s.Items, "") {
				t.Errorf("%v: %+v", err, s)
			}
		}
	})
}

func FuzzSegments(f *testing.F) {
	seed(f, "SYS,SEGID,RAW.SCR,Z.SCR,N,SID\na,b::1,1,2,3,4\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := parsed(t, text, parseSegments); ok {
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

func FuzzSystems(f *testing.F) {
	seed(f, "RAW.SCR Z.SCR N SYS N.ALL\n1 2 3 a 4\n")
	f.Fuzz(func(t *testing.T, text string) { parsed(t, text, parseSystems) })
}

func FuzzJudgements(f *testing.F) {
	seed(f, "judge\tsystem\tsegment\tscore\nann\ta+b\t1\t3\n", "WorkerId sys_id doc_id score\nw \"a b\" 1 2\n", "u,s,1,TGT,a,b,5,1,2\n", "u,s,1,TGT,a,b,5,d,True,1,2,\"[{\"\"x\"\": 1}]\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []ReadOptions{{}, {Scale: FivePoint(), Column: "adequacy"}, {Scale: AnyScore(), Documents: true, Shared: "+"}} {
			js, ok := parsed(t, text, func(f *lines.File) ([]Judgement, error) { return parseJudgements(f, o) })
			if !ok {
				continue
			}
			kept, rejected := Filter(js, Quality{MaxVariance: 3, MaxRepeat: 20})
			n := len(kept)
			for _, r := range rejected {
				n += r.Judgements
			}
			if n != len(js) {
				t.Errorf("%d judgements of %d", n, len(js))
			}
			z, _ := Standardize(kept)
			if s, _, err := Average(z); err == nil && s.Check() != nil {
				t.Errorf("%v: %+v", s.Check(), s)
			}
			if a, err := Krippendorff(ByOutput(js), Interval); err == nil && !(a <= 1) {
				t.Errorf("alpha %v", a)
			}
		}
	})
}

func FuzzPairs(f *testing.F) {
	seed(f, "segment\ta\tb\tresult\tjudge\n1\tx\ty\t>\tann\n1\ty\tx\t=\tbob\n", "DATA SID BETTER WORSE\nx-y n 1 a b\n", "LP DATA SID BETTER WORSE\nx-y n 1 a b 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := parsed(t, text, func(f *lines.File) (*Pairs, error) { return parsePairs(f, "") }); ok {
			counts, err := p.Counts()
			if err != nil || len(counts) == 0 {
				t.Errorf("%v: %+v", err, p)
			}
			if _, err := TrueSkill(p, TrueSkillOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
}

func FuzzRankings(f *testing.F) {
	seed(f, "srclang,trglang,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank\nx,y,1,ann,a+c,1,b,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if rs, ok := parsed(t, text, func(f *lines.File) ([]RelativeRanking, error) { return parseRankings(f, ReadOptions{Shared: "+"}) }); ok {
			if p, err := Expand(rs, ExpandOptions{SharedTies: true}); err == nil && p.check() != nil {
				t.Errorf("%v: %+v", p.check(), p)
			}
		}
	})
}

func FuzzMQM(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		if es, ok := parsed(t, text, parseMQM); ok {
			if js, err := MQMJudgements(es, nil); err == nil {
				if s, _, err := Average(js); err != nil || s.Check() != nil {
					t.Errorf("%v: %+v", err, s)
				}
			}
		}
	})
}
