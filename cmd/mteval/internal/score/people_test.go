package score_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/score"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/ter"
)

// The |z| at which the bands of a calibration begin.
var bandEdges = []float64{0, .5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24}

// writeCalibration writes a calibration whose band i of each metric has 100 + i pairs, of which
// people agreed with 50 + 4i; the last but one has 9 pairs. Its sets have 40 segments.
func writeCalibration(t *testing.T, path string, tables ...*mteval.Table) {
	t.Helper()
	c := &preference.Calibration{Sets: []preference.Judged{
		{Name: "wmt00-a", Campaign: "wmt00", Systems: 3, Segments: 50, Pairs: 3}, {Name: "fair", Campaign: "fair", Systems: 3, Segments: 40, Pairs: 3},
	}}
	for _, table := range tables {
		m := preference.Metric{Name: table.Info.Name}
		for _, f := range table.Info.Signature {
			if f.Key != "version" {
				m.Signature = append(m.Signature, preference.Field{Key: f.Key, Values: []string{f.Value}})
			}
		}
		c.Terms = append(c.Terms, preference.Term{Metric: m, Weight: 1})
		r := preference.Record{Metric: m}
		for i, from := range bandEdges {
			b := preference.Band{From: from, Pairs: 100 + i, Agreed: 50 + 4*i}
			if i+1 < len(bandEdges) {
				b.To = bandEdges[i+1]
			}
			if i == len(bandEdges)-2 {
				b.Pairs, b.Agreed = 9, 9
			}
			r.Bands = append(r.Bands, b)
		}
		c.Records = append(c.Records, r)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := c.Write(f); err != nil {
		t.Fatal(err)
	}
}

// sampleTable scores outputs of the sample.
func sampleTable(t *testing.T, s mteval.Scorer, names ...string) *mteval.Table {
	t.Helper()
	read := func(path string) []string {
		data, err := os.ReadFile(clitest.Sample + path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	refs, err := mteval.Segments(read("ref.de"))
	if err != nil {
		t.Fatal(err)
	}
	var systems []mteval.System
	for _, name := range names {
		systems = append(systems, mteval.System{Name: name, Hyps: read("sys/" + name + ".txt")})
	}
	table, err := mteval.Systems(t.Context(), s, refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// bleuAndTER are the tables that score has of the sample.
func bleuAndTER(t *testing.T, names ...string) []*mteval.Table {
	t.Helper()
	b, err := bleu.New(bleu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return []*mteval.Table{sampleTable(t, b, names...), sampleTable(t, ter.New(ter.Options{}), names...)}
}

func runScore(t *testing.T, dir, line string) (score.JSON, string) {
	t.Helper()
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "score -r $Dref.de --format json "+line)...)
	if status != 0 {
		t.Fatalf("%s: status %d, %s", line, status, stderr)
	}
	var got score.JSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	return got, stderr
}

// What is said of people is the band of the z of the metric's table, whose sign is that of the
// better score, for an error metric too; the same with either test.
func TestScorePeople(t *testing.T) {
	names := []string{"aspen", "birch", "cedar", "dogwood", "elder"}
	tables := bleuAndTER(t, names...)
	dir := t.TempDir()
	writeCalibration(t, dir+"/c.json", tables...)
	for _, test := range []string{"bs", "ar"} {
		line := "-m bleu,ter --paired " + test + " --paired-n 20 --seed 3 --calibration $T/c.json $Dsys/*.txt"
		got, stderr := runScore(t, dir, line)
		if stderr != "" || !strings.HasPrefix(got.Calibration, "calibration:") || !strings.HasSuffix(got.Calibration, "terms:bleu=linear,ter=linear|sets:2") {
			t.Errorf("calibration %q, notes %q", got.Calibration, stderr)
		}
		text, _, _ := clitest.Exec(t, clitest.Args(dir, "score -r $Dref.de "+line)...)
		bands := make(map[int]bool)
		for i, r := range got.Results {
			k, table := i/2, tables[i%2]
			z, err := significance.PairedZ(t.Context(), table)
			if err != nil {
				t.Fatal(err)
			}
			if k == 0 {
				if r.People != nil {
					t.Errorf("people of the first system: %+v", r.People)
				}
				continue
			}
			band := 0
			for b, from := range bandEdges {
				if math.Abs(z[k][0]) >= from {
					band = b
				}
			}
			bands[band] = true
			pairs, share := 100+band, float64(50+4*band)/float64(100+band)
			want := &preference.Difference{Agreed: &share, Pairs: pairs, Z: z[k][0]}
			phrase := fmt.Sprintf("people agreed %.0f%% (of %d pairs like it)", 100*share, pairs)
			if band == len(bandEdges)-2 {
				want.Agreed, want.Pairs = nil, 9
				phrase = "too few pairs like it"
			}
			if d := cmp.Diff(want, r.People, cmpopts.EquateApprox(1e-12, 0)); d != "" {
				t.Errorf("%s of %s (-want +got):\n%s", r.Metric, r.System, d)
			}
			worse := r.Score < got.Results[i%2].Score
			if r.Metric == "ter" {
				worse = r.Score > got.Results[i%2].Score
			}
			better := r.System
			if worse {
				better = "aspen"
			}
			if worse != (r.People.Z < 0) || !printed(text, r.System, r.Metric, fmt.Sprintf("%.2f", math.Abs(z[k][0])), better, phrase) {
				t.Errorf("z %v of %s of %s: no line with %q and %q in\n%s", r.People.Z, r.Metric, r.System, better, phrase, text)
			}
		}
		if len(bands) < 3 {
			t.Errorf("of bands %v only", bands)
		}
		if !strings.Contains(text, "of pairs of systems in fair, wmt00 that") || !strings.Contains(text, "\npeople: "+got.Calibration+"\n") || strings.Contains(text, "unlike") {
			t.Errorf("the text is\n%s", text)
		}
	}
}

// printed says whether a line has these cells.
func printed(text string, cells ...string) bool {
	want := strings.Join(strings.Fields(strings.Join(cells, " ")), " ")
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Join(strings.Fields(line), " ") == want })
}

// Nothing is said of equal scores, of the first system alone, of another signature, of metrics
// without a record, and in formats that have no place for it.
func TestScorePeopleNotSaid(t *testing.T) {
	dir := t.TempDir()
	writeCalibration(t, dir+"/c.json", bleuAndTER(t, "aspen", "birch")...)
	text, err := os.ReadFile(clitest.Sample + "sys/aspen.txt")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir+"/same.txt", string(text))
	first, _, _ := strings.Cut(string(text), "\n")
	clitest.Write(t, dir+"/one.txt", first+"\n")
	clitest.Write(t, dir+"/other.txt", "Etwas anderes.\n")
	unknown := "mteval: how often people agreed with such differences is not known: "
	for _, tt := range []struct{ line, note string }{
		{"-m bleu -r $Dref.de $Dsys/aspen.txt $T/same.txt", ""},
		{"-m bleu -r $T/one.txt $T/one.txt $T/other.txt", ""},
		{"-m bleu(tokenize=intl) -r $Dref.de $Dsys/aspen.txt $Dsys/birch.txt", unknown + "bleu: tok is intl, and was 13a\n"},
		{"-m ter -r $Dref.de -r $Dsys/cedar.txt $Dsys/aspen.txt $Dsys/birch.txt $Dsys/elder.txt", unknown + "ter: nrefs is 2, and was 1\n"},
		{"-m wordf -r $Dref.de $Dsys/aspen.txt $Dsys/birch.txt", unknown + "wordf: no record\n"},
	} {
		for _, format := range []string{"text", "json"} {
			stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "score --paired bs --paired-n 9 --calibration $T/c.json --format "+format+" "+tt.line)...)
			if status != 0 || stderr != tt.note || strings.Contains(stdout, "people") || strings.Contains(stdout, "calibration") {
				t.Errorf("%s: status %d, %q, want %q, and\n%s", tt.line, status, stderr, tt.note, stdout)
			}
		}
	}
	for _, format := range []string{"tsv", "latex", "sacrebleu-json"} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "score --paired bs -m bleu,wordf --format "+format+" -r $Dref.de $Dsys/aspen.txt $Dsys/birch.txt")...)
		if status != 0 || stderr != "" || strings.Contains(stdout, "people") {
			t.Errorf("%s: status %d, %q, and\n%s", format, status, stderr, stdout)
		}
	}
}

