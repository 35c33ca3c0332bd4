package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
)

// Of the server in TestLoad.
const (
	loadBody    = 512 << 10
	loadTokens  = 5000
	loadPlaces  = 10 // fewer than there are clients, so that it is full at times
	loadClients = 12
	loadCache   = 64 // MiB, less than the texts of all good requests and rollouts take
	// loadMemory is what the server may hold of the machine's at most, whatever comes. Two
	// requests of texts at the limit of tokens are scored at once, with vectors of 2 KiB a
	// token on both sides, and there is the cache; twice that before the collector has run.
	loadMemory = 512 << 20
)

// TestLoad sends a server in a process of its own what clients send, and what they should
// not: every request has its right answer, memory does not grow, no place is lost. It takes
// 3 seconds, or what MTEVAL_LOAD says: MTEVAL_LOAD=30s.
func TestLoad(t *testing.T) {
	length, most := 3*time.Second, 3_000
	if text := os.Getenv("MTEVAL_LOAD"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("MTEVAL_LOAD: %v", err)
		}
		length, most = d, int(d.Seconds()*1000)
	}
	l := &load{answers: make(map[string]int)}
	l.make(t)
	cmd, url := startServer(t)
	l.url = url
	l.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadClients}}
	idle := l.gauges(t)

	watched := make(chan []gauges)
	ctx, end := context.WithTimeout(t.Context(), length)
	go func() { watched <- l.watch(ctx, t) }()
	var sent atomic.Int64
	var clients sync.WaitGroup
	start := time.Now()
	for k := range loadClients {
		clients.Go(func() {
			rng := rand.New(rand.NewPCG(21, uint64(k)))
			for ctx.Err() == nil && sent.Add(1) <= int64(most) && !t.Failed() {
				if err := l.send(rng); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	took := time.Since(start)
	end()
	l.report(t, took, idle, <-watched)
	l.settled(t, idle)

	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// startServer runs the server as a process of its own.
func startServer(t *testing.T) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-addr", "127.0.0.1:0", "-read-time", "500ms",
		"-max-body", strconv.Itoa(loadBody), "-max-tokens", strconv.Itoa(loadTokens),
		"-max-requests", strconv.Itoa(loadPlaces), "-max-scoring", "2",
		"-cache", strconv.Itoa(loadCache))
	cmd.Env = append(os.Environ(), "MTEVAL_TEST_SERVER=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var url string
	if _, err := fmt.Fscanf(bufio.NewReader(out), "listening on %s\n", &url); err != nil {
		t.Fatal(err)
	}
	return cmd, url
}

// A load is what clients send, and what came of it.
type load struct {
	url      string
	client   *http.Client
	good     []sample
	rollouts []sample

	mu      sync.Mutex
	answers map[string]int
	took    []time.Duration // of good requests, from when they had a place
}

// A sample is a request with its answer.
type sample struct {
	body []byte
	code int
	want answer
	fail failure
}

// make makes requests and, by the library alone, their answers.
func (l *load) make(t *testing.T) {
	t.Helper()
	all := library(t)
	names := []string{"bleu", "chrf", "bertscore-lexical"}
	rng := rand.New(rand.NewPCG(21, 21))
	add := func(hyps []string, refs [][]string) sample {
		body, err := json.Marshal(map[string]any{"hypotheses": hyps, "references": refs})
		if err != nil {
			t.Fatal(err)
		}
		s := sample{body: body, code: http.StatusOK, want: answer{Scores: make(map[string]scores)}}
		for _, name := range names {
			s.want.Scores[name] = want(t, all[name], nil, refs, hyps)
		}
		return s
	}
	for i := range 60 {
		var hyps []string
		var refs [][]string
		for range 1 + i%20 {
			hyps = append(hyps, sentence(rng, 5+rng.IntN(30)))
			refs = append(refs, []string{sentence(rng, 5+rng.IntN(30)), sentence(rng, 5+rng.IntN(30))}[:1+i%2])
		}
		l.good = append(l.good, add(hyps, refs))
	}
	for _, words := range []int{2000, 3500, 5000, 5001, 12_000, 20_000} {
		ten := sentence(rng, 10)
		hyps, refs := []string{ten, loop(ten, words)}, [][]string{{ten}, {ten}}
		if words <= loadTokens {
			l.rollouts = append(l.rollouts, add(hyps, refs))
			continue
		}
		l.rollouts = append(l.rollouts, tooLong(t, hyps, refs, words, mteval.HypothesisSide))
	}
	l.rollouts = append(l.rollouts, tooLong(t,
		[]string{"a b", sentence(rng, 20_000)}, [][]string{{"a b"}, {sentence(rng, 20_000)}}, 20_000, mteval.ReferenceSide))
}

// tooLong is a request whose second segment has a text over the limit.
func tooLong(t *testing.T, hyps []string, refs [][]string, words int, side mteval.Side) sample {
	t.Helper()
	body, err := json.Marshal(map[string]any{"hypotheses": hyps, "references": refs})
	if err != nil {
		t.Fatal(err)
	}
	at := &mteval.SegmentError{Segment: 1, Side: side, Err: fmt.Errorf("text is too long: %d tokens, more than the limit of %d", words, loadTokens)}
	f := failure{Error: "bleu: " + at.Error(), Segment: 2, Side: sides[side]}
	if side == mteval.ReferenceSide {
		f.Reference = 1
	}
	return sample{body: body, code: http.StatusUnprocessableEntity, fail: f}
}

var vocabulary = strings.Fields("the a boat keeper lock gate river mill opened closed slowly at dawn before rain seven old and but nobody saw heard them go home with their bread")

func sentence(rng *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = vocabulary[rng.IntN(len(vocabulary))]
	}
	return strings.Join(words, " ")
}

// loop is a rollout that does not end: ten words again and again.
func loop(ten string, n int) string {
	words := strings.Fields(ten)
	all := make([]string, n)
	for i := range all {
		all[i] = words[i%len(words)]
	}
	return strings.Join(all, " ")
}

// send sends a request of some kind, and returns an error if the answer is not the right one.
func (l *load) send(rng *rand.Rand) error {
	switch kind := rng.IntN(100); {
	case kind < 65:
		s := l.good[rng.IntN(len(l.good))]
		took, err := l.answered(s)
		l.mu.Lock()
		l.took = append(l.took, took)
		l.mu.Unlock()
		return err
	case kind < 75:
		_, err := l.answered(l.rollouts[rng.IntN(len(l.rollouts))])
		return err
	case kind < 80:
		size := loadBody + 1 + rng.IntN(2*loadBody)
		_, err := l.answered(sample{
			body: bytes.Repeat([]byte("a"), size), code: http.StatusRequestEntityTooLarge,
			fail: failure{Error: fmt.Sprintf("the body is larger than %d bytes: send its segments in several", loadBody)},
		})
		return err
	case kind < 85:
		_, err := l.answered(sample{
			body: []byte(`{"hypotheses":["a",null]}`), code: http.StatusBadRequest,
			fail: failure{Error: `segment 2, hypothesis: it is null; an empty text is ""`, Segment: 2, Side: "hypothesis"},
		})
		return err
	case kind < 97:
		return l.cancelled(rng)
	default:
		return l.slow(rng)
	}
}

// answered sends a request until the server has a place for it, and checks the answer.
func (l *load) answered(s sample) (time.Duration, error) {
	for {
		start := time.Now()
		code, body, err := l.post(context.Background(), s.body)
		took := time.Since(start)
		if err != nil {
			return took, fmt.Errorf("no answer to %.60s…: %w", s.body, err)
		}
		if code != http.StatusServiceUnavailable {
			return took, s.check(code, body)
		}
		time.Sleep(5 * time.Millisecond) // not the second it asks for: it is to be full
	}
}

func (s *sample) check(code int, body []byte) error {
	if code != s.code {
		return fmt.Errorf("%d, want %d, for %.60s…: %s", code, s.code, s.body, body)
	}
	if code != http.StatusOK {
		var got failure
		if err := json.Unmarshal(body, &got); err != nil {
			return err
		}
		if got != s.fail {
			return fmt.Errorf("%+v, want %+v", got, s.fail)
		}
		return nil
	}
	var got answer
	if err := json.Unmarshal(body, &got); err != nil {
		return err
	}
	if d := cmp.Diff(s.want, got); d != "" {
		return fmt.Errorf("a wrong answer (-want +got):\n%s", d)
	}
	return nil
}

// cancelled sends a request whose client soon goes, unless the answer comes sooner.
func (l *load) cancelled(rng *rand.Rand) error {
	s := l.good[rng.IntN(len(l.good))]
	if rng.IntN(2) == 0 {
		s = l.rollouts[rng.IntN(len(l.rollouts))]
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rng.IntN(5_000))*time.Microsecond)
	defer cancel()
	code, body, err := l.post(ctx, s.body)
	switch {
	case err != nil && ctx.Err() != nil:
		l.count("cancelled")
		return nil
	case err != nil:
		return err
	case code == http.StatusServiceUnavailable:
		return nil
	}
	return s.check(code, body)
}

func (l *load) post(ctx context.Context, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", l.url+"/score", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r, err := l.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err == nil {
		l.count(strconv.Itoa(r.StatusCode))
	}
	return r.StatusCode, answer, err
}

