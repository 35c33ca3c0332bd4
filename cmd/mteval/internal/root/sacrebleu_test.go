package root_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// sacreCommand is a line of testdata/sacrebleu/commands.txt.
type sacreCommand struct {
	line   string   // as it is typed
	env    []string // NAME=value
	args   []string
	stdin  string // file, "" for none
	reason string // why the programs end in different ways
}

func (c *sacreCommand) has(options ...string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return slices.Contains(c.args, o) })
}

// text says whether what is printed is texts or names, not scores.
func (c *sacreCommand) text() bool {
	return c.has("--echo", "--list", "--cite", "--citation", "--download")
}

func sacreCommands(t *testing.T) []sacreCommand {
	t.Helper()
	data, err := os.ReadFile("testdata/sacrebleu/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []sacreCommand
	for line := range strings.Lines(string(data)) {
		line, reason, _ := strings.Cut(strings.TrimSpace(line), " ## ")
		if line == "" || line[0] == '#' {
			continue
		}
		c := sacreCommand{line: line, reason: reason}
		before, after, ok := strings.Cut(line, "sacrebleu ")
		if !ok {
			t.Fatalf("%s: no command", line)
		}
		c.env = strings.Fields(before)
		after, c.stdin, _ = strings.Cut(after, " < ")
		c.args = strings.Fields(after)
		out = append(out, c)
	}
	return out
}

// sacreResult is how a command ended, and what it prints where all digits are asked for.
type sacreResult struct {
	Status int    `json:"status"`
	Digits string `json:"digits"`
	Stdout string `json:"stdout"` // as typed, of -b
}

// ours runs a command by this program.
func (c *sacreCommand) ours(t *testing.T) sacreResult {
	t.Helper()
	run := func(more ...string) (string, string, int) {
		in, err := os.Open(cmp.Or(c.stdin, os.DevNull))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer func(was *os.File) { os.Stdin = was }(os.Stdin)
		os.Stdin = in
		return clitest.Exec(t, slices.Concat([]string{"score"}, c.args, more)...)
	}
	for _, e := range c.env {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	stdout, stderr, status := run()
	r := sacreResult{Status: status, Stdout: stdout}
	switch {
	case status != 0:
		if stdout != "" || !strings.HasPrefix(stderr, "mteval: ") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("status %d, %q, %q", status, stdout, stderr)
		}
		return r
	case stdout == "" && !c.has("--download"):
		t.Error("nothing is printed")
	case c.text():
		r.Digits = stdout
		return r
	case c.has("-d"):
		r.Digits, stderr, status = run("-w", "10", "-f", "text")
	case c.has("-b"):
		r.Digits, stderr, status = run("-w", "10")
	default:
		r.Digits, stderr, status = run("-w", "10", "-f", "tsv")
	}
	if status != 0 {
		t.Errorf("with all digits: status %d, %s", status, stderr)
	}
	return r
}

// theirs runs a command by sacreBLEU, as scripts/record_sacrebleu_cli.py does.
func (c *sacreCommand) theirs(ctx context.Context, python, dir string) (sacreResult, error) {
	run := func(env []string, more ...string) (string, int, error) {
		p := osexec.CommandContext(ctx, python, slices.Concat([]string{"-m", "sacrebleu"}, c.args, more)...)
		p.Dir, p.Env = dir, append(os.Environ(), env...)
		if c.stdin != "" {
			in, err := os.Open(filepath.Join(dir, c.stdin))
			if err != nil {
				return "", 0, err
			}
			defer in.Close()
			p.Stdin = in
		}
		var stdout, stderr bytes.Buffer
		p.Stdout, p.Stderr = &stdout, &stderr
		var ended *osexec.ExitError
		if err := p.Run(); err != nil && !errors.As(err, &ended) {
			return "", 0, err
		}
		if strings.Contains(stderr.String(), "No module named sacrebleu") {
			return "", 0, errors.New(stderr.String())
		}
		return stdout.String(), p.ProcessState.ExitCode(), nil
	}
	stdout, status, err := run(c.env)
	r := sacreResult{Status: status}
	if err != nil || status != 0 || c.has("--list") {
		return r, err
	}
	if c.has("-b") {
		r.Stdout = stdout
	}
	more := []string{"-w", "10", "-f", "json"}
	switch {
	case c.has("-sl", "--sentence-level"):
		more = []string{"-w", "10", "-b"}
	case c.has("-pbs", "--paired-bs", "-par", "--paired-ar"):
		more = []string{"-w", "10", "-f", "latex"}
	}
	env := slices.DeleteFunc(slices.Clone(c.env), func(e string) bool { return strings.HasPrefix(e, "SACREBLEU_FORMAT") })
	r.Digits, _, err = run(env, more...)
	if strings.HasPrefix(r.Digits, `\begin{tabular}`) {
		r.Digits, _, _ = strings.Cut(r.Digits, `\end{tabular}`)
	}
	return r, err
}

// sacreBLEU runs all commands by sacreBLEU, some at a time: most of it is the start of Python.
func sacreBLEU(t *testing.T, python, dir string, commands []sacreCommand) []sacreResult {
	t.Helper()
	out := make([]sacreResult, len(commands))
	failed := make([]error, len(commands))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				out[i], failed[i] = commands[i].theirs(t.Context(), python, dir)
			}
		})
	}
	for i := range commands {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, err := range failed {
		if err != nil {
			t.Fatalf("%s: %s: %v", python, commands[i].line, err)
		}
	}
	return out
}

