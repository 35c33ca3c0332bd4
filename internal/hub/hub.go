// Package hub finds Hugging Face models on disk, in the cache folder that Hugging
// Face's own library uses, and downloads them into it. A model that either has
// fetched, the other need not fetch again.
package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrNotFound is what errors of Find and Resolve wrap when the model is not on disk.
// They are of type *NotFoundError.
var ErrNotFound = errors.New("model not found on disk")

// A NotFoundError tells where a model was looked for.
type NotFoundError struct {
	Name string // the model
	Path string // what is not there
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("model %s is not on disk (no %s); `mteval model get %s` fetches it", e.Name, e.Path, e.Name)
}

// Unwrap is ErrNotFound.
func (e *NotFoundError) Unwrap() error { return ErrNotFound }

// segment is a name that is safe in a path and in an address on every platform: no
// separator, no drive, no "." or "..". Hugging Face's names are of these characters.
var segment = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_-])?$`)

// reserved are the names that Windows has for devices, whatever follows a dot.
var reserved = regexp.MustCompile(`^(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// checkSegment refuses what can't be a file's name on every platform.
func checkSegment(s string) error {
	switch {
	case !segment.MatchString(s) || strings.Contains(s, ".."):
		return errors.New("has characters that it can't have")
	case len(s) > 255:
		return errors.New("is too long")
	case reserved.MatchString(s):
		return errors.New("is a device's name on Windows")
	}
	return nil
}

// checkName refuses what is no model's name. "--" stands for the slash in the name of
// the model's folder, so that Hugging Face forbids it in names.
func checkName(name string) error {
	parts := strings.Split(name, "/")
	// No part is the name of a file, so that devices' names do not matter.
	ok := len(parts) <= 2 && len(name) <= 200 && !strings.Contains(name, "..") && !strings.Contains(name, "--")
	for _, p := range parts {
		ok = ok && segment.MatchString(p)
	}
	if !ok {
		return fmt.Errorf("%.80q is not a model's name (NAME or OWNER/NAME)", name)
	}
	return nil
}

// checkRevision refuses what is no revision's name or can't be recorded, as files and
// folders, on every platform.
func checkRevision(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if err := checkSegment(part); err != nil {
			return fmt.Errorf("%.80q is not a revision's name: %.80q %w", name, part, err)
		}
	}
	if len(name) > 1000 {
		return fmt.Errorf("%.80q… is not a revision's name: it is too long", name)
	}
	return nil
}

// cache is the folder of all models.
func cache() (string, error) {
	if dir := os.Getenv("HF_HUB_CACHE"); strings.TrimSpace(dir) != "" {
		return expand(dir)
	}
	if dir := os.Getenv("HF_HOME"); strings.TrimSpace(dir) != "" {
		return expand(filepath.Join(dir, "hub"))
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); strings.TrimSpace(dir) != "" {
		return expand(filepath.Join(dir, "huggingface", "hub"))
	}
	return expand("~/.cache/huggingface/hub")
}

// expand replaces a leading "~", which no shell has expanded where the variable comes
// from a file of settings; Hugging Face's library does the same.
func expand(dir string) (string, error) {
	rest, ok := strings.CutPrefix(filepath.ToSlash(dir), "~")
	if !ok || rest != "" && rest[0] != '/' {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("the folder of models: %w", err)
	}
	return filepath.Join(home, rest), nil
}

// folder is the model's folder in the cache.
func folder(root, name string) string {
	return filepath.Join(root, "models--"+strings.ReplaceAll(name, "/", "--"))
}

// Find is the folder of a model in the cache: the snapshot that its main revision
// names. The folder has what was fetched, which need not be all of the model when
// something other than Get filled it.
func Find(name string) (dir string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	root, err := cache()
	if err != nil {
		return "", err
	}
	model := folder(root, name)
	ref := filepath.Join(model, "refs", "main")
	commit, err := readRef(ref)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(model); errors.Is(err, os.ErrNotExist) {
			return "", &NotFoundError{name, model}
		}
		return "", &NotFoundError{name, ref}
	}
	if errors.Is(err, errNoCommit) {
		return "", fmt.Errorf("%w; `mteval model get %s` mends it", err, name)
	}
	if err != nil {
		return "", err
	}
	dir = filepath.Join(model, "snapshots", commit)
	if info, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) || err == nil && !info.IsDir() {
		return "", &NotFoundError{name, dir}
	} else if err != nil {
		return "", err
	}
	return dir, nil
}

var errNoCommit = errors.New("is not a commit")

// readRef is the commit that a revision's file names.
func readRef(path string) (commit string, err error) {
	// Looked at before it is opened: a pipe would wait.
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: what is no regular file %w", path, errNoCommit)
	} else if info.Size() > 1<<10 {
		return "", fmt.Errorf("%s: what has %d bytes %w", path, info.Size(), errNoCommit)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	commit = strings.TrimSpace(string(data))
	if len(commit) > 64 || !segment.MatchString(commit) {
		return "", fmt.Errorf("%s: %.80q %w", path, commit, errNoCommit)
	}
	return commit, nil
}

// Resolve is the folder of a model that is named by its folder or by its name. A
// folder that exists goes before a model of the same name, and a link that leads to
// nothing is no model's name. What a folder's model is called is modelname's to tell.
func Resolve(model string) (dir string, err error) {
	info, err := os.Stat(model)
	if err == nil && info.IsDir() {
		return model, nil
	}
	if err != nil {
		if err := badLink(model); err != nil {
			return "", fmt.Errorf("model %s: %w", model, err)
		}
	}
	if checkName(model) != nil {
		return "", fmt.Errorf("%q is neither a folder nor a model's name (NAME or OWNER/NAME)", model)
	}
	return Find(model)
}

// badLink is the error of the first link on a path that leads to nothing, if any does.
func badLink(path string) error {
	for i := range len(path) + 1 {
		if i < len(path) && !os.IsPathSeparator(path[i]) || i == 0 {
			continue
		}
		target, err := os.Readlink(path[:i])
		if err != nil {
			continue
		}
		if _, err := os.Stat(path[:i]); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s is a link to %s, which is not there", path[:i], target)
		} else if err != nil {
			return fmt.Errorf("%s is a link to %s: %w", path[:i], target, err)
		}
	}
	return nil
}
