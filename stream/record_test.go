package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// filtered are options of a run with all that a record may have.
func filtered() Options {
	o := shareOptions()
	o.OnError, o.Layout.References = Skip, []string{"r", "s"}
	o.Filter = &Filter{Text: "share > 0 && <x>", Variables: []string{"share"}, Keep: func(v []float64) (bool, error) { return v[0] > 0, nil }}
	return o
}

const manyLines = "h\tr\ts\na\ta\tb\nb\tc\td\nc\tc\tc\nbad\td\td\ne\te\tf\nf g\tf\tg\ng\tx\tg\nh\th\th\n"

// totalsFiles are the totals of three shards, by the names of their files.
func totalsFiles(t testing.TB) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for i := range 3 {
		o := filtered()
		o.Shard = Shard{i + 1, 3}
		_, totals, err := runText(t, o, manyLines)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := totals.Write(&b); err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprintf("t%d", i)] = b.String()
	}
	return out
}

// add adds up files of totals.
func add(o Options, files map[string]string) (*Totals, error) {
	var all []*Totals
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t, err := ReadTotals(strings.NewReader(files[name]), name)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return Add(o, all...)
}

// Totals are read as they were written, and those of shards add up to those of all lines.
func TestTotalsFiles(t *testing.T) {
	files := totalsFiles(t)
	_, want, err := runText(t, filtered(), manyLines)
	if err != nil {
		t.Fatal(err)
	}
	got, err := add(filtered(), files)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// However it is laid out.
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(files["t1"]), "", "  "); err != nil {
		t.Fatal(err)
	}
	files["t1"] = "\ufeff" + strings.ReplaceAll(indented.String(), "\n", "\r\n")
	if again, err := add(filtered(), files); err != nil || !cmp.Equal(want, again) {
		t.Errorf("%v, %v", again, err)
	}
}

