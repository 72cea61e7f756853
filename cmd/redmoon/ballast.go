package main

import "os"

// ballastSize is a part of the heap that is never used. The collector runs when the heap has
// doubled, so a server with few keys, whose heap is small, would collect many times a second. The
// pages of the ballast are never written and take no memory of the machine.
const ballastSize = 32 << 20

// newBallast returns the ballast, which must be kept while the server runs. It returns nil if the
// user has set GOGC or GOMEMLIMIT.
func newBallast() []byte {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return make([]byte, ballastSize)
}
