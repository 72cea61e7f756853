// Package files replaces whole files so that neither a crash of the program nor one of the machine
// leaves half of one, and words the errors of system calls as C does.
//
// It has no state, and its functions may be called from any goroutine.
package files
