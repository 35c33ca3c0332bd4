package files

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// numbersFrom are n numbers as names, those of some places left out.
func numbersFrom(first, n int, without ...int) []string {
	var out []string
	for i := range n {
		if !slices.Contains(without, i) {
			out = append(out, strconv.Itoa(first+i))
		}
	}
	return out
}

// What is lined up, and what can't be.
func TestLineUp(t *testing.T) {
	type file struct {
		form  form
		items []string
	}
	lines := func(n int) *Segments { return &Segments{Name: "src", Lines: n} }
	people := func(items []string) *Segments { return &Segments{Name: "human", Items: items} }
	whole := func(first int) []string { return numbersFrom(first, 5) }
	const open = "can be read in two ways"
	for name, tt := range map[string]struct {
		files  []file
		beside *Segments
		first  string
		want   string // the files' items, or the error
		notes  int
	}{
		// One file alone keeps its numbers, but for a form that counts from 0, as comet-score does.
		"a table from 0":             {[]file{{tabled, whole(0)}}, nil, "", "0 1 2 3 4", 0},
		"names":                      {[]file{{metricX, []string{"x", "y"}}}, nil, "", "x y", 0},
		"numbers and names":          {[]file{{metricX, []string{"0", "y"}}}, nil, "", "0 y", 0},
		"no canonical numbers":       {[]file{{metricX, []string{"00", "01"}}}, nil, "", "00 01", 0},
		"MetricX from 0":             {[]file{{metricX, whole(0)}}, nil, "", "1 2 3 4 5", 1},
		"MetricX from 1":             {[]file{{metricX, whole(1)}}, nil, "", "1 2 3 4 5", 0},
		"MetricX without 0":          {[]file{{metricX, []string{"2", "3"}}}, nil, "", "3 4", 1},
		"MetricX, said to be from 1": {[]file{{metricX, []string{"2", "3"}}}, nil, "1", "2 3", 0},
		// Texts.
		"lines, a table from 0":              {[]file{{tabled, whole(0)}}, lines(5), "", "1 2 3 4 5", 1},
		"lines, a table from 0 with gaps":    {[]file{{tabled, []string{"0", "3"}}}, lines(5), "", "1 4", 1},
		"lines, a table from 1 with gaps":    {[]file{{tabled, []string{"2", "5"}}}, lines(5), "", "2 5", 0},
		"lines, a table without its last":    {[]file{{tabled, numbersFrom(1, 4)}}, lines(5), "", open, 0}, // or its first, from 0
		"lines, the same, said to be from 1": {[]file{{tabled, numbersFrom(1, 4)}}, lines(5), "1", "1 2 3 4", 0},
		"lines, numbers as of pandas":        {[]file{{tabled, []string{"3.0", "0.0"}}}, lines(5), "", "4 1", 1},
		"lines, some with decimals":          {[]file{{tabled, []string{"3.0", "0.5"}}}, lines(5), "", "3.0 0.5", 0},
		"lines, a table from 0, said so":     {[]file{{tabled, numbersFrom(1, 4)}}, lines(5), "0", "2 3 4 5", 1},
		"lines, too many":                    {[]file{{tabled, whole(0)}}, lines(4), "", "f0: it has a segment 4, and src has 4 segments", 0},
		"lines, said to be from 1":           {[]file{{tabled, whole(0)}}, lines(5), "1", "f0: it has a segment 0", 0},
		"lines, said to be from 0, beyond":   {[]file{{tabled, whole(1)}}, lines(5), "0", "f0: it has a segment 5", 0},
		"lines, other names":                 {[]file{{tabled, []string{"11", "12"}}}, lines(2), "", "11 12", 0},
		"lines, MetricX":                     {[]file{{metricX, whole(0)}}, lines(5), "", "1 2 3 4 5", 1},
		"lines, MetricX without 0":           {[]file{{metricX, numbersFrom(1, 4)}}, lines(5), "", "2 3 4 5", 1},
		"lines, MetricX without 0 and last":  {[]file{{metricX, numbersFrom(1, 3)}}, lines(5), "", "2 3 4", 1},
		"lines, MetricX from 1":              {[]file{{metricX, numbersFrom(1, 5, 0)}}, lines(5), "", "2 3 4 5", 0},
		"lines, MetricX, beyond":             {[]file{{metricX, []string{"1", "6"}}}, lines(5), "", "f0: it has a segment 6", 0},
		"lines, counted":                     {[]file{{counted, whole(1)}}, lines(5), "0", "1 2 3 4 5", 0},
		"lines, MetricX of two systems":      {[]file{{metricX, whole(0)}, {metricX, numbersFrom(1, 4)}}, lines(5), "", "1 2 3 4 5; 2 3 4 5", 2},
		"lines, MetricX from 1 twice":        {[]file{{metricX, whole(1)}, {metricX, numbersFrom(1, 4)}}, lines(5), "", "1 2 3 4 5; 1 2 3 4", 0},
		// People's scores: theirs are the numbers.
		"people from 1, a table from 0":             {[]file{{tabled, whole(0)}}, people(whole(1)), "", "1 2 3 4 5", 1},
		"people from 0, a table from 1":             {[]file{{tabled, whole(1)}}, people(whole(0)), "", "0 1 2 3 4", 1},
		"people from 0, a table from 0":             {[]file{{tabled, []string{"0", "4"}}}, people(whole(0)), "", "0 4", 0},
		"people from 0, counted":                    {[]file{{counted, whole(1)}}, people(whole(0)), "", "0 1 2 3 4", 1},
		"people from 0, MetricX":                    {[]file{{metricX, whole(0)}}, people(whole(0)), "", "0 1 2 3 4", 0},
		"people from 0, MetricX from 1":             {[]file{{metricX, whole(1)}}, people(whole(0)), "", "0 1 2 3 4", 1},
		"people from 1, MetricX":                    {[]file{{metricX, whole(0)}}, people(whole(1)), "", "1 2 3 4 5", 1},
		"people from 1, MetricX from 1":             {[]file{{metricX, whole(1)}}, people(whole(1)), "", "1 2 3 4 5", 0},
		"people from 1, MetricX without 0":          {[]file{{metricX, numbersFrom(1, 4)}}, people(whole(1)), "", "2 3 4 5", 1},
		"people of some, MetricX of the same":       {[]file{{metricX, []string{"2", "5"}}}, people([]string{"5", "2"}), "", "2 5", 0},
		"people of some, MetricX of all":            {[]file{{metricX, whole(0)}}, people([]string{"2", "4"}), "", "1 2 3 4 5", 1},
		"people of some, MetricX of more without 0": {[]file{{metricX, numbersFrom(1, 9)}}, people([]string{"2", "4"}), "", open, 0},
		"the same, said to be from 0":               {[]file{{metricX, numbersFrom(1, 3)}}, people([]string{"2", "3"}), "0", "2 3 4", 1},
		"people of some, a table from 0":            {[]file{{tabled, whole(0)}}, people([]string{"2", "4"}), "", open, 0},
		"people of some, a table from 0, said so":   {[]file{{tabled, whole(0)}}, people([]string{"2", "4"}), "0", "1 2 3 4 5", 1},
		"people of some, a table with the same":     {[]file{{tabled, whole(0)}}, people([]string{"2", "4"}), "1", "0 1 2 3 4", 0},
		"people from 1, a table without its last":   {[]file{{tabled, numbersFrom(1, 4)}}, people(whole(1)), "", open, 0},
		"people from 1, a table from 1 with gaps":   {[]file{{tabled, []string{"1", "3", "4"}}}, people(whole(1)), "", "1 3 4", 0},
		"people from 1, a table from 0 with gaps":   {[]file{{tabled, numbersFrom(0, 4, 2)}}, people(whole(1)), "", open, 0},
		"people from 0, some, a table from 1":       {[]file{{tabled, whole(1)}}, people([]string{"0", "4"}), "", open, 0},
		"people from 0, a table said to be from 1":  {[]file{{tabled, whole(0)}}, people(whole(0)), "1", "f0: it has a segment 0, and its first was said to be 1", 0},
		"people with names":                         {[]file{{tabled, whole(0)}}, people([]string{"x"}), "", "0 1 2 3 4", 0},
		// Files beside each other.
		"tables from 0 and from 1":          {[]file{{tabled, whole(0)}, {tabled, whole(1)}}, nil, "", "1 2 3 4 5; 1 2 3 4 5", 1},
		"tables from 0":                     {[]file{{tabled, whole(0)}, {tabled, []string{"0", "2"}}}, nil, "", "0 1 2 3 4; 0 2", 0},
		"tables from 0 and from 1, of some": {[]file{{tabled, whole(0)}, {tabled, []string{"1", "2"}}}, nil, "", open, 0},
		"the same, with the same numbers":   {[]file{{tabled, whole(0)}, {tabled, []string{"1", "2"}}}, nil, "0", "0 1 2 3 4; 1 2", 0},
		"a table from 0 and comet-score":    {[]file{{tabled, []string{"0", "2"}}, {counted, whole(1)}}, nil, "", "1 3; 1 2 3 4 5", 1},
		"MetricX and comet-score":           {[]file{{metricX, numbersFrom(1, 4)}, {counted, whole(1)}}, nil, "", "2 3 4 5; 1 2 3 4 5", 1},
		"MetricX without 0, and with it":    {[]file{{metricX, numbersFrom(1, 4)}, {metricX, numbersFrom(0, 4)}}, nil, "", "1 2 3 4; 1 2 3 4", 1},
		"MetricX without its last, and 0":   {[]file{{metricX, numbersFrom(1, 3)}, {metricX, whole(0)}}, nil, "", "2 3 4; 1 2 3 4 5", 2},
		"a table without its last, counted": {[]file{{tabled, numbersFrom(1, 4)}, {counted, whole(1)}}, nil, "", open, 0},
		"one from 0, said to be from 1":     {[]file{{tabled, whole(0)}, {tabled, whole(1)}}, nil, "1", "f0: it has a segment 0", 0},
		"one from 0, for a list from 1":     {[]file{{tabled, []string{"0", "3"}}}, new(Segments), "", "1 4", 1},
		"a wrong number":                    {[]file{{tabled, whole(0)}}, nil, "2", `files: first segment "2": want 0 or 1`, 0},
	} {
		var sheets []sheet
		for k, f := range tt.files {
			items := slices.Clone(f.items)
			sheets = append(sheets, sheet{name: "f" + strconv.Itoa(k), numbering: numbering{form: f.form}, lists: []*[]string{&items}})
		}
		notes := 0
		err := lineUp(sheets, Options{FirstSegment: tt.first, Beside: tt.beside, Note: func(_, _ string) { notes++ }})
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) || errors.Is(err, ErrNumbering) != (tt.want == open) {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
			continue
		}
		var got []string
		for _, s := range sheets {
			got = append(got, strings.Join(*s.lists[0], " "))
		}
		if g := strings.Join(got, "; "); g != tt.want || notes != tt.notes {
			t.Errorf("%s: %q and %d notes, want %q and %d", name, g, notes, tt.want, tt.notes)
		}
	}
}

