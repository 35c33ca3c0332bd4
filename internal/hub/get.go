package hub

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNoModel is what errors wrap when the server has no such model or revision.
var ErrNoModel = errors.New("no such model")

// ErrToken is what errors wrap when the server wants a token, or another one. Hugging
// Face answers so for models that don't exist, too.
var ErrToken = errors.New("not allowed")

const (
	tries    = 5
	maxHops  = 10
	maxJSON  = 64 << 20 // bounds what is read into memory
	stall    = time.Minute
	maxBlock = 256 << 10
)

// Options tell how to download. The zero value will do.
type Options struct {
	// Revision is a branch, a tag or a commit; "main" when empty. Find finds main only.
	Revision string
	// Progress is told, from one goroutine, how many bytes of how many are on disk,
	// those from before included.
	Progress func(done, total int64)
	// Client is used for its transport, cookies and time limit, which is one for each
	// request. Nil is one with the environment's proxies.
	Client *http.Client

	// For tests.
	wait    func(try int) time.Duration
	symlink func(target, path string) error
}

// Get downloads a model into the cache and returns its folder: config.json, the
// tokenizer's files, and the weights in safetensors files. What is there and right is
// not downloaded again, and what an earlier try left is continued. The address is
// HF_ENDPOINT's, else Hugging Face's, and HF_TOKEN is sent there when set, and to no
// other host. The revision is recorded last, so that Find finds whole models.
func Get(ctx context.Context, name string, o Options) (dir string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	o.Revision = cmp.Or(o.Revision, "main")
	for p := range strings.SplitSeq(o.Revision, "/") {
		if !segment.MatchString(p) || strings.Contains(p, "..") {
			return "", fmt.Errorf("%q is not a revision's name", o.Revision)
		}
	}
	root, err := cache()
	if err != nil {
		return "", err
	}
	g, err := newGetter(root, name, o)
	if err != nil {
		return "", err
	}
	defer g.close()
	if err := g.run(ctx); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", fmt.Errorf("model %s: %w", name, err)
	}
	return g.snapshot, nil
}

type getter struct {
	Options
	name     string
	client   http.Client
	endpoint *url.URL
	token    string
	close    func()

	locks, model, snapshot string // folders
	commit                 string
	listed                 map[string]bool

	// The bytes of the files that are finished, and of all; total is 0 until known.
	done, total int64
}

func newGetter(root, name string, o Options) (*getter, error) {
	address := strings.TrimRight(cmp.Or(os.Getenv("HF_ENDPOINT"), "https://huggingface.co"), "/")
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("HF_ENDPOINT is not an address such as https://huggingface.co")
	}
	g := &getter{
		Options:  o,
		name:     name,
		endpoint: u,
		token:    strings.TrimSpace(os.Getenv("HF_TOKEN")),
		close:    func() {},
		locks:    filepath.Join(root, ".locks", filepath.Base(folder(root, name))),
		model:    folder(root, name),
	}
	if g.wait == nil {
		g.wait = func(try int) time.Duration { return time.Second << (try - 1) }
	}
	if g.symlink == nil {
		g.symlink = os.Symlink
	}
	if o.Client != nil {
		g.client = *o.Client
	} else {
		t := &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:   30 * time.Second,
			ResponseHeaderTimeout: stall,
			ForceAttemptHTTP2:     true,
		}
		g.client.Transport, g.close = t, t.CloseIdleConnections
	}
	// Redirects are followed by hand: the client would send the token on to other
	// ports and subdomains of the host.
	g.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return g, nil
}

