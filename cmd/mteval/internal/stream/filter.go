package stream

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/mteval/mteval/stream"
)

// filterFunctions are those that an expression of --filter may call. The others of the language
// are of texts, lists and times, and some take long.
var filterFunctions = []string{"abs", "ceil", "floor", "max", "min", "round"}

// compileFilter compiles an expression over variables of these names.
func compileFilter(text string, names []string) (*stream.Filter, error) {
	env := make(map[string]any)
	for _, n := range names {
		env[n] = 0.
	}
	options := []expr.Option{expr.Env(env), expr.AsBool(), expr.DisableAllBuiltins()}
	for _, f := range filterFunctions {
		options = append(options, expr.EnableBuiltin(f))
	}
	seen := &filterNodes{names: names}
	program, err := expr.Compile(text, append(options, expr.Patch(seen))...)
	if err == nil {
		err = seen.err
	}
	if err != nil {
		return nil, filterError(err, names)
	}
	out := &stream.Filter{Text: text, Variables: seen.used}
	type machine struct {
		vm  vm.VM
		env map[string]any
	}
	pool := sync.Pool{New: func() any { return &machine{env: make(map[string]any)} }}
	out.Keep = func(values []float64) (bool, error) {
		m := pool.Get().(*machine)
		defer pool.Put(m)
		for i, name := range seen.used {
			m.env[name] = values[i]
		}
		result, err := m.vm.Run(program, m.env)
		if err != nil {
			return false, fmt.Errorf("--filter: %s", message(err))
		}
		return result.(bool), nil
	}
	return out, nil
}

// filterNodes looks at the parts of an expression, and notes the variables that it uses. Lists and
// texts, which the language has too, are an error: nothing here is of them, and with them an
// expression may take long.
type filterNodes struct {
	names, used []string
	err         error
}

func (v *filterNodes) Visit(node *ast.Node) {
	known := true
	switch n := (*node).(type) {
	case *ast.IdentifierNode: // $env is one, too
		if known = slices.Contains(v.names, n.Value); known && !slices.Contains(v.used, n.Value) {
			v.used = append(v.used, n.Value)
		}
	case *ast.IntegerNode: // of which large sums would be less than 0
		ast.Patch(node, &ast.FloatNode{Value: float64(n.Value)})
	case *ast.FloatNode, *ast.BoolNode, *ast.UnaryNode, *ast.ConditionalNode:
	case *ast.BinaryNode:
		known = n.Operator != ".."
	case *ast.BuiltinNode:
		known = slices.Contains(filterFunctions, n.Name)
	default:
		known = false
	}
	if !known && v.err == nil {
		at := (*node).Location()
		v.err = &file.Error{Location: at, Column: at.From, Message: "want numbers, variables, operators and functions"}
	}
}

// filterError is that of an expression which can't be compiled.
func filterError(err error, names []string) error {
	at := ""
	var where *file.Error
	if errors.As(err, &where) {
		at = fmt.Sprintf(" at character %d", where.Column+1)
	}
	return fmt.Errorf("--filter%s: %s (variables: %s; functions: %s)", at, message(err), strings.Join(names, ", "), strings.Join(filterFunctions, ", "))
}

// message is what the language says, without the picture of the place.
func message(err error) string {
	var where *file.Error
	if errors.As(err, &where) {
		return where.Message
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
