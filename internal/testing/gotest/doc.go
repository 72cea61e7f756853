// Command gotest runs go test, prints what it prints, and ends with a summary: the tests that
// failed, their seeds, and for each the command that repeats it. The arguments are those of go
// test.
//
//	go run ./internal/testing/gotest ./...
//	go run ./internal/testing/gotest -dearest 30 -count=1 ./...
//
// With -dearest N it also measures, and prints the N tests that took longest and the packages that
// used most time of the processor:
//
//	wall  seconds from the start to the end of the test binary
//	cpu   seconds of the processor that the test binary and the processes it waited for used
//	go    those of them that the go command used, where a test starts it to compile a program
//
// What is left of the whole run's processor time is the compiler, the linker and vet.
//
// REDMOON_FAILED names a file to which these commands are appended too, for a script that runs
// gotest several times and prints one summary.
package main
