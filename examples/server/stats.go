package main

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// stats are what /metrics shows.
type stats struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  prometheus.Histogram
	segments prometheus.Counter
}

func newStats(s *server) *stats {
	st := &stats{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mteval_requests_total",
			Help: "Requests for scores by the code of the answer; 499: the client did not wait for it.",
		}, []string{"code"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "mteval_request_seconds",
			Help:    "Time from a request's header to its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}),
		segments: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mteval_segments_total",
			Help: "Segments that were scored.",
		}),
	}
	st.registry.MustRegister(
		st.requests, st.seconds, st.segments,
		held("mteval_requests_inside", "Requests that arrive, wait or are being scored.", s.inside),
		held("mteval_requests_scoring", "Requests that are being scored.", s.scoring),
		caches(s.metrics),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return st
}

// held is a gauge of the places of which some are taken.
func held(name, help string, places chan struct{}) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(len(places)) })
}

func (st *stats) count(status int, took time.Duration) {
	st.requests.WithLabelValues(strconv.Itoa(status)).Inc()
	st.seconds.Observe(took.Seconds())
}

func (st *stats) handler() http.Handler {
	return promhttp.HandlerFor(st.registry, promhttp.HandlerOpts{})
}
