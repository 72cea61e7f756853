//go:build !linux

package listen

import (
	"net"
	"syscall"
)

// control is for Linux only: other systems have no marks.
func control(int) func(network, address string, c syscall.RawConn) error { return nil }

// setBacklog is for Linux only: elsewhere package net's number stays.
func setBacklog(net.Listener, int) {}
