//go:build !linux

package server

import "runtime"

func systemName() string { return runtime.GOOS + " " + runtime.GOARCH }

func systemMemory() uint64 { return 0 }
