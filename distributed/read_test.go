package distributed_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/mteval/mteval/distributed"
)

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func gzipped(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		w.Write(part)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func zstded(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// read reads files on Prism, in the order of their lines.
func read(t *testing.T, o distributed.ReadOptions, patterns ...string) ([]distributed.Record, []distributed.Bad) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	records, bad := distributed.Read(s, patterns, o)
	r, b := gather[distributed.Record](s, records), gather[distributed.Bad](s, bad)
	run(t, p)
	all, refused := r(), b()
	slices.SortFunc(all, func(a, b distributed.Record) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
	slices.SortFunc(refused, func(a, b distributed.Bad) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
	return all, refused
}

// Each line is a record or bad, with its place, whatever the blocks and however it is packed.
func TestRead(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("\ufeffsegment\thypothesis\treference\r\n")
	var want []distributed.Record
	var bad []distributed.Bad
	for i := range 700 {
		at := distributed.Position{Offset: int64(text.Len())}
		end := "\n"
		if i%3 == 0 {
			end = "\r\n"
		}
		if i == 699 {
			end = ""
		}
		switch i % 50 {
		case 7:
			text.WriteString(end)
			bad = append(bad, distributed.Bad{Position: at, Reason: "the line is empty"})
		case 17:
			fmt.Fprintf(&text, "%d\tno reference%s", i, end)
			bad = append(bad, distributed.Bad{Position: at, Reason: "the line has 2 fields, the header 3"})
		case 27:
			fmt.Fprintf(&text, "%d\t%s\tr%s", i, strings.Repeat("long ", 100), end)
			bad = append(bad, distributed.Bad{Position: at, Reason: "the line is longer than 300 bytes"})
		case 37:
			fmt.Fprintf(&text, "%d\t\xff\tr%s", i, end)
			bad = append(bad, distributed.Bad{Position: at, Reason: "the line is not UTF-8"})
		default:
			hyp := strings.Repeat("w", i%61)
			fmt.Fprintf(&text, "%d\t%s\tr%s", i, hyp, end)
			want = append(want, distributed.Record{Position: at, Segment: fmt.Sprint(i), Hypothesis: hyp, References: []string{"r"}})
		}
	}
	half := text.Len() / 2
	defer distributed.SetBlock(distributed.SetBlock(64 << 20))
	for _, tt := range []struct {
		name  string
		data  []byte
		block int64
	}{
		{"whole.tsv", text.Bytes(), 64 << 20},
		{"blocks.tsv", text.Bytes(), 1000},
		{"bytes.tsv", text.Bytes(), 37},
		{"packed.tsv.gz", gzipped(t, text.Bytes()), 100},
		{"members", gzipped(t, text.Bytes()[:half], text.Bytes()[half:]), 100},
		{"padded.gz", append(gzipped(t, text.Bytes()), make([]byte, 700)...), 100},
		{"packed.zst", zstded(t, text.Bytes()), 100},
		{"skippable.zst", append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00ab"), zstded(t, text.Bytes())...), 100},
	} {
		distributed.SetBlock(tt.block)
		path := write(t, tt.name, tt.data)
		for i := range want {
			want[i].File = path
		}
		for i := range bad {
			bad[i].File = path
		}
		got, refused := read(t, distributed.ReadOptions{MaxLine: 300}, filepath.Dir(path)+"/*")
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", tt.name, diff)
		}
		if diff := gocmp.Diff(bad, refused); diff != "" {
			t.Errorf("%s: bad (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestReadFormats(t *testing.T) {
	object := `{"segment":1,"hypothesis":"a"}`
	for _, tt := range []struct {
		name, text string
		o          distributed.ReadOptions
		records    int
		bad        []string
	}{
		{name: "x.jsonl", text: object + "\n" + object, records: 2},
		{name: "x.JSON.gz", text: object, records: 1},
		{name: "x.txt", text: object, o: distributed.ReadOptions{Format: distributed.JSONLines}, records: 1},
		{name: "x.txt", text: "\ufeff" + object, records: 1},
		{name: "x.txt", text: "\ufeff \t\n\r\n  " + object + "\n" + object, records: 2, bad: []string{"the line is no JSON object", "the line is empty"}},
		{name: "x.txt", text: strings.Repeat(" ", 1<<17) + object, records: 1},
		{name: "x.txt", text: "\n\nsegment\thypothesis\n1\ta\n", bad: []string{"the line is blank, where a table has its header: no line of the file is read"}},
		{name: "x.txt", text: " \n", bad: []string{"the line is blank, where a table has its header: no line of the file is read"}},
		{name: "x.txt", text: object, o: distributed.ReadOptions{Format: distributed.TSV}, bad: []string{`the header has no column "hypothesis": no line of the file is read`}},
		{name: "x.tsv", text: "segment\thypothesis\r1\ta\r", bad: []string{`the header has a carriage return within it: lines end with \n, or \r\n: no line of the file is read`}},
		{name: "x.tsv", text: ""},
		{name: "x.jsonl", text: ""},
		{name: "x.tsv", text: "segment\thypothesis\n"},
		{name: "x.tsv", text: "segment\thypothesis"},
		{name: "x.jsonl", text: "\n{}\n", bad: []string{"the line is empty", `no field "segment"`}},
		{name: "x.tsv", text: strings.Repeat("x", 99), o: distributed.ReadOptions{MaxLine: 9}, bad: []string{"the line is longer than 9 bytes: no line of the file is read"}},
	} {
		records, bad := read(t, tt.o, write(t, tt.name, []byte(tt.text)))
		var reasons []string
		for _, b := range bad {
			reasons = append(reasons, b.Reason)
		}
		if diff := gocmp.Diff(tt.bad, reasons); diff != "" || len(records) != tt.records {
			t.Errorf("%s of %q: %d records, want %d, bad (-want +got):\n%s", tt.name, tt.text, len(records), tt.records, diff)
		}
	}
}

// What can't be read is no collection that looks whole.
func TestReadFails(t *testing.T) {
	packed := gzipped(t, []byte("segment\thypothesis\n"+strings.Repeat("1\ta\n", 1000)))
	for name, pattern := range map[string]string{
		"no file":       filepath.Join(t.TempDir(), "*.tsv"),
		"cut short":     write(t, "a.tsv.gz", packed[:len(packed)-9]),
		"no filesystem": "nowhere://a",
	} {
		p, s := beam.NewPipelineWithRoot()
		distributed.Read(s, []string{pattern}, distributed.ReadOptions{})
		if _, err := beam.Run(context.Background(), "prism", p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
