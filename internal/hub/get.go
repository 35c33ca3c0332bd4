package hub

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mteval/mteval/internal/fetch"
)

// ErrNoModel is what errors wrap when the server has no such model or revision.
var ErrNoModel = errors.New("no such model")

// ErrToken is what errors wrap when the server wants a token, or another one. Hugging
// Face answers so for models that don't exist, too.
var ErrToken = errors.New("not allowed")

const (
	maxJSON  = 32 << 20 // bounds what is read into memory
	maxList  = 16 << 20
	maxBlock = 256 << 10
)

// Options tell how to download. The zero value will do.
type Options struct {
	// Revision is a branch, a tag or a commit; "main" when empty. Find finds main only.
	Revision string
	// WithoutWeights gets the config and the tokenizer alone, of a model whose weights are in
	// another.
	WithoutWeights bool
	// AcceptLicence gets also a model whose licence forbids commercial use; Note tells of it.
	AcceptLicence bool
	// Check, if not nil, looks at a COMET model's hparams.yaml before its checkpoint, of GBs, is
	// fetched.
	Check func(path string) error
	// Progress is told, from one goroutine, how many bytes of how many are on disk,
	// those from before included.
	Progress func(done, total int64)
	// Note is told, a line at a time, what Get waits for: another process that
	// downloads the same, or the next try; and of a licence that was accepted.
	Note func(text string)
	// Client is used for its transport, cookies and time limit, which is one for each
	// request. Nil is one with the environment's proxies.
	Client *http.Client

	// For tests.
	wait     func(try int) time.Duration
	symlink  func(target, path string) error
	patience time.Duration // with who holds a lock, before Note is told
}

// Get downloads a model into the cache and returns its folder: config.json, the tokenizer's
// files, and the weights in safetensors files, or in PyTorch's if there are no others; of a
// COMET model hparams.yaml and checkpoints/model.ckpt. A licence that forbids commercial use is
// ErrLicence, unless it is accepted. What is there and right is not downloaded again, and what
// an earlier try left is continued. The address is HF_ENDPOINT's, else Hugging Face's, and
// HF_TOKEN is sent there when set, and to no other host. Where the server tells a hash, what is
// on disk is checked by it, and what is wrong is downloaded anew. Another server may tell an
// etag that is none: then a file must have the SHA-256 that it had when it came, its blob is not
// shared, and what an earlier try left is not continued. The revision is recorded last, so that
// Find finds whole models, or, WithoutWeights, what was asked for.
func Get(ctx context.Context, name string, o Options) (dir string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	o.Revision = cmp.Or(o.Revision, "main")
	if err := checkRevision(o.Revision); err != nil {
		return "", err
	}
	root, err := cache()
	if err != nil {
		return "", err
	}
	g, err := newGetter(root, name, o)
	if err != nil {
		return "", err
	}
	defer g.client.Close()
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
	client   *fetch.Client
	endpoint *url.URL
	token    string

	locks, model, snapshot string // folders
	commit                 string
	listed                 map[string]bool

	// The bytes of the files that are finished, and of all; total is 0 until known.
	done, total int64
}

func newGetter(root, name string, o Options) (*getter, error) {
	address := strings.TrimRight(cmp.Or(os.Getenv("HF_ENDPOINT"), "https://huggingface.co"), "/")
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("HF_ENDPOINT is not an address such as https://huggingface.co")
	}
	token := strings.TrimSpace(os.Getenv("HF_TOKEN"))
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("HF_TOKEN has characters that no token has")
	}
	g := &getter{
		Options:  o,
		name:     name,
		endpoint: u,
		token:    token,
		locks:    filepath.Join(root, ".locks", filepath.Base(folder(root, name))),
		model:    folder(root, name),
	}
	if g.symlink == nil {
		g.symlink = os.Symlink
	}
	g.patience = cmp.Or(g.patience, fetch.Patience)
	g.client = fetch.NewClient(o.Client)
	g.client.Prepare = g.authorize
	return g, nil
}

func (g *getter) run(ctx context.Context) error {
	tags, err := g.list(ctx)
	if err != nil {
		return err
	}
	if err := g.licence(ctx, tags); err != nil {
		return err
	}
	names, index, err := g.choose()
	if err != nil {
		return err
	}
	ref, err := g.ref()
	if err != nil {
		return err
	}
	files, err := g.heads(ctx, names)
	if err != nil {
		return err
	}
	if index {
		last := len(files) - 1
		shards, err := g.index(ctx, files[last])
		if err != nil {
			return err
		}
		files = append(files[:last], shards...)
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
		if m.name == settings && g.Check != nil {
			if err := g.Check(filepath.Join(g.snapshot, settings)); err != nil {
				return err
			}
		}
	}
	if ref == "" {
		return nil
	}
	if old, err := readRef(ref); err == nil && old == g.commit {
		return nil
	}
	return replace(ctx, ref, strings.NewReader(g.commit))
}

// heads asks for the sizes and hashes of files.
func (g *getter) heads(ctx context.Context, names []string) ([]meta, error) {
	var files []meta
	for _, n := range names {
		m, err := g.head(ctx, n)
		if err != nil {
			return nil, err
		}
		files = append(files, m)
	}
	return files, nil
}

// index gets an index of weights, and asks for the files that it names.
func (g *getter) index(ctx context.Context, m meta) ([]meta, error) {
	if err := g.file(ctx, m); err != nil {
		return nil, err
	}
	shards, err := g.shards(filepath.Join(g.snapshot, m.name))
	if err != nil {
		return nil, err
	}
	return g.heads(ctx, shards)
}

