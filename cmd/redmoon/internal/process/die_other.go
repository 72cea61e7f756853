//go:build !linux

package process

import "syscall"

// Die ends the process by a signal on Linux, and does nothing on other systems.
func Die(syscall.Signal) {}
