//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/process"
)

// notifyOthers sends the further signals that end a redis-server, and ignores those that it
// ignores.
func notifyOthers(c chan os.Signal) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	signal.Notify(c, syscall.SIGUSR1)
}

// notifyWrite sends the signal for writing the files of --coverage and --profile.
func notifyWrite(c chan os.Signal) { signal.Notify(c, syscall.SIGUSR2) }

func isWriteSignal(sig os.Signal) bool { return sig == syscall.SIGUSR2 }

// exitOf ends the process by a signal, as if it had not been caught. The exit code is for a system
// that does not do so: the one that a shell shows.
func exitOf(sig os.Signal) int {
	number := sig.(syscall.Signal)
	process.Die(number)
	return 128 + int(number)
}
