package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mteval/mteval/internal/fetch"
)

// address is a file's, at the commit, so that what is fetched belongs together even
// when the model changes meanwhile.
func (g *getter) address(file string) string {
	return g.endpoint.String() + "/" + g.name + "/resolve/" + g.commit + "/" + strings.ReplaceAll(url.PathEscape(file), "%2F", "/")
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
		ctx, cancel := context.WithTimeoutCause(ctx, 2*fetch.Stall, fetch.ErrStalled)
		defer cancel()
		resp, err := g.follow(ctx, http.MethodHead, g.address(file), nil, func(resp *http.Response, next *url.URL) bool {
			return !g.own(next) && linked(resp) != ""
		})
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK && !fetch.Redirects(resp.StatusCode) {
			return false, g.refused(resp, file)
		}
		host := resp.Request.URL.Host
		if c := resp.Header.Get("X-Repo-Commit"); c != "" && c != g.commit {
			return false, fmt.Errorf("%s: %s answered with commit %.80q in place of %s", file, host, c, g.commit)
		}
		m = meta{name: file, commit: g.commit, etag: linked(resp), size: -1}
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
		if m.size > m.limit() {
			return false, fmt.Errorf("%s: %s told of %d bytes; no such file has more than %d", file, host, m.size, m.limit())
		}
		return false, nil
	})
	return m, err
}

