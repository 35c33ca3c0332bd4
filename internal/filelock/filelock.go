// Package filelock locks open files against other processes, and against other openings by the
// same. The system gives the lock back when the file is closed, or the process ends, however.
package filelock
