package sidefile

import "os"

// Once says whether a file can be read only once: it is standard input, "-", a pipe or the like.
func Once(path string) bool {
	at, err := os.Stat(path)
	return path == "-" || err == nil && !at.Mode().IsRegular() && !at.IsDir()
}
