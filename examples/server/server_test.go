package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
)

// TestMain makes the test binary the server of TestLoad, where that runs it so.
func TestMain(m *testing.M) {
	if os.Getenv("MTEVAL_TEST_SERVER") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A stuck metric does not end before its context, or release.
type stuck struct {
	mteval.Scorer
	started chan struct{}
	release chan struct{}
}

func (s stuck) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	s.started <- struct{}{}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.release:
		return s.Scorer.Prepare(ctx, refs)
	}
}

// broken gives an error that no request is to blame for.
type broken struct{ mteval.Scorer }

func (broken) Prepare(context.Context, [][]string) (mteval.Prepared, error) {
	return nil, errors.New("/a/path/of/ours: it broke")
}

// testLimits are small where a test can go over them, and long where it can't.
var testLimits = limits{
	body: 4096, segments: 3, references: 2, tokens: 20,
	read: time.Minute, time: time.Minute, requests: 8, scoring: 2,
}

// models are the options of small models with random weights.
func models(l limits, names ...string) options {
	return options{metrics: names, model: "../../backend/transformer/testdata/bert", layer: 1, comet: "../../comet/testdata/wmt22", language: "de", cache: 16, limits: l}
}

// start serves all metrics there are, "stuck", and "broken".
func start(t *testing.T, l limits) (s *server, url string, block stuck) {
	t.Helper()
	metrics, closeAll, err := openMetrics(models(l, metricNames()...))
	if err != nil {
		t.Fatal(err)
	}
	block = stuck{metrics[0].scorer, make(chan struct{}, 8), make(chan struct{})}
	metrics = append(metrics, metric{"stuck", block, block, nil}, metric{"broken", broken{block}, block, nil})
	base, cancel := context.WithCancel(t.Context())
	s = newServer(base, metrics, l)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { s.http.Serve(listener); close(done) }()
	t.Cleanup(func() { cancel(); s.http.Close(); <-done; closeAll() })
	return s, "http://" + listener.Addr().String(), block
}

