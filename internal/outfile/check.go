package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A Use is a file and what names it.
type Use struct {
	By   string // such as "--html", for the error
	Path string
}

// Check refuses an output that is one of the inputs, or another output, under whatever
// name: links, relative paths, other case where the file system has none. Empty names
// and addresses (http://…) are none, the output "-" is none either, and the input "-" is
// the file that standard input comes from, if any. Pipes and devices may be used twice.
// Folders are not looked into: where an input is a folder, its files are the inputs.
func Check(inputs, outputs []Use) error {
	ins := make([]*place, len(inputs))
	for i, in := range inputs {
		ins[i] = in.input()
	}
	outs := make([]*place, len(outputs))
	for i, out := range outputs {
		if out.Path != "-" {
			outs[i] = find(out.Path)
		}
		for j, in := range inputs {
			if outs[i].same(ins[j]) {
				return fmt.Errorf("%s %s: that is also the file of %s%s; it would be overwritten", out.By, out.Path, in.By, in.other(out))
			}
		}
		for j, first := range outputs[:i] {
			if outs[i].same(outs[j]) {
				return fmt.Errorf("%s %s: that is also the file of %s%s; one would overwrite the other", out.By, out.Path, first.By, first.other(out))
			}
		}
	}
	return nil
}

// other tells the file's name where it is not the one that was told already.
func (u Use) other(told Use) string {
	switch {
	case u.Path == told.Path:
		return ""
	case u.Path == "-":
		return " (standard input)"
	}
	return " (" + u.Path + ")"
}

// A place is where a file is or would be.
type place struct {
	info fs.FileInfo // nil where nothing is yet
	path string
}

func (u Use) input() *place {
	switch {
	case u.Path == "-":
		if info, err := os.Stdin.Stat(); err == nil && info.Mode().IsRegular() {
			return &place{info: info}
		}
		return nil
	case strings.HasPrefix(u.Path, "http://"), strings.HasPrefix(u.Path, "https://"):
		return nil
	}
	return find(u.Path)
}

// find is nil for what is no file. What can't be looked at is told when it is opened.
func find(path string) *place {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err == nil {
		if !info.Mode().IsRegular() {
			return nil
		}
		return &place{info: info}
	}
	target, err := resolve(path)
	if err != nil {
		return nil
	}
	return &place{path: target}
}

func (p *place) same(q *place) bool {
	switch {
	case p == nil || q == nil:
		return false
	case p.info != nil && q.info != nil:
		return os.SameFile(p.info, q.info)
	case p.info != nil || q.info != nil:
		return false
	case runtime.GOOS == "windows" || runtime.GOOS == "darwin":
		// Names there mostly have no case, and files that are not yet can't be
		// asked.
		return strings.EqualFold(p.path, q.path)
	}
	return p.path == q.path
}

// resolve is the absolute path of the file that a path leads to, which need not exist;
// its folder must.
func resolve(path string) (string, error) {
	for range 40 {
		// Not filepath.Dir: it shortens link/../x to x, which is another file.
		dir, name := filepath.Split(path)
		if name == "" {
			return "", errIsFolder
		}
		if dir == "" {
			dir = "."
		}
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", err
		}
		if dir, err = filepath.Abs(dir); err != nil {
			return "", err
		}
		path = filepath.Join(dir, name)
		target, err := os.Readlink(path)
		if err != nil { // no link
			return path, nil
		}
		if path = target; !filepath.IsAbs(target) {
			path = dir + string(filepath.Separator) + target
		}
	}
	return "", errors.New("too many links")
}
