package filelock

import (
	"os"
	"testing"
)

func TestTry(t *testing.T) {
	path := t.TempDir() + "/file"
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if !Try(first) {
		t.Fatal("nobody has it, and it can't be taken")
	}
	if Try(second) {
		first.Close()
		t.Skip("there are no locks here")
	}
	if first.Close(); !Try(second) {
		t.Error("it was given back, and can't be taken")
	}
}
