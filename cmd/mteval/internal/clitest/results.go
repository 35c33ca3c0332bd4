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

	"github.com/mteval/mteval/cmd/mteval/internal/compare"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
	"github.com/mteval/mteval/cmd/mteval/internal/rank"
	"github.com/mteval/mteval/preference"
)

// CheckXML checks that a file is XML, and that it has some texts.
func CheckXML(t *testing.T, path string, texts ...string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	for _, want := range texts {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
}

// ComparedOf returns the JSON of a run.
func ComparedOf(t *testing.T, line ...string) compare.JSON {
	t.Helper()
	stdout, stderr, status := Exec(t, append(append([]string{"compare"}, line...), "--format", "json")...)
	if status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	var out compare.JSON
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatal(err)
	}
	return out
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