// ref is the file that records the revision, "" where the revision is the commit. That it
// can be made is seen before anything is downloaded.
func (g *getter) ref() (path string, err error) {
	if g.Revision == g.commit {
		return "", nil
	}
	path = filepath.Join(g.model, "refs", filepath.FromSlash(g.Revision))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("revision %s can't be recorded: %w", g.Revision, err)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return path, nil
	}
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder", path)
	}
	if err != nil {
		return "", fmt.Errorf("revision %s can't be recorded: %w", g.Revision, err)
	}
	return path, nil
}

// report tells of progress: at is the bytes of the file at hand.
func (g *getter) report(at int64) {
	if g.Progress != nil && g.total > 0 {
		g.Progress(g.done+at, g.total)
	}
}

// note tells what is waited for.
func (g *getter) note(format string, args ...any) {
	if g.Note != nil {
		g.Note(fmt.Sprintf(format, args...))
	}
}

// list asks what commit the revision is and what files it has, and returns the hub's tags.
func (g *getter) list(ctx context.Context) (tags []string, err error) {
	address := g.endpoint.String() + "/api/models/" + g.name + "/revision/" + url.PathEscape(g.Revision)
	var info struct {
		SHA      string
		Siblings []struct{ RFilename string }
		Tags     []string
	}
	err = g.retry(ctx, func() (bool, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, 2*fetch.Stall, fetch.ErrStalled)
		defer cancel()
		resp, err := g.follow(ctx, http.MethodGet, address, nil, nil)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return false, g.refused(resp, "")
		}
		data, err := io.ReadAll(io.LimitReader(resp.Body, maxList+1))
		if err != nil {
			return false, fetch.NewTemporary(fetch.Plain(resp.Request.URL, err))
		}
		if len(data) > maxList {
			return false, fmt.Errorf("%s sent more than %d bytes for the model's list of files", resp.Request.URL.Host, maxList)
		}
		if err := json.Unmarshal(data, &info); err != nil {
			return false, fmt.Errorf("%s answered something other than the model's list of files: %w", resp.Request.URL.Host, err)
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	if b, err := hex.DecodeString(info.SHA); err != nil || len(b) != 20 && len(b) != 32 {
		return nil, fmt.Errorf("%s told %.80q for a commit", g.endpoint.Host, info.SHA)
	}
	if b, err := hex.DecodeString(g.Revision); err == nil && len(b) >= 20 && !strings.EqualFold(g.Revision, info.SHA) {
		return nil, fmt.Errorf("%s answered with commit %s in place of %s", g.endpoint.Host, info.SHA, g.Revision)
	}
	g.commit = info.SHA
	g.snapshot = filepath.Join(g.model, "snapshots", g.commit)
	g.listed = make(map[string]bool)
	for _, s := range info.Siblings {
		if hostile(s.RFilename) {
			return nil, fmt.Errorf("%s lists a file with the name %.200q, which is refused", g.endpoint.Host, s.RFilename)
		}
		g.listed[s.RFilename] = true
	}
	return info.Tags, nil
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

// settings are a COMET model's.
const settings = "hparams.yaml"

// choose picks the files to have. The index of weights in several files, if there, is
// the last.
func (g *getter) choose() (names []string, index bool, err error) {
	if cometFiles := []string{settings, "checkpoints/model.ckpt"}; g.listed[cometFiles[0]] && g.listed[cometFiles[1]] {
		return cometFiles, false, nil
	}
	if !g.listed["config.json"] {
		return nil, false, errors.New("has no config.json")
	}
	names = []string{"config.json"}
	switch {
	case g.listed["tokenizer.json"]:
		names = append(names, "tokenizer.json")
	case g.listed["vocab.txt"]:
		names = append(names, "vocab.txt")
	case g.listed["spm.model"]:
		names = append(names, "spm.model")
	case g.listed["sentencepiece.bpe.model"]:
		names = append(names, "sentencepiece.bpe.model")
	case g.listed["vocab.json"] && g.listed["merges.txt"]:
		names = append(names, "vocab.json", "merges.txt")
	default:
		return nil, false, errors.New("has neither tokenizer.json nor vocab.txt, nor DeBERTa's files (spm.model, or vocab.json and merges.txt), nor XLM-R's (sentencepiece.bpe.model)")
	}
	for _, n := range []string{"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"} {
		if g.listed[n] {
			names = append(names, n)
		}
	}
	if g.WithoutWeights {
		return names, false, nil
	}
	for _, n := range []string{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"} {
		if g.listed[n] {
			return append(names, n), strings.HasSuffix(n, ".index.json"), nil
		}
	}
	return nil, false, errors.New("has no weights: neither model.safetensors nor pytorch_model.bin, nor an index of several such files")
}

// shards are the files that an index names.
func (g *getter) shards(path string) ([]string, error) {
	file := filepath.Base(path)
	ending := filepath.Ext(strings.TrimSuffix(file, ".index.json"))
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
	// Names that differ in case only are one file on some systems.
	seen := make(map[string]string)
	var names []string
	for _, n := range index.Map {
		lower := strings.ToLower(n)
		if old, ok := seen[lower]; ok && old == n {
			continue
		} else if ok {
			return nil, fmt.Errorf("%s: weight_map: %s and %s differ in case only, which is refused", file, min(n, old), max(n, old))
		}
		seen[lower] = n
		if checkSegment(n) != nil || !strings.HasSuffix(n, ending) {
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
