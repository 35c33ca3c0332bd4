package browsertest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const data = "../../examples/data/"

// command is mteval's, built once.
var command = sync.OnceValues(func() (string, error) {
	path := filepath.Join(place, "mteval")
	root := "../.."
	if r := os.Getenv("TMPROOT"); r != "" {
		root = r
	}
	if out, err := exec.Command("go", "build", "-C", root, "-o", path, "./cmd/mteval").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// mteval is what a command line prints.
func mteval(args ...string) ([]byte, error) {
	path, err := command()
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("mteval %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.Bytes(), nil
}

// systems are the outputs of the sample.
func systems() []string {
	paths, _ := filepath.Glob(data + "sys/*.txt")
	return paths
}

// A page is a file, and the same in JSON.
type page struct {
	name, path string
	json       []byte
}

// Commands that make the pages of the sample.
var sample = []struct {
	name string
	args func() ([]string, error)
}{
	{"rank", func() ([]string, error) {
		return slices.Concat([]string{"rank", "-r", data + "ref.de", "--source", data + "src.en", "--human", data + "human.tsv", "--segments", filepath.Join(place, "segments.jsonl")}, systems()), nil
	}},
	{"score", func() ([]string, error) {
		return slices.Concat([]string{"score", "-r", data + "ref.de", "--source", data + "src.en", "-m", "bleu,chrf,ter", "--paired", "bs"}, systems()), nil
	}},
	{"meta", func() ([]string, error) {
		scores, err := sentenceScores()
		return []string{"meta", "--level", "segment", "--human", data + "human-segment.tsv", "--scores", scores}, err
	}},
	{"compare", func() ([]string, error) {
		scores, err := sentenceScores()
		args := []string{"compare", "--scores", scores, "-r", data + "ref.de", "--by", "length", "--decide", "aspen,birch"}
		for _, s := range systems() {
			args = append(args, "--outputs", s)
		}
		return args, err
	}},
	{"study", func() ([]string, error) {
		return slices.Concat([]string{"study", "-r", data + "ref.de", "--human", data + "human.tsv"}, systems()), nil
	}},
	{"tune", func() ([]string, error) {
		return slices.Concat([]string{"tune", "-r", data + "ref.de", "--human", data + "human-segment.tsv", "-m", "meteor(language=de)", "--evaluations", "100", "--folds", "2"}, systems()), nil
	}},
	{"select", func() ([]string, error) {
		return slices.Concat([]string{"select", "--evaluate", "-r", data + "ref.de", "--source", data + "src.en", "--human", data + "human-segment.tsv", "-m", "chrf"}, systems()), nil
	}},
}

// sentenceScores is a table of them.
var sentenceScores = sync.OnceValues(func() (string, error) {
	out, err := mteval(slices.Concat([]string{"score", "-r", data + "ref.de", "-m", "chrf,ter,bertscore", "--sentence-level", "--format", "tsv", "-w", "4"}, systems())...)
	if err != nil {
		return "", err
	}
	path := filepath.Join(place, "scores.tsv")
	return path, os.WriteFile(path, out, 0o600)
})

// samplePages has those that were made.
var samplePages = map[string]*page{}

// of is a command's page of the sample.
func of(t *testing.T, name string) *page {
	t.Helper()
	if p := samplePages[name]; p != nil {
		return p
	}
	for _, s := range sample {
		if s.name != name {
			continue
		}
		args, err := s.args()
		if err != nil {
			t.Fatal(err)
		}
		p := &page{name: name, path: filepath.Join(place, name+".html")}
		if p.json, err = mteval(append(args, "--format", "json", "--html", p.path)...); err != nil {
			t.Fatal(err)
		}
		samplePages[name] = p
		return p
	}
	t.Fatalf("no page of %s", name)
	return nil
}

// each runs a test on the page of every command.
func each(t *testing.T, test func(t *testing.T, p *page)) {
	for _, s := range sample {
		t.Run(s.name, func(t *testing.T) { test(t, of(t, s.name)) })
	}
}
