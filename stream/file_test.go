package stream

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/outfile"
)

// packed makes a member of gzip data.
func packed(dst, data []byte) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	z := gzip.NewWriter(b)
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// inFolder are the names of files and what is in them.
func inFolder(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// failing is a reader that ends with an error after so many bytes.
func failing(text string, n int) io.Reader {
	return io.MultiReader(strings.NewReader(text[:min(n, len(text))]), failed{})
}

type failed struct{}

func (failed) Read([]byte) (int, error) { return 0, errFull }

// However often and wherever a run is ended, the output and the totals are the same.
func TestResume(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in, o := draw(rt)
		o.blockLines, o.checkpoint = rapid.IntRange(1, 5).Draw(rt, "block"), -1
		if rapid.Bool().Draw(rt, "packed") {
			o.Pack = packed
		}
		want, totals, err := runText(t, o, in)
		if err != nil {
			rt.Fatal(err)
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		path := filepath.Join(dir, "out")
		for range 50 {
			o.Workers = rapid.IntRange(1, 3).Draw(rt, "workers")
			ctx, cancel := context.WithCancel(t.Context())
			var r io.Reader = strings.NewReader(in)
			switch rapid.IntRange(0, 3).Draw(rt, "end") {
			case 0: // in reading
				r = failing(in, rapid.IntRange(0, len(in)).Draw(rt, "at"))
			case 1: // by a signal
				n := rapid.IntRange(0, 4).Draw(rt, "blocks")
				r = &cancelling{r: r, left: n, cancel: cancel}
			case 2: // so that a part of a block is written, and the file says less
				if _, err := os.Stat(path + ".part"); err == nil {
					f, err := os.OpenFile(path+".part", os.O_APPEND|os.O_WRONLY, 0)
					if err != nil {
						rt.Fatal(err)
					}
					f.WriteString("half a li")
					f.Close()
				}
				cancel()
				continue
			}
			got, err := RunFile(ctx, r, path, true, o)
			cancel()
			if err != nil {
				if !errors.Is(err, errFull) && !errors.Is(err, context.Canceled) && len(in) > 0 {
					rt.Fatal(err)
				}
				if there := inFolder(t, dir); there["out"] != "" {
					rt.Fatal("a file is there before its end")
				}
				continue
			}
			if d := cmp.Diff(map[string]string{"out": want}, inFolder(t, dir)); d != "" {
				rt.Fatalf("(-want +got):\n%s", d)
			}
			if d := cmp.Diff(totals, got); d != "" {
				rt.Fatalf("totals (-want +got):\n%s", d)
			}
			return
		}
	})
}

// cancelling cancels after some reads of a few bytes.
type cancelling struct {
	r      io.Reader
	left   int
	cancel func()
}

func (c *cancelling) Read(p []byte) (int, error) {
	if c.left--; c.left < 0 {
		c.cancel()
	}
	return c.r.Read(p[:min(len(p), 16)])
}

const someLines = "h\tr\na\ta\nb\tb\nc\tc\nd\td\n"

// begun is a folder in which a run was ended after two of some lines.
func begun(t *testing.T, o Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	o.blockLines, o.checkpoint = 1, -1
	if _, err := RunFile(t.Context(), failing(someLines, 12), path, false, o); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
	return path
}

func TestResumeRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		resume bool
		in     string
		set    func(o *Options)
		spoil  func(path string) error
		want   string // "$" is the path; "": it goes on
	}{
		{"as it is", true, someLines, nil, nil, ""},
		{"more lines behind", true, someLines + "e\te\n", nil, nil, ""},
		{"another name and number of workers", true, someLines, func(o *Options) { o.Name, o.Workers = "x", 7 }, nil, ""},
		{"another limit", true, someLines, func(o *Options) { o.MaxLine = 100 }, nil, `$.progress: other options: the most bytes of a line was "67108864", and is "100"`},
		{"another option of a metric", true, someLines, func(o *Options) { o.Also = []Option{{"--max-tokens", "3"}} }, nil, `$.progress: other options: an option or metric was "share", and is "--max-tokens"`},
		{"one reference for two", true, someLines, func(o *Options) { o.Layout.References = []string{"r, r"} }, nil, `$.progress: other options: the references was `},
		{"on-error, without errors so far", true, someLines, skip, nil, ""},
		{"not asked to", false, someLines, nil, nil, "$: there is a part of it already, $.part: go on with it, or remove it"},
		{"other lines", true, strings.Replace(someLines, "a", "b", 1), nil, nil, "another input: the first 2 lines of in are not those that were scored"},
		{"other header", true, strings.Replace(someLines, "h\tr", "h\tr\tx", 1), nil, nil, "another input: the first 2 lines of in are not those that were scored"},
		{"fewer lines", true, someLines[:8], nil, nil, "another input: in has 1 lines, and 2 were scored"},
		{"other decimals", true, someLines, func(o *Options) { o.Decimals = 3 }, nil, `$.progress: other options: decimals was "-1", and is "3": take the same, or remove $.progress and $.part`},
		{"other metric", true, someLines, func(o *Options) { o.Metrics[0].Scorer = share{wide: true} }, nil, `$.progress: other options: share was `},
		{"metric by another name", true, someLines, func(o *Options) { o.Metrics[0].Scorer = renamed{share{}, "x"} }, nil, `$.progress: other options: an option or metric was "share", and is "x"`},
		{"fewer metrics", true, someLines, nil, func(path string) error {
			return change(path, func(r *record) { r.Options = append(r.Options, Option{"chrf", ""}) })
		}, `$.progress: other options: an option or metric was "chrf", and is ""`},
		{"a filter", true, someLines, func(o *Options) {
			o.Filter = &Filter{Text: "true", Keep: func([]float64) (bool, error) { return true, nil }}
		}, nil, `$.progress: other options: the filter was "", and is "true"`},
		{"on-error, with errors", true, someLines, skip, func(path string) error {
			return change(path, func(r *record) {
				r.Errors = 1
				r.Results[0].Segments, r.Written = 1, 1
			})
		}, `$.progress: other options: on errors was "fail", and is "skip"`},
		{"a short part", true, someLines, nil, func(path string) error { return os.Truncate(path+".part", 3) }, "$.part: it has 3 bytes, and had 36: remove it and $.progress to begin anew"},
		{"no part", true, someLines, nil, func(path string) error { return os.Remove(path + ".part") }, "$.progress: there is no $.part any more: remove $.progress to begin anew"},
		{"no JSON", true, someLines, nil, func(path string) error { return os.WriteFile(path+".progress", []byte("{"), 0o644) }, "$.progress:1: the file is cut short: remove $.progress and $.part to begin anew"},
		{"rows of others", true, someLines, nil, func(path string) error { return change(path, func(r *record) { r.Results[0].Row = []float64{1} }) }, "$.progress: field results: share with rows of 1 numbers, not share with 2"},
		{"all done, and the file is gone", true, someLines, nil, func(path string) error {
			return errors.Join(os.Remove(path+".part"), change(path, func(r *record) { r.Output.Done = true }))
		}, "$.progress: there is no $.part any more: remove $.progress to begin anew"},
		{"less than nothing", true, someLines, nil, func(path string) error { return change(path, func(r *record) { r.Input.Lines = -1 }) }, "$.progress: field input: -1 lines of 12 bytes"},
		{"other shard", true, someLines, func(o *Options) { o.Shard = Shard{1, 2} }, nil, "$.progress: other options: the shard was 1/1, and is 1/2: take the same"},
		{"a byte changed in the part", true, someLines, nil, func(path string) error { return flip(path+".part", 20) }, "$.part: it was changed since it was written: remove it and $.progress to begin anew"},
		{"a part of others", true, someLines, nil, func(path string) error {
			return errors.Join(os.Remove(path+".progress"), os.WriteFile(path+".part", []byte("my notes\n"), 0o644))
		}, "$.part: there is no $.progress that says what this file is, so it stays as it is"},
		{"a part of others, not asked to", false, someLines, nil, func(path string) error {
			return errors.Join(os.Remove(path+".progress"), os.WriteFile(path+".part", []byte("my notes\n"), 0o644))
		}, "$.part: there is no $.progress that says what this file is, so it stays as it is"},
		{"ended before anything was written", true, someLines, nil, func(path string) error {
			return errors.Join(os.Remove(path+".progress"), os.Truncate(path+".part", 0))
		}, ""},
		{"ended before the first lines were noted", true, someLines, nil, func(path string) error {
			return change(path, func(r *record) { *r = noted(t) })
		}, ""},
		{"the first note alone", true, someLines, nil, func(path string) error {
			return errors.Join(change(path, func(r *record) { *r = noted(t) }), os.Remove(path+".part"))
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := begun(t, shareOptions())
			if tt.spoil != nil {
				if err := tt.spoil(path); err != nil {
					t.Fatal(err)
				}
			}
			o := shareOptions()
			o.blockLines, o.checkpoint = 1, -1
			if tt.set != nil {
				tt.set(&o)
			}
			before := inFolder(t, filepath.Dir(path))
			_, err := RunFile(t.Context(), strings.NewReader(tt.in), path, tt.resume, o)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				want, _, err := runText(t, shareOptions(), tt.in)
				if d := cmp.Diff(map[string]string{"out": want}, inFolder(t, filepath.Dir(path))); d != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, d)
				}
				return
			}
			if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), path, "$"), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if d := cmp.Diff(before, inFolder(t, filepath.Dir(path))); d != "" {
				t.Errorf("files are changed:\n%s", d)
			}
		})
	}
}

