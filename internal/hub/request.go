package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

var errStalled = errors.New("sent nothing more")

// A temporary error may be gone at the next try.
type temporary struct{ error }

func (t temporary) Unwrap() error { return t.error }

// retry calls f until its error is none or not temporary, or tries are used up. Where
// f tells that it got further, they are counted anew.
func (g *getter) retry(ctx context.Context, f func() (further bool, err error)) error {
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		further, err := f()
		if further {
			try = 1
		}
		var t temporary
		if !errors.As(err, &t) || ctx.Err() != nil {
			return err
		}
		if try == tries {
			return fmt.Errorf("%w (tried %d times)", err, tries)
		}
		wait := g.wait(try)
		g.note("%v; trying again in %v", err, wait)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// own tells whether an address is the endpoint's, where the token may go.
func (g *getter) own(u *url.URL) bool {
	return strings.EqualFold(u.Host, g.endpoint.Host) && (u.Scheme == g.endpoint.Scheme || u.Scheme == "https")
}

// follow makes a request and follows redirects, until stop, if any, says that one is
// to be returned.
func (g *getter) follow(ctx context.Context, method, address string, header http.Header,
	stop func(resp *http.Response, next *url.URL) bool) (*http.Response, error) {
	for range maxHops {
		req, err := http.NewRequestWithContext(ctx, method, address, nil)
		if err != nil {
			return nil, errors.New("can't make the request's address")
		}
		for k, v := range header {
			req.Header[k] = v
		}
		req.Header.Set("User-Agent", "mteval")
		// Sizes and ranges are those of the file and not of a compressed form.
		req.Header.Set("Accept-Encoding", "identity")
		if g.token != "" && g.own(req.URL) {
			req.Header.Set("Authorization", "Bearer "+g.token)
		}
		resp, err := g.client.Do(req)
		if err != nil {
			final := permanent(err) || ctx.Err() != nil && context.Cause(ctx) != errStalled
			if err = plain(req.URL, err); !final {
				err = temporary{err}
			}
			return nil, err
		}
		if !redirects(resp.StatusCode) {
			// Go undoes what it asked for only, and identity was asked for.
			if c := resp.Header.Get("Content-Encoding"); c != "" && !strings.EqualFold(c, "identity") && resp.StatusCode < 300 {
				resp.Body.Close()
				return nil, fmt.Errorf("%s answered in a compressed form (%.80q), which was not asked for", req.URL.Host, c)
			}
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
	return nil, fmt.Errorf("%s: more than %d redirects", g.endpoint.Host, maxHops)
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
	if c := resp.StatusCode; c >= 400 && !mayPass(c) {
		return fmt.Errorf("%w: %d %s", errProxy, c, http.StatusText(c))
	}
	return nil
}

// mayPass tells of statuses that another try may not get.
func mayPass(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusInsufficientStorage,
		http.StatusNetworkAuthenticationRequired:
		return false
	}
	return status >= 500
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// plain words an error of the network with the host in place of the whole address:
// addresses of large files hold signatures, which belong in no log.
func plain(u *url.URL, err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if strings.HasPrefix(err.Error(), badLocation) {
		err = errors.New("sent a redirect to nowhere")
	}
	return fmt.Errorf("%s: %w", u.Host, err)
}

// refused is the error of an answer that is not what was asked for.
func (g *getter) refused(resp *http.Response, file string) error {
	host, code := resp.Request.URL.Host, resp.StatusCode
	status := fmt.Sprintf("%d %s", code, http.StatusText(code))
	what := ""
	if file != "" {
		what = file + ": "
	}
	denied := code == http.StatusUnauthorized || code == http.StatusForbidden
	switch own := g.own(resp.Request.URL); {
	case mayPass(code):
		return temporary{fmt.Errorf("%s%s answered %s", what, host, status)}
	case denied && !own: // where the token is of no use
	case denied && g.token == "":
		return fmt.Errorf("%s%w: %s answered %s: there is no such model, or it needs HF_TOKEN, set to a token that may read it (see %s/%s)",
			what, ErrToken, host, status, g.endpoint.Redacted(), g.name)
	case denied:
		return fmt.Errorf("%s%w: %s answered %s: there is no such model, or HF_TOKEN's token is not valid or may not read it (see %s/%s)",
			what, ErrToken, host, status, g.endpoint.Redacted(), g.name)
	case code == http.StatusNotFound && resp.Header.Get("X-Error-Code") == "RevisionNotFound":
		return fmt.Errorf("%s%w at %s: no revision %s", what, ErrNoModel, host, g.Revision)
	case code == http.StatusNotFound && file == "" && g.commit == "":
		return fmt.Errorf("%w at %s, or no revision %s of it", ErrNoModel, host, g.Revision)
	}
	return fmt.Errorf("%s%s answered %s", what, host, status)
}
