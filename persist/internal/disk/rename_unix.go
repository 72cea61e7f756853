//go:build unix

package disk

import "syscall"

func rename(from, to string) error {
	for {
		if err := syscall.Rename(from, to); err != syscall.EINTR {
			return err
		}
	}
}
