// Command size counts what the project wants less of: lines, and in the command structs of JSON,
// functions that write a number, and flags.
//
//	go run ./scripts/size [FOLDER]
//
// FOLDER is the root of a checkout, of this or of another commit. The limits of the command are kept
// by a test beside this file.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	s, err := measure(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
	fmt.Printf("%7d lines of Go without tests\n%7d of them in cmd/\n", s.lines, s.cmd)
	fmt.Printf("%7d exported names that other modules can reach\n", s.exported)
	fmt.Printf("%7d structs of JSON in cmd/\n%7d functions in cmd/ that write a number\n", s.json, len(s.formatters))
	for _, f := range s.formatters {
		fmt.Println("        ", f)
	}
	for _, p := range slices.Sorted(maps.Keys(s.packages)) {
		fmt.Printf("%7d lines in %s\n", s.packages[p], p)
	}
	for _, verb := range verbs {
		n, err := helpFlags(dir, verb)
		if err != nil {
			fmt.Fprintln(os.Stderr, "size:", err)
			os.Exit(1)
		}
		fmt.Printf("%7d flags in mteval %s --help\n", n, verb)
	}
}

// verbs are the commands with the most flags.
var verbs = []string{"score", "select", "rank", "study", "meta", "compare", "stream", "tune", "calibrate"}

// A size is what measure counts, tests left out.
type size struct {
	lines, cmd, json, exported int
	// formatters take a number and return text, in cmd/, as FILE: NAME.
	formatters []string
	packages   map[string]int // lines by folder, in cmd/
}

func measure(dir string) (*size, error) {
	s := &size{packages: make(map[string]int)}
	return s, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && strings.HasPrefix(name, ".") && path != dir {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return s.file(path, filepath.ToSlash(rel))
	})
}

// file counts a file, whose path is rel within the project.
func (s *size) file(path, rel string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	n := bytes.Count(text, []byte("\n"))
	s.lines += n
	if !strings.HasPrefix(rel, "cmd/") {
		if f.Name.Name != "main" && !strings.Contains("/"+rel, "/internal/") {
			s.exported += exported(f)
		}
		return nil
	}
	s.cmd += n
	s.packages[rel[:strings.LastIndexByte(rel, '/')]] += n
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			if slices.ContainsFunc(n.Fields.List, func(f *ast.Field) bool { return f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`) }) {
				s.json++
			}
		case *ast.FuncDecl:
			if writesNumber(n.Type) {
				s.formatters = append(s.formatters, rel+": "+n.Name.Name)
			}
		}
		return true
	})
	return nil
}

// writesNumber says whether a function takes a float64 and returns a string and nothing else.
func writesNumber(f *ast.FuncType) bool {
	is := func(x ast.Expr, name string) bool {
		if p, ok := x.(*ast.StarExpr); ok {
			x = p.X
		}
		id, ok := x.(*ast.Ident)
		return ok && id.Name == name
	}
	return f.Results != nil && len(f.Results.List) == 1 && is(f.Results.List[0].Type, "string") &&
		slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool { return is(p.Type, "float64") })
}

// exported is how many names of a file can be reached from elsewhere: functions, methods of types
// that can be, types, variables and constants.
func exported(f *ast.File) int {
	n := 0
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				n++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						n++
					}
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.IsExported() {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// receiver is the name of a method's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// helpFlags is how many flags the help of a command shows.
func helpFlags(dir, verb string) (int, error) {
	c := exec.Command("go", "run", "./cmd/mteval", verb, "--help")
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		return 0, fmt.Errorf("mteval %s --help: %w", verb, err)
	}
	n := 0
	_, usage, _ := strings.Cut(string(out), "\nUsage:\n") // what is said before names flags, too
	for line := range strings.Lines(usage) {
		line = strings.TrimLeft(line, " ")
		if strings.HasPrefix(line, "--") || len(line) > 6 && line[0] == '-' && line[2:6] == ", --" {
			n++
		}
	}
	return n, nil
}