func (g *getter) run(ctx context.Context) error {
	if err := g.list(ctx); err != nil {
		return err
	}
	names, index, err := g.choose()
	if err != nil {
		return err
	}
	var files []meta
	describe := func(names []string) error {
		for _, n := range names {
			m, err := g.head(ctx, n)
			if err != nil {
				return err
			}
			files = append(files, m)
		}
		return nil
	}
	if err := describe(names); err != nil {
		return err
	}
	if index {
		// Always the last: its file tells the others.
		m := files[len(files)-1]
		if err := g.file(ctx, m); err != nil {
			return err
		}
		shards, err := g.shards(filepath.Join(g.snapshot, m.name))
		if err != nil {
			return err
		}
		files = files[:len(files)-1]
		if err := describe(shards); err != nil {
			return err
		}
	}
	g.total = g.done
	for _, m := range files {
		g.total += max(m.size, 0)
	}
	g.report(0)
	for _, m := range files {
		if err := g.file(ctx, m); err != nil {
			return err
		}
	}
	if g.Revision == g.commit {
		return nil
	}
	ref := filepath.Join(g.model, "refs", filepath.FromSlash(g.Revision))
	if old, err := os.ReadFile(ref); err == nil && string(old) == g.commit {
		return nil
	}
	return replace(ref, strings.NewReader(g.commit))
}

