//go:build !noasm

package simd

import "syscall"

// permitTiles asks for tiles for the whole process, as Linux wants it from version 5.16 on: their
// 8 KB become part of what a signal's handler finds on its stack. It refuses that if a thread has
// a stack for signals that is too small. Go's, of 32 KB, are not.
func permitTiles() error {
	const reqXCompPerm, xTileData = 0x1023, 18
	if _, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, reqXCompPerm, xTileData, 0); errno != 0 {
		return errno
	}
	return nil
}
