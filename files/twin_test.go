package files

import (
	"errors"
	"io/fs"
	"testing"
)

// A file whose name looks like one that there is not.
func TestTwin(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{"d/cafe\u0301.txt": ""})
	const want = `: café.txt is in other characters than the file's name, cafe\u0301.txt, that looks like it (NFC, NFD)`
	if got := twin("d/caf\u00e9.txt", fs.ErrNotExist); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for path, err := range map[string]error{"d/cafe\u0301.txt": fs.ErrNotExist, "d/cafe.txt": fs.ErrNotExist, "no/caf\u00e9.txt": fs.ErrNotExist, "d/caf\u00e9.txt": errors.New("other")} {
		if got := twin(path, err); got != "" {
			t.Errorf("%s, %v: %s", path, err, got)
		}
	}
}

// A path that is empty, such as of a variable that is not set.
func TestNoPath(t *testing.T) {
	if _, err := OpenCorpus(t.Context(), []string{""}, nil, CorpusOptions{}); err == nil || err.Error() != `files: a path is "": name a file` {
		t.Error(err)
	}
}