// What a file can't say is an error that names file and field.
func TestTotalsErrors(t *testing.T) {
	good := totalsFiles(t)["t1"]
	for _, tt := range []struct{ from, to, want string }{
		{`"format":"mteval stream totals 1"`, `"format":"mteval stream totals 2"`, `f: field format: "mteval stream totals 2", want "mteval stream totals 1"`},
		{`"format":"mteval stream totals 1"`, `"format":"mteval stream progress 1"`, `f: field format: "mteval stream progress 1", want`},
		{`"format":"mteval stream totals 1"`, `"format":null`, `f: field format: "", want`},
		{`"format":"mteval stream totals 1"`, `"format":1`, `f:1: field format: a number, which it can't be`},
		{`"format":"mteval stream totals 1",`, ``, `f: field format: "", want`},
		{`"errors":0`, `"errors":null`, "f:1: field errors: missing"},
		{`"errors":0,`, ``, "f:1: field errors: missing"},
		{`"errors":0`, `"errors":-1`, "f: field errors: -1 of 3 lines"},
		{`"errors":0`, `"errors":1e300`, "f:1: field errors: a number 1e300, which it can't be"},
		{`"errors":0`, `"errors":NaN`, "f:1: not JSON: invalid character 'N'"},
		{`"errors":0`, `"errors":"0"`, "f:1: field errors: a string, which it can't be"},
		{`"errors":0`, `"errors":0,"errors":0`, "f:1: field errors: it stands twice"},
		{`"errors":0`, `"errors":0,"Errors":0`, `f:1: field "Errors": there is no such field`},
		{`"errors":0`, `"errors":0,"more":0`, `f:1: field "more": there is no such field`},
		{`"errors":0`, `"errors":1`, "f: field unfiltered: share: 3 segments, where 2 lines have scores"},
		{`"errors":0`, `"errors":-0`, "f:1: field errors: it is not as mteval writes it"},
		{`"lines":3`, `"lines":4`, "f: field lines: 4, where shard 2 of 3 has 3 of 8"},
		{`"lines":8`, `"lines":9223372036854775807`, "f: field input: 9223372036854775807 lines of"},
		{`"lines":8`, `"lines":9223372036854775808`, "f:1: field input.lines: a number 9223372036854775808"},
		{`"number":2`, `"number":9`, "f: field shard: 9 of 3"},
		{`"number":2`, `"number":null`, "f:1: field shard: it has no number"},
		{`"of":3`, `"of":0`, "f: field shard: 2 of 0"},
		{`"references":[2,2]`, `"references":[2]`, "f: field results: share: references from 2 to 0"},
		{`"references":[2,2]`, `"references":[2,2,2]`, "f:1: field references: it is not as mteval writes it"},
		{`"references":[2,2]`, `"references":[2,1e9]`, "f:1: field results.references: a number 1e9"},
		{`"references":[2,2]`, `"references":[2,1000000000000]`, "f: field crc32c: the file was changed since it was written"},
		{`"references":[2,2]`, `"references":null`, "f:1: field results: number 1 has no references"},
		{`"row":[`, `"row":[1e300,`, "f: field crc32c: the file was changed since it was written"},
		{`"row":[`, `"row":[null,`, "f:1: field row: null, which it can't be"},
		{`"row":[`, `"row":[1e999,`, "f:1: field results.row: a number 1e999"},
		{`"crc32c":"`, `"crc32c":"A`, "f: field input.crc32c: \"A"},
		{`{"format"`, `[{"format"`, "f:"},
		{`}` + "\n", ``, "f:1: the file is cut short"},
		{`}` + "\n", `}` + "\n{}", "f:2: more after the end of the JSON"},
	} {
		text := strings.Replace(good, tt.from, tt.to, 1)
		if text == good {
			t.Fatalf("there is no %s in %s", tt.from, good)
		}
		if got, err := ReadTotals(strings.NewReader(text), "f"); err == nil || got != nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.to, err, tt.want)
		}
	}
	if _, err := OpenTotals(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

var keyOf = regexp.MustCompile(`"[a-z0-9_]+":`)

// spoil changes a text of JSON or of other bytes, in one of many ways.
func spoil(rng *rand.Rand, text string) string {
	if text == "" {
		return "x"
	}
	at := rng.IntN(len(text))
	keys := keyOf.FindAllStringIndex(text, -1)
	way := rng.IntN(10)
	if way < 3 || len(keys) == 0 {
		switch way % 3 {
		case 0: // a bit
			return text[:at] + string([]byte{text[at] ^ 1<<rng.IntN(8)}) + text[at+1:]
		case 1: // a byte
			return text[:at] + string([]byte{byte(rng.IntN(256))}) + text[at+1:]
		}
		return text[:at] // cut
	}
	key := keys[rng.IntN(len(keys))]
	var raw json.RawMessage
	d := json.NewDecoder(strings.NewReader(text[key[1]:]))
	if err := d.Decode(&raw); err != nil {
		return text[:at]
	}
	name, value, rest := text[key[0]:key[1]], text[key[1]:][:d.InputOffset()], text[key[1]:][d.InputOffset():]
	switch way {
	case 3: // none
		return text[:key[0]] + strings.TrimPrefix(rest, ",")
	case 4: // twice
		return text[:key[1]] + value + "," + name + value + rest
	case 5: // twice, as another
		return text[:key[1]] + value + "," + strings.ToUpper(name) + value + rest
	}
	others := []string{"null", "-1", "0", "1", "2", "1e300", "-1e300", "1e999", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "NaN", "0.5", "-0",
		`""`, `"x"`, `"00000000"`, "[]", "[[]]", "[1]", "[0,0,0]", "[2,9223372036854775807]", "{}", "[{}]", "true", "false", value + "0", "[" + value + "]"}
	return text[:key[1]] + others[rng.IntN(len(others))] + rest
}

// sealed is a text with the checksum that belongs to it, where it is a record at all.
func sealed(text string) string {
	var r record
	if json.Unmarshal([]byte(text), &r) != nil {
		return text
	}
	data, err := r.seal()
	if err != nil {
		return text
	}
	return string(data)
}

// Totals that were changed are an error, or were not changed in what they say.
func TestTotalsSpoilt(t *testing.T) {
	files := totalsFiles(t)
	want, err := add(filtered(), files)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		some := maps.Clone(files)
		name := fmt.Sprintf("t%d", rng.IntN(3))
		some[name] = spoil(rng, files[name])
		got, err := add(filtered(), some)
		if err != nil && !strings.HasPrefix(err.Error(), name) || err == nil && !cmp.Equal(want, got) {
			t.Fatalf("%s becomes %s: %v, %v", files[name], some[name], got, err)
		}
		some[name] = sealed(some[name]) // as nobody does by mistake: it must not panic
		_, _ = add(filtered(), some)
	}
}

