//go:build !linux

package disk

import "os"

// syncData flushes the disk's own cache too on macOS (F_FULLFSYNC), as Redis does.
func syncData(f *os.File) error { return f.Sync() }