// file sees to it that a file is in the snapshot and right.
func (g *getter) file(ctx context.Context, m meta) error {
	path := filepath.Join(g.snapshot, filepath.FromSlash(m.name))
	blobs := filepath.Join(g.model, "blobs")
	ok, err := m.inSnapshot(ctx, path, blobs)
	if err != nil {
		return err
	}
	if !ok {
		blob, err := g.blob(ctx, m, blobs)
		if err != nil {
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

// blob sees to it that a blob is there and right, and returns its path.
func (g *getter) blob(ctx context.Context, m meta, blobs string) (path string, err error) {
	unlock, err := g.lock(ctx, m)
	if err != nil {
		return "", err
	}
	defer unlock()
	if path, err = m.find(ctx, blobs); path != "" || err != nil {
		return path, err
	}
	if err := os.MkdirAll(blobs, 0o755); err != nil {
		return "", err
	}
	part := filepath.Join(blobs, m.key()+".incomplete")
	err = g.fetch(ctx, m, part)
	var name string
	if err == nil {
		name, err = m.check(ctx, part)
	}
	if errors.Is(err, ErrMismatch) {
		// Continuing it could never end well.
		if rerr := os.Remove(part); rerr != nil {
			return "", errors.Join(err, rerr)
		}
		return "", fmt.Errorf("%w; what was downloaded of it is deleted", err)
	}
	if err != nil {
		if !m.hashed() { // it will not be continued
			os.Remove(part)
		}
		return "", err
	}
	path = filepath.Join(blobs, name)
	return path, os.Rename(part, path)
}

// fetch downloads a file to the path, or what is missing of it there.
func (g *getter) fetch(ctx context.Context, m meta, path string) error {
	var furthest int64
	if !m.hashed() {
		// Nothing would tell if what was left of an earlier try is damaged.
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	} else if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
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
	f, err := fetch.OpenOwn(path)
	if err != nil {
		return 0, err
	}
	p := &part{file: f, meta: m}
	err = g.fetchPart(ctx, p)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return p.at, err
}

// A part is what is on disk of a file that is being downloaded.
type part struct {
	file *os.File
	meta
	at int64 // how many bytes it has, where the next ones go
}

// restart empties the part.
func (p *part) restart() error {
	p.at = 0
	if err := p.file.Truncate(0); err != nil {
		return err
	}
	_, err := p.file.Seek(0, io.SeekStart)
	return err
}

// seek goes to the part's end, or to its beginning where there is more than there should
// be.
func (p *part) seek() (err error) {
	if p.at, err = p.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	if p.size >= 0 && p.at > p.size {
		return p.restart()
	}
	return nil
}

// fetchPart asks for what is missing of a part, and adds it.
func (g *getter) fetchPart(ctx context.Context, p *part) error {
	if err := p.seek(); err != nil || p.at == p.size {
		return err
	}
	header := make(http.Header)
	if p.at > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", p.at))
	}
	// A connection that brings nothing more is given up and made anew.
	flow, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(2*fetch.Stall, func() { cancel(fetch.ErrStalled) })
	defer watch.Stop()
	resp, err := g.follow(flow, http.MethodGet, g.address(p.name), header, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := g.accept(resp, p); err != nil {
		return err
	}
	err = g.copy(ctx, p, resp, func() { watch.Reset(2 * fetch.Stall) })
	var cut cutError
	if errors.As(err, &cut) {
		if context.Cause(flow) == fetch.ErrStalled {
			cut.error = fetch.ErrStalled
		}
		return fetch.NewTemporary(fetch.Plain(resp.Request.URL, cut.error))
	}
	return err
}

// accept looks at what kind of answer it is: the whole file, what follows the part, or none
// of use.
func (g *getter) accept(resp *http.Response, p *part) error {
	host := resp.Request.URL.Host
	// again begins anew, unless that was what was asked for.
	again := func(err error) error {
		if p.at == 0 {
			return err
		}
		return errors.Join(fetch.NewTemporary(err), p.restart())
	}
	switch resp.StatusCode {
	case http.StatusOK:
		if err := p.restart(); err != nil {
			return err
		}
		if n := resp.ContentLength; n >= 0 && p.size >= 0 && n != p.size {
			return fmt.Errorf("%w: %s has %d bytes, should be %d", ErrMismatch, host, n, p.size)
		}
		return nil
	case http.StatusPartialContent:
		if err := continues(resp, p.at, p.size); err != nil {
			return again(fmt.Errorf("%s %w", host, err))
		}
		return nil
	case http.StatusRequestedRangeNotSatisfiable:
		return again(fmt.Errorf("%s has nothing after byte %d", host, p.at))
	}
	return g.refused(resp, "")
}

// A cutError says that an answer ended before the file did.
type cutError struct{ error }

// copy adds an answer's body to the part, and calls flows after each piece of it.
func (g *getter) copy(ctx context.Context, p *part, resp *http.Response, flows func()) error {
	most := p.size
	if most < 0 {
		most = p.limit()
	}
	g.report(p.at)
	buf := make([]byte, maxBlock)
	for {
		n, rerr := resp.Body.Read(buf)
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.at+int64(n) > most {
			return fmt.Errorf("%w: %s sent more than %d bytes", ErrMismatch, resp.Request.URL.Host, most)
		}
		if n > 0 {
			flows()
			w, err := p.file.Write(buf[:n])
			p.at += int64(w)
			if err != nil {
				return err
			}
			g.report(p.at)
		}
		switch {
		case rerr == io.EOF && p.size >= 0 && p.at < p.size:
			return cutError{fmt.Errorf("ended after %d of %d bytes", p.at, p.size)}
		case rerr == io.EOF:
			return p.file.Sync()
		case rerr != nil:
			return cutError{rerr}
		}
	}
}

// continues checks that a partial answer begins at the byte and is part of a file of the
// size, if told.
func continues(resp *http.Response, at, size int64) error {
	told := resp.Header.Get("Content-Range")
	wrong := fmt.Errorf("sent %.80q when asked for what follows byte %d", told, at)
	r, total, ok := strings.Cut(strings.TrimPrefix(told, "bytes "), "/")
	first, last, ok2 := strings.Cut(r, "-")
	from, err := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	if !ok || !ok2 || err != nil || err2 != nil || from != at || to < from || size >= 0 && to >= size {
		return wrong
	}
	if n := resp.ContentLength; n >= 0 && n != to-from+1 {
		return wrong
	}
	if total == "*" {
		return nil
	}
	if n, err := strconv.ParseInt(total, 10, 64); err != nil || n <= to || size >= 0 && n != size {
		return wrong
	}
	return nil
}
