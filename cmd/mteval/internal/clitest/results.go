package clitest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/meta"
	"github.com/mteval/mteval/cmd/mteval/internal/rank"
	"github.com/mteval/mteval/preference"
)

// CheckXML checks that a file is XML, and that it has some texts.
func CheckXML(t *testing.T, path string, texts ...string) {
	t.Helper()
	data, _, _ := ReadXML(t, path)
	for _, want := range texts {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
}

// ReadXML reads a file of XML: all of it, how many elements it has by their names, and its texts.
func ReadXML(t *testing.T, path string) (data []byte, elements map[string]int, texts []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	elements = make(map[string]int)
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return data, elements, texts
		}
		if err != nil {
			t.Fatalf("%s: not XML: %v", path, err)
		}
		switch v := token.(type) {
		case xml.StartElement:
			elements[v.Name.Local]++
		case xml.CharData:
			texts = append(texts, strings.TrimSpace(string(v)))
		}
	}
}

// CheckWarnings checks that a run had these warnings on standard error, and no other line there.
func CheckWarnings(t *testing.T, line, stderr string, status int, want []string) {
	t.Helper()
	if status != 0 || strings.Count(stderr, "\n") != len(want) {
		t.Errorf("%s: status %d, stderr %q; want %q", line, status, stderr, want)
	}
	for _, w := range want {
		if !strings.Contains(stderr, "mteval: warning: ") || !strings.Contains(stderr, w) {
			t.Errorf("%s: stderr %q lacks %q", line, stderr, w)
		}
	}
}

// Compared is the JSON of compare, its rows by metric.
type Compared struct {
	Answer   string
	Warnings []string
	Metrics  []ComparedMetric
}

// A ComparedMetric has the rows of one.
type ComparedMetric struct {
	Metric, Answer string
	LowerIsBetter  bool `json:"lower_is_better"`
	Segments       int
	Systems        []struct {
		System string
		Mean   float64
	} `json:"-"`
	Pairs  []struct{ System, Other string } `json:"-"`
	Groups []struct {
		Group, System string
		Segments      int
		Mean          float64
	} `json:"-"`
	Decision []struct {
		Segment, System, Other, Source, Output string
		OtherOutput                            string `json:"other_output"`
		Score                                  float64
		OtherScore                             float64 `json:"other_score"`
	} `json:"-"`
}

// ComparedOf returns the JSON of a run.
func ComparedOf(t *testing.T, line ...string) Compared {
	t.Helper()
	stdout, stderr, status := Exec(t, append(append([]string{"compare"}, line...), "--format", "json")...)
	if status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	var out Compared
	var rows struct{ Systems, Pairs, Groups, Segments []json.RawMessage }
	if err := errors.Join(json.Unmarshal([]byte(stdout), &out), json.Unmarshal([]byte(stdout), &rows)); err != nil {
		t.Fatal(err)
	}
	for i := range out.Metrics {
		m := &out.Metrics[i]
		rowsOf(t, m.Metric, rows.Systems, &m.Systems)
		rowsOf(t, m.Metric, rows.Pairs, &m.Pairs)
		rowsOf(t, m.Metric, rows.Groups, &m.Groups)
		rowsOf(t, m.Metric, rows.Segments, &m.Decision)
	}
	return out
}

// rowsOf reads the rows of a metric.
func rowsOf[T any](t *testing.T, metric string, rows []json.RawMessage, out *[]T) {
	t.Helper()
	for _, row := range rows {
		var of struct{ Metric string }
		var v T
		if err := errors.Join(json.Unmarshal(row, &of), json.Unmarshal(row, &v)); err != nil {
			t.Fatal(err)
		}
		if of.Metric == metric {
			*out = append(*out, v)
		}
	}
}

// Snapshot is what is in a folder.
func Snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// RunMeta returns the JSON of a run of meta, and its standard error.
func RunMeta(t *testing.T, line ...string) (got meta.JSON, stderr string) {
	t.Helper()
	stdout, stderr, status := Exec(t, append([]string{"meta", "--format", "json"}, line...)...)
	if status != 0 {
		t.Fatalf("%s: status %d, %s", line, status, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	return got, stderr
}

// RankOf runs the command with --format json.
func RankOf(t *testing.T, line ...string) rank.JSON {
	t.Helper()
	stdout, stderr, status := Exec(t, append(line, "--format", "json")...)
	var got rank.JSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	return got
}

// WithoutHash leaves out what is another with each calibration that is embedded.
func WithoutHash(text string) string {
	return strings.ReplaceAll(text, preference.Default().Hash(), "HASH")
}