// list asks what commit the revision is and what files it has.
func (g *getter) list(ctx context.Context) error {
	address := g.endpoint.String() + "/api/models/" + g.name + "/revision/" + url.PathEscape(g.Revision)
	var info struct {
		SHA      string
		Siblings []struct{ RFilename string }
	}
	err := g.retry(ctx, func() (bool, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, 2*stall, errStalled)
		defer cancel()
		resp, err := g.follow(ctx, http.MethodGet, address, nil, nil)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return false, g.refused(resp, "")
		}
		data, err := io.ReadAll(io.LimitReader(resp.Body, maxJSON))
		if err != nil {
			return false, temporary{plain(resp.Request.URL, err)}
		}
		if err := json.Unmarshal(data, &info); err != nil {
			return false, fmt.Errorf("%s answered something other than the model's list of files: %w", resp.Request.URL.Host, err)
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	if b, err := hex.DecodeString(info.SHA); err != nil || len(b) != 20 && len(b) != 32 {
		return fmt.Errorf("%s told %.80q for a commit", g.endpoint.Host, info.SHA)
	}
	g.commit = info.SHA
	g.snapshot = filepath.Join(g.model, "snapshots", g.commit)
	g.listed = make(map[string]bool)
	for _, s := range info.Siblings {
		if hostile(s.RFilename) {
			return fmt.Errorf("%s lists a file with the name %.200q, which is refused", g.endpoint.Host, s.RFilename)
		}
		g.listed[s.RFilename] = true
	}
	return nil
}

// hostile tells of names that could lead out of a folder, on any platform. Such a
// listing is refused whole: no model has them by accident.
func hostile(name string) bool {
	if strings.ContainsAny(name, "\\\x00") || len(name) > 1 && name[1] == ':' {
		return true
	}
	return slices.ContainsFunc(strings.Split(name, "/"), func(p string) bool {
		return p == "" || p == "." || p == ".."
	})
}

// choose picks the files to have. The index of weights in several files, if there, is
// the last.
func (g *getter) choose() (names []string, index bool, err error) {
	if !g.listed["config.json"] {
		return nil, false, errors.New("has no config.json")
	}
	names = []string{"config.json"}
	switch {
	case g.listed["tokenizer.json"]:
		names = append(names, "tokenizer.json")
	case g.listed["vocab.txt"]:
		names = append(names, "vocab.txt")
	default:
		return nil, false, errors.New("has neither tokenizer.json nor vocab.txt")
	}
	for _, n := range []string{"tokenizer_config.json", "special_tokens_map.json"} {
		if g.listed[n] {
			names = append(names, n)
		}
	}
	const one, several = "model.safetensors", "model.safetensors.index.json"
	switch {
	case g.listed[one]:
		return append(names, one), false, nil
	case g.listed[several]:
		return append(names, several), true, nil
	}
	return nil, false, errors.New("has no weights in safetensors files (neither " + one + " nor " + several + ")")
}

// shards are the files that an index names.
func (g *getter) shards(path string) ([]string, error) {
	const file = "model.safetensors.index.json"
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	seen := make(map[string]bool)
	var names []string
	for _, n := range index.Map {
		if seen[n] {
			continue
		}
		seen[n] = true
		if !segment.MatchString(n) || !strings.HasSuffix(n, ".safetensors") || !filepath.IsLocal(n) {
			return nil, fmt.Errorf("%s: weight_map: %.200q is refused as a file of weights", file, n)
		}
		if !g.listed[n] {
			return nil, fmt.Errorf("%s: weight_map: the model has no file %s", file, n)
		}
		names = append(names, n)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: weight_map: names no file", file)
	}
	slices.Sort(names)
	return names, nil
}

// address is a file's, at the commit, so that what is fetched belongs together even
// when the model changes meanwhile.
func (g *getter) address(file string) string {
	return g.endpoint.String() + "/" + g.name + "/resolve/" + g.commit + "/" + url.PathEscape(file)
}

// blobName is an etag that can be a file's name.
var blobName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`)

// head asks for a file's size and hash. Large files are on another host, whose own
// etag is something else; the redirect to it tells what counts.
func (g *getter) head(ctx context.Context, file string) (m meta, err error) {
	linked := func(resp *http.Response) string {
		tag := cmp.Or(resp.Header.Get("X-Linked-Etag"), resp.Header.Get("Etag"))
		return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
	}
	err = g.retry(ctx, func() (bool, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, 2*stall, errStalled)
		defer cancel()
		resp, err := g.follow(ctx, http.MethodHead, g.address(file), nil, func(resp *http.Response, next *url.URL) bool {
			return !g.own(next) && linked(resp) != ""
		})
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		resp.Body.Close()
		if resp.StatusCode >= 400 {
			return false, g.refused(resp, file)
		}
		host := resp.Request.URL.Host
		if c := resp.Header.Get("X-Repo-Commit"); c != "" && c != g.commit {
			return false, fmt.Errorf("%s: %s answered with commit %.80q in place of %s", file, host, c, g.commit)
		}
		m = meta{name: file, etag: linked(resp), size: -1}
		if !blobName.MatchString(m.etag) || !filepath.IsLocal(m.etag) {
			return false, fmt.Errorf("%s: %s told no usable etag (%.200q)", file, host, m.etag)
		}
		if size := resp.Header.Get("X-Linked-Size"); size != "" {
			if m.size, err = strconv.ParseInt(size, 10, 64); err != nil || m.size < 0 {
				return false, fmt.Errorf("%s: %s told %.80q for a size", file, host, size)
			}
		} else if resp.StatusCode == http.StatusOK {
			m.size = resp.ContentLength
		}
		return false, nil
	})
	return m, err
}

// file sees to it that a file is in the snapshot and right.
func (g *getter) file(ctx context.Context, m meta) error {
	path := filepath.Join(g.snapshot, m.name)
	blob := filepath.Join(g.model, "blobs", m.etag)
	// A blob may be missing behind a good copy: where links can't be made, Hugging
	// Face's library keeps the copy only.
	ok, err := m.present(ctx, path)
	if err != nil {
		return err
	}
	if !ok {
		if err := g.blob(ctx, m, blob); err != nil {
			return err
		}
		if err := link(ctx, g.symlink, blob, path); err != nil {
			return err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	g.done += info.Size()
	if m.size < 0 && g.total > 0 {
		g.total += info.Size()
	}
	g.report(0)
	return nil
}

// blob sees to it that a blob is there and right.
func (g *getter) blob(ctx context.Context, m meta, path string) error {
	unlock, err := lock(ctx, filepath.Join(g.locks, m.etag+".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if ok, err := m.present(ctx, path); ok || err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	part := path + ".incomplete"
	err = g.fetch(ctx, m, part)
	if err == nil {
		err = m.check(ctx, part)
	}
	if errors.Is(err, ErrMismatch) {
		// Continuing it could never end well.
		if rerr := os.Remove(part); rerr != nil {
			return errors.Join(err, rerr)
		}
		return fmt.Errorf("%w; what was downloaded of it is deleted", err)
	}
	if err != nil {
		return err
	}
	return os.Rename(part, path)
}

// fetch downloads a file to the path, or what is missing of it there.
func (g *getter) fetch(ctx context.Context, m meta, path string) error {
	var furthest int64
	if info, err := os.Stat(path); err == nil {
		furthest = info.Size()
	}
	// Tries count only where they get no further, so that a large file comes through
	// a line that is cut now and then.
	return g.retry(ctx, func() (bool, error) {
		at, err := g.fetchSome(ctx, m, path)
		further := at > furthest
		furthest = max(furthest, at)
		if err != nil {
			err = fmt.Errorf("%s: %w", m.name, err)
		}
		return further, err
	})
}

// fetchSome is one request, and returns how much of the file is on disk.
func (g *getter) fetchSome(ctx context.Context, m meta, path string) (at int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return 0, err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	restart := func() error {
		at = 0
		if err := f.Truncate(0); err != nil {
			return err
		}
		_, err := f.Seek(0, io.SeekStart)
		return err
	}
	if at, err = f.Seek(0, io.SeekEnd); err != nil {
		return at, err
	}
	if m.size >= 0 && at > m.size {
		if err := restart(); err != nil {
			return at, err
		}
	}
	if at == m.size {
		return at, nil
	}
	header := make(http.Header)
	if at > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", at))
	}
	// A connection that brings nothing more is given up and made anew.
	flow, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(2*stall, func() { cancel(errStalled) })
	defer watch.Stop()
	cut := func(u *url.URL, err error) error {
		if context.Cause(flow) == errStalled {
			err = errStalled
		}
		return temporary{plain(u, err)}
	}

	resp, err := g.follow(flow, http.MethodGet, g.address(m.name), header, nil)
	if err != nil {
		return at, err
	}
	defer resp.Body.Close()
	from := resp.Request.URL
	switch resp.StatusCode {
	case http.StatusOK:
		if err := restart(); err != nil {
			return at, err
		}
		if n := resp.ContentLength; n >= 0 && m.size >= 0 && n != m.size {
			return at, fmt.Errorf("%w: %s has %d bytes, should be %d", ErrMismatch, from.Host, n, m.size)
		}
	case http.StatusPartialContent:
		if r := resp.Header.Get("Content-Range"); at == 0 || !strings.HasPrefix(r, fmt.Sprintf("bytes %d-", at)) {
			err := fmt.Errorf("%s sent %q when asked for what follows byte %d", from.Host, r, at)
			return 0, errors.Join(temporary{err}, restart())
		}
	case http.StatusRequestedRangeNotSatisfiable:
		err := fmt.Errorf("%s has nothing after byte %d", from.Host, at)
		return 0, errors.Join(temporary{err}, restart())
	default:
		return at, g.refused(resp, "")
	}
	g.report(at)
	buf := make([]byte, maxBlock)
	for {
		n, rerr := resp.Body.Read(buf)
		if err := ctx.Err(); err != nil {
			return at, err
		}
		if m.size >= 0 && at+int64(n) > m.size {
			return at, fmt.Errorf("%w: more than %d bytes", ErrMismatch, m.size)
		}
		if n > 0 {
			watch.Reset(2 * stall)
			w, err := f.Write(buf[:n])
			at += int64(w)
			if err != nil {
				return at, err
			}
			g.report(at)
		}
		switch {
		case rerr == io.EOF && m.size >= 0 && at < m.size:
			return at, cut(from, fmt.Errorf("ended after %d of %d bytes", at, m.size))
		case rerr == io.EOF:
			return at, nil
		case rerr != nil:
			return at, cut(from, rerr)
		}
	}
}

var errStalled = errors.New("sent nothing more")

// report tells of progress: at is the bytes of the file at hand.
func (g *getter) report(at int64) {
	if g.Progress != nil && g.total > 0 {
		g.Progress(g.done+at, g.total)
	}
}

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
		if err := sleep(ctx, g.wait(try)); err != nil {
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
			final := ctx.Err() != nil && context.Cause(ctx) != errStalled
			var dns *net.DNSError
			var cert *tls.CertificateVerificationError
			final = final || errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &cert)
			if err = plain(req.URL, err); !final {
				err = temporary{err}
			}
			return nil, err
		}
		switch resp.StatusCode {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		default:
			return resp, nil
		}
		next, err := resp.Location()
		if err != nil {
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

// plain words an error of the network with the host in place of the whole address:
// addresses of large files hold signatures, which belong in no log.
func plain(u *url.URL, err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
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
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout,
		denied && !own: // a signature that ran out; the next try gets another
		return temporary{fmt.Errorf("%s%s answered %s", what, host, status)}
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
