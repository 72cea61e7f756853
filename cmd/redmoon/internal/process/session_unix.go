//go:build unix

package process

import "syscall"

func ownSession() (*syscall.SysProcAttr, error) { return &syscall.SysProcAttr{Setsid: true}, nil }
