// Package shards writes lines to files, the same bytes on every runner.
package shards

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn2x2[string, string, int, string](&shardFn{})
	register.Function1x2(marker)
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&writeFn{})
	register.Iter1[string]()
}

// Write writes lines, values of a collection of key and line, none of which is empty, to n files
// PREFIX-00000-of-0000N.jsonl, or with n = 0 to one, PREFIX.jsonl. A line's file follows from its
// key, files have their lines sorted, and one without any is there too. A file has its name when it
// is whole. What a worker takes is memory for one of them.
func Write(s beam.Scope, prefix string, n int, lines beam.PCollection) {
	s = s.Scope("mteval.Write")
	filesystem.ValidateScheme(prefix)
	all := make([]int, max(1, n))
	for i := range all {
		all[i] = i
	}
	keyed := beam.Flatten(s, beam.ParDo(s, &shardFn{len(all)}, lines), beam.ParDo(s, marker, beam.CreateList(s, all)))
	beam.ParDo0(s, &writeFn{prefix, n}, beam.GroupByKey(s, keyed))
}

// Name is what Write calls file i of n.
func Name(prefix string, i, n int) string {
	if n == 0 {
		return prefix + ".jsonl"
	}
	return fmt.Sprintf("%s-%05d-of-%05d.jsonl", prefix, i, n)
}

// marker is of a file that may have no line.
func marker(shard int) (int, string) { return shard, "" }

type shardFn struct{ Shards int }

func (f *shardFn) ProcessElement(key, line string) (int, string) {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % uint32(f.Shards)), line
}

type writeFn struct {
	Prefix string
	Shards int
}

func (f *writeFn) ProcessElement(ctx context.Context, shard int, lines func(*string) bool) (err error) {
	name := Name(f.Prefix, shard, f.Shards)
	var all []string
	for line := ""; lines(&line); {
		if line != "" {
			all = append(all, line)
		}
	}
	slices.Sort(all)
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fs.Close()) }()
	part := fmt.Sprintf("%s.part-%016x", name, rand.Uint64())
	w, err := fs.OpenWrite(ctx, part)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	for _, line := range all {
		buf.WriteString(line) // an error stays until Flush
		buf.WriteByte('\n')
	}
	if err := errors.Join(buf.Flush(), w.Close()); err != nil {
		if r, ok := fs.(filesystem.Remover); ok {
			err = errors.Join(err, r.Remove(ctx, part))
		}
		return err
	}
	return filesystem.Rename(ctx, fs, part, name)
}
