package process

import "unsafe"

// argumentArea returns the memory of args, which the strings share, and behind it that of env, of
// which Go has copies. Each string ends with a NUL byte there. nil: it is not known.
func argumentArea(args, env []string) []byte {
	if len(args) == 0 || args[0] == "" {
		return nil
	}
	start := unsafe.StringData(args[0])
	size := uintptr(0)
	for _, s := range args {
		if s != "" && uintptr(unsafe.Pointer(unsafe.StringData(s))) != uintptr(unsafe.Pointer(start))+size {
			return unsafe.Slice(start, size)
		}
		size += uintptr(len(s)) + 1
	}
	for _, s := range env {
		size += uintptr(len(s)) + 1
	}
	return unsafe.Slice(start, size)
}
