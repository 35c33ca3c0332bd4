package stream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mteval/mteval/internal/jsonfile"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
)

// ErrBegun is wrapped by the error of a run that is not to go on, where another began.
var ErrBegun = errors.New("there is a part of it already")

// ErrOtherOptions is wrapped by the error of a run that is to go on with other options.
var ErrOtherOptions = errors.New("other options")

// RunFile is [Run] into a file, which is at path when it is whole. Until then there are, whatever
// ends the run, PATH.part with the lines so far and PATH.progress, which says how many they are
// and has the totals; both are up to date every few seconds. With resume a run goes on where
// another with the same options ended, as if that had not: the output is the same, byte for byte.
// Where nothing was begun it begins. The input is read again from its start, and must have the
// same lines as far as it was read. OnError may be another where no line had an error, and the
// processors, name and limits may be others.
//
// Two runs must not write the same file at a time.
func RunFile(ctx context.Context, r io.Reader, path string, resume bool, o Options) (*Totals, error) {
	x, err := newRun(o)
	if err != nil {
		return nil, err
	}
	x.hashed = true
	f := progressFile{path: path, options: x.identity()}
	if f.part, f.at, err = Beside(path); err != nil {
		return nil, err
	}
	was, err := f.begin(resume)
	if err != nil {
		return nil, err
	}
	if was != nil {
		if err := x.goOn(&f, was); err != nil {
			return nil, err
		}
		if _, err := os.Lstat(f.part); was.Done && errors.Is(err, fs.ErrNotExist) {
			return &x.state.Totals, f.remove() // it was renamed, and no more
		}
	}
	out, err := outfile.OpenPart(ctx, path, x.from.Bytes)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	// Also where ctx is done.
	x.save = func(s State) error {
		if err := out.Sync(); err != nil {
			return err
		}
		return f.write(context.WithoutCancel(ctx), s)
	}
	x.o.checkpoint = cmp.Or(x.o.checkpoint, 5*time.Second)
	if x.from.Done {
		err = x.end(nil)
	} else {
		err = x.run(ctx, r, out)
	}
	if err != nil {
		return &x.state.Totals, err
	}
	if err := out.Commit(); err != nil {
		return &x.state.Totals, err
	}
	return &x.state.Totals, f.remove()
}

// Begun says whether a run of RunFile into path began and was ended.
func Begun(path string) bool {
	part, _, err := Beside(path)
	if err == nil {
		_, err = os.Lstat(part)
	}
	return err == nil
}

// Beside are the paths that RunFile writes beside path, or where that leads to.
func Beside(path string) (part, progress string, err error) {
	part, err = outfile.PartPath(path)
	return part, strings.TrimSuffix(part, ".part") + ".progress", err
}

// A progressFile says beside an output how far it is.
type progressFile struct {
	path, part, at string
	options        []option
}

// An option is one that the output depends on, by which name it has in errors.
type option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// progress is what the file holds.
type progress struct {
	Options []option `json:"options"`
	State
}

// identity are the options that the output depends on.
func (x *run) identity() []option {
	l := x.o.Layout
	out := []option{
		{"the format", string(l.Format)}, {"no header", strconv.FormatBool(l.NoHeader)}, {"the hypothesis", l.Hypothesis},
		{"the references", strings.Join(l.References, ", ")}, {"the source", l.Source}, {"skipping empty references", strconv.FormatBool(l.SkipEmptyRefs)},
		{"on errors", string(x.o.OnError)}, {"the shard", fmt.Sprintf("%d/%d", x.o.Shard.Number, x.o.Shard.Of)},
		{"decimals", strconv.Itoa(x.o.Decimals)}, {"compression", strconv.FormatBool(x.o.Pack != nil)},
		{"lines of a block", strconv.Itoa(x.o.blockLines)}, {"bytes of a block", strconv.Itoa(x.o.blockBytes)},
	}
	filter := ""
	if x.o.Filter != nil {
		filter = x.o.Filter.Text
	}
	out = append(out, option{"the filter", filter})
	for _, m := range x.metrics {
		out = append(out, option{m.info.Name, m.info.Signature.Complete(nil).String()})
	}
	return out
}

// maxProgress bounds the file of progress.
const maxProgress = 16 << 20

// begin returns where another run ended, nil: it is the first, or ended before it saved anything.
func (f *progressFile) begin(resume bool) (*progress, error) {
	var found string
	for _, path := range []string{f.part, f.at} {
		if _, err := os.Lstat(path); err == nil {
			found = cmp.Or(found, path)
		}
	}
	if found == "" {
		return nil, nil
	}
	if !resume {
		return nil, fmt.Errorf("%s: %w, %s: go on with it, or remove it", f.path, ErrBegun, found)
	}
	data, err := sidefile.ReadFile(f.at, maxProgress)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file := jsonfile.File{Name: f.at, Data: data, What: "a file of progress"}
	var out progress
	if _, err := file.Decode(&out); err != nil {
		return nil, err
	}
	if out.Lines < 0 || out.Bytes < 0 {
		return nil, fmt.Errorf("%s: less than nothing was done", f.at)
	}
	return &out, nil
}

// goOn takes the run to where another ended.
func (x *run) goOn(f *progressFile, was *progress) error {
	differ := func(name, there, here string) error {
		return fmt.Errorf("%s: %w: %s was %q, and is %q: take the same, or remove %s and %s", f.at, ErrOtherOptions, name, there, here, f.at, f.part)
	}
	for i, o := range f.options {
		if i >= len(was.Options) || was.Options[i].Name != o.Name {
			there := ""
			if i < len(was.Options) {
				there = was.Options[i].Name
			}
			return differ("an option or metric", there, o.Name)
		}
		if there := was.Options[i].Value; there != o.Value && !(o.Name == "on errors" && was.Errors == 0) {
			return differ(o.Name, there, o.Value)
		}
	}
	if n := len(f.options); len(was.Options) > n {
		return differ("an option or metric", was.Options[n].Name, "")
	}
	sum := &x.state.Totals
	same := len(was.Results) == len(sum.Results) && len(was.Unfiltered) == len(sum.Unfiltered)
	for m := range sum.Results {
		same = same && len(was.Results[m].Row) == len(sum.Results[m].Row) &&
			(sum.Unfiltered == nil || len(was.Unfiltered[m].Row) == len(sum.Unfiltered[m].Row))
	}
	if !same {
		return fmt.Errorf("%s: the totals are not of these metrics", f.at)
	}
	x.from, x.state = was.State, was.State
	return nil
}

func (f *progressFile) write(ctx context.Context, s State) error {
	data, err := json.Marshal(progress{f.options, s})
	if err != nil {
		return err
	}
	return outfile.Write(ctx, f.at, append(data, '\n'))
}

func (f *progressFile) remove() error {
	if err := os.Remove(f.at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
