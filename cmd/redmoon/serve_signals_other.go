//go:build !unix

package main

import "os"

// notifyOthers does nothing: the system has no other signals.
func notifyOthers(chan os.Signal) {}

func notifyWrite(chan os.Signal) {}

func isWriteSignal(os.Signal) bool { return false }

func exitOf(os.Signal) int { return 1 }
