package persist

import "github.com/redmoon-lua/redmoon/persist/internal/disk"

// OnDisk returns o with the files on another file system.
func OnDisk(o Options, fs disk.FS) Options {
	o.fs = fs
	return o
}
