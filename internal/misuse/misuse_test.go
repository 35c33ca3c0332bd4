package misuse

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var combos = flag.Int("combos", 60, "calls of each function")

// A finding is a call that came to what it must not.
type finding struct {
	Call string // as in the table
	Args string
	What string
	At   string // the module's frame
}

// A callable is a function or a method, whose receiver is its first argument.
type callable struct {
	name   string
	f      reflect.Value
	method bool
	in     []reflect.Type
}

func callables() []callable {
	var out []callable
	for name, f := range functions {
		v := reflect.ValueOf(f)
		c := callable{name: name, f: v}
		for i := range v.Type().NumIn() {
			c.in = append(c.in, v.Type().In(i))
		}
		out = append(out, c)
	}
	seen := make(map[reflect.Type]bool)
	for _, t := range types {
		if !seen[t] && t.Kind() != reflect.Interface {
			seen[t] = true
			out = append(out, methods(t)...)
		}
	}
	slices.SortFunc(out, func(a, b callable) int { return strings.Compare(a.name, b.name) })
	return out
}

// methods are those of a type and of pointers to it.
func methods(t reflect.Type) []callable {
	p := reflect.PointerTo(t)
	var out []callable
	for i := range p.NumMethod() {
		f := p.Method(i)
		if !ast.IsExported(t.Name()) && !slices.ContainsFunc(types, func(i reflect.Type) bool { return gives(i, f.Name, p) }) {
			continue // out of reach
		}
		name := key(t) + "." + f.Name
		c := callable{name: name, f: f.Func, method: true}
		for i := range f.Type.NumIn() {
			c.in = append(c.in, f.Type.In(i))
		}
		out = append(out, c)
	}
	return out
}

// gives says whether a type has a method of that name by an exported interface.
func gives(i reflect.Type, method string, p reflect.Type) bool {
	if i.Kind() != reflect.Interface || !p.Implements(i) {
		return false
	}
	_, ok := i.MethodByName(method)
	return ok
}

// A runner makes calls and notes what they come to.
type runner struct {
	m      *maker
	skip   map[string]bool
	out    *json.Encoder
	last   *os.File
	call   atomic.Pointer[string]
	since  atomic.Int64
	counts [3]int // functions, calls, findings
}

