package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mteval/mteval/internal/fetch"
)

// retry is fetch.Retry with the getter's waits and notes.
func (g *getter) retry(ctx context.Context, f func() (further bool, err error)) error {
	return fetch.Retry(ctx, g.wait, g.Note, f)
}

// own tells whether an address is the endpoint's, where the token may go.
func (g *getter) own(u *url.URL) bool {
	return strings.EqualFold(u.Host, g.endpoint.Host) && (u.Scheme == g.endpoint.Scheme || u.Scheme == "https")
}

// authorize gives a request the token where that may go.
func (g *getter) authorize(req *http.Request) {
	if g.token != "" && g.own(req.URL) {
		req.Header.Set("Authorization", "Bearer "+g.token)
	}
}

// follow is the client's Follow, with compressed answers refused.
func (g *getter) follow(ctx context.Context, method, address string, header http.Header,
	stop func(resp *http.Response, next *url.URL) bool) (*http.Response, error) {
	resp, err := g.client.Follow(ctx, method, address, header, stop)
	if err != nil {
		return nil, err
	}
	// Go undoes what it asked for only, and identity was asked for.
	if c := resp.Header.Get("Content-Encoding"); c != "" && !strings.EqualFold(c, "identity") && resp.StatusCode < 300 {
		resp.Body.Close()
		return nil, fmt.Errorf("%s answered in a compressed form (%.80q), which was not asked for", resp.Request.URL.Host, c)
	}
	return resp, nil
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
	case fetch.MayPass(code):
		return fetch.NewTemporary(fmt.Errorf("%s%s answered %s", what, host, status))
	case denied && !own: // where the token is of no use
	case denied && resp.Header.Get("X-Error-Code") == "GatedRepo":
		page := g.endpoint.Redacted() + "/" + g.name
		return fmt.Errorf("%s%w: %s answered %s: who wants the model has to accept terms: sign in and accept them at %s, and set HF_TOKEN to a token of yours",
			what, ErrToken, host, status, page)
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
