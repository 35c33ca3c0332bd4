package bertscore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
)

func TestReadBaseline(t *testing.T) {
	const file = "\ufeffLAYER,P,R,F\n0,0.5,0.5,0.5\n1,0.6,-0.6,6e-1\r\n\n2\t0.8\t0.82\t0.81\n"
	for layer, want := range map[int]mteval.PRF{0: {P: .5, R: .5, F: .5}, 1: {P: .6, R: -.6, F: .6}, 2: {P: .8, R: .82, F: .81}} {
		got, err := ReadBaseline(strings.NewReader(file), "f.csv", layer)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, *got); d != "" {
			t.Errorf("layer %d (-want +got):\n%s", layer, d)
		}
	}
	for file, want := range map[string]string{
		file: "f.csv: no baseline of layer 3",
		"0,.5,.5,.5\n" + strings.Repeat("1", 1<<21): "f.csv:2: too large to be read",
		"":                                   "f.csv: no baseline of layer 3",
		"3,0.1,0.2\n":                        "f.csv:1: 3 columns",
		"LAYER,P,R,F\nx,0.1,0.2,0.3\n":       `f.csv:2: layer "x"`,
		"LAYER,P,R,F\n3,0.1,b,0.3\n":         `f.csv:2: baseline "b"`,
		"3,0.1,NaN,0.3\n":                    `f.csv:1: baseline "NaN"`,
		"3,0.1,1,0.3\n":                      `f.csv:1: baseline "1"`,
		"3,0.1,-1.5,0.3\n":                   `f.csv:1: baseline "-1.5"`,
		"3,0.1,0x1p-3,0.3\n":                 `f.csv:1: baseline "0x1p-3"`,
		"3,0.1,0.00_1,0.3\n":                 `f.csv:1: baseline "0.00_1"`,
		"3,0.1,-inf,0.3\n":                   `f.csv:1: baseline "-inf"`,
		"3,0.1,0.2\x00,0.3\n":                `f.csv:1: baseline "0.2\x00"`,
		"3,0.1,,0.2,0.3\n":                   "f.csv:1: 5 columns",
		",0.1,0.2,0.3\n":                     `f.csv:1: layer ""`,
		"\ufeff3,.1,.1,.1\n\ufeff3,.1,.1,.1": `f.csv:2: layer "\ufeff3"`,
		"3,.1,.1,.1\n3,.1,.1,.1\n":           "f.csv:2: layer 3 stands twice",
		"LAYER,P,R,F\nLAYER,0.1,0.2,0.3\n":   `f.csv:2: layer "LAYER"`,
	} {
		if got, err := ReadBaseline(strings.NewReader(file), "f.csv", 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, error %v, want %q", file, got, err, want)
		}
	}
}

func TestOpenBaseline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.csv")
	if _, err := OpenBaseline(path, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
	if err := os.WriteFile(path, []byte("LAYER,P,R,F\n1,.5,.25,.75\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := OpenBaseline(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&mteval.PRF{P: .5, R: .25, F: .75}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := OpenBaseline(path, 2); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("no such layer: error %v", err)
	}
}

func FuzzBaseline(f *testing.F) {
	for _, s := range []string{"LAYER,P,R,F\n3,0.5,0.5,0.5\n", "\ufeff3\t.1\t-1\t1e-3\r\n", "3,0x1p-3,1_0,inf\n", "\n\n3,,,\n", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		b, err := ReadBaseline(strings.NewReader(file), "f.csv", 3)
		if err != nil {
			return
		}
		for _, x := range []float64{b.P, b.R, b.F} {
			if !(x >= -1 && x < 1) {
				t.Errorf("%q: %+v", file, b)
			}
		}
	})
}