// Fewer segments than any judged set had are told; one other metric with a record stays.
func TestScorePeopleOutside(t *testing.T) {
	got, _ := runScore(t, "", "-m bleu,wordf --paired bs --paired-n 9 $Dsys/aspen.txt $Dsys/birch.txt")
	people := got.Results[2].People
	if people == nil || len(people.Outside) != 1 || !strings.HasPrefix(people.Outside[0], "48 segments: the fewest of a set") || got.Results[3].People != nil {
		t.Errorf("people %+v and %+v", people, got.Results[3].People)
	}
	text, _, _ := clitest.Exec(t, clitest.Args("", "score -r $Dref.de -m bleu,chrf --paired bs --paired-n 9 $Dsys/aspen.txt $Dsys/birch.txt")...)
	if strings.Count(text, "unlike these: 48 segments") != 1 {
		t.Errorf("the text is\n%s", text)
	}
}

// 725 of 726 are not all, and 1 of 2500 is not none.
func TestAgreedPhrase(t *testing.T) {
	for _, tt := range []struct {
		agreed, pairs int
		want          string
	}{
		{199, 311, "people agreed 64% (of 311 pairs like it)"},
		{725, 726, "people agreed 99.9% (of 726 pairs like it)"},
		{249, 250, "people agreed 99.6% (of 250 pairs like it)"},
		{2499, 2500, "people agreed 99.9% (of 2500 pairs like it)"},
		{1, 2500, "people agreed 0.1% (of 2500 pairs like it)"},
		{726, 726, "people agreed 100% (of 726 pairs like it)"},
		{0, 10, "people agreed 0% (of 10 pairs like it)"},
	} {
		share := float64(tt.agreed) / float64(tt.pairs)
		if got := score.Phrase(&preference.Difference{Agreed: &share, Pairs: tt.pairs}); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestScoreCalibrationErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/bad.json", "{\n\"format\": 7}")
	for _, tt := range []struct{ line, want string }{
		{"--calibration $T/bad.json", "--calibration is an option of --paired"},
		{"--paired bs --calibration $T/bad.json", "bad.json:2: "},
		{"--paired bs --calibration no/such/file", "no/such/file"},
		{"--paired bs --calibration $T/bad.json --format tsv", "--calibration: format tsv does not tell of people"},
	} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, "score -r $Dref.de "+tt.line+" $Dsys/aspen.txt $Dsys/birch.txt")...)
		if status != 2 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q, want %q", tt.line, status, stderr, tt.want)
		}
	}
}
