package process

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Die ends the process by a signal, as if the process did not handle it: the program that has
// started it sees that signal. It returns only if the system does not do so.
//
// Package signal cannot give back a signal: the runtime goes on handling it.
func Die(sig syscall.Signal) {
	var standard [4]uint64 // a sigaction: no handler, no flags, no mask
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&standard)), 0, 8, 0, 0)
	_ = syscall.Kill(os.Getpid(), sig)
	<-time.After(time.Second) // another thread may get the signal
}
