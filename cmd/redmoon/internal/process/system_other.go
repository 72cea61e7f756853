//go:build !linux

package process

// DisableTHP does nothing: transparent huge pages are a matter of Linux.
func DisableTHP() error { return nil }

// AlwaysTHP is false: transparent huge pages are a matter of Linux.
func AlwaysTHP() bool { return false }

// Overcommits is true: the setting is one of Linux.
func Overcommits() bool { return true }

// MaxBacklog is unknown.
func MaxBacklog() (n int, path string) { return 0, "" }
