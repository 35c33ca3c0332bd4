package mteval_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/mteval/mteval"

// listed is what `go list -json` tells of a package, but for its tests.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	CgoFiles   []string
}

// listPackages returns all packages of the module and what they depend on, tests
// left out. Cgo is on, so that files that need it are seen; no C compiler is
// needed to list them.
func listPackages(t *testing.T) map[string]listed {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command, which is not on PATH")
	}
	cmd := exec.CommandContext(t.Context(), path, "list", "-deps", "-json=ImportPath,Standard,Imports,CgoFiles", "./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	packages := make(map[string]listed)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// name is the path of a package within the module, "." for its root.
func name(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// within says whether a path is that of a package or of one below it.
func within(path string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return path == r || strings.HasPrefix(path, r+"/") })
}

var (
	metrics = []string{"bleu", "bertscore", "chrf", "ter", "overlap", "meteor", "dreem", "comet"}
	// overMetrics work with any metric, through the root package's interfaces.
	overMetrics = []string{"difficulty", "multilevel", "human", "metaeval", "significance", "preference", "ranking", "study", "meta", "compare", "selection", "stream", "tune", "mert", "mbr", "files", "testsets", "mtme", "scoring"}
	programs    = []string{"cmd", "examples", "bench", "scripts"}
	// below are what metrics stand on, and around what reads, shows and tests.
	below  = []string{"tokenize", "backend", "conllu", "tunable"}
	around = []string{"report", "scorertest"}
	// terminal is for programs that people sit at.
	terminal = []string{"github.com/spf13/cobra", "github.com/schollz/progressbar", "golang.org/x/term"}
)

// light are other modules that any package may depend on.
var light = []string{"golang.org/x/text", "golang.org/x/sys/cpu", "github.com/blevesearch/snowballstem", "go.yaml.in/yaml"}

// apart are library packages that exist to keep another module away from the rest,
// by the module's path. They may depend on it, and only programs on them.
var apart = map[string][]string{
	"tokenize/jamecab":     {"github.com/ikawaha/kagome", "github.com/ikawaha/kagome-dict"},
	"dreem/internal/train": {"gonum.org/v1/gonum", "golang.org/x/tools"},
	"tune":                 {"gonum.org/v1/gonum", "golang.org/x/tools"}, // of x/tools gonum takes sets of numbers
}

// A rule says why a package of ours must not depend, directly or not, on another,
// "" if it may. Packages of ours go by their name in the module.
type rule struct {
	name  string
	wrong func(from, to string, ours bool) bool
}

var rules = []rule{
	{"the root package depends on none of ours but internal ones", func(from, to string, ours bool) bool {
		return from == "." && ours && !within(to, "internal")
	}},
	{"package backend depends on none of ours but the root and internal ones", func(from, to string, ours bool) bool {
		return from == "backend" && ours && to != "." && !within(to, "internal")
	}},
	{"a metric depends on no other metric", func(from, to string, ours bool) bool {
		i := slices.IndexFunc(metrics, func(m string) bool { return within(from, m) })
		return i >= 0 && ours && within(to, metrics...) && !within(to, metrics[i])
	}},
	{"a metric depends on nothing that works over metrics, and on no program", func(from, to string, ours bool) bool {
		return within(from, metrics...) && ours && (within(to, overMetrics...) || within(to, programs...))
	}},
	{"tunable, a contract, depends on no metric and nothing that works over metrics", func(from, to string, ours bool) bool {
		return from == "tunable" && ours && (within(to, metrics...) || within(to, overMetrics...))
	}},
	{"what works over any metric depends on none", func(from, to string, ours bool) bool {
		return within(from, overMetrics...) && ours && within(to, metrics...)
	}},
	{"what works over any metric depends on no concrete backend", func(from, to string, ours bool) bool {
		return within(from, overMetrics...) && ours && strings.HasPrefix(to, "backend/") && !within(to, "backend/backendtest")
	}},
	{"only programs depend on packages for the terminal", func(from, to string, ours bool) bool {
		return !within(from, programs...) && !ours && within(to, terminal...)
	}},
	{"only programs depend on other modules than the few light ones", func(from, to string, ours bool) bool {
		return !within(from, programs...) && !ours && !within(to, light...) && !within(to, apart[from]...)
	}},
	{"only programs depend on a package that is set apart", func(from, to string, ours bool) bool {
		_, is := apart[to]
		return !within(from, programs...) && ours && is
	}},
}