// slow sends a part of a request, and waits to be cut off.
func (l *load) slow(rng *rand.Rand) error {
	c, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		return err
	}
	defer c.Close()
	header := rng.IntN(2) == 0
	if header {
		io.WriteString(c, "POST /score HTTP/1.1\r\nHost: a\r\nContent-")
	} else {
		io.WriteString(c, "POST /score HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{\"hypoth")
	}
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	switch {
	case header && (err != nil || r.StatusCode == http.StatusBadRequest): // net/http's, not counted
		l.count("cut off")
		return nil
	case header:
		return fmt.Errorf("half a header: %d", r.StatusCode)
	case err != nil:
		return fmt.Errorf("half a body: %w", err)
	}
	r.Body.Close()
	l.count(strconv.Itoa(r.StatusCode))
	if r.StatusCode != http.StatusRequestTimeout && r.StatusCode != http.StatusServiceUnavailable {
		return fmt.Errorf("half a body: %d", r.StatusCode)
	}
	return nil
}

func (l *load) count(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[what]++
}

// gauges are what the server says of itself, by name.
type gauges map[string]float64

func (l *load) gauges(t *testing.T) gauges {
	r, err := l.client.Get(l.url + "/metrics")
	if err != nil {
		t.Error(err)
		return nil
	}
	defer r.Body.Close()
	g := make(gauges)
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), " "); ok && name != "#" {
			g[name], _ = strconv.ParseFloat(value, 64)
		}
	}
	return g
}