// A sacreNumber is the score of a system, a segment or a part of a test set, and what tests
// say of it, NaN for nothing. Of sacreBLEU's and of ours those with one key belong together.
type sacreNumber struct {
	key                string
	score, mean, ci, p float64
}

func parseNumber(t *testing.T, s string) float64 {
	t.Helper()
	if s == "" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

var nan = math.NaN()

// oursNumbers are the numbers in what this program prints.
func (c *sacreCommand) oursNumbers(t *testing.T, digits string) []sacreNumber {
	var out []sacreNumber
	var header, systems []string
	for line := range strings.Lines(digits) {
		line = strings.TrimSuffix(line, "\n")
		cells := strings.Split(line, "\t")
		switch {
		case c.has("-d"):
			if m := ourPart.FindStringSubmatch(line); m != nil {
				out = append(out, sacreNumber{m[1] + " " + m[2] + " " + m[3], parseNumber(t, m[4]), nan, nan, nan})
			}
		case c.has("-b"):
			out = append(out, sacreNumber{"", parseNumber(t, line), nan, nan, nan})
		case c.has("-sl", "--sentence-level") && cells[0] == "system": // the header
		case c.has("-sl", "--sentence-level"):
			out = append(out, sacreNumber{cells[2], parseNumber(t, cells[3]), nan, nan, nan})
		case header == nil:
			header = cells
		default:
			of := map[string]string{}
			for i, name := range header {
				of[name] = cells[i]
			}
			if !slices.Contains(systems, cells[0]) {
				systems = append(systems, cells[0])
			}
			out = append(out, sacreNumber{
				fmt.Sprint(len(systems), " ", strings.TrimSuffix(of["metric"], "++")), parseNumber(t, of["score"]), parseNumber(t, of["mean"]),
				(parseNumber(t, of["high"]) - parseNumber(t, of["low"])) / 2, parseNumber(t, of["p"]),
			})
		}
	}
	return out
}

var (
	ourPart   = regexp.MustCompile(`^\S+ +(\S+) +(\S+) +(\d+) +([\d.]+)$`)
	theirPart = regexp.MustCompile(`^origlang=(\S+) (domain|country)=(\S+) *: sentences=(\d+) +\S+ = ([\d.]+)$`)
	// theirCell is a score, with mean and half of the interval, and with the p-value.
	theirCell = regexp.MustCompile(`^([\d.]+)(?: \(([\d.]+) ± ([\d.]+)\))?(?: \(p = ([\d.]+)\)\*?)?$`)
)

// metricOf is our name of a metric of sacreBLEU's, such as chrF3++.
func metricOf(name string) string {
	name, _, _ = strings.Cut(name, " ") // (μ ± 95% CI)
	return strings.TrimRight(strings.ToLower(name), "+0123456789")
}

// theirNumbers are the numbers in what sacreBLEU prints.
func (c *sacreCommand) theirNumbers(t *testing.T, digits string) []sacreNumber {
	t.Helper()
	switch {
	case c.has("-d"):
		return theirParts(t, digits)
	case c.has("-b", "-sl", "--sentence-level"):
		return c.theirLines(t, digits)
	case strings.HasPrefix(digits, `\begin{tabular}`):
		return theirTable(t, digits)
	}
	type scores = []map[string]any
	var all scores
	if strings.HasPrefix(digits, "{") {
		digits = "[" + digits + "]"
	}
	if err := json.Unmarshal([]byte(digits), &all); err != nil {
		t.Fatalf("%v: %s", err, digits)
	}
	var out []sacreNumber
	for i, of := range all {
		if name, ok := of["name"].(string); ok {
			n := sacreNumber{"1 " + metricOf(name), of["score"].(float64), nan, nan, nan}
			if mean, ok := of["confidence_mean"].(float64); ok {
				n.mean, n.ci = mean, of["confidence_var"].(float64)
			}
			out = append(out, n)
			continue
		}
		for name, score := range of {
			if name != "system" {
				out = append(out, sacreNumber{fmt.Sprint(i+1, " ", metricOf(name)), parseNumber(t, score.(string)), nan, nan, nan})
			}
		}
	}
	return out
}

func theirParts(t *testing.T, digits string) []sacreNumber {
	var out []sacreNumber
	for line := range strings.Lines(digits) {
		if m := theirPart.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			subset := m[3]
			switch {
			case m[2] == "country":
				subset = "country:" + subset
			case subset == "ALL":
				subset = "all"
			}
			out = append(out, sacreNumber{m[1] + " " + subset + " " + m[4], parseNumber(t, m[5]), nan, nan, nan})
		}
	}
	return out
}

