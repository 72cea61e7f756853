//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and group of another file, if the process may.
func keepOwner(f *os.File, of fs.FileInfo) {
	mine, err := f.Stat()
	if err != nil {
		return
	}
	have, ok := mine.Sys().(*syscall.Stat_t)
	want, isUnix := of.Sys().(*syscall.Stat_t)
	if ok && isUnix && (have.Uid != want.Uid || have.Gid != want.Gid) {
		_ = f.Chown(int(want.Uid), int(want.Gid))
	}
}
