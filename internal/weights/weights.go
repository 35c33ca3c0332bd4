// Package weights opens the files of a model's weights, whichever of the usual forms they
// have: safetensors files, and those of PyTorch's torch.save.
package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/safetensors"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/tensors"
	"github.com/mteval/mteval/internal/torchfile"
)

// Bounds on what is read, far above any model: one of a hundred layers has some thousand
// tensors, and some hundred files.
const (
	maxIndex   = 64 << 20
	maxFiles   = 4096
	maxTensors = 1 << 17
)

// A Set is the tensors of a model, from one file or several. The numbers lie in mapped
// memory where the platform can do so, until Close.
type Set struct {
	tensors map[string]tensors.Tensor
	release []func() error
	mapped  [][]byte
	// Files are the files' paths, in order.
	Files []string
	// Extra is what a file of PyTorch's holds beside the tensors, in torchfile's plain
	// values: a Lightning checkpoint has hyper_parameters and epoch.
	Extra map[string]any
}

// OpenDir opens a model's folder, as transformers does the first that is there of
// model.safetensors, the files that model.safetensors.index.json names, pytorch_model.bin,
// and the files that pytorch_model.bin.index.json names.
func OpenDir(dir string) (*Set, error) {
	for _, name := range []string{"model.safetensors", "pytorch_model.bin"} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			return open(path)
		}
		path += ".index.json"
		data, err := sidefile.ReadFile(path, maxIndex)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files, err := parseIndex(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for i, name := range files {
			files[i] = filepath.Join(dir, name)
		}
		return open(files...)
	}
	return nil, fmt.Errorf("%s: no model.safetensors or pytorch_model.bin in it, and no index of several (model.safetensors.index.json, pytorch_model.bin.index.json)", dir)
}

// OpenFile opens a file: one of safetensors if its name ends so, else one of torch.save. Of
// a Lightning checkpoint the tensors are those of its state_dict.
func OpenFile(path string) (*Set, error) { return open(path) }

// parseIndex returns the names of the files in an index, in order.
func parseIndex(data []byte) ([]string, error) {
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for name, file := range index.Map {
		// Outside the folder there is nothing of the model's.
		if file != filepath.Base(file) || strings.ContainsAny(file, "/\\\x00") || file == "." || file == ".." {
			return nil, fmt.Errorf("weight_map.%.200s: %.200q is not a file's name", name, file)
		}
		seen[file] = true
	}
	switch {
	case len(seen) == 0:
		return nil, errors.New("weight_map: names no file")
	case len(seen) > maxFiles:
		return nil, fmt.Errorf("weight_map: names %d files, and %d are the most", len(seen), maxFiles)
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func open(files ...string) (*Set, error) {
	s := &Set{tensors: make(map[string]tensors.Tensor), Files: files, Extra: make(map[string]any)}
	for _, f := range files {
		if err := s.add(f); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) add(path string) error {
	data, release, err := tensors.Map(path)
	if err != nil {
		return err
	}
	s.release = append(s.release, release)
	s.mapped = append(s.mapped, data)
	var read []tensors.Tensor
	if strings.HasSuffix(path, ".safetensors") {
		read, err = safetensors.Parse(data)
	} else {
		read, err = s.parseTorch(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range read {
		if _, ok := s.tensors[t.Name]; ok {
			return fmt.Errorf("%s: tensor %s is in another file too", path, t.Name)
		}
		s.tensors[t.Name] = t
	}
	if len(s.tensors) > maxTensors {
		return fmt.Errorf("%s: with its tensors there are more than %d", path, maxTensors)
	}
	return nil
}

// parseTorch returns the tensors in a file of torch.save: those of its state_dict if it has
// one, else all that it has. What else there is goes to s.Extra.
func (s *Set) parseTorch(data []byte) ([]tensors.Tensor, error) {
	v, err := torchfile.Parse(data)
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("holds no dict of tensors by name")
	}
	state, ok := root["state_dict"].(map[string]any)
	if !ok {
		state = root
	}
	var out []tensors.Tensor
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if t, ok := state[name].(tensors.Tensor); ok {
			out = append(out, t)
			delete(state, name)
		}
	}
	delete(root, "state_dict")
	maps.Copy(s.Extra, root)
	if len(out) == 0 {
		return nil, errors.New("holds no tensors by name, neither in a state_dict nor outside")
	}
	return out, nil
}

// Close gives the memory back. Tensors, and slices of them, are not to be used after it.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.release {
		errs = append(errs, f())
	}
	s.release, s.mapped, s.tensors = nil, nil, nil
	return errors.Join(errs...)
}

// Drop lets the numbers that were read leave memory, where they are not needed any more: what
// is read again comes from the files.
func (s *Set) Drop() {
	for _, data := range s.mapped {
		tensors.Drop(data)
	}
}

// Get returns the tensor of this name.
func (s *Set) Get(name string) (tensors.Tensor, bool) {
	t, ok := s.tensors[name]
	return t, ok
}

// Names returns the tensors' names in order.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.tensors)) }
