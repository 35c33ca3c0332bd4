package testsets

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
)

const (
	maxArchive  = 2 << 30 // bytes of an archive; the largest has some 200 MB
	maxUnpacked = 16 << 30
)

// packed says whether a file is an archive of files, by its name as sacreBLEU does.
func packed(file string) bool {
	return tarred(file) || strings.HasSuffix(file, ".zip")
}

func tarred(file string) bool {
	return strings.HasSuffix(file, ".tar.gz") || strings.HasSuffix(file, ".tgz")
}

// unpack writes files of an archive. Wanted says where each goes, by its name within. Nothing
// else is written, so no name within an archive is ever a path.
func unpack(ctx context.Context, file string, wanted map[string]string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("testsets: %w", err)
	}
	defer f.Close()
	if tarred(file) {
		err = untar(ctx, f, wanted)
	} else {
		err = unzip(ctx, f, wanted)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("%s: can't be unpacked: %w", file, err)
	}
	return nil
}

func untar(ctx context.Context, f *os.File, wanted map[string]string) error {
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	// One byte more than may be: who reads it, reads too much.
	left := &io.LimitedReader{R: sidefile.Until(ctx, z), N: maxUnpacked + 1}
	t := tar.NewReader(left)
	for {
		h, err := t.Next()
		switch {
		case left.N <= 0:
			return fmt.Errorf("it has more than %d bytes", int64(maxUnpacked))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if to := wanted[path.Clean(h.Name)]; to != "" && h.Typeflag == tar.TypeReg {
			if err := write(ctx, to, t, h.Size); err != nil {
				return fmt.Errorf("%s: %w", h.Name, err)
			}
		}
	}
}

func unzip(ctx context.Context, f *os.File, wanted map[string]string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return err
	}
	for _, e := range z.File {
		to := wanted[path.Clean(e.Name)]
		if to == "" || !e.Mode().IsRegular() {
			continue
		}
		r, err := e.Open()
		if err == nil {
			err = write(ctx, to, sidefile.Until(ctx, r), int64(min(e.UncompressedSize64, maxFile+1)))
			r.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return nil
}

// write writes a file of so many bytes, whole or not at all.
func write(ctx context.Context, to string, r io.Reader, size int64) error {
	if size > maxFile {
		return fmt.Errorf("more than %d bytes", maxFile)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := outfile.Create(ctx, to)
	if err != nil {
		return err
	}
	defer out.Close()
	n, err := io.Copy(out, io.LimitReader(r, size+1))
	if err != nil {
		return err
	}
	if n != size {
		return fmt.Errorf("%d bytes in place of %d", n, size)
	}
	return out.Commit()
}
