// Package race tells tests whether the race detector is on. With it sync.Pool drops
// some of what it is given, so that allocations can't be counted.
package race
