package files_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/mteval/mteval/files"
)

// A table of scores, in which one is missing.
func ExampleReadScores() {
	table := "system\tsegment\tscore\nnorth\t1\t0.5\nnorth\t2\tNA\nsouth\t1\t0.25\nsouth\t2\t0.75\n"
	scores, err := files.ReadScores(strings.NewReader(table), "scores.tsv", files.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scores.Systems, scores.Items, scores.SystemMeans())
	// Output: [north south] [1 2] [0.5 0.5]
}

// What comet-score prints. OpenMetricFiles reads several files, and names what has no name.
func ExampleReadMetrics() {
	printed := "north.de\tSegment 0\tscore: 0.8125\nsouth.de\tSegment 0\tscore: 0.7500\nnorth.de\tscore: 0.8125\nsouth.de\tscore: 0.7500\n"
	metrics, err := files.ReadMetrics(strings.NewReader(printed), "comet.txt", files.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range metrics {
		fmt.Println(m.Name, m.Scores.Systems, m.Scores.Items, m.Scores.Values)
	}
	// Output: COMET [north south] [1] [0.8125 0.75]
}

// Which metrics are error metrics is told by their file, or by their names. What neither tells is
// an error.
func ExampleDirections() {
	table := "system\tsegment\tTER\tCOMET\t1-WER\nnorth\t1\t0.25\t0.75\t0.5\nsouth\t1\t0.5\t0.5\t0.25\n"
	read, err := files.ReadMetrics(strings.NewReader(table), "scores.tsv", files.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = files.Directions{}.Metrics(read)
	fmt.Println(err)
	metrics, err := files.Directions{Higher: []string{"1-WER"}}.Metrics(read)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range metrics {
		fmt.Println(m.Name, m.LowerIsBetter)
	}
	// Output:
	// 1-WER: by its name it may be an error metric, or the opposite of one: say whether less is better or more
	// TER true
	// COMET false
	// 1-WER false
}

// References and outputs line up, or the error says where they do not.
func ExampleNewCorpus() {
	read := func(name, text string) *files.Text {
		t, err := files.ReadText(strings.NewReader(text), name, files.Options{})
		if err != nil {
			log.Fatal(err)
		}
		return t
	}
	refs := []*files.Text{read("ref.en", "the house\nthe cat\n")}
	c, err := files.NewCorpus(refs, []*files.Text{read("sys/north.txt", "a house\na cat\n")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Systems[0].Name, c.Refs[1], c.Systems[0].Hyps[1])
	_, err = files.NewCorpus(refs, []*files.Text{read("sys/south.txt", "a house\n")})
	fmt.Println(err)
	// Output:
	// north [the cat] a cat
	// sys/south.txt:2: missing line: the file has 1 lines, ref.en 2
}

// Errors name the file and the line.
func ExampleLineError() {
	_, err := files.ReadScores(strings.NewReader("north\t1\t0.5\nnorth\t2\t1,5\n"), "scores.tsv", files.Options{})
	var at *files.LineError
	if errors.As(err, &at) {
		fmt.Println(at.Line)
	}
	fmt.Println(err)
	// Output:
	// 2
	// scores.tsv:2: the score is "1,5", which is no finite number in decimal notation
}

// Lines have a limit, so that a file that is none ends soon.
func ExampleOptions() {
	_, err := files.ReadText(strings.NewReader("short\n"+strings.Repeat("long ", 100)), "text", files.Options{MaxLine: 100})
	fmt.Println(err, errors.Is(err, files.ErrTooLarge))
	// Output: text:2: too large to be read: a line of more than 100 bytes true
}

// One file with a reference in each column, as sacreBLEU's --num-refs reads it.
func ExampleText_Columns() {
	table, err := files.ReadText(strings.NewReader("a house\tone house\na cat\t\n"), "refs.tsv", files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	refs, err := table.Columns(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range refs {
		fmt.Printf("%q\n", r.Lines)
	}
	// Output:
	// ["a house" "a cat"]
	// ["one house" ""]
}

func ExampleSystemNames() {
	fmt.Println(files.SystemNames([]string{"wmt22/online-A.0.txt", "wmt23/online-A.0.txt", "wmt23/ours.txt.gz"}))
	// Output:
	// [wmt22/online-A.0 wmt23/online-A.0 ours]
}
