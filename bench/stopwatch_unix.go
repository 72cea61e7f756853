//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorClock returns a stopwatch of the processor time of this process, including the garbage
// collector. Other processes affect it much less than the wall clock.
func processorClock() (stopwatch, error) {
	if _, err := processorTime(); err != nil {
		return nil, err
	}
	return func() time.Duration {
		d, _ := processorTime()
		return d
	}, nil
}

func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
