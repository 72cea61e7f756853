//go:build unix && !linux

package server

import "syscall"

var cpuFields = []cpuField{{syscall.RUSAGE_SELF, ""}, {syscall.RUSAGE_CHILDREN, "_children"}}