// change changes a note, whose checksum fits then.
func change(path string, f func(r *record)) error {
	data, err := os.ReadFile(path + ".progress")
	if err != nil {
		return err
	}
	r, err := readRecord(data, path+".progress", noteFormat)
	if err != nil {
		return err
	}
	f(r)
	if data, err = r.seal(); err != nil {
		return err
	}
	return os.WriteFile(path+".progress", data, 0o644)
}

// A run may be ended between its last steps.
func TestResumeDone(t *testing.T) {
	want, totals, err := runText(t, shareOptions(), someLines)
	if err != nil {
		t.Fatal(err)
	}
	for _, renamed := range []bool{false, true} {
		path := begun(t, shareOptions())
		at := path + ".part"
		err := change(path, func(r *record) {
			r.Totals = *totals
			r.Output.Bytes, r.Output.Sum, r.Output.Done = int64(len(want)), hexSum(outfile.AddSum(0, []byte(want))), true
		})
		if renamed {
			err = errors.Join(err, os.Remove(at))
			at = path
		}
		if err := errors.Join(err, os.WriteFile(at, []byte(want), 0o644)); err != nil {
			t.Fatal(err)
		}
		o := shareOptions()
		o.blockLines = 1
		got, err := RunFile(t.Context(), failed{}, path, true, o)
		if err != nil || !cmp.Equal(totals, got) {
			t.Errorf("%v, %v, want %v", got, err, totals)
		}
		if d := cmp.Diff(map[string]string{"out": want}, inFolder(t, filepath.Dir(path))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// The file is there after End, and a run that ends with its error goes on from it.
func TestEnd(t *testing.T) {
	want, totals, err := runText(t, shareOptions(), someLines)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out")
	o := shareOptions()
	for _, fails := range []error{errFull, nil} {
		calls := 0
		o.End = func(got *Totals) error {
			calls++
			if there := inFolder(t, filepath.Dir(path)); there["out.part"] != want || there["out"] != "" || !cmp.Equal(totals, got) {
				t.Errorf("%v, %v", there, got)
			}
			return fails
		}
		var in io.Reader = strings.NewReader(someLines)
		if fails == nil {
			in = failed{} // of which nothing is read
		}
		if _, err := RunFile(t.Context(), in, path, true, o); !errors.Is(err, fails) || calls != 1 {
			t.Errorf("%v, %d calls", err, calls)
		}
	}
	if d := cmp.Diff(map[string]string{"out": want}, inFolder(t, filepath.Dir(path))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Of a run that wrote no line nothing stays.
func TestNothingBegun(t *testing.T) {
	for _, in := range []string{"", "h\tx\na\ta\n", "h\tr\na\n"} {
		path := filepath.Join(t.TempDir(), "out")
		if _, err := RunFile(t.Context(), strings.NewReader(in), path, false, shareOptions()); err == nil {
			t.Errorf("%q: no error", in)
		}
		if d := cmp.Diff(map[string]string{}, inFolder(t, filepath.Dir(path))); d != "" {
			t.Errorf("%q:\n%s", in, d)
		}
	}
}

// One run at a time writes a file.
func TestUnderWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	in, feeder := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := RunFile(t.Context(), in, path, false, shareOptions())
		done <- err
	}()
	if _, err := io.WriteString(feeder, "h\tr\na\ta\n"); err != nil {
		t.Fatal(err)
	}
	for _, resume := range []bool{false, true} {
		_, err := RunFile(t.Context(), strings.NewReader(someLines), path, resume, shareOptions())
		if err == nil && resume {
			feeder.Close()
			<-done
			t.Skip("there are no locks here")
		}
		if !errors.Is(err, ErrUnderWay) {
			t.Errorf("resume %v: %v", resume, err)
		}
	}
	feeder.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(map[string]string{"out": "h\tr\tshare\na\ta\t0.333333\n"}, inFolder(t, filepath.Dir(path))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// noted is the note of a run that has done nothing yet.
func noted(t *testing.T) record {
	t.Helper()
	o := shareOptions()
	o.blockLines = 1
	x, err := newRun(o)
	if err != nil {
		t.Fatal(err)
	}
	return record{Format: noteFormat, Totals: x.state.Totals, Output: &output{x.outputOptions(), 0, hexSum(0), false}}
}

// flip changes a bit of a file.
func flip(path string, at int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[at] ^= 4
	return os.WriteFile(path, data, 0o644)
}

// What was scored is not scored again.
func TestResumeScoresOnce(t *testing.T) {
	path := begun(t, shareOptions())
	var calls atomic.Int64
	o := shareOptions()
	o.blockLines, o.Metrics = 1, []Metric{{Scorer: share{calls: &calls}}}
	if _, err := RunFile(t.Context(), strings.NewReader(someLines), path, true, o); err != nil {
		t.Fatal(err)
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d of 4 lines are scored after 2 were", n)
	}
}
