package tune

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
)

// SetOptions are options of [OpenSet]. The zero value is for Kendall.
type SetOptions struct {
	// CorpusOptions are those of reading. Note is also told what of people's scores and of the
	// texts has no part in the set, or not the same one for all systems. Encoding is that of
	// texts, and what people said is UTF-8.
	files.CorpusOptions
	// Objective that the set is for.
	Objective Objective
	// Threshold is the difference of people's scores of a segment from which on they make a
	// pair, for Kendall; nil is metaeval.DARRThreshold. Where people gave pairs, it must be nil.
	Threshold *float64
}

// A FileSet is a set that was read.
type FileSet struct {
	Set
	// Files that it is of. A table of texts with scores is their Human, and they have no others.
	Files *files.Folder
	// Corpus has all of their texts: where people judged systems by some of the segments, the
	// set has only these.
	Corpus *files.Corpus
}

// FindFiles finds the files of judged texts for an objective. A folder has references ref.*,
// outputs in sys/, and of human-segment-darr.tsv and human-segment.tsv (Kendall), the latter
// (Pearson) or human-system.tsv the first that there is. A file is a table of texts with scores.
func FindFiles(path string, o Objective) (*files.Folder, error) {
	at, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: no such folder or file", path)
	case !at.IsDir():
		return &files.Folder{Name: files.SystemName(path), Human: path}, nil
	}
	names := []string{"human-system.tsv"}
	switch o {
	case Kendall:
		names = []string{"human-segment-darr.tsv", "human-segment.tsv"}
	case Pearson:
		names = []string{"human-segment.tsv"}
	}
	f, err := files.FindFolder(path, names...)
	if err != nil {
		return nil, fmt.Errorf("%w (objective %s)", err, o)
	}
	return f, nil
}

// OpenSet reads judged texts, of a folder or a table: see [FindFiles] and [OpenFiles].
func OpenSet(ctx context.Context, path string, o SetOptions) (*FileSet, error) {
	f, err := FindFiles(path, o.Objective)
	if err != nil {
		return nil, err
	}
	return OpenFiles(ctx, f, o)
}

// OpenFiles reads references, outputs and what people said of them, in any form that
// [files.OpenPeople] knows, segments being called by their line, from 1. Scores of segments
// make the pairs of Kendall, and their means the scores of systems. Without references and
// outputs it reads a table of texts with scores ([files.OpenRated]), of which each row is a
// segment, for Pearson. The set is called as the folder, or as the file of what people said.
//
// Where people's scores of systems are means of scores of segments, the set has those segments
// of which they judged some output, so that the metric's scores are of what people's are of.
//
// Errors begin with a file, and its line where that is known.
func OpenFiles(ctx context.Context, f *files.Folder, o SetOptions) (*FileSet, error) {
	if f == nil {
		return nil, errors.New("tune: no files: the Folder is nil")
	}
	s := &FileSet{Files: f, Set: Set{Name: f.Name}}
	if s.Name == "" {
		s.Name = files.SystemName(f.Human)
	}
	read := s.readJudged
	if len(f.Refs)+len(f.Outputs) == 0 {
		read = s.readRated
	}
	if err := read(ctx, o); err != nil {
		return nil, err
	}
	return s, nil
}

// readRated reads a table of texts with scores.
func (s *FileSet) readRated(ctx context.Context, o SetOptions) error {
	path := s.Files.Human
	if o.Objective != Pearson {
		return fmt.Errorf("%s: rows of texts with scores are for the objective pearson, not %s", path, o.Objective)
	}
	rows, err := files.OpenRated(ctx, path, o.Options)
	if err != nil {
		return err
	}
	s.Systems = []mteval.System{{}}
	for _, r := range rows {
		source := r.Source
		if source == "" {
			source = r.Reference // the translation of it
		}
		s.Sources = append(s.Sources, source)
		s.Refs = append(s.Refs, []string{r.Reference})
		s.Systems[0].Hyps = append(s.Systems[0].Hyps, r.Hypothesis)
		s.Scores = append(s.Scores, r.Score)
	}
	s.Corpus = &files.Corpus{Refs: s.Refs, Systems: s.Systems, Table: path}
	return nil
}
