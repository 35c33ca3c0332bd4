package testsets

import (
	"errors"
	"net/http"
	"strconv"
)

func itoa(i int) string { return strconv.Itoa(i) }

// noNet fails whatever is downloaded.
var noNet = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
	return nil, errors.New("nothing may be downloaded here: " + r.URL.String())
})}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