func (c *sacreCommand) theirLines(t *testing.T, digits string) []sacreNumber {
	var out []sacreNumber
	for _, line := range strings.Fields(strings.Trim(digits, "[]\n")) {
		key := ""
		if !c.has("-b") {
			key = strconv.Itoa(len(out) + 1)
		}
		out = append(out, sacreNumber{key, parseNumber(t, strings.TrimSuffix(line, ",")), nan, nan, nan})
	}
	return out
}

func theirTable(t *testing.T, digits string) []sacreNumber {
	var out []sacreNumber
	var header []string
	systems := 0
	for line := range strings.Lines(digits) {
		row, ok := strings.CutSuffix(strings.TrimSpace(line), `\\`)
		if !ok {
			continue
		}
		cells := strings.Split(row, " & ")
		if header == nil {
			header = cells
			continue
		}
		systems++
		for i, cell := range cells[1:] {
			m := theirCell.FindStringSubmatch(strings.TrimSpace(cell))
			if m == nil {
				t.Fatalf("%q is no score", cell)
			}
			out = append(out, sacreNumber{
				fmt.Sprint(systems, " ", metricOf(strings.TrimSpace(header[i+1]))),
				parseNumber(t, m[1]), parseNumber(t, m[2]), parseNumber(t, m[3]), parseNumber(t, m[4]),
			})
		}
	}
	return out
}

// sameNumbers compares numbers: scores to 10 decimals, what comes of samples to 4, as sacreBLEU
// has single precision there and 4 decimals of p-values.
func sameNumbers(t *testing.T, want, got []sacreNumber) {
	t.Helper()
	order := func(x, y sacreNumber) int {
		return cmp.Or(strings.Compare(x.key, y.key), cmp.Compare(x.score, y.score))
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	near := func(x, y, by float64) bool { return math.Abs(x-y) <= by || math.IsNaN(x) && math.IsNaN(y) }
	same := len(want) > 0 && slices.EqualFunc(want, got, func(x, y sacreNumber) bool {
		// Each of ours that sacreBLEU has not, an interval beside ar's p-value say, is no difference.
		return x.key == y.key && near(x.score, y.score, 1e-9) && near(x.mean, y.mean, 1e-4) && near(x.ci, y.ci, 1e-4) && near(x.p, y.p, 1e-4)
	})
	if !same {
		t.Errorf("sacreBLEU has %v, this program %v", want, got)
	}
}

// check compares what this program does with what sacreBLEU did.
func (c *sacreCommand) check(t *testing.T, want sacreResult) {
	t.Helper()
	got := c.ours(t)
	if differs := (got.Status == 0) != (want.Status == 0); differs != (c.reason != "") {
		t.Errorf("sacreBLEU ends with %d, this program with %d; reason: %q", want.Status, got.Status, c.reason)
	}
	switch {
	case got.Status != 0 || want.Status != 0 || c.has("--list"):
	case c.text():
		if got.Digits != want.Digits {
			t.Errorf("sacreBLEU prints %q, this program %q", want.Digits, got.Digits)
		}
	default:
		sameNumbers(t, c.theirNumbers(t, want.Digits), c.oursNumbers(t, got.Digits))
		if c.has("-b") && c.has("-w") && !strings.HasPrefix(want.Stdout, "[") && got.Stdout != want.Stdout {
			t.Errorf("sacreBLEU prints %q, this program %q", want.Stdout, got.Stdout)
		}
	}
}

// sacreBLEU's command lines have the numbers that scripts/record_sacrebleu_cli.py recorded of
// it, and end the same way. With MTEVAL_SACREBLEU naming a Python that has it, both run.
func TestSacreBLEU(t *testing.T) {
	data, err := os.ReadFile("testdata/sacrebleu/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]sacreResult
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	python := os.Getenv("MTEVAL_SACREBLEU")
	commands := sacreCommands(t)
	if len(commands) != len(recorded) {
		t.Errorf("%d commands, %d recorded: run scripts/record_sacrebleu_cli.py", len(commands), len(recorded))
	}
	dir := clitest.SacreFolder(t)
	var live []sacreResult
	if python != "" {
		live = sacreBLEU(t, python, dir, commands)
	}
	for i, c := range commands {
		t.Run(c.line, func(t *testing.T) {
			want, ok := recorded[c.line]
			if !ok {
				t.Fatal("not recorded: run scripts/record_sacrebleu_cli.py")
			}
			if live != nil && live[i] != want {
				t.Errorf("recorded is %+v, and now it is %+v", want, live[i])
			}
			c.check(t, want)
		})
	}
	if python == "" {
		t.Log("sacreBLEU itself was not run: name a Python that has it in MTEVAL_SACREBLEU")
	}
}