// Texts in the rows tell the number of the first segment, in every form that has them.
func TestLineUpTexts(t *testing.T) {
	beside := func(source ...string) *Segments {
		return &Segments{Name: "src", Lines: len(source), Sources: source, References: [][]string{{"r1", "q1"}, {"r2", "q2"}, {"r3", "q3"}}, Outputs: map[string][]string{"a": {"o1", "o2", "o3"}}}
	}
	for name, tt := range map[string]struct {
		file   string
		source string
		want   string
	}{
		"MetricX from 1":             {`{"system_id": "a", "segment_id": 1, "source": " s1\r", "prediction": 1}`, "s1 s2 s3", "1"},
		"MetricX from 0":             {`{"system_id": "a", "segment_id": 2, "source": "s3", "prediction": 1}`, "s1 s2 s3", "3"},
		"MetricX, by reference":      {`{"system_id": "a", "segment_id": 2, "reference": "q2", "prediction": 1}`, "s1 s2 s3", "2"},
		"MetricX, by output":         {`{"system_id": "a", "segment_id": 2, "hypothesis": "o2", "prediction": 1}`, "s1 s2 s3", "2"},
		"MetricX, of another system": {`{"system_id": "b", "segment_id": 2, "hypothesis": "o2", "prediction": 1}`, "s1 s2 s3", "3"},
		"MetricX, equal lines":       {`{"system_id": "a", "segment_id": 2, "source": "s", "prediction": 1}`, "s s s", "3"},
		"MetricX, other texts":       {`{"system_id": "a", "segment_id": 2, "source": "x", "prediction": 1}`, "s1 s2 s3", "3"},
		"MetricX, another line":      {`{"system_id": "a", "segment_id": 2, "source": "s1", "prediction": 1}`, "s1 s2 s3", "f:1: segment 2 has the source of line 1 of src"},
		"MetricX, without numbers":   {`{"source": "s2", "prediction": 1}`, "s1 s2 s3", "f:1: segment 1 has the source of line 2 of src"},
		"MetricX, some numbers":      {`{"segment_id": 1, "prediction": 1}` + "\n" + `{"prediction": 1}`, "s1 s2 s3", "f:2: segment_id is in some lines"},
		"MetricX, numbers by pandas": {`{"segment_id": 1.0, "source": "s1", "prediction": 1}`, "s1 s2 s3", "1"},
		"a table, from 0":            {"system\tsegment\tscore\tsource\na\t1\t.5\ts2\na\t2\t.5\ts3\n", "s1 s2 s3", "2 3"},
		"a table, from 1":            {"system\tsegment\tscore\tsource\na\t1\t.5\ts1\n", "s1 s2 s3", "1"},
		"a table of metrics":         {"system\tsegment\tmetric\tscore\tref\na\t1\tm\t.5\tr2\n", "s1 s2 s3", "2"},
		"a column for each metric":   {"system,segment,m,n,mt\na,1,.5,.5,o2\n", "s1 s2 s3", "2"},
		"a column for each system":   {"segment,a,b,src\n1,.5,.5,s2\n", "s1 s2 s3", "2"},
		"comet-score --to_json":      {`{"a": [{"src": "s1", "mt": "o1", "ref": "r1", "COMET": 1}, {"src": "s2", "COMET": 1}]}`, "s1 s2 s3", "1 2"},
		"comet-score of other lines": {`{"a": [{"src": "s2", "mt": "o2", "ref": "r2", "COMET": 1}]}`, "s1 s2 s3", "f: segment 1 has the source of line 2 of src"},
	} {
		got, err := ReadMetrics(strings.NewReader(tt.file), "f", Options{Beside: beside(strings.Fields(tt.source)...)})
		if err != nil {
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", name, err, tt.want)
			}
			continue
		}
		if items := strings.Join(got[0].Scores.Items, " "); items != tt.want {
			t.Errorf("%s: %q, want %q", name, items, tt.want)
		}
	}
}

