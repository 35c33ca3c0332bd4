package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Output is the file of a system's output, and what the system is called.
type Output struct {
	Name, Path string
}

// Outputs are those that arguments of a command line or the like name. Each is a path, "-" being
// standard input, or NAME=PATH. As either may have an = in it, what there is as a file is a path,
// and else NAME ends at the first = behind which there is one. Where there is none the error says
// what was looked for; "" is one. Without a NAME, [SystemNames] has one.
//
// Two outputs of one name are an error.
func Outputs(args []string) ([]Output, error) {
	out := make([]Output, len(args))
	for i, arg := range args {
		var err error
		if out[i], err = parseOutput(arg); err != nil {
			return nil, err
		}
	}
	return out, name(out)
}

// name gives outputs the names that they are without.
func name(out []Output) error {
	taken := make(map[string]bool)
	var unnamed []int
	var paths []string
	for i, o := range out {
		if o.Name == "" {
			unnamed, paths = append(unnamed, i), append(paths, o.Path)
		}
		taken[o.Name] = true
	}
	for k, name := range distinctNames(paths, taken) {
		out[unnamed[k]].Name = name
	}
	of := make(map[string]string)
	for _, o := range out {
		if before, ok := of[o.Name]; ok {
			return fmt.Errorf("%s and %s are both outputs of a system %s: give one of them another file name, or a name, NAME=%s", before, o.Path, o.Name, o.Path)
		}
		of[o.Name] = o.Path
	}
	return nil
}

// parseOutput splits NAME=PATH. The name of a path alone is "".
func parseOutput(arg string) (Output, error) {
	if arg == "" {
		return Output{}, errors.New("files: an output without a path")
	}
	if arg == "-" || !strings.Contains(arg, "=") || isThere(arg) {
		return Output{Path: arg}, nil
	}
	for i := range len(arg) {
		if arg[i] != '=' {
			continue
		}
		if name, path := arg[:i], arg[i+1:]; path == "-" || path != "" && isThere(path) {
			if name == "" {
				return Output{}, fmt.Errorf("%s: no name before the =", arg)
			}
			return Output{name, path}, nil
		}
	}
	name, path, _ := strings.Cut(arg, "=")
	switch {
	case strings.TrimSpace(path) == "":
		return Output{}, fmt.Errorf("%s: no such file, and no path behind the =", arg)
	case name == "":
		return Output{}, fmt.Errorf("%s: no such file, and no name before the =", arg)
	}
	return Output{}, fmt.Errorf("%s: no such file, and no %s either, whose name would be %s", arg, path, name)
}

// isThere says whether there is a file, be it one that can't be read.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// SystemNames are the names of the systems whose outputs are in files: [SystemName], with as much
// of the path before it as it takes to tell files of equal names apart: a/sys.txt, b/sys.txt and
// c/other.txt are a/sys, b/sys and other. Files that differ by the end of their name alone
// (sys.txt, sys.de) have one name.
func SystemNames(paths []string) []string { return distinctNames(paths, nil) }

// distinctNames is SystemNames beside other names.
func distinctNames(paths []string, taken map[string]bool) []string {
	out := make([]string, len(paths))
	full := make([]string, len(paths))    // with all folders
	above := make([][]string, len(paths)) // the folders that are not in the name, the last first
	for i, path := range paths {
		out[i] = SystemName(path)
		dir := filepath.ToSlash(filepath.Dir(path))
		if full[i] = dir + "/" + out[i]; dir != "." {
			above[i] = strings.Split(dir, "/")
			slices.Reverse(above[i])
		}
	}
	for more := true; more; {
		more = false
		of := make(map[string]string) // the path of a name, "" of several
		for i, name := range out {
			if path, ok := of[name]; ok && path != full[i] || taken[name] {
				of[name] = ""
			} else {
				of[name] = full[i]
			}
		}
		for i, name := range out {
			if of[name] == "" && len(above[i]) > 0 {
				out[i], above[i], more = above[i][0]+"/"+name, above[i][1:], true
			}
		}
	}
	return out
}
