package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/mteval/mteval/distributed/internal/shards"
)

// checkFiles refuses outputs that are inputs, and files of another run that would be taken for
// outputs of this one. Where this machine sees no files, as with those of a cluster's machines,
// there is nothing to refuse.
func (j *job) checkFiles(ctx context.Context) error {
	own := map[string]bool{}
	for _, kind := range []string{".segments", ".bad"} {
		for i := range j.shards {
			own[clean(shards.Name(j.output+kind, i, j.shards))] = true
		}
	}
	own[clean(shards.Name(j.output+".systems", 0, 0))] = true
	if j.bootstrap != nil {
		own[clean(shards.Name(j.output+".intervals", 0, 0))] = true
	}
	for _, pattern := range j.inputs {
		for _, p := range matched(ctx, pattern) {
			if own[clean(p)] {
				return fmt.Errorf("%s is an input, and would be replaced by an output: give another -o", p)
			}
		}
	}
	for _, kind := range []string{".segments-*-of-*.jsonl", ".bad-*-of-*.jsonl", ".intervals.jsonl"} {
		for _, p := range matched(ctx, j.output+kind) {
			if !own[clean(p)] {
				return fmt.Errorf("%s is of a run with other --shards or --bootstrap, and would be taken for an output of this one: remove it, or give another -o", p)
			}
		}
	}
	return nil
}

// matched returns the files that a pattern matches, sorted.
func matched(ctx context.Context, pattern string) []string {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil // which the job tells of
	}
	defer fs.Close()
	paths, _ := fs.List(ctx, pattern)
	slices.Sort(paths)
	return paths
}

// clean is a path of this machine in its shortest form, absolute.
func clean(p string) string {
	if strings.Contains(p, "://") {
		return p
	}
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	return p
}
