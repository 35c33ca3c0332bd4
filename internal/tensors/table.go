package tensors

import "fmt"

// A Table is a matrix of which few rows are read at a time, where the file has them: the table of
// words of a model, of which there is no copy in another type. The zero value has no rows.
type Table struct {
	cols    int
	dtype   string
	data    []byte
	inPlace []float32 // data as it stands; nil: rows are widened
}

// Table returns a tensor of two dimensions, whose numbers Float32s can read.
func (t Tensor) Table() (Table, error) {
	if len(t.Shape) != 2 {
		return Table{}, fmt.Errorf("tensor %s: shape %v is not that of a table", t.Name, t.Shape)
	}
	data, err := t.floatBytes()
	if err != nil || len(data) == 0 {
		return Table{}, err
	}
	return Table{cols: t.Shape[1], dtype: t.DType, data: data, inPlace: t.inPlace(data)}, nil
}

// Row sets dst to row i, as Float32s has it.
func (t *Table) Row(dst []float32, i int) {
	dst = dst[:t.cols]
	if t.inPlace != nil {
		copy(dst, t.inPlace[i*t.cols:])
		return
	}
	widenAll(dst, t.data[i*t.cols*Width(t.dtype):], t.dtype)
}

// Float32s returns all rows. They may be the file's memory, and must not be changed.
func (t *Table) Float32s() []float32 {
	if t.inPlace != nil || len(t.data) == 0 {
		return t.inPlace
	}
	out := make([]float32, len(t.data)/Width(t.dtype))
	widenAll(out, t.data, t.dtype)
	return out
}
