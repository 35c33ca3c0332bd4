package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// options are what the program is started with.
type options struct {
	addr     string
	metrics  []string
	language string // of METEOR
	model    string // folder of BERTScore's model
	layer    int
	comet    string // folder of COMET's model
	cache    int    // MiB of vectors that are kept for a metric
	grace    time.Duration
	limits   limits
}

// limits bound what a client can ask for. All are positive.
type limits struct {
	body       int           // bytes of a request
	segments   int           // of a request
	references int           // of a segment
	tokens     int           // of a text, as each metric makes them
	read       time.Duration // for a request to arrive
	time       time.Duration // for a request to be scored, waiting included
	requests   int           // at once, those that arrive or wait included
	scoring    int           // requests at once
}

func parseFlags(args []string) (options, error) {
	var o options
	l := &o.limits
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // who calls prints the error
	fs.StringVar(&o.addr, "addr", "localhost:8080", "`host:port` to listen on")
	metrics := fs.String("metrics", "bleu,chrf,bertscore-lexical", "`names` of the metrics to serve: "+strings.Join(metricNames(), ", "))
	fs.StringVar(&o.language, "meteor-language", "en", "language `code` of meteor's texts: en, cs, de, es, fr, ru")
	fs.StringVar(&o.model, "model", "", "`folder` of the model of bertscore")
	fs.IntVar(&o.layer, "layer", -1, "layer of the model; -1: bert_score's choice for it")
	fs.StringVar(&o.comet, "comet", "", "`folder` of the model of comet")
	fs.IntVar(&o.cache, "cache", 256, "most `MiB` of vectors to keep for each of bertscore-lexical, bertscore and comet; 0: keep none")
	fs.DurationVar(&o.grace, "grace", 10*time.Second, "time that requests have to finish when the server ends")
	fs.IntVar(&l.body, "max-body", 1<<20, "most bytes of a request")
	fs.IntVar(&l.segments, "max-segments", 1000, "most segments of a request")
	fs.IntVar(&l.references, "max-references", 16, "most references of a segment")
	fs.IntVar(&l.tokens, "max-tokens", 2000, "most tokens of a text")
	fs.DurationVar(&l.read, "read-time", 10*time.Second, "time that a request has to arrive")
	fs.DurationVar(&l.time, "time", 30*time.Second, "time that a request has to be scored, waiting included")
	fs.IntVar(&l.requests, "max-requests", 64, "most requests at once, those that arrive or wait for their turn included; each may hold -max-body bytes")
	fs.IntVar(&l.scoring, "max-scoring", runtime.GOMAXPROCS(0), "most requests that are scored at once, each by one thread")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(os.Stdout)
			fs.Usage()
		}
		return o, err
	}
	if err := checkEmpty(fs); err != nil {
		return o, err
	}
	o.metrics = strings.Split(*metrics, ",")
	if fs.NArg() > 0 {
		return o, fmt.Errorf("%q: the server takes flags alone", fs.Arg(0))
	}
	if min(l.body, l.segments, l.references, l.tokens, l.requests, l.scoring) < 1 || min(l.read, l.time) <= 0 {
		return o, fmt.Errorf("limits must be positive")
	}
	if o.cache < 0 {
		return o, fmt.Errorf("-cache %d: it can't be negative", o.cache)
	}
	return o, nil
}

// checkEmpty refuses a flag without a value, as a shell leaves it where a variable is not set: it
// would be taken for one that is not given.
func checkEmpty(fs *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		parts := []string{f.Value.String()}
		if f.Name == "metrics" {
			parts = strings.Split(parts[0], ",")
		}
		for _, p := range parts {
			if err == nil && strings.TrimSpace(p) == "" {
				err = fmt.Errorf("-%s %q: it is empty, or a part of it: give a value, or leave the flag out", f.Name, f.Value.String())
			}
		}
	})
	return err
}
