//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyOthers sends the further signals that end a redis-server, and ignores those that it
// ignores.
func notifyOthers(c chan os.Signal) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	signal.Notify(c, syscall.SIGUSR1)
}

// exitOf is the exit code that a shell sees when a signal ends a process.
func exitOf(sig os.Signal) int { return 128 + int(sig.(syscall.Signal)) }
