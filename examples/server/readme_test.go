package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the answers into README.md")

// TestReadme sends what README.md has curl send, and what its error is of.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(b)
	call := regexp.MustCompile(`(?m)^go run \. -metrics (\S+)\ncurl http://\S+/score -d '(.*)'$`).FindStringSubmatch(readme)
	answers := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(readme, -1)
	if call == nil || len(answers) != 2 {
		t.Fatal("README.md has no command, or not two answers")
	}
	o, err := parseFlags([]string{"-metrics", call[1]})
	if err != nil {
		t.Fatal(err)
	}
	_, url, _ := start(t, o.limits)
	long := strings.Repeat("word ", o.limits.tokens+1)
	failing := fmt.Sprintf(`{"hypotheses":["a",%q],"references":[["a"],["b"]],"metrics":["bleu"]}`, long)
	for i, body := range []string{call[2], failing} {
		_, got := post(t, url, body)
		if d := cmp.Diff(answers[i][1], got); d != "" && !*update {
			t.Errorf("(-README.md +got):\n%s", d)
		}
		readme = strings.Replace(readme, answers[i][1], got, 1)
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
