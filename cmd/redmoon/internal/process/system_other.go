//go:build !linux

package process

// DisableTHP does nothing: transparent huge pages are a matter of Linux.
func DisableTHP() error { return nil }

// AlwaysTHP is false: transparent huge pages are a matter of Linux.
func AlwaysTHP() bool { return false }

// MaxBacklog is unknown.
func MaxBacklog() (n int, path string) { return 0, "" }
