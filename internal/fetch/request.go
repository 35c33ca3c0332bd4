package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Stall is how long a server may keep silent.
const Stall = time.Minute

// Tries is how often Retry tries.
const Tries = 5

const maxHops = 10

// ErrStalled is the cause with which who waits for a server's next bytes gives up.
var ErrStalled = errors.New("sent nothing more")

// A Temporary error may be gone at the next try.
type Temporary struct{ error }

// NewTemporary makes an error temporary.
func NewTemporary(err error) Temporary { return Temporary{err} }

// Unwrap is the error.
func (t Temporary) Unwrap() error { return t.error }

// Retry calls f until its error is none or not Temporary, or Tries are used up. Where
// f tells that it got further, they are counted anew. note, if any, is told of what failed
// before the next try, and wait is how long to wait before it; nil is one second, then
// twice as long each time.
func Retry(ctx context.Context, wait func(try int) time.Duration, note func(text string), f func() (further bool, err error)) error {
	if wait == nil {
		wait = func(try int) time.Duration { return time.Second << (try - 1) }
	}
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		further, err := f()
		if further {
			try = 1
		}
		var t Temporary
		if !errors.As(err, &t) || ctx.Err() != nil {
			return err
		}
		if try == Tries {
			return fmt.Errorf("%w (tried %d times)", err, Tries)
		}
		wait := wait(try)
		if note != nil {
			note(fmt.Sprintf("%v; trying again in %v", err, wait))
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// A Client makes requests and follows redirects by hand: http.Client would send a token
// on to other ports and subdomains of the host, and go from https to http.
type Client struct {
	// HTTP makes the single requests.
	HTTP http.Client
	// Prepare, if any, changes a request before it is sent, those that redirects lead to
	// included.
	Prepare func(*http.Request)

	close func()
}

// NewClient returns a client over the transport, cookies and time limit of another, or with
// the environment's proxies and limits of its own.
func NewClient(base *http.Client) *Client {
	c := &Client{close: func() {}}
	if base != nil {
		c.HTTP = *base
	} else {
		t := &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			OnProxyConnectResponse: proxyAnswered,
			DialContext:            (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    30 * time.Second,
			ResponseHeaderTimeout:  Stall,
			ForceAttemptHTTP2:      true,
		}
		c.HTTP.Transport, c.close = t, t.CloseIdleConnections
	}
	c.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// Close closes what connections are kept.
func (c *Client) Close() { c.close() }

// Follow makes a request and follows redirects, until stop, if any, says that one is
// to be returned. The answer's body is as it was sent: no compression is asked for, nor is
// any undone. Errors name hosts in place of addresses.
func (c *Client) Follow(ctx context.Context, method, address string, header http.Header,
	stop func(resp *http.Response, next *url.URL) bool) (*http.Response, error) {
	host := ""
	for range maxHops {
		req, err := http.NewRequestWithContext(ctx, method, address, nil)
		if err != nil {
			return nil, errors.New("can't make the request's address")
		}
		if host == "" {
			host = req.URL.Host
		}
		for k, v := range header {
			req.Header[k] = v
		}
		req.Header.Set("User-Agent", "mteval")
		// Sizes and ranges are those of the file and not of a compressed form.
		req.Header.Set("Accept-Encoding", "identity")
		if c.Prepare != nil {
			c.Prepare(req)
		}
		resp, err := c.HTTP.Do(req)
		if err != nil {
			final := permanent(err) || ctx.Err() != nil && context.Cause(ctx) != ErrStalled
			if err = Plain(req.URL, err); !final {
				err = Temporary{err}
			}
			return nil, err
		}
		if !Redirects(resp.StatusCode) {
			return resp, nil
		}
		next, err := resp.Location()
		if err != nil || next.Host == "" || next.Scheme != "http" && next.Scheme != "https" {
			resp.Body.Close()
			return nil, fmt.Errorf("%s sent a redirect to nowhere", req.URL.Host)
		}
		if stop != nil && stop(resp, next) {
			return resp, nil
		}
		resp.Body.Close()
		if req.URL.Scheme == "https" && next.Scheme != "https" {
			return nil, fmt.Errorf("%s sent a redirect from https to %s, which is refused", req.URL.Host, next.Scheme)
		}
		address = next.String()
	}
	return nil, fmt.Errorf("%s: more than %d redirects", host, maxHops)
}

// permanent tells of errors that the next try would meet again.
func permanent(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsNotFound
	}
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	if errors.As(err, &cert) || errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch) || errors.Is(err, errProxy) {
		return true
	}
	// How TLS tells its alerts, those of the other side and its own.
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") {
		return true
	}
	// What no type is for: a handshake that ends without an alert, and a server that
	// speaks something else.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	return strings.HasPrefix(text, "tls: ") || strings.Contains(text, "malformed HTTP ") || strings.HasPrefix(text, badLocation)
}

// badLocation begins the client's error of a redirect to what is no address. The rest may
// hold a signature.
const badLocation = "failed to parse Location header"

var errProxy = errors.New("the proxy refused")

// proxyAnswered stands in for the client's own check, which forgets the status.
func proxyAnswered(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if c := resp.StatusCode; c >= 400 && !MayPass(c) {
		return fmt.Errorf("%w: %d %s", errProxy, c, http.StatusText(c))
	}
	return nil
}

// MayPass tells of statuses that another try may not get.
func MayPass(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusInsufficientStorage,
		http.StatusNetworkAuthenticationRequired:
		return false
	}
	return status >= 500
}

// Redirects tells of statuses that Follow follows.
func Redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// Plain words an error of the network with the host in place of the whole address:
// addresses of large files hold signatures, which belong in no log.
func Plain(u *url.URL, err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if strings.HasPrefix(err.Error(), badLocation) {
		err = errors.New("sent a redirect to nowhere")
	}
	return fmt.Errorf("%s: %w", u.Host, err)
}