// broken returns a line for every rule that a package breaks, with how it comes to
// depend on what it must not. Packages of the standard library are not looked at,
// nor into.
func broken(packages map[string]listed) []string {
	var out []string
	for _, p := range packages {
		if p.Standard {
			continue
		}
		// Only this one may need a C compiler, among other modules' too.
		if at, _ := name(p.ImportPath); at != "backend/libtorch" && (len(p.CgoFiles) > 0 || slices.Contains(p.Imports, "C") || slices.Contains(p.Imports, "runtime/cgo")) {
			out = append(out, fmt.Sprintf("%s: only backend/libtorch uses cgo", p.ImportPath))
		}
		from, ours := name(p.ImportPath)
		if !ours {
			continue
		}
		// The shortest way to each dependency.
		via := map[string]string{p.ImportPath: ""}
		for queue := []string{p.ImportPath}; len(queue) > 0; queue = queue[1:] {
			for _, next := range packages[queue[0]].Imports {
				if _, ok := via[next]; !ok && next != "C" && !packages[next].Standard {
					via[next] = queue[0]
					queue = append(queue, next)
				}
			}
		}
		for path := range via {
			if path == p.ImportPath {
				continue
			}
			to, ours := name(path)
			if !ours {
				to = path
			}
			for _, r := range rules {
				if r.wrong(from, to, ours) {
					way := path
					for at := via[path]; at != ""; at = via[at] {
						way = at + " → " + way
					}
					out = append(out, fmt.Sprintf("%s: %s: %s", p.ImportPath, r.name, way))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// Packages depend on each other only as the layers of the module allow.
func TestImports(t *testing.T) {
	packages := listPackages(t)
	for _, line := range broken(packages) {
		t.Error(line)
	}
	// Every package has a layer, or the rules would not see it.
	for path := range packages {
		at, ours := name(path)
		if ours && at != "." && !within(at, slices.Concat(metrics, overMetrics, below, around, programs, []string{"internal"})...) {
			t.Errorf("%s is in no layer: name it in metrics, overMetrics, below or around", path)
		}
	}
	// The listing has what there is to look at.
	for _, path := range []string{module, module + "/backend", module + "/bleu", module + "/difficulty"} {
		if len(packages[path].Imports) == 0 {
			t.Errorf("go list does not tell of %s", path)
		}
	}
}

// Each rule finds what breaks it, and the layers as they are meant break none.
func TestImportRules(t *testing.T) {
	defer func(was map[string][]string) { apart = was }(apart)
	apart = map[string][]string{"tokenize/large": {"x.org/large"}}
	for _, tt := range []struct {
		packages string // "from: to to", ours by their name, others with x.org or in full
		want     []string
	}{
		{". : internal/a\nbackend: . internal/a\nbackend/lexical: backend tokenize\nbleu: . tokenize internal/a\nbertscore: backend .\n" +
			"difficulty: .\nranking: . metaeval\nscorertest: .\ncmd/mteval: bleu backend/lexical ranking github.com/spf13/cobra golang.org/x/term\n" +
			"examples/a: bleu github.com/schollz/progressbar/v3\ntokenize: golang.org/x/text/cases\nbackend/libtorch: backend C runtime/cgo", nil},
		{". : tokenize\ntokenize: .", []string{"the root package"}},
		{". : bleu\nbleu:", []string{"the root package"}},
		{"backend: tokenize", []string{"package backend"}},
		{"bleu: bertscore", []string{"a metric depends on no other"}},
		{"bleu/sub: chrf/sub", []string{"a metric depends on no other"}},
		{"bleu: bleu/sub", nil},
		{"bleu: tokenize\ntokenize: ter", []string{"a metric depends on no other"}}, // not directly
		{"meteor: difficulty", []string{"a metric depends on nothing"}},
		{"dreem: cmd/mteval", []string{"a metric depends on nothing"}},
		{"overlap: metaeval\nbleu: ranking", []string{"a metric depends on nothing", "a metric depends on nothing"}},
		{"difficulty: bertscore", []string{"what works over any metric depends on none"}},
		{"tunable: . internal/a\nmeteor: tunable", nil},
		{"tunable: meteor", []string{"tunable, a contract"}},
		{"study: bleu\nmeta: meteor", []string{"what works over any metric depends on none", "what works over any metric depends on none"}},
		{"multilevel: backend/lexical", []string{"what works over any metric depends on no concrete backend"}},
		{"metaeval: backend\nranking: backend/backendtest", nil},
		{"scorertest: github.com/spf13/cobra", []string{"only programs depend on other modules", "only programs depend on packages for the terminal"}},
		{"tokenize: golang.org/x/term", []string{"only programs depend on other modules", "only programs depend on packages for the terminal"}},
		{"tokenize: x.org/a", []string{"only programs depend on other modules"}},
		{"tokenize: golang.org/x/text/cases\ngolang.org/x/text/cases: golang.org/x/text/internal\n", nil},
		{"tokenize/large: x.org/large/v2\ncmd/mteval: tokenize/large", nil},
		{"tokenize/large: x.org/large x.org/largest", []string{"only programs depend on other modules"}},
		{"tokenize/large: x.org/large\nbleu: tokenize/large", []string{"only programs depend on a package that is set apart", "only programs depend on other modules"}},
		{"cmd/mteval: x.org/a\nx.org/a: C", []string{"cgo"}},
		{"internal/a: runtime/cgo", []string{"cgo"}},
		{"backend/libtorch/sub: C", []string{"cgo"}},
	} {
		packages := map[string]listed{"runtime/cgo": {ImportPath: "runtime/cgo", Standard: true}}
		full := func(s string) string {
			switch {
			case s == ".":
				return module
			case strings.Contains(s, ".") || s == "C" || s == "runtime/cgo":
				return s
			}
			return module + "/" + s
		}
		for line := range strings.Lines(tt.packages) {
			from, to, _ := strings.Cut(line, ":")
			p := listed{ImportPath: full(strings.TrimSpace(from))}
			for _, path := range strings.Fields(to) {
				p.Imports = append(p.Imports, full(path))
			}
			packages[p.ImportPath] = p
		}
		var got []string
		for _, line := range broken(packages) {
			if _, rest, ok := strings.Cut(line, ": "); ok {
				got = append(got, rest)
			}
		}
		slices.Sort(got)
		ok := len(got) == len(tt.want)
		for i := range min(len(got), len(tt.want)) {
			ok = ok && strings.Contains(got[i], tt.want[i])
		}
		if !ok {
			t.Errorf("%s\ngives (-want +got):\n%s", tt.packages, cmp.Diff(tt.want, got))
		}
	}
	// The message says how the dependency comes about.
	got := broken(map[string]listed{
		module + "/bleu":     {ImportPath: module + "/bleu", Imports: []string{module + "/tokenize"}},
		module + "/tokenize": {ImportPath: module + "/tokenize", Imports: []string{module + "/ter"}},
	})
	want := []string{module + "/bleu: a metric depends on no other metric: " + module + "/bleu → " + module + "/tokenize → " + module + "/ter"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

// The package's documentation names every public package.
func TestDocNamesPackages(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(doc), func(r rune) bool { return !(r == '/' || r >= 'a' && r <= 'z') })
	for path := range listPackages(t) {
		at, ours := name(path)
		if !ours || at == "." || within(at, programs...) || slices.Contains(strings.Split(at, "/"), "internal") {
			continue
		}
		if !slices.Contains(words, at) {
			t.Errorf("doc.go does not name %s", at)
		}
	}
}
