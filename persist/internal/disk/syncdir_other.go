//go:build !unix

package disk

// syncDir does nothing: the system offers no such call.
func syncDir(string) error { return nil }
