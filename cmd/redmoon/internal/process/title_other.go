//go:build !linux

package process

// argumentArea returns nil: only Linux shows a changed title.
func argumentArea(_, _ []string) []byte { return nil }