// Where a note or a part was changed, a run ends with an error and touches nothing, or the output is
// the same, byte for byte.
func TestResumeSpoilt(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, pack := range []func(dst, data []byte) ([]byte, error){nil, packed} {
		o := filtered()
		o.blockLines, o.checkpoint, o.Pack = 2, -1, pack
		want, totals, err := runText(t, o, manyLines)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		if _, err := RunFile(t.Context(), failing(manyLines, 40), path, false, o); !errors.Is(err, errFull) {
			t.Fatal(err)
		}
		begun := inFolder(t, dir)
		for range 400 {
			now := maps.Clone(begun)
			name := []string{"out.part", "out.progress"}[rng.IntN(2)]
			now[name] = spoil(rng, begun[name])
			seal := name == "out.progress" && rng.IntN(3) == 0
			if seal {
				now[name] = sealed(now[name])
			}
			for at, text := range now {
				if err := os.WriteFile(filepath.Join(dir, at), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := RunFile(t.Context(), strings.NewReader(manyLines), path, true, o)
			after := inFolder(t, dir)
			switch {
			case seal: // it must not panic
			case err != nil && !cmp.Equal(now, after):
				t.Fatalf("%s becomes %q: %v\n(-want +got):\n%s", name, now[name], err, cmp.Diff(now, after))
			case err == nil && (!cmp.Equal(map[string]string{"out": want}, after) || !cmp.Equal(totals, got)):
				t.Fatalf("%s becomes %q:\n(-want +got):\n%s", name, now[name], cmp.Diff(map[string]string{"out": want}, after))
			}
			for at := range after {
				if err := os.Remove(filepath.Join(dir, at)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Whatever is read as totals can be added up or is an error, and is written as it was.
func FuzzTotals(f *testing.F) {
	for _, text := range totalsFiles(f) {
		f.Add(text)
	}
	f.Add("")
	f.Add(`{"format":"mteval stream totals 1","references":[1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, sealed(text)} {
			totals, err := ReadTotals(strings.NewReader(text), "f")
			if err != nil {
				if !strings.HasPrefix(err.Error(), "f:") {
					t.Errorf("no file in %v", err)
				}
				continue
			}
			var b bytes.Buffer
			if err := totals.Write(&b); err != nil {
				t.Fatal(err)
			}
			again, err := ReadTotals(&b, "f")
			if err != nil || !cmp.Equal(totals, again) {
				t.Errorf("%v, %v, want %v", again, err, totals)
			}
			_, _ = Add(filtered(), totals)
		}
	})
}

// Whatever is read as a note can be gone on from, or is an error.
func FuzzNote(f *testing.F) {
	o := filtered()
	o.blockLines, o.checkpoint = 2, -1
	path := filepath.Join(f.TempDir(), "out")
	if _, err := RunFile(f.Context(), failing(manyLines, 40), path, false, o); !errors.Is(err, errFull) {
		f.Fatal(err)
	}
	note, err := os.ReadFile(path + ".progress")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(note))
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, sealed(text)} {
			r, err := readRecord([]byte(text), "f", noteFormat)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "f:") {
					t.Errorf("no file in %v", err)
				}
				continue
			}
			x, err := newRun(o)
			if err != nil {
				t.Fatal(err)
			}
			n := noteFile{x: x}
			if err := n.same(r); err != nil {
				continue
			}
			x.from, x.begun, x.state = r.Totals, true, state{r.Totals, r.Output.Bytes, false}
			_ = x.run(t.Context(), strings.NewReader(manyLines), io.Discard)
		}
	})
}
