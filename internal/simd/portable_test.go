//go:build (!amd64 && !arm64) || noasm

package simd

func sets() []loops { return []loops{{"portable", true, usual}} }

// usual turns on all that the processor has.
func usual() {}
