package main

import (
	"errors"
	"fmt"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
)

// keepModel is keep for a model, with what --cache has of it.
func (o *openBackend) keepModel(f *metricFlags, b backend.Backend) (backend.Backend, error) {
	if f.cache == "" {
		return o.keep(b)
	}
	c, err := cache.New(b, cache.Options{Dir: f.cache})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--cache: %w", err), b.Close())
	}
	o.warn = func(err error) { f.note("warning: --cache %s: %v", f.cache, err) }
	return o.keep(c)
}
