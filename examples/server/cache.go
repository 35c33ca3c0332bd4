package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
)

// cached keeps what a backend gives, for all requests: the references of one are often those
// of the next. It returns what tells of the cache, nil where there is none. On error b is
// closed.
func (o options) cached(b backend.Backend) (backend.Backend, func() cache.Stats, error) {
	if o.cache == 0 {
		return b, nil, nil
	}
	c, err := cache.New(b, cache.Options{Bytes: int64(o.cache) << 20})
	if err != nil {
		b.Close()
		return nil, nil, err
	}
	return c, c.Stats, nil
}

// cachedEncoder is cached for an encoder.
func (o options) cachedEncoder(e backend.Encoder) (backend.Encoder, func() cache.Stats, error) {
	if o.cache == 0 {
		return e, nil, nil
	}
	c, err := cache.NewEncoder(e, cache.Options{Bytes: int64(o.cache) << 20})
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	return c, c.Stats, nil
}

// caches are those of metrics, for /metrics: of each it takes all numbers at one moment.
type caches []metric

var (
	cacheHits   = prometheus.NewDesc("mteval_cache_hits_total", "Texts whose vectors the metric's cache had.", []string{"metric"}, nil)
	cacheMisses = prometheus.NewDesc("mteval_cache_misses_total", "Texts whose vectors were computed.", []string{"metric"}, nil)
	cacheBytes  = prometheus.NewDesc("mteval_cache_bytes", "Memory that the metric's cache takes.", []string{"metric"}, nil)
)

func (c caches) Describe(descs chan<- *prometheus.Desc) {
	descs <- cacheHits
	descs <- cacheMisses
	descs <- cacheBytes
}

func (c caches) Collect(metrics chan<- prometheus.Metric) {
	for _, m := range c {
		if m.cache == nil {
			continue
		}
		s := m.cache()
		metrics <- prometheus.MustNewConstMetric(cacheHits, prometheus.CounterValue, float64(s.Hits), m.name)
		metrics <- prometheus.MustNewConstMetric(cacheMisses, prometheus.CounterValue, float64(s.Misses), m.name)
		metrics <- prometheus.MustNewConstMetric(cacheBytes, prometheus.GaugeValue, float64(s.Bytes), m.name)
	}
}
