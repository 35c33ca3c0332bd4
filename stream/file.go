package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
)

// ErrBegun is wrapped by the error of a run that is not to go on, where another began.
var ErrBegun = outfile.ErrBegun

// ErrUnderWay is wrapped by the error of a run into a file that another run is writing.
var ErrUnderWay = outfile.ErrUnderWay

// A KeptError is the error of a run of RunFile that another can go on with.
type KeptError struct{ Err error }

// Error is that of the run, and says so.
func (e *KeptError) Error() string {
	return fmt.Sprintf("%v; what was scored till then is kept", e.Err)
}

// Unwrap is the error of the run.
func (e *KeptError) Unwrap() error { return e.Err }

// ErrOtherOptions is wrapped by the error of a run that is to go on with other options, and of totals
// that are not of the same.
var ErrOtherOptions = errors.New("other options")

// RunFile is [Run] into a file, which is at path when it is whole. Until then there are, whatever
// ends the run, PATH.part with the lines so far and PATH.progress, which says how many they are
// and has the totals; both are up to date every few seconds. With resume a run goes on where
// another with the same options ended, as if that had not: the output is the same, byte for byte.
// Where nothing was begun it begins. The input is read again from its start, and must have the
// same lines as far as it was read. OnError may be another where no line had an error, and the
// processors and name may be others. Of a run that fails before it wrote a line, or
// with ErrNoScores, nothing stays.
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
	at, err := outfile.PartOf(path)
	if err != nil {
		return nil, err
	}
	out, err := outfile.OpenPart(ctx, path, resume)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	f := noteFile{at, out, x}
	was, err := f.read()
	if err != nil {
		return nil, err
	}
	if was != nil && out.Made() && was.Output.Bytes+was.Input.Lines > 0 {
		return f.renamed(was)
	}
	if err := f.begin(was); err != nil {
		return nil, err
	}
	x.save = func() error { return f.write(out.Save) }
	x.o.checkpoint = cmp.Or(x.o.checkpoint, 5*time.Second)
	if x.state.done {
		err = x.end(nil)
	} else {
		err = x.run(ctx, r, out)
	}
	if err == nil {
		err = out.Commit()
	}
	switch {
	case errors.Is(err, ErrNoScores):
		err = errors.Join(err, out.Discard())
	case err != nil && out.Kept():
		err = &KeptError{err}
	}
	return &x.state.Totals, err
}

// Beside are the paths that RunFile writes beside path, or where that leads to.
func Beside(path string) ([]string, error) {
	at, err := outfile.PartOf(path)
	return at.All(), err
}

// A noteFile says beside an output how far it is.
type noteFile struct {
	outfile.PartPaths
	out *outfile.Part
	x   *run
}

// write gives a note of where the run is to who saves it.
func (f *noteFile) write(save func(note []byte) error) error {
	n, sum := f.out.Written()
	note := record{Format: noteFormat, Totals: f.x.state.Totals,
		Output: &output{f.x.outputOptions(), n, hexSum(sum), f.x.state.done}}
	data, err := note.encode()
	if err != nil {
		return err
	}
	return save(data)
}

// read returns the note of another run, nil: there was none.
func (f *noteFile) read() (*record, error) {
	data, err := sidefile.ReadFile(f.Note, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	was, err := readRecord(data, f.Note, noteFormat)
	if err != nil {
		return nil, fmt.Errorf("%w: remove %s and %s to begin anew", err, f.Note, f.Part)
	}
	if err := f.same(was); err != nil {
		return nil, fmt.Errorf("%s: %w: take the same, or remove %[1]s and %[3]s", f.Note, err, f.Part)
	}
	return was, nil
}

// same is an error for the note of a run with other options.
func (f *noteFile) same(was *record) error {
	here := f.x.options()
	for i, o := range here {
		if o.Name == errorOption && was.Errors == 0 && i < len(was.Options) && was.Options[i].Name == o.Name {
			was.Options[i].Value = o.Value
		}
	}
	if err := differ(was.Options, here); err != nil {
		return err
	}
	if err := differ(was.Output.Options, f.x.outputOptions()); err != nil {
		return err
	}
	if was, is := was.Shard, f.x.o.Shard; was != is {
		return fmt.Errorf("%w: the shard was %d/%d, and is %d/%d", ErrOtherOptions, was.Number, was.Of, is.Number, is.Of)
	}
	return f.x.sameMetrics(&was.Totals)
}

// begin takes the run to where another ended, or to the beginning.
func (f *noteFile) begin(was *record) error {
	if was == nil || f.out.Made() {
		if err := f.out.Keep(0, 0); err != nil {
			return err
		}
		return f.write(f.out.Begin)
	}
	if err := f.out.Keep(was.Output.Bytes, was.Output.sum()); err != nil {
		return err
	}
	x := f.x
	x.from, x.begun = was.Totals, was.Output.Bytes > 0
	x.state = state{was.Totals, was.Output.Bytes, was.Output.Done}
	return nil
}

// sum is the checksum, which was checked to be one.
func (o *output) sum() uint32 {
	n, _ := parseSum(o.Sum)
	return n
}

// renamed ends a run of which there is no part, as all but its last step was done.
func (f *noteFile) renamed(was *record) (*Totals, error) {
	if !was.Output.Done || !f.out.Renamed(was.Output.Bytes, was.Output.sum()) {
		return nil, fmt.Errorf("%s: there is no %s any more: remove %[1]s to begin anew", f.Note, f.Part)
	}
	if end := f.x.o.End; end != nil {
		if err := end(&was.Totals); err != nil {
			return nil, err
		}
	}
	return &was.Totals, f.out.Forget()
}
