package torchfile

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// archive is the entries of a zip file by name, without the folder that all of them are in.
type archive map[string][]byte

// parseZip returns the value in a file of the form that PyTorch has written since 1.6:
// FOLDER/data.pkl, FOLDER/data/KEY for every storage, FOLDER/byteorder. Entries are not
// compressed, so that their bytes can be used where they stand.
func parseZip(data []byte) (any, error) {
	a, err := openZip(data)
	if err != nil {
		return nil, err
	}
	pickle, ok := a["data.pkl"]
	if !ok {
		return nil, errors.New("a zip file without data.pkl: not one of torch.save")
	}
	if order, ok := a["byteorder"]; ok && string(order) != "little" {
		return nil, fmt.Errorf("byteorder: %.20q is not little", order)
	}
	m := &machine{data: pickle, storages: make(map[string]*storage)}
	built, err := m.load()
	if err == nil && m.at < len(pickle) {
		err = fmt.Errorf("%d bytes are behind the pickle", len(pickle)-m.at)
	}
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(m.storages)) {
		bytes, ok := a["data/"+key]
		if !ok {
			return nil, fmt.Errorf("%.60q: missing, and data.pkl names it", "data/"+key)
		}
		if err := m.storages[key].fill(bytes); err != nil {
			return nil, err
		}
	}
	v, err := m.plainValue(built)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	return v, nil
}

// openZip returns the entries of a zip file, which share its bytes.
func openZip(data []byte) (archive, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%w, or cut off", err)
	}
	if len(r.File) == 0 {
		return nil, errors.New("an empty zip file")
	}
	if slices.ContainsFunc(r.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, "/constants.pkl") }) {
		return nil, errors.New("a program of TorchScript, not weights: save the model's state_dict")
	}
	folder, _, _ := strings.Cut(r.File[0].Name, "/")
	spans := make([]span, 0, len(r.File))
	a := make(archive, len(r.File))
	for _, f := range r.File {
		name, ok := strings.CutPrefix(f.Name, folder+"/")
		if !ok {
			return nil, fmt.Errorf("%.100q: is not in the folder %.100q, as the first entry", f.Name, folder)
		}
		if _, ok := a[name]; ok {
			return nil, fmt.Errorf("%.100q: is there twice", f.Name)
		}
		if f.Method != zip.Store || f.Flags&1 != 0 {
			return nil, fmt.Errorf("%.100q: is compressed or encrypted, and torch.save stores entries as they are", f.Name)
		}
		start, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("%.100q: %w", f.Name, err)
		}
		size := f.UncompressedSize64
		if size != f.CompressedSize64 || start > int64(len(data)) || size > uint64(int64(len(data))-start) {
			return nil, fmt.Errorf("%.100q: %d bytes from byte %d on are more than the file has", f.Name, size, start)
		}
		end := start + int64(size)
		a[name] = data[start:end:end]
		spans = append(spans, span{f.Name, start - int64(len(f.Name)), end})
	}
	if err := apart(spans); err != nil {
		return nil, err
	}
	return a, nil
}

// A span is where an entry is, from its name on.
type span struct {
	name       string
	start, end int64
}

// apart returns an error for an entry that begins within another: the same bytes would be
// many tensors'.
func apart(spans []span) error {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return fmt.Errorf("%.100q: is within %.100q", spans[i].name, spans[i-1].name)
		}
	}
	return nil
}
