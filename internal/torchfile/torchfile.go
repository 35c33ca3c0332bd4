// Package torchfile reads what PyTorch's torch.save writes: the weights of models
// (pytorch_model.bin) and the checkpoints of Lightning (.ckpt), in the form of a zip file
// and in the older one.
//
// Such a file is a pickle, a program that builds the value that was saved, and storages,
// the bytes of tensors. Python's own reader calls whatever the pickle names. This one calls
// nothing: it builds tensors, texts, numbers, lists and maps, and refuses every other name.
package torchfile

import (
	"bytes"
	"fmt"

	"github.com/mteval/mteval/internal/tensors"
)

// Parse returns the value in a file's bytes, in plain values: nil, bool, int64, *big.Int
// (of integers that do not fit), float64, string, []byte, []any (of lists, tuples and sets),
// map[string]any (of dicts and namespaces; a key that is no text is written as one) and
// tensors.Tensor, which shares the bytes and is named by its key. A type, such as
// torch.float32, is its name. Values that were one object may be several.
//
// Names that a pickle may say are those of tensors, their types and storages; OrderedDict,
// set and frozenset; torch.Size, torch.device; argparse.Namespace and Lightning's
// AttributeDict. An error says the place in the file, and which name is refused.
func Parse(data []byte) (any, error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return parseZip(data)
	case bytes.HasPrefix(data, []byte{0x80}):
		return parseOld(data)
	case isTar(data):
		return nil, fmt.Errorf("the tar form of PyTorch before 0.1.12 is not read: load it with PyTorch and save it anew")
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		return nil, fmt.Errorf("a pointer of Git LFS and not the file itself: fetch that with git lfs pull")
	}
	return nil, fmt.Errorf("not a file of torch.save: begins with %q", data[:min(len(data), 16)])
}

// isTar says whether data are a tar file, by the mark of its first header.
func isTar(data []byte) bool {
	return len(data) >= 512 && string(data[257:262]) == "ustar"
}

// fill gives a storage its bytes.
func (s *storage) fill(data []byte) error {
	if want := s.count * tensors.Width(s.dtype); len(data) != want {
		return fmt.Errorf("storage %.40q: %d bytes, and %d numbers of %s take %d", s.key, len(data), s.count, s.dtype, want)
	}
	s.data = data
	return nil
}
