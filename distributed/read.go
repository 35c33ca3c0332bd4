package distributed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/klauspost/compress/zstd"

	"github.com/mteval/mteval/internal/sidefile"
)

func init() {
	beam.RegisterType(reflect.TypeFor[inputFile]())
	register.DoFn4x1[context.Context, string, func(inputFile), func(Bad), error](&matchFn{})
	register.DoFn5x1[context.Context, *sdf.LockRTracker, inputFile, func(Record), func(Bad), error](&readFn{})
	register.Emitter1[inputFile]()
	register.Emitter1[Record]()
}

// A Format is how lines hold records.
type Format string

const (
	// ByName is JSONLines in files whose names end in .json, .jsonl or .ndjson, before what tells
	// of compression, or that begin with {, be it behind space and blank lines, and TSV in others.
	ByName Format = ""
	// TSV has the names of its columns in the first line, and as many fields in each line as
	// columns, with a tab between. A field that is empty is a hypothesis, a source or a reference,
	// but no segment or id.
	TSV Format = "tsv"
	// JSONLines have an object each, with no field twice that is read. References are a text or a
	// list of texts; segment, system and id are texts or numbers, and null is what is not there.
	JSONLines Format = "jsonl"
)

// Columns are the names of columns, or of an object's fields. "" is the default, which need not be
// there for a source, a system or an id; a name that is given must be.
type Columns struct {
	Hypothesis string   // default: hypothesis
	References []string // default: reference, or references where there is none
	Source     string   // default: source
	Segment    string   // default: segment
	System     string   // default: system
	ID         string   // default: id
	// SkipEmptyRefs takes a reference that is blank, or null in a list, for a missing one where the
	// segment has another, as stream.Layout does.
	SkipEmptyRefs bool
}

// ReadOptions are those of Read.
type ReadOptions struct {
	Format  Format
	Columns Columns
	// MaxLine is the length in bytes of the longest line; 0 is 64 MiB, 256 MiB is the most. A longer one
	// is Bad, and takes no more memory than one of this length.
	MaxLine int
}

const (
	defaultMaxLine = 64 << 20
	mostMaxLine    = 256 << 20
)

// Check says what of the options is out of range.
func (o ReadOptions) Check() error {
	if o.Format != ByName && o.Format != TSV && o.Format != JSONLines {
		return fmt.Errorf("distributed: no format %q: there are %s and %s", o.Format, TSV, JSONLines)
	}
	if i := slices.Index(o.Columns.References, ""); i >= 0 {
		return fmt.Errorf("distributed: reference %d names no column", i+1)
	}
	if o.MaxLine < 0 || o.MaxLine > mostMaxLine {
		return fmt.Errorf("distributed: MaxLine %d is not in 0 to %d", o.MaxLine, mostMaxLine)
	}
	return nil
}

// Read reads the files that patterns match, by the file systems of Beam that the program has
// imported, to a collection of Record and one of Bad: each line is in one of them. Lines are
// UTF-8, with \n or \r\n behind each. What is compressed by gzip or zstd is told by its first bytes, and read
// by one worker a file, other files in blocks by many. A pattern that matches nothing, or a file
// that can't be read or unpacked, fails the pipeline. It panics if Check has something to say, or
// there is no pattern, or one is "".
//
// Beam's textio is not used: it reads of a compressed file only the lines that begin before the
// size that it has compressed.
func Read(s beam.Scope, patterns []string, o ReadOptions) (records, bad beam.PCollection) {
	if err := o.Check(); err != nil {
		panic(err)
	}
	if len(patterns) == 0 || slices.Contains(patterns, "") {
		panic("distributed: no pattern of files to read")
	}
	if o.MaxLine == 0 {
		o.MaxLine = defaultMaxLine
	}
	s = s.Scope("mteval.Read")
	files, headless := beam.ParDo2(s, &matchFn{Options: o}, beam.CreateList(s, patterns))
	records, lines := beam.ParDo2(s, &readFn{Options: o, Block: blockBytes}, files)
	return records, beam.Flatten(s, headless, lines)
}

// An inputFile is one that a pattern matched.
type inputFile struct {
	Path    string
	Size    int64 // in bytes, as it is stored
	Packing string
	Format  Format
	Header  string // the first line of TSV
	Body    int64  // where its other lines begin
}

// What files are packed with.
const (
	packedGzip = "gzip"
	packedZstd = "zstd"
)

// matchFn finds files.
type matchFn struct {
	Options ReadOptions

	bad beam.Counter
}

