//go:build !unix

package main

import "errors"

func processorClock() (stopwatch, error) {
	return nil, errors.New("-cpu needs a Unix system")
}
