package persist

import "github.com/redmoon-lua/redmoon/persist/internal/disk"

// OnDisk returns o with the files on another file system.
func OnDisk(o Options, fs disk.FS) Options {
	o.fs = fs
	return o
}

// Resynchronized does what the end of a copy of a master's data set does.
func (f *Files) Resynchronized() {
	done := make(chan struct{})
	f.set.host.Post(func() {
		defer close(done)
		f.set.Stop()
		f.set.Restart()
	})
	<-done
}
