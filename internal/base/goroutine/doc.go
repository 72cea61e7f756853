// Package goroutine identifies the running goroutine, in two nanoseconds. An engine uses it to
// recognize a call from its own goroutine, which could never be answered.
//
// The identity is the address of the runtime's descriptor of the goroutine, which is in a register
// or in thread-local storage. The memory at that address is never read, so the code does not depend
// on the version of Go.
package goroutine