// A score of one of the outputs that are written.
type numberedScore struct {
	system, segment int // from 0
	score           float64
}

// writeNumbered writes scores in one of the forms, the first segment having a number.
func writeNumbered(form string, first int, scores []numberedScore, texts bool) string {
	var b strings.Builder
	switch form {
	case "MetricX":
		for _, s := range scores {
			fmt.Fprintf(&b, `{"system_id": "%c", "segment_id": %d, "prediction": %v`, 'a'+s.system, s.segment+first, s.score)
			if texts {
				fmt.Fprintf(&b, `, "source": "source %d"`, s.segment)
			}
			b.WriteString("}\n")
		}
	case "comet-score":
		for _, s := range scores {
			fmt.Fprintf(&b, "%c\tSegment %d\tscore: %.4f\n", 'a'+s.system, s.segment, s.score)
		}
	case "table":
		b.WriteString("system\tsegment\tscore\tsource\n")
		for _, s := range scores {
			fmt.Fprintf(&b, "%c\t%d\t%v\tsource %d\n", 'a'+s.system, s.segment+first, s.score, s.segment)
		}
	case "a column for each system":
		b.WriteString(",a,b\n")
		rows := make(map[int][2]string)
		var order []int
		for _, s := range scores {
			row, ok := rows[s.segment]
			if !ok {
				order = append(order, s.segment)
			}
			row[s.system] = fmt.Sprint(s.score)
			rows[s.segment] = row
		}
		for _, i := range order {
			fmt.Fprintf(&b, "%d,%s,%s\n", i+first, rows[i][0], rows[i][1])
		}
	}
	return b.String()
}

