package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// A server answers requests with scores.
type server struct {
	base    context.Context // whose end cancels all requests
	metrics []metric
	limits  limits
	http    *http.Server
	stats   *stats
	// Each holds a place for every request that is inside, and of these for every one that
	// is being scored.
	inside, scoring chan struct{}
}

// newServer returns a server that is ready to Serve.
func newServer(base context.Context, metrics []metric, l limits) *server {
	s := &server{
		base: base, metrics: metrics, limits: l,
		inside:  make(chan struct{}, l.requests),
		scoring: make(chan struct{}, l.scoring),
	}
	s.stats = newStats(s)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /score", s.serveScore)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.Handle("GET /metrics", s.stats.handler())
	s.http = &http.Server{
		Handler:           mux,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: l.read,
		ReadTimeout:       l.read,
		WriteTimeout:      2*l.read + l.time, // from the end of the header
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	return s
}

// serveScore answers a request for scores.
func (s *server) serveScore(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	status, body := s.answer(w, r)
	s.stats.count(status, time.Since(start))
	if status == statusGone {
		panic(http.ErrAbortHandler) // nobody reads it
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	switch status {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	case http.StatusUnsupportedMediaType:
		h.Set("Accept-Encoding", "identity")
	case http.StatusRequestTimeout, http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close") // what is left of the body is not read
	}
	w.WriteHeader(status)
	w.Write(body)
}

// answer returns the code and the JSON that answer a request.
func (s *server) answer(w http.ResponseWriter, r *http.Request) (int, []byte) {
	a, err := s.score(w, r)
	if err == nil {
		body, err := json.Marshal(a)
		if err == nil {
			return http.StatusOK, append(body, '\n')
		}
		log.Printf("internal error: %v", err)
		return http.StatusInternalServerError, []byte(`{"error":"internal error"}` + "\n")
	}
	if errors.Is(err, context.Canceled) && s.base.Err() != nil {
		err = errEnding
	}
	status, f := failed(err)
	body, err := json.Marshal(f)
	if err != nil { // it is strings and ints
		panic(err)
	}
	return status, append(body, '\n')
}

// score reads a request, waits for its turn, and scores it.
func (s *server) score(w http.ResponseWriter, r *http.Request) (*answer, error) {
	select {
	case s.inside <- struct{}{}:
		defer func() { <-s.inside }()
	default:
		s.skip(r)
		return nil, errBusy
	}
	body, err := s.read(r)
	if err != nil {
		return nil, err
	}
	// The time to arrive is over, and its end would be taken for that of the client.
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.time)
	defer cancel()
	select {
	case s.scoring <- struct{}{}:
		defer func() { <-s.scoring }()
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, errBusy // it had no turn
		}
		return nil, ctx.Err()
	}
	req, err := parseRequest(body, s.limits)
	if err != nil {
		return nil, err
	}
	metrics, err := choose(s.metrics, req.metrics)
	if err != nil {
		return nil, err
	}
	if err := checkTokens(metrics, req, s.limits.tokens); err != nil {
		return nil, err
	}
	a, err := score(ctx, metrics, req)
	if err == nil {
		s.stats.segments.Add(float64(len(req.hypotheses)))
	}
	return a, err
}

// read reads the body of a request.
func (s *server) read(r *http.Request) ([]byte, error) {
	if as := strings.Join(r.Header.Values("Content-Encoding"), ", "); as != "" && !strings.EqualFold(as, "identity") {
		s.skip(r)
		return nil, packed(as)
	}
	most := int64(s.limits.body)
	tooLarge := large(errors.New("the body is larger than " + strconv.FormatInt(most, 10) + " bytes: send its segments in several"))
	if r.ContentLength > most {
		s.skip(r)
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errSlow
	case err != nil:
		return nil, errPartial
	case int64(len(body)) > most:
		s.skip(r)
		return nil, tooLarge
	case bytes.HasPrefix(body, []byte("\x1f\x8b")): // and its header does not say so
		return nil, packed("gzip")
	}
	return body, nil
}

// skip reads on, keeping nothing, up to a few bodies that would do: a client that is still
// sending when the connection ends may not come to read its answer. One that first asks
// whether to send (curl does) is told no.
func (s *server) skip(r *http.Request) {
	if r.Header.Get("Expect") == "" {
		io.CopyN(io.Discard, r.Body, 4*int64(s.limits.body))
	}
}
