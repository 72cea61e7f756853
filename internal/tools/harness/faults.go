package harness

import (
	"errors"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Fault makes commands fail that would run otherwise. What it leaves empty does not matter.
type Fault struct {
	Command   string // the name of the commands that fail, in any case; "": all
	Key       string // a pattern, as of KEYS, for one of their keys; "": any command
	InScripts bool   // only commands that scripts and functions call
	Error     string // the error reply, one line. Default: [Injected]
	After     int    // how many of these commands run before one fails
	Times     int    // how many fail. Default: 1. A negative number: all
}

// Injected is the error reply of a fault without one.
const Injected = "ERR injected fault"

// ErrLines is the error of a fault whose error reply is not one line.
var ErrLines = errors.New("an error reply is one line")

// Check returns an error if no command can fail like this.
func (f Fault) Check() error {
	if strings.ContainsAny(f.Error, "\r\n") {
		return ErrLines
	}
	return nil
}

// concerns reports whether a fault is about a command.
func (f *Fault) concerns(c engine.ProbedCommand) bool {
	if f.Command != "" && !strings.EqualFold(f.Command, c.Args[0]) || f.InScripts && !c.Script {
		return false
	}
	return f.Key == "" || slices.ContainsFunc(c.Keys(), func(key string) bool { return engine.MatchGlob(f.Key, key) })
}

// faults are the faults of an engine, in the order in which they were injected. One that will let
// no command fail again is not among them.
type faults []*Fault

// add adds a copy of a fault, with its defaults filled in.
func (fs *faults) add(f Fault) *Fault {
	if f.Error == "" {
		f.Error = Injected
	}
	if f.Times == 0 {
		f.Times = 1
	}
	*fs = append(*fs, &f)
	return &f
}

func (fs *faults) remove(f *Fault) {
	*fs = slices.DeleteFunc(*fs, func(other *Fault) bool { return other == f })
}

// hit returns the error of the first fault that lets a command fail, or nil.
func (fs *faults) hit(c engine.ProbedCommand) *engine.Error {
	for _, f := range *fs {
		if !f.concerns(c) {
			continue
		}
		if f.After > 0 {
			f.After--
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				fs.remove(f)
			}
		}
		return reply.ParseError(f.Error)
	}
	return nil
}
