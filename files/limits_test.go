package files

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mteval/mteval/internal/race"
)

// endless has the same bytes again and again, after others.
type endless struct {
	head, again string
	n           int // bytes read
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n < len(e.head) {
		n := copy(p, e.head[e.n:])
		e.n += n
		return n, nil
	}
	at := (e.n - len(e.head)) % len(e.again)
	n := copy(p, strings.Repeat(e.again, len(p)/len(e.again)+2)[at:])
	e.n += n
	return n, nil
}

// Whatever is read, a line that does not end is an error with its number, and so is a text
// that does not.
func TestLimits(t *testing.T) {
	o := Options{MaxLine: 10_000, MaxText: 300_000}
	const most = 500_000 // bytes that may be read, in blocks
	for _, f := range formats() {
		head := strings.Join(f.lines, "\n") + "\n"
		last := f.lines[len(f.lines)-1]
		for name, in := range map[string]*endless{
			"zeros":                   {again: "\x00"},
			"zeros behind other rows": {head: head, again: "\x00"},
			"a long row":              {head: head + last, again: "x"},
			"rows":                    {head: head, again: last + "\n"},
			"blank rows":              {head: head, again: "\n"},
			"blank rows only":         {again: " \n"},
		} {
			_, err := f.read(in, "f", o)
			var at *LineError
			if !errors.As(err, &at) || in.n > most {
				t.Errorf("%s, %s: %v after %d bytes", f.name, name, err, in.n)
				continue
			}
			if strings.Contains(name, "blank") != strings.Contains(err.Error(), "more than 300000 bytes of text") && name != "rows" {
				t.Errorf("%s, %s: %v", f.name, name, err)
			}
			want := 0
			switch name {
			case "zeros":
				want = 1
			case "zeros behind other rows", "a long row":
				want = len(f.lines) + 1
			}
			if want > 0 && (at.Line != want || !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "a line of more than 10000 bytes")) {
				t.Errorf("%s, %s: %v, want line %d", f.name, name, err, want)
			}
		}
		if _, err := f.read(strings.NewReader(head), "f", Options{MaxLine: 200, MaxText: int64(len(head) + 16*len(f.lines))}); err != nil {
			t.Errorf("%s within the limits: %v", f.name, err)
		}
	}
}

// Gzip data that hold a thousand times what they are end soon.
func TestExpansion(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	const size = 160 << 20
	line := zip(t, strings.Repeat("\x00", size))
	_, err := ReadText(strings.NewReader(line), "f", Options{})
	if err == nil || err.Error() != "f:1: too large to be read: a line of more than 67108864 bytes" {
		t.Error(err)
	}
	lines := zip(t, strings.Repeat("a longer line, the same again and again\n", size/40))
	_, err = ReadText(strings.NewReader(lines), "f", Options{MaxLine: 1000})
	if err == nil || !strings.Contains(err.Error(), "it expands to more than 100 times its size") {
		t.Error(err)
	}
	short := zip(t, strings.Repeat("y\n", 1<<20))
	_, err = ReadText(strings.NewReader(short), "f", Options{MaxText: 1 << 20})
	if !errors.Is(err, ErrTooLarge) || err.Error() != "f:61681: too large to be read: more than 1048576 bytes of text" {
		t.Error(err)
	}
	if text, err := ReadText(strings.NewReader(short), "f", Options{MaxLine: math.MaxInt64}); err != nil || len(text.Lines) != 1<<20 {
		t.Error(err)
	}
}

// opens are all the functions that open one file.
func opens() map[string]func(ctx context.Context, path string, o Options) error {
	return map[string]func(ctx context.Context, path string, o Options) error{
		"OpenText": func(ctx context.Context, path string, o Options) error { _, err := OpenText(ctx, path, o); return err },
		"OpenScores": func(ctx context.Context, path string, o Options) error {
			_, err := OpenScores(ctx, path, o)
			return err
		},
		"OpenSystems": func(ctx context.Context, path string, o Options) error {
			_, err := OpenSystems(ctx, path, nil, o)
			return err
		},
		"OpenMetrics": func(ctx context.Context, path string, o Options) error {
			_, err := OpenMetrics(ctx, path, o)
			return err
		},
		"OpenWMTSegments": func(ctx context.Context, path string, o Options) error {
			_, err := OpenWMTSegments(ctx, path, o)
			return err
		},
		"OpenWMTSystems": func(ctx context.Context, path string, o Options) error {
			_, err := OpenWMTSystems(ctx, path, o)
			return err
		},
		"OpenRated": func(ctx context.Context, path string, o Options) error { _, err := OpenRated(ctx, path, o); return err },
		"OpenPairs": func(ctx context.Context, path string, o Options) error {
			_, err := OpenPairs(ctx, path, "", o)
			return err
		},
		"OpenMQM": func(ctx context.Context, path string, o Options) error { _, err := OpenMQM(ctx, path, o); return err },
		"OpenJudgements": func(ctx context.Context, path string, o Options) error {
			_, err := OpenJudgements(ctx, path, JudgementOptions{Options: o})
			return err
		},
		"OpenPeople": func(ctx context.Context, path string, o Options) error {
			_, err := OpenPeople(ctx, path, PeopleOptions{Options: o})
			return err
		},
		"OpenCorpus": func(ctx context.Context, path string, o Options) error {
			_, err := OpenCorpus(ctx, []string{path}, nil, CorpusOptions{Options: o})
			return err
		},
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	for name, open := range opens() {
		if err := open(t.Context(), "no/such/file", Options{}); err == nil || err.Error() != "no/such/file: no such file or directory" {
			t.Errorf("%s, no file: %v", name, err)
		}
		if err := open(t.Context(), dir, Options{}); err == nil || !strings.HasPrefix(err.Error(), dir+": ") {
			t.Errorf("%s, a folder: %v", name, err)
		}
	}
}

// A context that is cancelled ends reading: before it, from a pipe to which nobody writes, and
// from one to which somebody writes all the time.
func TestCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("a\t1\t2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	was := os.Stdin
	defer func() { os.Stdin = was }()
	for name, open := range opens() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled before: %v", name, err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = r
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := open(ctx, "-", Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, a silent pipe: %v", name, err)
		}
		w.Close()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdin = r
	written := make(chan error, 1)
	go func() {
		_, err := io.Copy(w, &endless{again: "a line\n"})
		written <- err
	}()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := OpenText(ctx, "-", Options{MaxText: math.MaxInt64}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.Close() // or the writer goes on
	<-written
}

// Notes come before the function returns, and not from elsewhere.
func TestNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("\ufeffa\t1\t2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var notes []string
	_, err := OpenScores(t.Context(), path, Options{Note: func(name, what string) { notes = append(notes, name+": "+what) }})
	if err != nil || len(notes) != 1 || notes[0] != path+": byte order mark removed" {
		t.Errorf("%q, %v", notes, err)
	}
	if _, err := OpenScores(t.Context(), path, Options{}); err != nil {
		t.Error(err)
	}
}
