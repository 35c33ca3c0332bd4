package testsets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mteval/mteval/internal/fetch"
)

// maxFile is the most bytes that a file of a set may have. The largest have 50 MB.
const maxFile = 1 << 30

// A store is the folder that test sets are in.
type store struct {
	dir string
	o   Options
}

func newStore(o Options) (*store, error) {
	s := &store{dir: o.Dir, o: o}
	if s.dir == "" {
		s.dir = fetch.Home()
	}
	if s.dir == "" {
		return nil, errors.New("testsets: there is no home folder to keep test sets in: set the environment variable SACREBLEU to a folder")
	}
	return s, nil
}

func (s *store) note(format string, args ...any) {
	if s.o.Note != nil {
		s.o.Note(fmt.Sprintf(format, args...))
	}
}

// folder is that of a set.
func (s *store) folder(set *Set) string { return filepath.Join(s.dir, filepath.FromSlash(set.Name)) }

// raw is where a file is that archives have.
func (s *store) raw(set *Set, file string) string {
	return filepath.Join(s.folder(set), "raw", filepath.FromSlash(file))
}

// text is where a text is.
func (s *store) text(set *Set, pair, field string) string {
	return filepath.Join(s.folder(set), flat(set)+"."+pair+"."+strings.ReplaceAll(field, ":", "-"))
}

// flat is a set's name as part of a file's.
func flat(set *Set) string { return strings.ReplaceAll(set.Name, "/", "_") }

// archiveFile is where an archive is, within raw.
func archiveFile(set *Set, a archive) string { return flat(set) + "." + path.Base(a.URL) }

// have has the files of a pair in raw: those that are there as they are, others from the
// archives, of which only so many are downloaded as it takes.
func (s *store) have(ctx context.Context, set *Set, p *pair) error {
	lacking, err := s.lacking(set, files(set, p))
	if err != nil || len(lacking) == 0 {
		return err
	}
	var from []string
	for _, a := range set.archives {
		to := s.raw(set, archiveFile(set, a))
		if err := s.get(ctx, set, a, to); err != nil {
			return err
		}
		from = append(from, to)
		if lacking, err = s.lacking(set, lacking); err != nil || len(lacking) == 0 {
			return err
		}
	}
	return fmt.Errorf("%s: no file %s, which test set %s needs for %s: remove the archive, and it is downloaded anew",
		strings.Join(from, ", "), lacking[0], set.Name, p.Name)
}

// lacking are those of files that are not in raw.
func (s *store) lacking(set *Set, files []string) ([]string, error) {
	var out []string
	for _, f := range files {
		at := s.raw(set, f)
		info, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && info.Size() == 0 && info.Mode().IsRegular():
			out = append(out, f)
		case err != nil:
			return nil, fmt.Errorf("testsets: %w", err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s: is no regular file: remove it, and it is made anew", at)
		}
	}
	return out, nil
}

// get has an archive, and what the set needs of it unpacked.
func (s *store) get(ctx context.Context, set *Set, a archive, to string) error {
	if info, err := os.Stat(to); err != nil || info.Size() == 0 {
		s.note("downloading %s to %s", a.URL, to)
	}
	o := fetch.Options{MD5: a.MD5, Max: maxArchive, Client: s.o.Client, Note: s.o.Note}
	if s.o.Progress != nil {
		o.Progress = func(done, total int64) { s.o.Progress(a.URL, done, total) }
	}
	if err := fetch.File(ctx, a.URL, to, o); err != nil {
		return unreachable(ctx, set, to, err)
	}
	if !packed(to) {
		return nil
	}
	// The lock of sacreBLEU, which unpacks while it has it.
	unlock, err := fetch.Lock(ctx, to+".lock", fetch.Patience, func() { s.note("waiting for another process that unpacks %s", to) })
	if err != nil {
		return unreachable(ctx, set, to, err)
	}
	defer unlock()
	var all []string
	for i := range set.pairs {
		all = append(all, files(set, &set.pairs[i])...)
	}
	lacking, err := s.lacking(set, all)
	if err != nil || len(lacking) == 0 {
		return err
	}
	wanted := make(map[string]string, len(lacking))
	for _, f := range lacking {
		wanted[f] = s.raw(set, f)
	}
	return unpack(ctx, to, wanted)
}

// unreachable is the error of an archive that can't be had. What is there unpacked needs none.
func unreachable(ctx context.Context, set *Set, to string, err error) error {
	var disk *fs.PathError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &disk):
		return fmt.Errorf("testsets: test set %s: %w", set.Name, err)
	case packed(to):
		return fmt.Errorf("testsets: test set %s: %w; if you have the archive from elsewhere, unpack it in %s", set.Name, err, filepath.Dir(to))
	}
	return fmt.Errorf("testsets: test set %s: %w; if you have the file from elsewhere, put it at %s", set.Name, err, to)
}

// files are those of a pair, within raw.
func files(set *Set, p *pair) []string {
	out := make([]string, len(p.Files))
	for i, f := range p.Files {
		out[i] = f
		if set.kind == tsv {
			if _, file, ok := strings.Cut(f, ":"); ok {
				out[i] = file
			}
		}
	}
	return out
}
