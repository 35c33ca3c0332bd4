package misuse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var combinations = flag.Int("combinations", 80, "how often each function is called")

// What a call may take. The time is one that no call comes near to, on however busy a machine:
// a call that has it is one that does not end.
const (
	mostTime = time.Minute
	mostHeap = 2 << 30   // that is in use
	mostMade = 512 << 20 // in a call
)

// env names the folder that a child writes to.
const env = "MTEVAL_MISUSE"

// Everything that is exported, called with arguments that make no sense, returns, or panics if
// its comment says that it panics, and then not on another goroutine. It ends, and takes no
// memory to speak of. All of it is called in a child of this process, as some of what is to be
// found ends the process.
func TestMisuse(t *testing.T) {
	if dir := os.Getenv(env); dir != "" {
		newRunner(t, dir).run()
		return
	}
	dir, work := t.TempDir(), t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMisuse$", fmt.Sprint("-combinations=", *combinations))
	cmd.Dir = work
	const nobody = "http://127.0.0.1:9" // so that nothing is downloaded
	cmd.Env = append(os.Environ(), env+"="+dir, "HOME="+work, "SACREBLEU="+work, "XDG_CACHE_HOME="+work, "HF_HOME="+work,
		"HF_HUB_CACHE="+work, "HF_ENDPOINT="+nobody, "HTTPS_PROXY="+nobody, "HTTP_PROXY="+nobody)
	out, err := cmd.CombinedOutput()
	if err != nil {
		last, _ := os.ReadFile(filepath.Join(dir, "last"))
		last, _, _ = bytes.Cut(last, []byte{0})
		t.Errorf("the process ended in %s: %v\n%.4000s", last, err, out)
	}
	t.Logf("%s", out)
	found, err := os.ReadFile(filepath.Join(dir, "found"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range wrong(t, found) {
		t.Error(x)
	}
}

// A finding is a call that panicked, or took too much.
type finding struct{ Callable, Call, What, At string }

// wrong are those findings, the first of each kind, that no comment announces.
func wrong(t *testing.T, found []byte) []string {
	docs := make(map[string]string)
	for _, e := range listExported(t) {
		for name, doc := range e.docs {
			docs[e.key(name)] = doc
		}
	}
	first := make(map[finding]string)
	for d := json.NewDecoder(bytes.NewReader(found)); ; {
		var x finding
		if err := d.Decode(&x); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kind := finding{Callable: x.Callable, At: x.At}
		if first[kind] == "" && (x.At == "" || !announced(docs, x.Callable)) {
			first[kind] = fmt.Sprintf("%s: %s\n\t%s", x.Call, x.What, x.At)
		}
	}
	var out []string
	for _, x := range first {
		out = append(out, x)
	}
	slices.Sort(out)
	return out
}

// announced says whether the comment of a function says that it panics: a method's may be that of
// an interface's method, and that of the type where it is of what the type embeds.
func announced(docs map[string]string, callable string) bool {
	doc, ok := docs[callable]
	dot := strings.LastIndexByte(callable, '.')
	of, method := callable[:dot], callable[dot+1:]
	if !ok {
		doc = docs[of]
	}
	if strings.Contains(doc, "panics") {
		return true
	}
	for _, i := range types {
		if i.Kind() != reflect.Interface || !strings.Contains(docs[key(i)+"."+method], "panics") {
			continue
		}
		if !ast.IsExported(of[strings.LastIndexByte(of, '.')+1:]) {
			return true // which is known by its interfaces only
		}
		for _, t := range types {
			if key(t) == of && reflect.PointerTo(t).Implements(i) {
				return true
			}
		}
	}
	return false
}

// key is how a type is called in the table.
func key(t reflect.Type) string { return inModule(t.PkgPath()) + "." + t.Name() }

// A callable is a function, or a method with its receiver as the first argument.
type callable struct {
	name   string
	f      reflect.Value
	method bool
}

func (c *callable) in(i int) reflect.Type { return c.f.Type().In(i) }

// callables are the functions and the methods of the table.
func callables() []callable {
	var out []callable
	for name, f := range functions {
		out = append(out, callable{name: name, f: reflect.ValueOf(f)})
	}
	for _, t := range types {
		if t.Kind() != reflect.Interface {
			out = append(out, methods(t)...)
		}
	}
	slices.SortFunc(out, func(a, b callable) int { return cmp.Compare(a.name, b.name) })
	return slices.CompactFunc(out, func(a, b callable) bool { return a.name == b.name }) // a type has several names
}

// methods are those of a type and of pointers to it, of one that is not exported those that an
// exported interface has.
func methods(t reflect.Type) []callable {
	p := reflect.PointerTo(t)
	var out []callable
	for i := range p.NumMethod() {
		m := p.Method(i)
		if ast.IsExported(t.Name()) || slices.ContainsFunc(types, func(i reflect.Type) bool {
			return i.Kind() == reflect.Interface && p.Implements(i) && has(i, m.Name)
		}) {
			out = append(out, callable{key(t) + "." + m.Name, m.Func, true})
		}
	}
	return out
}

func has(t reflect.Type, method string) bool {
	_, ok := t.MethodByName(method)
	return ok
}

// A runner makes calls.
type runner struct {
	m           *maker
	found       *json.Encoder
	last        *os.File     // has the call
	since       atomic.Int64 // when it began; 0: there is none
	made        []metrics.Sample
	swept       map[string]bool
	calls, odds int
}

func newRunner(t *testing.T, dir string) *runner {
	create := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	return &runner{
		m: newMaker(t), found: json.NewEncoder(create("found")), last: create("last"),
		made: []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}, swept: make(map[string]bool),
	}
}

func (r *runner) run() {
	go r.watch()
	all := callables()
	for range 2 { // what there is to call methods of, and to be an argument
		for _, c := range all {
			r.call(c, 2)
		}
	}
	r.sweep(all)
	for _, t := range r.m.made() { // what is behind interfaces
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Name() != "" && !strings.Contains(t.PkgPath(), "/internal/") {
			r.sweep(methods(t))
		}
	}
	fmt.Printf("%d functions and methods, %d calls, of which %d panicked or took too much\n", len(r.swept), r.calls, r.odds)
}

func (r *runner) sweep(all []callable) {
	for _, c := range all {
		if !r.swept[c.name] {
			r.swept[c.name] = true
			r.call(c, *combinations)
		}
	}
}

// call calls a function so often, or less if there are not as many ways: with arguments that
// make sense, with zero values, with one argument that is another, and with any.
func (r *runner) call(c callable, times int) {
	if kits[c.name] {
		times = 2
	}
	lists := make([][]value, c.f.Type().NumIn())
	for i := range lists {
		lists[i] = r.m.values(c.in(i), 0)
		if c.method && i == 0 {
			lists[i] = r.m.receivers(c.in(i), lists[i])
		}
		if len(lists[i]) == 0 {
			return
		}
	}
	base := func(k int) []value {
		out := make([]value, len(lists))
		for i, l := range lists {
			out[i] = l[min(k, len(l)-1)]
		}
		return out
	}
	plans := [][]value{base(1), base(0)}
	for i, l := range lists {
		for _, v := range l {
			for k := range 2 {
				p := base(k)
				p[i] = v
				plans = append(plans, p)
			}
		}
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, c.name)
	random := rand.New(rand.NewPCG(1, h.Sum64()))
	for range times / 4 {
		p := base(0)
		for i, l := range lists {
			p[i] = l[random.IntN(len(l))]
		}
		plans = append(plans, p)
	}
	random.Shuffle(len(plans)-2, func(i, j int) { plans[2+i], plans[2+j] = plans[2+j], plans[2+i] })
	for _, p := range plans[:min(times, len(plans))] {
		r.one(c, p)
	}
}

// one makes a call, and notes it if it panics or takes too much.
func (r *runner) one(c callable, args []value) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	r.m.ctx = ctx
	in := make([]reflect.Value, len(args))
	names := make([]string, len(args))
	for i, a := range args {
		in[i], names[i] = a.of(c.in(i)), a.name
	}
	what := fmt.Sprintf("%s(%s)", c.name, strings.Join(names, "; "))
	note := func(problem, at string) {
		r.odds++
		_ = r.found.Encode(finding{c.name, what, problem, at})
	}
	r.calls++
	_, _ = r.last.WriteAt([]byte(what+"\x00"), 0)
	before := r.allocated()
	r.since.Store(time.Now().UnixNano())
	defer r.since.Store(0)
	defer func() {
		// A nil context panics, as in the standard library.
		if p := recover(); p != nil && !slices.Contains(names, nilContext) {
			note(fmt.Sprint(p), panicked())
		}
	}()
	call := c.f.Call
	if c.f.Type().IsVariadic() {
		call = c.f.CallSlice
	}
	out := call(in)
	if n := r.allocated() - before; n > mostMade {
		note(fmt.Sprintf("%d MB", n>>20), "")
	}
	if n := len(out); n > 0 && out[n-1].Type() == errorType && !out[n-1].IsNil() {
		return
	}
	for _, v := range out {
		if t := v.Type(); t.Kind() == reflect.Func && t.CanSeq2() && !v.IsNil() {
			for range v.Seq2() {
			}
		}
		r.m.keep(v)
	}
}

// panicked is the place in the module of the panic that was recovered.
func panicked() string {
	pcs := make([]uintptr, 64)
	after := false
	for frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)]); ; {
		f, more := frames.Next()
		if after && strings.HasPrefix(f.Function, module) {
			return fmt.Sprintf("%s, %s:%d", f.Function, filepath.Base(f.File), f.Line)
		}
		after = after || f.Function == "runtime.gopanic"
		if !more {
			return "the call"
		}
	}
}

func (r *runner) allocated() uint64 {
	metrics.Read(r.made)
	return r.made[0].Value.Uint64()
}

// watch ends the process where a call does not end, or fills the memory.
func (r *runner) watch() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(20 * time.Millisecond) {
		since := r.since.Load()
		metrics.Read(heap)
		n := heap[0].Value.Uint64()
		if late := since > 0 && time.Since(time.Unix(0, since)) > mostTime; !late && n <= mostHeap {
			continue
		}
		stacks := make([]byte, 1<<16)
		fmt.Printf("%d MB in use\n%s\n", n>>20, stacks[:runtime.Stack(stacks, true)])
		os.Exit(1)
	}
}
