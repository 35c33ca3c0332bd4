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
var ErrBegun = outfile.ErrBegun

// ErrUnderWay is wrapped by the error of a run into a file that another run is writing.
var ErrUnderWay = outfile.ErrUnderWay

// ErrOtherOptions is wrapped by the error of a run that is to go on with other options.
var ErrOtherOptions = errors.New("other options")

// RunFile is [Run] into a file, which is at path when it is whole. Until then there are, whatever
// ends the run, PATH.part with the lines so far and PATH.progress, which says how many they are
// and has the totals; both are up to date every few seconds. With resume a run goes on where
// another with the same options ended, as if that had not: the output is the same, byte for byte.
// Where nothing was begun it begins. The input is read again from its start, and must have the
// same lines as far as it was read. OnError may be another where no line had an error, and the
// processors, name and limits may be others. Of a run that fails before it wrote a line nothing
// stays.
//
// Of two runs into the same file at a time one ends with an error, where the file system has
// locks.
func RunFile(ctx context.Context, r io.Reader, path string, resume bool, o Options) (*Totals, error) {
	x, err := newRun(o)
	if err != nil {
		return nil, err
	}
	if err := checkReader(r); err != nil {
		return nil, err
	}
	x.hashed = true
	at, err := outfile.PartOf(path)
	if err != nil {
		return nil, err
	}
	out, err := outfile.OpenPart(ctx, path, resume)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	f := progressFile{at, x.identity()}
	was, err := f.read()
	if err != nil {
		return nil, err
	}
	if was != nil {
		if err := x.goOn(&f, was); err != nil {
			return nil, err
		}
		if out.Made() {
			return f.renamed(x, out)
		}
	}
	if err := out.Keep(x.from.Bytes); err != nil {
		return nil, err
	}
	x.save = func(s State) error {
		data, err := json.Marshal(progress{f.options, s})
		if err != nil {
			return err
		}
		return out.Save(append(data, '\n'))
	}
	x.o.checkpoint = cmp.Or(x.o.checkpoint, 5*time.Second)
	if x.from.Done {
		err = x.end(nil)
	} else {
		err = x.run(ctx, r, out)
	}
	if err == nil {
		err = out.Commit()
	}
	return &x.state.Totals, err
}

// Begun says whether a run of RunFile into path began and was ended.
func Begun(path string) bool {
	at, err := outfile.PartOf(path)
	if err == nil {
		_, err = os.Lstat(at.Part)
	}
	return err == nil
}

// Beside are the paths that RunFile writes beside path, or where that leads to.
func Beside(path string) ([]string, error) {
	at, err := outfile.PartOf(path)
	return at.All(), err
}

// A progressFile says beside an output how far it is.
type progressFile struct {
	outfile.PartPaths
	options []option
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

// read returns where another run ended, nil: it is the first, or ended before it saved anything.
func (f *progressFile) read() (*progress, error) {
	data, err := sidefile.ReadFile(f.Note, maxProgress)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file := jsonfile.File{Name: f.Note, Data: data, What: "a file of progress"}
	var out progress
	if _, err := file.Decode(&out); err != nil {
		return nil, err
	}
	if out.Lines < 0 || out.Bytes < 0 {
		return nil, fmt.Errorf("%s: less than nothing was done", f.Note)
	}
	return &out, nil
}

// goOn takes the run to where another ended.
func (x *run) goOn(f *progressFile, was *progress) error {
	differ := func(name, there, here string) error {
		return fmt.Errorf("%s: %w: %s was %q, and is %q: take the same, or remove %s and %s", f.Note, ErrOtherOptions, name, there, here, f.Note, f.Part)
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
		return fmt.Errorf("%s: the totals are not of these metrics", f.Note)
	}
	x.from, x.state = was.State, was.State
	return nil
}

// renamed ends a run of which there is no part, as all but its last step was done.
func (f *progressFile) renamed(x *run, out *outfile.Part) (*Totals, error) {
	if at, err := os.Stat(f.Target); !x.from.Done || err != nil || at.Size() != x.from.Bytes {
		return nil, fmt.Errorf("%s: there is no %s any more: remove %[1]s to begin anew", f.Note, f.Part)
	}
	if x.o.End != nil {
		if err := x.o.End(&x.state.Totals); err != nil {
			return nil, err
		}
	}
	return &x.state.Totals, out.Forget()
}
