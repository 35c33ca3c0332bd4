package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/distributed"
	"github.com/mteval/mteval/distributed/internal/synthetic"
)

func TestMain(m *testing.M) { ptest.Main(m) }

func parsed(t *testing.T, args ...string) *options {
	t.Helper()
	fs := flag.NewFlagSet("mteval-beam", flag.ContinueOnError)
	o := newOptions(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o
}

// What is written does not depend on how the input is cut into files.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	const header = "system\tseg\thypothesis\treference\n"
	var one bytes.Buffer
	var two [2]bytes.Buffer
	one.WriteString(header)
	two[0].WriteString(header)
	two[1].WriteString(header)
	for i := range 60 {
		for k, r := range synthetic.Segment(i, 2) {
			line := strings.Join([]string{r.System, r.Segment, r.Hypothesis, r.References[0]}, "\t") + "\n"
			one.WriteString(line)
			two[k].WriteString(line)
		}
	}
	for name, data := range map[string][]byte{"one.tsv": one.Bytes(), "two-0.tsv": two[0].Bytes(), "two-1.tsv": two[1].Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var outputs []map[string]string
	for _, input := range []string{"one.tsv", "two-*.tsv"} {
		out := filepath.Join(dir, strings.Trim(input, "-*.tsv"), "out")
		o := parsed(t, "--input", filepath.Join(dir, input), "--segment", "seg", "-m", "bleu,ter", "-m", "wordf", "--difficulty", "wordf=combined,leave-one-out",
			"--metric-options", `bleu={"smoothing":"none"}`, "-o", out, "--bootstrap", "50", "--shards", "3")
		if err := run(context.Background(), o, nil); err != nil {
			t.Fatal(err)
		}
		paths, err := filepath.Glob(out + ".*")
		if err != nil || len(paths) != 8 {
			t.Fatalf("%v, %v: want 8 files", paths, err)
		}
		got := map[string]string{}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			got[filepath.Base(p)] = string(data)
		}
		outputs = append(outputs, got)
	}
	if diff := cmp.Diff(outputs[0], outputs[1]); diff != "" {
		t.Errorf("(-one file +two):\n%s", diff)
	}
	lines := strings.Split(strings.TrimSpace(outputs[0]["out.systems.jsonl"]), "\n")
	if len(lines) != 8 {
		t.Fatalf("%d scores of systems, want 8:\n%s", len(lines), lines)
	}
	var first distributed.SystemScore
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first.Metric != "bleu" || first.Segments != 60 || !strings.Contains(first.Signature, "smooth:none") {
		t.Errorf("%+v, %v", first, err)
	}
	segments := 0
	for name, text := range outputs[0] {
		if strings.HasPrefix(name, "out.segments-") {
			segments += strings.Count(text, "\n")
		}
		if strings.HasPrefix(name, "out.bad-") && text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
	if segments != 120 {
		t.Errorf("%d scores of segments, want 120", segments)
	}
}

// An empty value is an error that names the flag.
func TestEmptyFlags(t *testing.T) {
	parts := map[string][]string{"m": {",", "bleu,,ter", "bleu,"}, "metrics": {",", "bleu,"}, "metric-options": {"=", "={}", "bleu="}, "difficulty": {"=", "=paper", "wordf=", "wordf=paper,"}}
	fs := flag.NewFlagSet("mteval-beam", flag.ContinueOnError)
	newOptions(fs)
	fs.SetOutput(io.Discard)
	fs.VisitAll(func(f *flag.Flag) {
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			return
		}
		for _, value := range append([]string{"", " ", "\t"}, parts[f.Name]...) {
			for _, args := range [][]string{{"--" + f.Name, value}, {"-" + f.Name + "=" + value}} {
				if err := fs.Parse(args); err == nil || !strings.Contains(err.Error(), "-"+f.Name+":") {
					t.Errorf("%q: %v", args, err)
				}
			}
		}
	})
}

func TestOptions(t *testing.T) {
	base := []string{"--input", "x", "-o", "y", "-m", "bleu"}
	for want, args := range map[string][]string{
		"no --input":                       {"-o", "y"},
		"no -o":                            {"--input", "x"},
		"no metrics":                       {"--input", "x", "-o", "y"},
		`no metric "none"`:                 {"--input", "x", "-o", "y", "-m", "none"},
		"two metrics are called":           append(base, "-m", "bleu"),
		"--shards 0":                       append(base, "--shards", "0"),
		`no format "csv"`:                  append(base, "--format", "csv"),
		"MaxLine -1":                       append(base, "--max-line", "-1"),
		"-5 samples":                       append(base, "--bootstrap", "-5"),
		"without --bootstrap":              append(base, "--bootstrap-poisson"),
		"--metric-options ter={}: no such": append(base, "--metric-options", "ter={}"),
		"a JSON object":                    append(base, "--metric-options", "bleu=[]"),
		"--metric-options of bleu twice":   append(base, "--metric-options", "bleu={}", "--metric-options", "bleu={}"),
		"--max-tokens -1":                  append(base, "--max-tokens", "-1"),
		`no form ""`:                       append(base, "--difficulty", "wordf"),
		`--metric-options bleu: field "smoothing" stands there twice`: append(base, "--metric-options", `bleu={"smoothing":"none","smoothing":"exp"}`),
		`"loo" behind the form`: append(base, "--difficulty", "wordf=paper,loo"),
		"":                      base,
	} {
		_, err := parsed(t, args...).job()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	if err := run(context.Background(), parsed(t, base...), []string{"more"}); err == nil || !strings.Contains(err.Error(), `"more"`) {
		t.Errorf("an argument: %v", err)
	}
}
