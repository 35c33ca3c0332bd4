// Package fetch downloads a file to a path: whole or not at all, checked by its sum, with
// other processes that want the same waiting. Its requests, retries and locks are also
// those of package hub.
package fetch

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mteval/mteval/internal/outfile"
)

// ErrMismatch is what errors wrap when a file that came has not the sum or the size that
// it should have.
var ErrMismatch = errors.New("damaged download")

// maxFile is Max's default.
const maxFile = 2 << 30

// Options tell how to download. The zero value takes what comes.
type Options struct {
	// MD5 and SHA256 are the sums that the file must have, in hexadecimal; "": any.
	MD5, SHA256 string
	// Max is the most bytes that the file may have; 0: 2 GiB.
	Max int64
	// Progress is told, from one goroutine, how many bytes of how many there are; total is
	// -1 where the server does not tell. It begins anew with each try.
	Progress func(done, total int64)
	// Note is told, a line at a time, what is waited for: another process that downloads the
	// same, or the next try.
	Note func(text string)
	// Client is used for its transport, cookies and time limit. Nil is one with the
	// environment's proxies.
	Client *http.Client

	// For tests.
	wait     func(try int) time.Duration
	patience time.Duration // with who holds a lock, before Note is told
	stall    time.Duration
}

// Home is the folder in which sacreBLEU keeps what it downloads: $SACREBLEU, else
// .sacrebleu in the user's home folder, "" where there is neither.
func Home() string {
	if dir := os.Getenv("SACREBLEU"); strings.TrimSpace(dir) != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".sacrebleu")
}

// File downloads what is at an address (http or https) to a path, and makes the folder that
// it is in. A file that is there and has the sum of the options, or any but an empty one where
// they have none, stays; another one is replaced once the right one has come. Whoever
// downloads the same at the same time, sacreBLEU included, is waited for. ctx ends it at once,
// with its cause for an error, and then nothing is at the path that was not there before.
//
// Errors begin with the address, or with the path where the disk is at fault.
func File(ctx context.Context, address, path string, o Options) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return fmt.Errorf("%.200q is no address that can be fetched (http:// or https://)", address)
	}
	g := &getter{Options: o, address: address, path: path}
	g.Max = cmp.Or(g.Max, maxFile)
	g.stall = cmp.Or(g.stall, Stall)
	if there, err := g.there(ctx); there || err != nil {
		return g.fail(ctx, err)
	}
	// The name of sacreBLEU's lock, which is of the same kind.
	lock := path + ".lock"
	unlock, err := Lock(ctx, lock, cmp.Or(o.patience, Patience), func() {
		g.note(fmt.Sprintf("waiting for another process that downloads %s (it holds %s)", filepath.Base(path), lock))
	})
	if err != nil {
		return g.fail(ctx, err)
	}
	defer unlock()
	if there, err := g.there(ctx); there || err != nil {
		return g.fail(ctx, err)
	}
	g.client = NewClient(o.Client)
	defer g.client.Close()
	return g.fail(ctx, Retry(ctx, o.wait, o.Note, func() (bool, error) { return false, g.fetch(ctx) }))
}

// A getter is one download.
type getter struct {
	Options
	address, path string
	client        *Client
}

// fail says of which address an error is; those of the disk name a path.
func (g *getter) fail(ctx context.Context, err error) error {
	var disk *fs.PathError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &disk):
		return err
	}
	return fmt.Errorf("%s: %w", g.address, err)
}

func (g *getter) note(text string) {
	if g.Note != nil {
		g.Note(text)
	}
}

