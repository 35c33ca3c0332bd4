// Command server scores translations over HTTP: JSON in, JSON out, with limits on all that
// a client can ask for, one backend for all requests, metrics for Prometheus, and an end
// that lets requests finish.
//
//	server [-addr HOST:PORT] [-metrics bleu,chrf,bertscore-lexical] [-model FOLDER] [-comet FOLDER]
//
// README.md has the request, the answer, and the table of codes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program the hard way
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal(err)
	}
}

// run serves until ctx ends. It prints the address when it is ready.
func run(ctx context.Context, args []string, w io.Writer) error {
	o, err := parseFlags(args)
	if err != nil {
		return err
	}
	metrics, closeAll, err := openMetrics(o)
	if err != nil {
		return err
	}
	defer closeAll()
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	// Not ctx: requests that are being scored when it ends may finish.
	base, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := newServer(base, metrics, o.limits)
	fmt.Fprintf(w, "listening on http://%s\n", listener.Addr())

	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return shutdown(s.http, cancel, o.grace)
}

// shutdown takes no more connections and lets requests finish. Those that take longer than
// grace are cancelled, which scoring is at once, and answered so.
func shutdown(h *http.Server, cancel context.CancelFunc, grace time.Duration) error {
	for _, most := range []time.Duration{grace, time.Second} {
		ctx, done := context.WithTimeout(context.Background(), most)
		err := h.Shutdown(ctx)
		done()
		if !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		cancel()
	}
	return h.Close() // of clients that do not read their answers
}
