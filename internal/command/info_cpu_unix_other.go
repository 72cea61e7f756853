//go:build unix && !linux

package command

import "syscall"

var cpuFields = []cpuField{{syscall.RUSAGE_SELF, ""}, {syscall.RUSAGE_CHILDREN, "_children"}}
