// Package mutant is the switch of a tree that holds many mutants. Command mutants copies it into
// such a tree; one of the mutants is on in a process.
package mutant

import (
	"os"
	"strconv"
	"sync/atomic"
)

// Max is the number of mutants that a tree can hold. Their ids begin with 1.
const Max = 4096

// Names of the variables that a test binary and the processes that it starts read.
const (
	Variable = "REDMOON_MUTANT"       // id of the mutant that is on; none, if it is empty
	Reach    = "REDMOON_MUTANT_REACH" // file to which ids are appended when their places are first reached
)

var (
	current = id(os.Getenv(Variable))
	reach   = os.Getenv(Reach)
	reached [Max + 1]atomic.Bool
)

// id reads the id of a mutant; 0: none.
func id(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// On reports whether a mutant is on.
func On(id int) bool {
	if reach != "" {
		mark(id)
	}
	return id == current
}

// mark appends an id to the file, the first time. A process may end at any time, so it does not
// wait.
func mark(id int) {
	if reached[id].Load() || reached[id].Swap(true) {
		return
	}
	f, err := os.OpenFile(reach, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	_, err = f.WriteString(strconv.Itoa(id) + "\n")
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		panic(err)
	}
}
