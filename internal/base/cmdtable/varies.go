package cmdtable

import (
	"slices"
	"strings"
)

// Varies says why the reply of a command to the same line, with the same data, may differ on
// another run or server.
type Varies uint8

// The reasons.
const (
	ByOrder   Varies = 1 << iota // it has elements in the order of a hash table
	ByChance                     // chance chooses
	ByClock                      // it depends on the time
	ByDate                       // it has a time since the epoch
	ByServer                     // it is about the server: its version, settings, statistics, memory
	ByClients                    // it is about clients, or depends on how many there are
)

// HasCursor reports whether the command goes over a hash table in several calls, by the row's
// Syntax.
func (s *Spec) HasCursor() bool {
	return slices.ContainsFunc(s.Arguments(), func(a Arg) bool { return a.Name == "cursor" })
}

// TakesDate reports whether a command line has a time since the epoch among its arguments, by the
// row's Syntax.
func (s *Spec) TakesDate(args []string) bool {
	return takesDate(s.Arguments(), args)
}

func takesDate(syntax []Arg, args []string) bool {
	return slices.ContainsFunc(syntax, func(a Arg) bool {
		given := a.Token == "" || slices.ContainsFunc(args, func(w string) bool { return strings.EqualFold(w, a.Token) })
		return given && (a.Type == "unix-time" || takesDate(a.Args, args))
	})
}
