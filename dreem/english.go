package dreem

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"
)

//go:embed english.bin.gz
var englishData []byte

// English returns the vectors and the autoencoder for English that come with the package,
// for text in lower case. They were trained on the State of the Union addresses of the
// presidents of the United States, 1790 to 2021, by scripts/dreem.sh: 3,800 words
// and 5,600 pieces of words, of 80 numbers each. How many, and how much spelling counts,
// was chosen by the correlation with the judgements of WMT17 into English, so that figures
// on these are a little too good.
var English = sync.OnceValues(func() (*Model, error) {
	const name = "english.bin.gz"
	z, err := gzip.NewReader(bytes.NewReader(englishData))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return modelOf(data, name)
})
