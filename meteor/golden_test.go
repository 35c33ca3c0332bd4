package meteor

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/limit/limittest"
	"github.com/mteval/mteval/internal/shareddata"
)

// jarDir is the folder of meteor-1.5.jar, which scripts/meteor.sh fetches.
func jarDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("MTEVAL_METEOR")
	if dir == "" {
		t.Skip("MTEVAL_METEOR is not set: scripts/meteor.sh fetches meteor-1.5.jar")
	}
	return dir
}

func openJar(t testing.TB) *Resources {
	t.Helper()
	r, err := OpenJar(filepath.Join(jarDir(t), "meteor-1.5.jar"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var paraphraseTables = map[string]*Paraphrases{}

// openParaphrases keeps what it reads, as the large table takes seconds.
func openParaphrases(t testing.TB, path string) *Paraphrases {
	t.Helper()
	if p := paraphraseTables[path]; p != nil {
		return p
	}
	p, err := OpenParaphrases(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	paraphraseTables[path] = p
	return p
}

// A run is the program with arguments.
type run struct {
	opt  Options
	refs int
}

// parseRun makes options of the program's arguments. Files are in dir; the default paraphrase
// table is the jar's, which not all tests need.
func parseRun(t *testing.T, dir string, args []string, r *Resources) run {
	t.Helper()
	out := run{Options{Resources: r}, 1}
	o := &out.opt
	noPunct, table := false, ""
	for i := 0; i < len(args); i++ {
		value := func() string {
			i++
			return args[i]
		}
		numbers := func() (x []float64) {
			for _, f := range strings.Fields(value()) {
				v, err := strconv.ParseFloat(f, 64)
				if err != nil {
					t.Fatal(err)
				}
				x = append(x, v)
			}
			return x
		}
		var err error
		switch args[i] {
		case "-l":
			o.Language = value()
		case "-norm":
			o.Normalization = Full
		case "-lower":
			o.Normalization = Lower
		case "-noPunct":
			noPunct = true
		case "-ch":
			o.Characters = true
		case "-m":
			o.Modules, err = ParseModules(value())
		case "-w":
			o.Weights = numbers()
		case "-p":
			x := numbers()
			o.Params = &Params{x[0], x[1], x[2], x[3]}
		case "-t":
			o.Task, err = ParseTask(value())
		case "-x":
			o.Beam, err = strconv.Atoi(value())
		case "-r":
			out.refs, err = strconv.Atoi(value())
		case "-a":
			table = filepath.Join(dir, value())
		case "-s":
			var f *files.Text
			if f, err = files.OpenText(t.Context(), filepath.Join(dir, value()), files.Options{}); err == nil {
				o.FunctionWords = f.Lines
			}
		case "-new":
			*o, err = OpenLanguage(context.Background(), filepath.Join(dir, value()))
		default:
			t.Fatalf("unknown argument %s", args[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if noPunct && o.Normalization == Full { // it has no effect otherwise
		o.Normalization = FullNoPunct
	}
	if o.Language == "de" && o.Task == Adequacy {
		// Zeros in the program; an error here.
		o.Params, o.Weights = &Params{}, make([]float64, len(o.Modules))
	}
	if table == "" && o.Modules == nil && o.Language == "en" && o.Paraphrases == nil {
		table = filepath.Join(jarDir(t), "data", "paraphrase-en.gz")
	}
	if table != "" {
		o.Paraphrases = openParaphrases(t, table)
	}
	return out
}

// arguments splits a command line at spaces, with single quotes around what holds some.
func arguments(s string) []string {
	var out []string
	for i, part := range strings.Split(s, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// recordedRow is what the program printed for a segment.
type recordedRow struct {
	p, r, penalty, score float64
	stats, align         string
	hyp, ref             string
}

func readRows(t *testing.T, path string) []recordedRow {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recordedRow
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if strings.HasPrefix(in.Text(), "#") || strings.HasPrefix(in.Text(), "seg\t") {
			continue
		}
		f := strings.Split(in.Text(), "\t")
		if len(f) < 9 {
			t.Fatalf("%s: %d fields in %q", path, len(f), in.Text())
		}
		number := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		out = append(out, recordedRow{number(f[1]), number(f[2]), number(f[3]), number(f[4]), f[5], f[6], f[7], f[8]})
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// spanText writes an alignment as the recordings have it.
func spanText(spans []mteval.Span) string {
	var out []string
	for _, c := range spans {
		out = append(out, fmt.Sprintf("%d:%d-%d:%d/%d", c.Hyp, c.HypLen, c.Ref, c.RefLen, c.Stage))
	}
	return strings.Join(out, " ")
}

// near says whether a is b, or both are undefined (0 here, NaN there).
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12 || math.IsNaN(b) && a == 0 }

// checkRun compares a run with what was recorded.
func checkRun(t *testing.T, s *Scorer, hyps []string, refs [][]string, want []recordedRow, system float64) {
	t.Helper()
	if len(want) != len(hyps) {
		t.Fatalf("%d recorded rows of %d segments", len(want), len(hyps))
	}
	prepared, err := s.Prepare(context.Background(), refs)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := prepared.Append(context.Background(), nil, nil, hyps)
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]float64, width)
	for i, w := range want {
		row := rows[i*width : (i+1)*width]
		for k, v := range row {
			sum[k] += v
		}
		d := s.Detail(row)
		stats := s.Statistics(row).String()
		if got := integers(w.stats); stats != got || !near(d.Score, w.score) || !near(d.Precision, w.p) || !near(d.Recall, w.r) || !near(d.Penalty, w.penalty) {
			t.Errorf("segment %d: %v\n got  %s\n want %s %+v", i+1, d, stats, got, w)
		}
		// The reference that was taken is the recorded one.
		found := false
		for _, ref := range refs[i] {
			if a := limittest.MustAlign(t, s.Align, ref, hyps[i]); strings.Join(a.Ref, " ") == w.ref && strings.Join(a.Hyp, " ") == w.hyp && spanText(a.Spans) == w.align {
				found = true
			}
		}
		if !found {
			a := limittest.MustAlign(t, s.Align, refs[i][0], hyps[i])
			t.Errorf("segment %d: alignment of the first reference\n got  %s\n want %s\n%q\n%q\n%q\n%q", i+1, spanText(a.Spans), w.align, a.Hyp, w.hyp, a.Ref, w.ref)
		}
	}
	if got := s.Score(sum); !near(got, system) {
		t.Errorf("system score %v, want %v", got, system)
	}
}

// integers writes recorded statistics as whole numbers.
func integers(stats string) string {
	var out []string
	for _, f := range strings.Fields(stats) {
		out = append(out, strings.TrimSuffix(f, ".0"))
	}
	return strings.Join(out, " ")
}

func group(refs []string, n int) [][]string {
	var out [][]string
	for i := 0; i+n <= len(refs); i += n {
		out = append(out, refs[i:i+n])
	}
	return out
}

// Every run of shared/golden/meteor/INDEX.tsv.
func TestShared(t *testing.T) {
	dir := shareddata.Path(t, "golden", "meteor")
	jar := openJar(t)
	runs := 0
	for _, line := range shareddata.ReadLines(t, filepath.Join(dir, "INDEX.tsv"))[1:] {
		f := strings.Split(line, "\t")
		set, fixture, status, command, value := f[0], f[1], f[2], f[3], f[4]
		runs++
		t.Run(set+"/"+fixture, func(t *testing.T) {
			args := arguments(command)
			for args[0] != "meteor-1.5.jar" {
				args = args[1:]
			}
			hyp, ref := filepath.Join(dir, args[1]), filepath.Join(dir, args[2])
			if status == "ERROR" {
				if fixture == "default_no_paraphrase_file" {
					// The stage without its table; here it has to be asked for.
					_, err := New(Options{Language: strings.TrimPrefix(set, "hand."), Modules: []Module{Exact, Paraphrase}})
					if err == nil || !strings.Contains(err.Error(), "needs a table") {
						t.Errorf("error %v", err)
					}
					return
				}
				r := parseRun(t, dir, args[3:], jar)
				if _, err := New(r.opt); err == nil {
					t.Error("no error")
				}
				return
			}
			r := parseRun(t, dir, args[3:], jar)
			s, err := New(r.opt)
			if err != nil {
				t.Fatal(err)
			}
			system, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			checkRun(t, s, shareddata.ReadLines(t, hyp), group(shareddata.ReadLines(t, ref), r.refs), readRows(t, filepath.Join(dir, set, fixture+".tsv")), system)
			summary, err := os.ReadFile(filepath.Join(dir, set, fixture+".system.txt"))
			if err != nil {
				t.Fatal(err)
			}
			_, id, _ := strings.Cut(string(summary), "Eval ID:")
			id, _, _ = strings.Cut(strings.TrimSpace(id), "\n")
			if d := cmp.Diff(id, s.EvaluationID()); d != "" {
				t.Errorf("evaluation ID (-METEOR +ours):\n%s", d)
			}
		})
	}
	if runs != 70 {
		t.Errorf("%d runs", runs)
	}
}