// The same scores in any form, numbered from 0 or 1, in any order and with some missing, are on the same
// segments, or there is an error.
func TestNumberingRapid(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "segments")
		form := rapid.SampledFrom([]string{"MetricX", "comet-score", "table", "a column for each system"}).Draw(t, "form")
		first := 0
		if strings.Contains(form, "ta") || strings.Contains(form, "column") {
			first = rapid.IntRange(0, 1).Draw(t, "first")
		}
		missing := rapid.Float64Range(0, .6).Draw(t, "missing")
		var scores []numberedScore
		has := make(map[int]bool)
		for k := range 2 {
			for i := range n {
				if rapid.Float64Range(0, 1).Draw(t, "is missing") >= missing {
					scores = append(scores, numberedScore{k, i, float64(k*n+i) / 64})
					has[i] = true
				}
			}
		}
		if len(scores) == 0 {
			return
		}
		scores = rapid.Permutation(scores).Draw(t, "order")
		o := Options{}
		name := func(segment int) string { return strconv.Itoa(segment + 1) }
		texts := false
		switch rapid.IntRange(0, 3).Draw(t, "beside") {
		case 0:
			o.Beside = &Segments{Name: "src", Lines: n}
		case 1: // texts tell, where rows have them
			o.Beside, texts = &Segments{Name: "src", Lines: n}, form == "MetricX" || form == "table"
			for i := range n {
				o.Beside.Sources = append(o.Beside.Sources, fmt.Sprintf("source %d ", i))
			}
		case 2:
			from := rapid.IntRange(0, 1).Draw(t, "people's first")
			o.Beside = &Segments{Name: "human", Items: numbersFrom(from, n)}
			name = func(segment int) string { return strconv.Itoa(segment + from) }
		case 3: // people judged some
			var some []string
			for i := range n {
				if rapid.Bool().Draw(t, "judged") {
					some = append(some, strconv.Itoa(i+1))
				}
			}
			if o.Beside = (&Segments{Name: "human", Items: some}); len(some) == 0 || form == "MetricX" && !has[0] {
				return // MetricX's without the first may be from 1
			}
		}
		if first == 0 && !has[0] && form != "MetricX" && form != "comet-score" && !texts {
			return // nothing tells that it is from 0
		}
		text := writeNumbered(form, first, scores, texts)
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := OpenMetricFiles(t.Context(), []string{path}, o)
		if err != nil {
			return
		}
		for _, s := range scores {
			k, i := slices.Index(got[0].Scores.Systems, string(rune('a'+s.system))), slices.Index(got[0].Scores.Items, name(s.segment))
			if k < 0 || i < 0 || math.Abs(got[0].Scores.At(k, i)-s.score) > 1e-3 {
				t.Fatalf("segment %d of system %d has other scores than %v: %v\n%s", s.segment, s.system, s.score, got[0].Scores, text)
			}
		}
	})
}
