//go:build amd64 && !linux && !noasm

package simd

import "errors"

func permitTiles() error { return errors.New("this program knows how to ask Linux only") }