func post(t *testing.T, url, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.Post(url+"/score", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(b)
}

func TestCodes(t *testing.T) {
	_, url, _ := start(t, testLimits)
	const texts = `"hypotheses":["a b"],"references":[["a b"]]`
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("a ", n)) }
	tests := []struct {
		name, body string
		code       int
		want       failure // of a code that is not 200
	}{
		{"all right", `{"metrics":["bleu"],` + texts + `}`, 200, failure{}},
		{"a pair of escapes", `{"metrics":["chrf"],"hypotheses":["\ud83d\ude00"],"references":[["\ud83d\ude00 \\ud83d"]]}`, 200, failure{}},
		{"no body", ``, 400, failure{Error: `the JSON of the body has no end`}},
		{"no end", `{"hypotheses":["a"`, 400, failure{Error: `the JSON of the body has no end`}},
		{"no JSON", `hypotheses`, 400, failure{Error: `byte 1 of the body: invalid character 'h' looking for beginning of value`}},
		{"two objects", `{` + texts + `}{}`, 400, failure{Error: `something stands after the JSON object`}},
		{"a list", `[]`, 400, failure{Error: `the body is not a JSON object`}},
		{"unknown field", `{"hypothesis":["a"]}`, 400, failure{Error: `unknown field "hypothesis"`}},
		{"unknown field behind", `{` + texts + `,"x":[{"y":1}]}`, 400, failure{Error: `unknown field "x"`}},
		{"other letters", `{"Hypotheses":["a b"],"references":[["a b"]]}`, 400, failure{Error: `unknown field "Hypotheses"`}},
		{"other letters, too", `{` + texts + `,"HYPOTHESES":["c"]}`, 400, failure{Error: `unknown field "HYPOTHESES"`}},
		{"a letter that is folded", `{` + texts + `,"metricſ":["bleu"]}`, 400, failure{Error: `unknown field "metricſ"`}},
		{"a field twice", `{` + texts + `,"hypotheses":["c"]}`, 400, failure{Error: `field "hypotheses" stands there twice`}},
		{"a field twice, escaped", `{"metrics":["bleu"],` + texts + `,"metrics":null}`, 400, failure{Error: `field "metrics" stands there twice`}},
		{"only null", `null`, 400, failure{Error: `hypotheses: there are none`}},
		{"a long name", `{"metrics":["` + strings.Repeat("é", 1000) + `"],` + texts + `}`, 400, failure{Error: `metrics: no "` + strings.Repeat("é", 243) + "…"}},
		{"gzip data", "\x1f\x8b\x08", 415, failure{Error: `the body is packed ("gzip"): send it plain`}},
		{"flat references", `{"hypotheses":["a"],"references":["a"]}`, 400, failure{Error: `references: want for each segment a list of its references, [["…"], …]`}},
		{"a number", `{"hypotheses":[1]}`, 400, failure{Error: `hypotheses: want a list of texts`}},
		{"Latin-1", "{\"hypotheses\":[\"caf\xe9\"]}", 400, failure{Error: `the body is not UTF-8`}},
		{"half a character", `{"hypotheses":["\\\uD83d"]}`, 400, failure{Error: `half a character (\uD83d) at byte 18 of the body`}},
		{"no hypotheses", `{"references":[["a"]]}`, 400, failure{Error: `hypotheses: there are none`}},
		{"null", `{"hypotheses":["a",null]}`, 400, failure{Error: `segment 2, hypothesis: it is null; an empty text is ""`, Segment: 2, Side: "hypothesis"}},
		{"null reference", `{"hypotheses":["a"],"references":[["a",null]]}`, 400, failure{Error: `segment 1, reference 2: it is null; an empty text is ""`, Segment: 1, Side: "reference", Reference: 2}},
		{"null source", `{"hypotheses":["a"],"sources":[null]}`, 400, failure{Error: `segment 1, source: it is null; an empty text is ""`, Segment: 1, Side: "source"}},
		{"fewer references", `{"hypotheses":["a","b"],"references":[["a"]]}`, 400, failure{Error: `numbers of segments differ: 2 hypotheses, references of 1 segments`}},
		{"more sources", `{"hypotheses":["a"],"sources":["a","b"]}`, 400, failure{Error: `numbers of segments differ: 1 hypotheses, 2 sources`}},
		{"no references", `{"metrics":["bleu"],"hypotheses":["a"]}`, 400, failure{Error: `bleu: segment 1: no reference`, Segment: 1}},
		{"a segment without", `{"metrics":["ter"],"hypotheses":["a","b"],"references":[["a"],[]]}`, 400, failure{Error: `ter: segment 2: no reference`, Segment: 2}},
		{"no sources", `{"metrics":["comet"],` + texts + `}`, 400, failure{Error: `comet: it reads sources: send them too`}},
		{"unknown metric", `{"metrics":["gleu"],` + texts + `}`, 400, failure{Error: `metrics: no "gleu" here; there are bleu, chrf, chrf++, ter, wer, meteor, bertscore-lexical, bertscore, comet, stuck, broken`}},
		{"metric twice", `{"metrics":["ter","ter"],` + texts + `}`, 400, failure{Error: `metrics: "ter" is named twice`}},
		{"large body", `{"hypotheses":["` + words(3000) + `"]}`, 413, failure{Error: `the body is larger than 4096 bytes: send its segments in several`}},
		{"larger body", words(1 << 20), 413, failure{Error: `the body is larger than 4096 bytes: send its segments in several`}},
		{"many segments", `{"hypotheses":["","","",""]}`, 413, failure{Error: `4 segments: there may be 3, send the others apart`}},
		{"many references", `{"hypotheses":["",""],"references":[[""],["","",""]]}`, 413, failure{Error: `segment 2: 3 references: there may be 2`, Segment: 2}},
		{"long hypothesis", `{"metrics":["chrf"],"hypotheses":["a","` + words(21) + `"],"references":[["a"],["a"]]}`, 422, failure{Error: `chrf: segment 2, hypothesis: text is too long: 21 tokens, more than the limit of 20`, Segment: 2, Side: "hypothesis"}},
		{"long reference", `{"metrics":["bertscore-lexical"],"hypotheses":["a"],"references":[["a","` + words(21) + `"]]}`, 422, failure{Error: `bertscore-lexical: segment 1, reference 2: text is too long: 21 tokens, more than the limit of 20`, Segment: 1, Side: "reference", Reference: 2}},
		{"not for the model", `{"metrics":["comet"],"sources":["` + words(30) + `"],` + texts + `}`, 422, failure{Error: `segment 1, source: text is longer than the metric's model takes`, Segment: 1, Side: "source"}},
		{"our fault", `{"metrics":["broken"],` + texts + `}`, 500, failure{Error: `internal error`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, body := post(t, url, test.body)
			if r.StatusCode != test.code {
				t.Fatalf("%d, want %d: %s", r.StatusCode, test.code, body)
			}
			if test.code == http.StatusOK {
				return
			}
			var got failure
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A packed body is told by its header, and kept apart from one that is wrong.
func TestPacked(t *testing.T) {
	_, url, _ := start(t, testLimits)
	for _, tt := range []struct {
		encodings []string
		code      int
		want      string
	}{
		{nil, 200, ""},
		{[]string{"identity"}, 200, ""},
		{[]string{"gzip"}, 415, `the body is packed (\"gzip\"): send it plain`},
		{[]string{"identity", "br"}, 415, `the body is packed (\"identity, br\"): send it plain`},
		{[]string{"X-" + strings.Repeat("x", 100)}, 415, `: send it plain`},
	} {
		r, err := http.NewRequest("POST", url+"/score", strings.NewReader(`{"metrics":["bleu"],"hypotheses":["a"],"references":[["a"]]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header["Content-Encoding"] = tt.encodings
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(got.Body)
		got.Body.Close()
		if err != nil || got.StatusCode != tt.code || !strings.Contains(string(body), tt.want) || (got.Header.Get("Accept-Encoding") == "identity") != (tt.code == 415) {
			t.Errorf("%q: %d, %v, %s", tt.encodings, got.StatusCode, err, body)
		}
	}
}

// A flag without a value is not one that is left out.
func TestEmptyFlags(t *testing.T) {
	for _, args := range [][]string{{"-addr="}, {"-addr", ""}, {"-model", " "}, {"-comet="}, {"-meteor-language="}, {"-metrics="}, {"-metrics", "bleu,,chrf"}, {"-metrics", "bleu,"}, {"-layer="}, {"-time="}} {
		name, _, _ := strings.Cut(args[0], "=")
		if _, err := parseFlags(args); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := parseFlags(nil); err != nil {
		t.Error(err)
	}
}

// TestOtherPaths has what is not scoring.
func TestOtherPaths(t *testing.T) {
	_, url, _ := start(t, testLimits)
	post(t, url, `{"metrics":["bleu"],"hypotheses":["a","b"],"references":[["a"],["b"]]}`)
	post(t, url, `{}`)
	for path, want := range map[string]struct {
		code int
		has  string
	}{
		"/healthz": {200, "ok\n"},
		"/metrics": {200, "mteval_requests_total{code=\"200\"} 1\nmteval_requests_total{code=\"400\"} 1\n"},
		"/score":   {405, ""},
		"/":        {404, ""},
	} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != want.code || !strings.Contains(string(body), want.has) {
			t.Errorf("%s: %d, %v:\n%s", path, r.StatusCode, err, body)
		}
	}
}

// TestCaches has two clients that send the same texts to metrics with caches.
func TestCaches(t *testing.T) {
	_, url, _ := start(t, testLimits)
	for _, hyp := range []string{"Ein Hund", "Ein Hut"} {
		// comet scores a segment by its three texts, one by one.
		body := `{"metrics":["bertscore-lexical","bertscore","comet"],"sources":["A dog"],"hypotheses":["` + hyp + `"],"references":[["Ein Hund."]]}`
		if r, text := post(t, url, body); r.StatusCode != 200 {
			t.Fatalf("%d: %s", r.StatusCode, text)
		}
	}
	r, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`mteval_cache_hits_total{metric="bertscore"} 1`,
		`mteval_cache_misses_total{metric="bertscore"} 3`,
		`mteval_cache_hits_total{metric="bertscore-lexical"} 1`,
		`mteval_cache_misses_total{metric="bertscore-lexical"} 3`,
		`mteval_cache_hits_total{metric="comet"} 2`,
		`mteval_cache_misses_total{metric="comet"} 4`,
	} {
		if !strings.Contains(string(b), line+"\n") {
			t.Errorf("no %s", line)
		}
	}
	if n := strings.Count(string(b), "\nmteval_cache_bytes{"); n != 3 {
		t.Errorf("%d sizes of caches, want 3", n)
	}
}

// TestNoCache has metrics without caches.
func TestNoCache(t *testing.T) {
	o := models(testLimits, "bertscore-lexical", "comet")
	o.cache = 0
	metrics, closeAll, err := openMetrics(o)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	w := httptest.NewRecorder()
	newServer(t.Context(), metrics, testLimits).http.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if body := w.Body.String(); !strings.Contains(body, "mteval_segments_total 0") || strings.Contains(body, "mteval_cache") {
		t.Errorf("there are caches:\n%s", body)
	}
}

// blocked is a request that is scored until the metric stuck lets it.
const blocked = `{"metrics":["stuck"],"hypotheses":["a b"],"references":[["a b"]]}`

// waiting sends blocked, and gives the code of the answer, 0 if there is none.
func waiting(ctx context.Context, url string) <-chan int {
	code := make(chan int, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, "POST", url+"/score", strings.NewReader(blocked))
		if err != nil {
			panic(err) // of a constant
		}
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			code <- 0
			return
		}
		r.Body.Close()
		code <- r.StatusCode
	}()
	return code
}

func TestBusy(t *testing.T) {
	l := testLimits
	l.requests = 1
	_, url, block := start(t, l)
	first := waiting(t.Context(), url)
	<-block.started
	for _, body := range []string{`{}`, strings.Repeat("a", 1<<16)} {
		r, text := post(t, url, body)
		if r.StatusCode != 503 || r.Header.Get("Retry-After") != "1" || !strings.Contains(text, "busy") {
			t.Errorf("a second request: %d, Retry-After %q: %s", r.StatusCode, r.Header.Get("Retry-After"), text)
		}
	}
	close(block.release)
	if code := <-first; code != 200 {
		t.Errorf("the first request: %d", code)
	}
}

// TestNoTurn has a request that waits for its turn for all of its time.
func TestNoTurn(t *testing.T) {
	l := testLimits
	l.scoring, l.time = 1, 20*time.Millisecond
	s, url, _ := start(t, l)
	s.scoring <- struct{}{} // another that does not end
	if r, text := post(t, url, `{"hypotheses":["a"]}`); r.StatusCode != 503 || r.Header.Get("Retry-After") != "1" {
		t.Errorf("%d: %s", r.StatusCode, text)
	}
}

func TestTimeOver(t *testing.T) {
	l := testLimits
	l.time = 20 * time.Millisecond
	_, url, _ := start(t, l)
	r, text := post(t, url, blocked)
	if r.StatusCode != 504 || text != `{"error":"stuck: context deadline exceeded"}`+"\n" {
		t.Errorf("%d: %s", r.StatusCode, text)
	}
}

// TestGone has clients that do not wait: their places are free for others.
func TestGone(t *testing.T) {
	l := testLimits
	l.scoring = 1
	_, url, block := start(t, l)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		code := waiting(ctx, url)
		<-block.started
		cancel()
		if c := <-code; c != 0 {
			t.Errorf("a cancelled request: %d", c)
		}
	}
	// There is one place, and no end to the time of who had it.
	if r, text := post(t, url, `{"metrics":["bleu"],"hypotheses":["a"],"references":[["a"]]}`); r.StatusCode != 200 {
		t.Errorf("%d: %s", r.StatusCode, text)
	}
	if r, _ := http.Get(url + "/metrics"); r != nil {
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if !bytes.Contains(body, []byte(`mteval_requests_total{code="499"} 3`)) {
			t.Errorf("three clients that were gone are not counted:\n%s", body)
		}
	}
}

// TestSlowScoring has a request whose scoring takes longer than a request may take to arrive.
func TestSlowScoring(t *testing.T) {
	l := testLimits
	l.read = 50 * time.Millisecond
	_, url, block := start(t, l)
	code := waiting(t.Context(), url)
	<-block.started
	time.Sleep(4 * l.read)
	close(block.release)
	if c := <-code; c != 200 {
		t.Errorf("%d", c)
	}
}

// TestSlowClients has clients that do not send what they said they would.
func TestSlowClients(t *testing.T) {
	l := testLimits
	l.read = 50 * time.Millisecond
	s, url, _ := start(t, l)
	for _, test := range []struct {
		name, sent string
		end        bool // whether the client ends its side
		code       int  // 0: the connection ends without an answer
	}{
		{"header", "POST /score HTTP/1.1\r\nHost: a\r\n", false, 0},
		{"body", "POST /score HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{", false, 408},
		{"chunks", "POST /score HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", false, 408},
		{"large body", "POST /score HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n{", false, 413},
		{"half a body", "POST /score HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{", true, 400},
		{"large body, asking", "POST /score HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\nExpect: 100-continue\r\n\r\n", false, 413},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			io.WriteString(c, test.sent)
			if test.end {
				c.(*net.TCPConn).CloseWrite()
			}
			r, err := http.ReadResponse(bufio.NewReader(c), nil)
			if test.code == 0 {
				if err == nil {
					t.Errorf("an answer: %d", r.StatusCode)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.StatusCode != test.code {
				t.Errorf("%d, want %d", r.StatusCode, test.code)
			}
		})
	}
	if n := len(s.inside); n != 0 {
		t.Errorf("%d places are still taken", n)
	}
}

// TestShutdown ends a server that is scoring a request.
func TestShutdown(t *testing.T) {
	for _, test := range []struct {
		name  string
		grace time.Duration
		ends  bool // in time
		code  int
	}{
		{"in time", time.Minute, true, 200},
		{"cancelled", 20 * time.Millisecond, false, 503},
	} {
		t.Run(test.name, func(t *testing.T) {
			block := stuck{started: make(chan struct{}, 1), release: make(chan struct{})}
			m, closeAll, err := openMetrics(models(testLimits, "bleu"))
			if err != nil {
				t.Fatal(err)
			}
			defer closeAll()
			block.Scorer = m[0].scorer
			base, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := newServer(base, []metric{{"stuck", block, block, nil}}, testLimits)
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan error, 1)
			go func() { served <- s.http.Serve(listener) }()
			code := waiting(t.Context(), "http://"+listener.Addr().String())
			<-block.started
			ended := make(chan error, 1)
			go func() { ended <- shutdown(s.http, cancel, test.grace) }()
			if err := <-served; !errors.Is(err, http.ErrServerClosed) {
				t.Errorf("Serve: %v", err)
			}
			if test.ends {
				close(block.release)
			}
			if c := <-code; c != test.code {
				t.Errorf("the request: %d, want %d", c, test.code)
			}
			if err := <-ended; err != nil {
				t.Errorf("shutdown: %v", err)
			}
		})
	}
}

// TestRun serves with flags.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-addr", "127.0.0.1:0", "-metrics", "chrf,ter"}, w) }()
	var url string
	if _, err := fmt.Fscanf(r, "listening on %s\n", &url); err != nil {
		t.Fatal(err)
	}
	if r, text := post(t, url, `{"hypotheses":["a"],"references":[["a"]]}`); r.StatusCode != 200 || !strings.Contains(text, `"chrf":{"corpus":100,`) {
		t.Errorf("%d: %s", r.StatusCode, text)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestFlagErrors(t *testing.T) {
	for _, test := range []struct {
		args, want string
	}{
		{"-metrics gleu", "-metrics gleu: there is no such metric; there are bleu, chrf, chrf++, ter, wer, meteor, bertscore-lexical, bertscore, comet"},
		{"-metrics ter,ter", "-metrics ter: it is named twice"},
		{"-metrics bertscore", "-metrics bertscore: it needs -model FOLDER; without a model there is bertscore-lexical"},
		{"-metrics comet", "-metrics comet: it needs -comet FOLDER"},
		{"-metrics meteor -meteor-language fi", "-metrics meteor: meteor: there is no normalization for language fi: tokenize the text and take Lower or Raw"},
		{"-max-bodies 1", "flag provided but not defined: -max-bodies"},
		{"-cache -1", "-cache -1: it can't be negative"},
		{"-max-body 0", "limits must be positive"},
		{"-time -1s", "limits must be positive"},
		{"x", `"x": the server takes flags alone`},
	} {
		err := run(t.Context(), strings.Fields(test.args), io.Discard)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.args, err, test.want)
		}
	}
}

// BenchmarkScore is a request of a segment, without the network.
func BenchmarkScore(b *testing.B) {
	l := testLimits
	l.tokens = 1000
	metrics, closeAll, err := openMetrics(models(l, "bleu", "chrf", "bertscore-lexical"))
	if err != nil {
		b.Fatal(err)
	}
	defer closeAll()
	h := newServer(b.Context(), metrics, l).http.Handler
	body := `{"hypotheses":["The lock guard opened the gate at six."],"references":[["The lock keeper opened the gate at six."]]}`
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(deadlines{w}, httptest.NewRequest("POST", "/score", strings.NewReader(body)))
		if w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

// deadlines are those of a connection that has none.
type deadlines struct{ http.ResponseWriter }

func (deadlines) SetReadDeadline(time.Time) error { return nil }