// there tells whether the path has what is wanted.
func (g *getter) there(ctx context.Context) (bool, error) {
	// Looked at before it is opened: a pipe would wait.
	info, err := os.Stat(g.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, &fs.PathError{Op: "write", Path: g.path, Err: errors.New("is a folder")}
	case !info.Mode().IsRegular():
		return false, &fs.PathError{Op: "write", Path: g.path, Err: errors.New("is no regular file")}
	case info.Size() == 0 || info.Size() > g.Max:
		return false, nil
	case g.MD5 == "" && g.SHA256 == "":
		return true, nil
	}
	f, err := os.Open(g.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	s := g.sums()
	if _, err := s.copy(ctx, io.Discard, f, g.Max, nil); err != nil {
		return false, err
	}
	return s.check() == nil, nil
}

// fetch is one try.
func (g *getter) fetch(ctx context.Context) error {
	// A server that sends nothing more is given up.
	flow, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(2*g.stall, func() { cancel(ErrStalled) })
	defer watch.Stop()
	resp, err := g.client.Follow(flow, http.MethodGet, g.address, nil, nil)
	if err != nil {
		if context.Cause(flow) == ErrStalled {
			err = Temporary{ErrStalled}
		}
		return err
	}
	defer resp.Body.Close()
	if err := g.accept(resp); err != nil {
		return err
	}
	out, err := outfile.Create(ctx, g.path)
	if err != nil {
		return err
	}
	defer out.Close()
	err = g.save(ctx, out, resp, func() { watch.Reset(2 * g.stall) })
	var cut cutError
	if errors.As(err, &cut) {
		if context.Cause(flow) == ErrStalled {
			cut.error = ErrStalled
		}
		return Temporary{fmt.Errorf("%w (after %d bytes)", Plain(resp.Request.URL, cut.error), cut.after)}
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// accept looks at what kind of answer it is.
func (g *getter) accept(resp *http.Response) error {
	host := resp.Request.URL.Host
	if c := resp.StatusCode; c != http.StatusOK {
		err := fmt.Errorf("%s answered %d %s", host, c, http.StatusText(c))
		if MayPass(c) {
			err = Temporary{err}
		}
		return err
	}
	if n := resp.ContentLength; n > g.Max {
		return fmt.Errorf("%w: %s has %d bytes for it, more than %d", ErrMismatch, host, n, g.Max)
	}
	return nil
}

// save writes an answer's body, and checks it. It calls flows after each piece.
func (g *getter) save(ctx context.Context, w io.Writer, resp *http.Response, flows func()) error {
	s := g.sums()
	n, err := s.copy(ctx, w, resp.Body, g.Max, func(n int64) {
		flows()
		if g.Progress != nil {
			g.Progress(n, resp.ContentLength)
		}
	})
	switch {
	case err != nil:
		return err
	case n == 0:
		return fmt.Errorf("%w: %s sent an empty file", ErrMismatch, resp.Request.URL.Host)
	}
	return s.check()
}

// A cutError says that an answer ended before the file did.
type cutError struct {
	error
	after int64 // bytes
}

// sums are the sums that a file should have, and those that it has.
type sums []sum

type sum struct {
	name, want string
	hash.Hash
}

func (g *getter) sums() (s sums) {
	if g.MD5 != "" {
		s = append(s, sum{"MD5", g.MD5, md5.New()})
	}
	if g.SHA256 != "" {
		s = append(s, sum{"SHA-256", g.SHA256, sha256.New()})
	}
	return s
}

// check compares the sums.
func (s sums) check() error {
	for _, h := range s {
		if got := hex.EncodeToString(h.Sum(nil)); !strings.EqualFold(got, h.want) {
			return fmt.Errorf("%w: %s is %s, should be %s", ErrMismatch, h.name, got, h.want)
		}
	}
	return nil
}

// copy copies and sums up, and calls flows with the number of bytes after each piece. An
// error of reading is a cutError.
func (s sums) copy(ctx context.Context, w io.Writer, r io.Reader, most int64, flows func(n int64)) (n int64, err error) {
	buf := make([]byte, 256<<10)
	for {
		read, rerr := r.Read(buf)
		if err := ctx.Err(); err != nil {
			return n, err
		}
		n += int64(read)
		if n > most {
			return n, fmt.Errorf("%w: more than %d bytes", ErrMismatch, most)
		}
		if read > 0 {
			if _, err := w.Write(buf[:read]); err != nil {
				return n, err
			}
			for _, h := range s {
				h.Write(buf[:read])
			}
			if flows != nil {
				flows(n)
			}
		}
		if rerr == io.EOF {
			return n, nil
		}
		if rerr != nil {
			return n, cutError{rerr, n}
		}
	}
}
