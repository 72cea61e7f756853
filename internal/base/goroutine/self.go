//go:build (amd64 || arm64) && gc

package goroutine

// Self identifies the running goroutine: no other live goroutine has the same number. It is never 0
// here.
func Self() uintptr
