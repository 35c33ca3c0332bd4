// Command mteval-beam scores translations by Apache Beam: on the processors of one machine, or on
// a cluster. README.md of the module tells how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	_ "github.com/mteval/mteval/distributed/metrics"
	"github.com/mteval/mteval/internal/escape"
)

func main() {
	o := newOptions(flag.CommandLine)
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: mteval-beam --input GLOB -m METRICS -o PREFIX [options of this command and of Beam]\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	log.LogLevel = "warn" // of Prism, which tells each step otherwise
	beam.Init()           // of a worker it does not return
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted: what files there are may not be all")
		}
		fmt.Fprintln(os.Stderr, "mteval-beam:", escape.Short(escape.Visible(reason(err))))
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("no arguments are taken, but %q: files are named by --input", args[0])
	}
	if o.pool >= 0 {
		return pool(ctx, o.pool)
	}
	j, err := o.job()
	if err != nil {
		return err
	}
	if err := j.checkFiles(ctx); err != nil {
		return err
	}
	// Workers run the same program, which Beam would build from its source otherwise.
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		if *jobopts.WorkerBinary, err = os.Executable(); err != nil {
			return err
		}
	}
	p, s := beam.NewPipelineWithRoot()
	j.build(s)
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return err
	}
	if result != nil {
		count := map[string]int64{}
		for _, c := range result.Metrics().AllMetrics().Counters() {
			if c.Key.Namespace == "mteval" {
				count[c.Key.Name] += c.Result()
			}
		}
		fmt.Fprintf(os.Stderr, "mteval-beam: %d records, %d scored, %d bad records or lines\n", count["read"], count["scored"], count["bad"])
		if count["scored"] == 0 && count["bad"] > 0 {
			return fmt.Errorf("no record was scored: the files %s.bad-… say why", j.output)
		}
	}
	return nil
}

// reason is the innermost of what Beam tells of a bundle that failed, behind the steps of its plan.
func reason(err error) string {
	const cause, failed = "caused by:\n", "] failed:\n"
	s := err.Error()
	if i := strings.LastIndex(s, cause); i >= 0 {
		s = s[i+len(cause):]
	}
	if i := strings.LastIndex(s, failed); i >= 0 {
		s = s[i+len(failed):]
	}
	return strings.TrimSpace(s)
}

// pool serves a job server that asks for workers, until it is stopped.
func pool(ctx context.Context, port int) error {
	server, err := extworker.StartLoopback(ctx, port)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "mteval-beam: workers at %s\n", server.EnvironmentConfig(ctx))
	<-ctx.Done()
	return server.Stop(context.WithoutCancel(ctx))
}
