// Package modelname tells what the model in a folder is called, however the folder is
// named: by ".", with a slash at the end, through links, or in the Hugging Face cache.
package modelname

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Of returns what the model in the folder may be called, without its owner, the first
// that counts first: the folder's name as it was written, the name of what it leads to
// where it is a symbolic link, and so on along the links, and last the name that it has
// with all links above it followed. A snapshot in the Hugging Face cache,
// models--OWNER--NAME/snapshots/COMMIT, is called NAME next to COMMIT. "." and ".." at
// the end stand for the folder that they mean. The folder is one that exists; of one that
// does not there is only the name as it was written.
func Of(dir string) []string {
	path, err := filepath.Abs(dir)
	if err != nil {
		path = filepath.Clean(dir)
	}
	paths := alongLinks(path, dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		if real, err = filepath.Abs(real); err == nil {
			paths = append(paths, real)
		}
	}
	if paths == nil {
		paths = []string{path}
	}
	var names []string
	for _, p := range paths {
		for _, n := range called(p) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

// alongLinks returns the path, what it leads to, and so on, for as long as it is the folder.
// Abs shortens link/.. by its letters only, which may be another folder.
func alongLinks(path, dir string) []string {
	var paths []string
	for len(paths) <= 40 && is(path, dir) {
		paths = append(paths, path)
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return paths
}

// called returns the names by a path alone.
func called(path string) []string {
	names := []string{filepath.Base(path)}
	folder := filepath.Dir(path)
	if filepath.Base(folder) != "snapshots" {
		return names
	}
	if repo, ok := strings.CutPrefix(filepath.Base(filepath.Dir(folder)), "models--"); ok {
		if i := strings.LastIndex(repo, "--"); i >= 0 {
			repo = repo[i+len("--"):]
		}
		names = append(names, repo)
	}
	return names
}

// is tells whether two paths are one folder.
func is(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
