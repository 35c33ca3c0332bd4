//go:build !linux

package simd

func huge[T float32 | uint32]([]T) {}