// run is the child: it makes all calls.
func run(t *testing.T, dir string) {
	r := &runner{m: &maker{pool: make(map[reflect.Type][]reflect.Value)}, skip: make(map[string]bool)}
	if b, err := os.ReadFile(filepath.Join(dir, "skip")); err == nil {
		for l := range strings.Lines(string(b)) {
			r.skip[strings.TrimSpace(l)] = true
		}
	}
	f, err := os.Create(filepath.Join(dir, "findings"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r.out = json.NewEncoder(f)
	if r.last, err = os.Create(filepath.Join(dir, "last")); err != nil {
		t.Fatal(err)
	}
	defer r.last.Close()
	go r.watch()
	seed(r.m)
	all := callables()
	// First what can be made of arguments that make sense.
	for range 2 {
		for _, c := range all {
			if !c.method || true {
				r.calls(c, 2)
			}
		}
	}
	seen := make(map[string]bool)
	sweep := func(all []callable) {
		for _, c := range all {
			if !seen[c.name] {
				seen[c.name] = true
				r.counts[0]++
				r.calls(c, *combos)
			}
		}
	}
	sweep(all)
	// Then what lies behind interfaces.
	for _, t := range sorted(r.m.pool) {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Name() != "" && !strings.Contains(t.PkgPath(), "/internal/") {
			sweep(methods(t))
		}
	}
	fmt.Printf("%d functions and methods, %d calls, %d findings\n", r.counts[0], r.counts[1], r.counts[2])
}

// calls makes n calls of a function, or fewer if there are not as many that differ.
func (r *runner) calls(c callable, n int) {
	if r.skip[c.name] || slow[c.name] && n > 2 {
		n = 2
	}
	if r.skip[c.name] || never[c.name] {
		return
	}
	hash := uint64(14695981039346656037)
	for i := range len(c.name) {
		hash = (hash ^ uint64(c.name[i])) * 1099511628211
	}
	r.m.rng = rand.New(rand.NewPCG(1, hash))
	lists := make([][]value, len(c.in))
	for i, t := range c.in {
		lists[i] = r.m.values(t, 0)
		if c.method && i == 0 && t.Kind() == reflect.Pointer {
			// Not of nil, and what was made first.
			lists[i] = lists[i][1:]
			if len(lists[i]) == 0 {
				return
			}
		}
		if c.method && i == 0 && !ast.IsExported(t.Elem().Name()) {
			if lists[i] = r.m.pooled(t); len(lists[i]) == 0 {
				return
			}
		}
	}
	at := func(i, k int) value { return lists[i][min(k, len(lists[i])-1)] }
	var plans [][]value
	plan := func(base, vary, k int) {
		p := make([]value, len(lists))
		for i := range p {
			p[i] = at(i, base)
		}
		if vary >= 0 {
			p[vary] = lists[vary][k]
		}
		plans = append(plans, p)
	}
	plan(1, -1, 0)
	plan(0, -1, 0)
	for i := range lists {
		for k := range lists[i] {
			plan(1, i, k)
			plan(0, i, k)
		}
	}
	for range n / 4 {
		p := make([]value, len(lists))
		for i := range p {
			p[i] = lists[i][r.m.rng.IntN(len(lists[i]))]
		}
		plans = append(plans, p)
	}
	rest := plans[2:]
	r.m.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for _, p := range plans[:min(n, len(plans))] {
		r.one(c, p)
	}
}

// one makes a call.
func (r *runner) one(c callable, args []value) {
	var names []string
	for _, a := range args {
		names = append(names, a.name)
	}
	what := fmt.Sprintf("%s(%s)", c.name, strings.Join(names, "; "))
	r.counts[1]++
	text := c.name + "\n" + what + "\n\x00"
	r.last.WriteAt([]byte(text), 0)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	r.m.ctx = ctx
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		v := reflect.New(c.in[i]).Elem()
		if x := a.make(); x.IsValid() {
			v.Set(x)
		}
		in[i] = v
	}
	note := func(f finding) {
		f.Call, f.Args = c.name, what
		if slices.Contains(names, nilContext) {
			return // as in the standard library
		}
		r.counts[2]++
		r.out.Encode(f)
	}
	before := allocated()
	r.call.Store(&what)
	r.since.Store(time.Now().UnixNano())
	defer r.since.Store(0)
	defer func() {
		if p := recover(); p != nil {
			note(finding{What: fmt.Sprint(p), At: frame(string(debug.Stack()))})
		}
	}()
	var out []reflect.Value
	if c.f.Type().IsVariadic() {
		out = c.f.CallSlice(in)
	} else {
		out = c.f.Call(in)
	}
	took := time.Duration(time.Now().UnixNano() - r.since.Load())
	r.since.Store(0)
	if n := allocated() - before; n > 256<<20 {
		note(finding{What: fmt.Sprintf("memory: %d MB", n>>20)})
	}
	if took > time.Second {
		fmt.Printf("SLOW %v %s\n", took.Round(time.Millisecond), what)
	}
	for i, v := range out {
		if v.Kind() == reflect.Func && v.Type().NumIn() == 1 && v.Type().NumOut() == 0 && !v.IsNil() {
			// A sequence.
			v.Call([]reflect.Value{reflect.MakeFunc(v.Type().In(0), func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })})
			continue
		}
		if len(out) > 1 && out[len(out)-1].Type() == errorType && !out[len(out)-1].IsNil() {
			break
		}
		_ = i
		r.m.keep(v)
	}
}

var samples = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}

func allocated() uint64 {
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}

// watch ends the program where a call does not end, or fills the memory.
func (r *runner) watch() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(20 * time.Millisecond) {
		metrics.Read(heap)
		if n := heap[0].Value.Uint64(); n > 3<<30 {
			fmt.Printf("FATAL memory %d MB\n", n>>20)
			os.Exit(3)
		}
		if since := r.since.Load(); since > 0 && time.Now().UnixNano()-since > int64(10*time.Second) {
			buf := make([]byte, 1<<16)
			fmt.Printf("FATAL hang\n%s\n", buf[:runtime.Stack(buf, true)])
			os.Exit(4)
		}
	}
}

