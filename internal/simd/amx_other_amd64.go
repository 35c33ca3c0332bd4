//go:build amd64 && !linux && !noasm

package simd

import "errors"

func permitTiles() error { return errors.New("known how to ask on Linux only") }