func (f *matchFn) Setup() { f.bad = beam.NewCounter("mteval", "bad") }

func (f *matchFn) ProcessElement(ctx context.Context, pattern string, emit func(inputFile), bad func(Bad)) error {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	paths, err := fs.List(ctx, pattern)
	if err != nil {
		return err
	}
	found := false
	for _, p := range paths {
		if strings.HasSuffix(p, "/") {
			continue
		}
		found = true
		file, err := f.open(ctx, fs, p)
		var at *Bad
		if errors.As(err, &at) {
			f.bad.Inc(ctx, 1)
			bad(*at)
			continue
		}
		if err != nil {
			return fmt.Errorf("distributed: %s: %w", p, err)
		}
		emit(file)
	}
	if !found {
		return fmt.Errorf("distributed: no file is called %s", pattern)
	}
	return nil
}

// Error makes a Bad an error: a header that is none is one line.
func (b *Bad) Error() string { return b.Reason }

// open looks at the beginning of a file.
func (f *matchFn) open(ctx context.Context, fs filesystem.Interface, p string) (inputFile, error) {
	file := inputFile{Path: p, Format: f.Options.Format}
	var err error
	if file.Size, err = fs.Size(ctx, p); err != nil {
		return file, err
	}
	if file.Packing, err = packing(ctx, fs, p); err != nil {
		return file, err
	}
	if file.Format == ByName {
		file.Format = formatOf(p)
	}
	if file.Format != TSV {
		return file, nil
	}
	r, err := openInput(ctx, &file, 0)
	if err != nil {
		return file, err
	}
	defer r.Close()
	in := lineReader{r: bufio.NewReaderSize(r, 1<<16), most: f.Options.MaxLine}
	line, long, err := in.next()
	if err == io.EOF {
		return file, nil // it has no lines at all, a header neither
	}
	blank := err == nil && begin(line) == ""
	for err == nil && f.Options.Format == ByName && begin(line) == "" && !long {
		line, long, err = in.next()
	}
	if err != nil && err != io.EOF {
		return file, err
	}
	if f.Options.Format == ByName && begin(line) == "{" {
		file.Format = JSONLines
		return file, nil
	}
	fail := func(err error) (inputFile, error) {
		return file, &Bad{Position: Position{File: p}, Reason: err.Error() + ": no line of the file is read"}
	}
	if long {
		return fail(errLong(f.Options.MaxLine))
	}
	if blank {
		return fail(errors.New("the line is blank, where a table has its header"))
	}
	if file.Header, err = text(line, 0); err != nil {
		return fail(err)
	}
	if _, err := newTSV(file.Header, f.Options.Columns); err != nil {
		return fail(err)
	}
	file.Body = in.at
	return file, nil
}

// begin is what a line begins with, behind space and a byte order mark; "": it has nothing else.
func begin(line []byte) string {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	return string(line[:min(len(line), 1)])
}

func formatOf(p string) Format {
	name := strings.ToLower(path.Base(p))
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch path.Ext(name) {
	case ".json", ".jsonl", ".ndjson":
		return JSONLines
	}
	return TSV
}