var frames = regexp.MustCompile(`/(?:w-misuse|mteval)/(\S+\.go:\d+)`)

// frame is where in the module a panic was.
func frame(stack string) string {
	_, stack, _ = strings.Cut(stack, "panic(")
	for _, m := range frames.FindAllStringSubmatch(stack, -1) {
		if !strings.HasPrefix(m[1], "internal/misuse/") {
			return m[1]
		}
	}
	return ""
}

const env = "MTEVAL_MISUSE"

func TestMisuse(t *testing.T) {
	if dir := os.Getenv(env); dir != "" {
		run(t, dir)
		return
	}
	dir := t.TempDir()
	var fatal []string
	for {
		work := t.TempDir()
		os.WriteFile(filepath.Join(dir, "skip"), []byte(strings.Join(fatal, "\n")), 0o644)
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMisuse$", fmt.Sprintf("-combos=%d", *combos))
		cmd.Dir = work
		cmd.Env = append(os.Environ(), env+"="+dir, "HOME="+work, "SACREBLEU="+work, "XDG_CACHE_HOME="+work, "HF_HOME="+work,
			"HF_ENDPOINT=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9")
		out, err := cmd.CombinedOutput()
		judge(t, dir)
		if err == nil {
			t.Logf("%s", out)
			break
		}
		b, _ := os.ReadFile(filepath.Join(dir, "last"))
		last, _, _ := strings.Cut(string(b), "\x00")
		name, what, _ := strings.Cut(last, "\n")
		t.Errorf("FATAL %s: %v\n%.3000s", what, err, out)
		if fatal = append(fatal, name); len(fatal) > 30 {
			break
		}
	}
}

func judge(t *testing.T, dir string) {
	f, err := os.Open(filepath.Join(dir, "findings"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	docs := make(map[string]string)
	for _, e := range listExported(t) {
		for k, d := range e.docs {
			docs[e.key(k)] = d
		}
	}
	type key struct{ call, at string }
	first := make(map[key]finding)
	n := make(map[key]int)
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var x finding
		if err := d.Decode(&x); err == io.EOF {
			break
		} else if err != nil {
			break
		}
		if announced(docs, x.Call) {
			continue
		}
		k := key{x.Call, x.At + x.What[:min(6, len(x.What))]}
		if _, ok := first[k]; !ok {
			first[k] = x
		}
		n[k]++
	}
	var keys []key
	for k := range first {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(strings.Compare(a.call, b.call), strings.Compare(a.at, b.at)) })
	for _, k := range keys {
		x := first[k]
		t.Errorf("%d× %s\n\t%s\n\t%s", n[k], x.Args, x.What, x.At)
	}
}

// announced says whether a comment of a function, of its type where the method is another's,
// or of an interface's method, says that it panics.
func announced(docs map[string]string, call string) bool {
	doc, ok := docs[call]
	dot := strings.LastIndexByte(call, '.')
	if !ok {
		doc = docs[call[:dot]]
	}
	if strings.Contains(doc, "panics") {
		return true
	}
	for _, t := range types {
		if key(t) != call[:dot] || t.Kind() == reflect.Interface {
			continue
		}
		for _, i := range types {
			if gives(i, call[dot+1:], reflect.PointerTo(t)) && strings.Contains(docs[key(i)+call[dot:]], "panics") {
				return true
			}
		}
	}
	if dot > 0 && !ast.IsExported(call[strings.LastIndexByte(call[:dot], '.')+1:dot]) {
		for _, i := range types {
			if _, ok := i.MethodByName(call[dot+1:]); ok && i.Kind() == reflect.Interface && strings.Contains(docs[key(i)+call[dot:]], "panics") {
				return true
			}
		}
	}
	return false
}

// key is how a type is called in the table.
func key(t reflect.Type) string {
	return strings.TrimPrefix(strings.TrimPrefix(t.PkgPath(), module), "/") + "." + t.Name()
}
