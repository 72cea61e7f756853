//go:build !unix

package files

// syncDir does nothing: directories cannot be flushed here.
func syncDir(string) error { return nil }
