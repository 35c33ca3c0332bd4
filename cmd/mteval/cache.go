package main

import (
	"errors"
	"fmt"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
)

// checkCache refuses --cache where there is nothing for it to keep.
func (f *metricFlags) checkCache() error {
	switch {
	case !f.set.Changed("cache"):
		return nil
	case f.cache == "":
		return errors.New("--cache: no folder: name one, or leave it out")
	case f.model == "":
		return fmt.Errorf("--cache keeps what a model gave: add --model or leave it out, as --backend %s has none", f.backend)
	}
	return nil
}

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
