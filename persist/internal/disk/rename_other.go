//go:build !unix

package disk

import "os"

func rename(from, to string) error { return os.Rename(from, to) }