// packing tells by the first bytes how a file is packed.
func packing(ctx context.Context, fs filesystem.Interface, p string) (string, error) {
	r, err := fs.OpenRead(ctx, p)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var first [4]byte
	n, err := io.ReadFull(r, first[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	switch {
	case sidefile.IsGzip(first[:n]):
		return packedGzip, nil
	case sidefile.IsZstd(first[:n]):
		return packedZstd, nil
	}
	return "", nil
}

// maxWindow bounds the memory that zstd data may ask for: as of zstd --long, and mteval stream.
const maxWindow = 128 << 20

// openInput opens a file at an offset, which is 0 for one that is packed.
func openInput(ctx context.Context, file *inputFile, offset int64) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, file.Path)
	if err != nil {
		return nil, err
	}
	r, err := fs.OpenRead(ctx, file.Path)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	in := &input{Reader: r, closers: []io.Closer{fs, r}}
	switch file.Packing {
	case packedGzip:
		z, err := sidefile.Gunzip(bufio.NewReaderSize(r, 1<<16))
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		in.Reader = z
	case packedZstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		in.Reader, in.closers = z, append(in.closers, z.IOReadCloser())
	}
	if offset == 0 {
		return in, nil
	}
	if s, ok := r.(io.Seeker); ok {
		_, err = s.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, r, offset)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// input is a file that is closed from the outside in.
type input struct {
	io.Reader
	closers []io.Closer
}

func (in *input) Close() error {
	var errs []error
	for i := range in.closers {
		errs = append(errs, in.closers[len(in.closers)-1-i].Close())
	}
	return errors.Join(errs...)
}

// A lineReader reads lines in bounded memory.
type lineReader struct {
	r    *bufio.Reader
	most int
	at   int64 // where the next line begins, from where it was made
	buf  []byte
}

// next returns the next line with what ends it, which is valid until the next call, or, if that
// would be longer than the bound by more than its end, that it is long.
func (l *lineReader) next() (line []byte, long bool, err error) {
	l.buf = l.buf[:0]
	n := 0
	for {
		part, err := l.r.ReadSlice('\n')
		n += len(part)
		l.at += int64(len(part))
		if n <= l.most+2 {
			if err == nil && len(l.buf) == 0 {
				line = part
			} else {
				l.buf = append(l.buf, part...)
				line = l.buf
			}
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && n > 0:
			err = nil // a last line without an end
		}
		if err != nil {
			return nil, false, err
		}
		return line, n > l.most+2 || len(end(line)) > l.most, nil
	}
}

// end returns a line without what ends it.
func end(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

func errLong(most int) error { return fmt.Errorf("the line is longer than %d bytes", most) }

// blockBytes is of what size blocks of a file are read at once.
var blockBytes int64 = 64 << 20

// readFn reads the lines that begin in a block of a file.
type readFn struct {
	Options ReadOptions
	Block   int64

	records, bad beam.Counter
}

func (f *readFn) Setup() {
	f.records = beam.NewCounter("mteval", "read")
	f.bad = beam.NewCounter("mteval", "bad")
}

// CreateInitialRestriction is the whole of the file. What is packed has no places but its
// beginning.
func (f *readFn) CreateInitialRestriction(file inputFile) offsetrange.Restriction {
	if file.Packing != "" {
		return offsetrange.Restriction{Start: 0, End: 1}
	}
	return offsetrange.Restriction{Start: file.Body, End: max(file.Body, file.Size)}
}

// SplitRestriction makes blocks.
func (f *readFn) SplitRestriction(file inputFile, r offsetrange.Restriction) []offsetrange.Restriction {
	if file.Packing != "" || r.Size() <= float64(f.Block) {
		return []offsetrange.Restriction{r}
	}
	return r.SizedSplits(f.Block)
}

// RestrictionSize is in bytes.
func (f *readFn) RestrictionSize(file inputFile, r offsetrange.Restriction) float64 {
	if file.Packing != "" {
		return float64(file.Size)
	}
	return r.Size()
}

// CreateTracker tracks offsets.
func (f *readFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// ProcessElement reads the lines that begin in a restriction of a file.
func (f *readFn) ProcessElement(ctx context.Context, rt *sdf.LockRTracker, file inputFile, emit func(Record), bad func(Bad)) error {
	block := rt.GetRestriction().(offsetrange.Restriction)
	parse, err := newParser(&file, f.Options.Columns)
	if err != nil {
		return err
	}
	whole := file.Packing != ""
	if whole && !rt.TryClaim(int64(0)) {
		return nil
	}
	start := block.Start
	if whole {
		start = 0
	} else if start > file.Body {
		start-- // so that a line that begins with the block is not taken for the rest of one
	}
	r, err := openInput(ctx, &file, start)
	if err != nil {
		return fmt.Errorf("distributed: %s: %w", file.Path, err)
	}
	defer r.Close()
	in := lineReader{r: bufio.NewReaderSize(r, 1<<16), most: f.Options.MaxLine, at: start}
	skip := whole && file.Body > 0 || !whole && block.Start > file.Body
	for n := 0; ; n++ {
		if n&1023 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		at := in.at
		if !skip && !whole && !rt.TryClaim(at) {
			return nil
		}
		line, long, err := in.next()
		if err == io.EOF {
			// What is left of the block has no line that begins in it.
			rt.TryClaim(block.End)
			return nil
		}
		if err != nil {
			return fmt.Errorf("distributed: %s: at byte %d: %w", file.Path, at, err)
		}
		if skip {
			skip = false
			continue
		}
		record, err := parseLine(parse, line, at, long, f.Options.MaxLine)
		record.File, record.Offset = file.Path, at
		if err != nil {
			f.bad.Inc(ctx, 1)
			bad(record.bad("%v", err))
			continue
		}
		f.records.Inc(ctx, 1)
		emit(record)
	}
}
