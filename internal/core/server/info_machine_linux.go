package server

import (
	"syscall"
)

// cpuFields end with the thread that currently runs the loop of the engine.
var cpuFields = []cpuField{{syscall.RUSAGE_SELF, ""}, {syscall.RUSAGE_CHILDREN, "_children"}, {syscall.RUSAGE_THREAD, "_main_thread"}}

// systemName returns the system's name as uname prints it: kernel, release, machine.
func systemName() string {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil {
		return "Linux"
	}
	return cText(u.Sysname[:]) + " " + cText(u.Release[:]) + " " + cText(u.Machine[:])
}

// cText converts a text that ends with NUL.
func cText[C int8 | uint8](chars []C) string {
	b := make([]byte, 0, len(chars))
	for _, c := range chars {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	return string(b)
}

// systemMemory returns the machine's memory in bytes; 0 if unknown.
func systemMemory() uint64 {
	var i syscall.Sysinfo_t
	if syscall.Sysinfo(&i) != nil {
		return 0
	}
	return uint64(i.Totalram) * uint64(i.Unit)
}
