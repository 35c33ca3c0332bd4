package torchfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"

	"github.com/mteval/mteval/internal/tensors"
)

// parseOld returns the value in a file of the form of PyTorch before 1.6, which later ones
// write with _use_new_zipfile_serialization=False: pickles of a magic number, a version, the
// system's sizes, the value, the keys of the storages, and the storages in that order, each
// after its number of numbers.
func parseOld(data []byte) (any, error) {
	m := &machine{data: data, storages: make(map[string]*storage)}
	if err := m.head(); err != nil {
		return nil, err
	}
	built, err := m.load()
	if err != nil {
		return nil, err
	}
	if err := m.readStorages(); err != nil {
		return nil, err
	}
	return m.plainValue(built)
}

// head reads what comes before the value.
func (m *machine) head() error {
	magic, ok := new(big.Int).SetString("1950a86a20f9469cfc6c", 16)
	v, err := m.load()
	n, isInt := v.(*big.Int)
	if err != nil || !ok || !isInt || n.Cmp(magic) != 0 {
		return errors.New("not a file of torch.save: a pickle without its magic number")
	}
	if v, err = m.load(); err != nil {
		return err
	}
	if v != int64(1001) {
		return errors.New("a version of the old form that is not 1001, the one known")
	}
	if v, err = m.load(); err != nil {
		return err
	}
	if system, ok := v.(*dict); !ok || system.get("little_endian") != true {
		return errors.New("numbers are not in little-endian order")
	}
	return nil
}

// get returns the value of a key, or nil.
func (d *dict) get(key string) any {
	if i, ok := d.index[key]; ok {
		return d.values[i]
	}
	return nil
}

// readStorages reads what comes after the value.
func (m *machine) readStorages() error {
	v, err := m.load()
	if err != nil {
		return err
	}
	keys, ok := v.(*list)
	if !ok || len(keys.items) != len(m.storages) {
		return fmt.Errorf("the keys of the storages: %s, and the value names %d", kind(v), len(m.storages))
	}
	m.end = len(m.data)
	for _, k := range keys.items {
		key, _ := k.(string)
		s, ok := m.storages[key]
		if !ok || s.data != nil {
			return fmt.Errorf("storage %.40q: is there twice, or not named by the value", key)
		}
		m.start = m.at
		b, err := m.take(8)
		if err != nil {
			return fmt.Errorf("storage %.40q: byte %d: cut off", key, m.start)
		}
		if n := binary.LittleEndian.Uint64(b); n != uint64(s.count) {
			return fmt.Errorf("storage %.40q: byte %d: has %d numbers, and the value says %d", key, m.start, n, s.count)
		}
		if b, err = m.take(uint64(s.count * tensors.Width(s.dtype))); err != nil {
			return fmt.Errorf("storage %.40q: byte %d: cut off", key, m.start)
		}
		if err := s.fill(b); err != nil {
			return err
		}
	}
	if m.at < len(m.data) {
		return fmt.Errorf("byte %d: %d bytes are behind the last storage", m.at, len(m.data)-m.at)
	}
	return nil
}