// watch looks at the server until ctx ends.
func (l *load) watch(ctx context.Context, t *testing.T) []gauges {
	var all []gauges
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return all
		case <-tick.C:
			all = append(all, l.gauges(t))
		}
	}
}

// report prints what happened, and checks memory.
func (l *load) report(t *testing.T, took time.Duration, idle gauges, watched []gauges) {
	const resident, heap, goroutines = "process_resident_memory_bytes", "go_memstats_heap_inuse_bytes", "go_goroutines"
	const kept = `mteval_cache_bytes{metric="bertscore-lexical"}`
	slices.Sort(l.took)
	if len(l.took) == 0 || len(watched) == 0 {
		t.Error("nothing was measured")
		return
	}
	at := func(share float64) time.Duration { return l.took[int(share*float64(len(l.took)-1))] }
	t.Logf("%v, answers: %v", took.Round(time.Millisecond), l.answers)
	t.Logf("%d good requests: p50 %v, p99 %v, longest %v", len(l.took), at(.5), at(.99), at(1))
	t.Logf("MiB resident, of these heap, and goroutines: idle %.0f, %.0f, %.0f", idle[resident]/(1<<20), idle[heap]/(1<<20), idle[goroutines])
	for q := range 4 {
		part := watched[q*len(watched)/4 : (q+1)*len(watched)/4]
		most := func(name string) (m float64) {
			for _, g := range part {
				m = max(m, g[name])
			}
			return m
		}
		t.Logf("quarter %d, most: %.0f, %.0f, %.0f", q+1, most(resident)/(1<<20), most(heap)/(1<<20), most(goroutines))
		if most(resident) > loadMemory {
			t.Errorf("over %d MiB", loadMemory>>20)
		}
		if n := most(kept); n == 0 || n > loadCache<<20 {
			t.Errorf("the cache has %.0f bytes", n)
		}
	}
}

// settled checks, once nobody asks, that nothing is left behind, and that the server has
// counted what the clients have.
func (l *load) settled(t *testing.T, idle gauges) {
	l.client.CloseIdleConnections()
	var g gauges
	for { // ends, or the test's own time does
		if g = l.gauges(t); g == nil || g["mteval_requests_inside"] == 0 && g["mteval_requests_scoring"] == 0 && g["go_goroutines"] <= idle["go_goroutines"] {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	hits, misses := g[`mteval_cache_hits_total{metric="bertscore-lexical"}`], g[`mteval_cache_misses_total{metric="bertscore-lexical"}`]
	t.Logf("the cache: %.0f hits, %.0f misses", hits, misses)
	if hits == 0 || misses == 0 {
		t.Error("there should be both")
	}
	for _, code := range []string{"200", "400", "408", "413", "422", "503"} {
		// An answer may cross with the end of a client that cancelled, and one that does so
		// while it sends counts as a body without its end.
		got, want := int(g[`mteval_requests_total{code="`+code+`"}`]), l.answers[code]
		crossed := (code == "200" || code == "400" || code == "422" || code == "503") && got >= want && got <= want+l.answers["cancelled"]
		if got != want && !crossed {
			t.Errorf("the server counts %d answers of code %s, the clients %d", got, code, want)
		}
	}
	for code := range l.answers {
		if strings.HasPrefix(code, "5") && code != "503" {
			t.Errorf("code %s", code)
		}
	}
	if n := g[`mteval_requests_total{code="500"}`]; n != 0 {
		t.Errorf("%v internal errors", n)
	}
}
