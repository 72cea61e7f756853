package goroutine

import (
	"bytes"
	"runtime"
)

// InBubble reports whether the running goroutine is in a bubble of testing/synctest, according to
// its stack trace. It takes microseconds.
func InBubble() bool {
	var buf [128]byte
	trace := buf[:runtime.Stack(buf[:], false)]
	header, _, _ := bytes.Cut(trace, []byte("\n")) // goroutine 7 [running, synctest bubble 6]:
	return bytes.Contains(header, []byte("synctest bubble"))
}
