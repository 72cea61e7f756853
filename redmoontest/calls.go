package redmoontest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// Call is a command that the engine has run.
type Call struct {
	Args   []string     // the name as it was written, and the arguments
	Reply  engine.Value // the zero Value if the command has begun to wait, as BLPOP does
	DB     int          // the selected database, from 0
	Script bool         // a script or function has called it
	Exec   bool         // EXEC has run it
	Write  bool         // it may change keys
}

// String returns the call as one line: the command line as in redis-cli, an arrow, the reply.
func (c Call) String() string {
	words := make([]string, len(c.Args))
	for i, arg := range c.Args {
		words[i] = word(arg)
	}
	return strings.Join(words, " ") + " -> " + c.Reply.String()
}

// word quotes an argument if it is empty or has other than plain characters.
func word(arg string) string {
	plain := func(r rune) bool { return r > ' ' && r < 0x7f && r != '"' && r != '\'' && r != '\\' }
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return fmt.Sprintf("%q", arg)
}

// maxCalls is the number of calls that an engine remembers.
const maxCalls = 10_000

// calls are the last commands that an engine has run.
type calls struct {
	list []Call
	from int // how many were forgotten
}

func (c *calls) add(call Call) {
	if len(c.list) == maxCalls {
		half := maxCalls / 2
		c.list, c.from = slices.Clone(c.list[half:]), c.from+half
	}
	c.list = append(c.list, call)
}

// Calls returns the commands that the engine has run, in order, since [New] or [Engine.ResetCalls],
// wherever they came from: Go, RESP, EXEC and scripts. A script comes after the commands that it
// has called. Commands that were refused before they ran, such as unknown ones, are not among them.
// Only the last 5,000 to 10,000 are kept.
func (e *Engine) Calls() []Call {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.calls.list)
}

// ScriptCalls returns those of [Engine.Calls] that scripts and functions have made.
func (e *Engine) ScriptCalls() []Call {
	return slices.DeleteFunc(e.Calls(), func(c Call) bool { return !c.Script })
}

// ResetCalls forgets the commands that [Engine.Calls] returns.
func (e *Engine) ResetCalls() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = calls{}
}

// probe remembers commands and injects faults.
func (e *Engine) probe() *engine.Probe {
	also := e.also
	if also == nil {
		none := func(engine.ProbedCommand) *engine.Error { return nil }
		also = &engine.Probe{Refuse: none, Ran: func(engine.ProbedCommand, engine.Value) {}}
	}
	return &engine.Probe{
		Unblocked: also.Unblocked,
		Refuse: func(c engine.ProbedCommand) *engine.Error {
			if err := also.Refuse(c); err != nil {
				return err
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.faults.hit(c)
		},
		Ran: func(c engine.ProbedCommand, v engine.Value) {
			also.Ran(c, v)
			e.mu.Lock()
			defer e.mu.Unlock()
			e.hintAtClock(c)
			args := make([]string, len(c.Args))
			for i, arg := range c.Args {
				args[i] = strings.Clone(arg)
			}
			e.calls.add(Call{Args: args, Reply: v.Clone(), DB: c.DB, Script: c.Script, Exec: c.Exec, Write: c.Write})
		},
	}
}
