package redmoontest

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// Fault makes commands fail that would run otherwise. What it leaves empty does not matter.
type Fault struct {
	// Command is the name of the commands that fail, in any case: "HSET". Default: all.
	Command string
	// Key is a pattern, as of KEYS: the commands that fail have a key that it matches. Default: any
	// command, also one without keys.
	Key string
	// InScripts limits the fault to commands that scripts and functions call.
	InScripts bool
	// Error is the error reply. Default: "ERR injected fault".
	Error string
	// After is how many of these commands run before one fails. Default: 0.
	After int
	// Times is how many of them fail. Default: 1. A negative number: all.
	Times int
}

// Inject makes commands fail. remove ends that. It may be called several times: a command fails by
// the first fault that concerns it. A command of MULTI fails when EXEC runs it.
func (e *Engine) Inject(f Fault) (remove func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f.Error == "" {
		f.Error = "ERR injected fault"
	}
	if f.Times == 0 {
		f.Times = 1
	}
	injected := &f
	e.faults = append(e.faults, injected)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.faults = slices.DeleteFunc(e.faults, func(other *Fault) bool { return other == injected })
	}
}

// FailNext makes the next run of a command fail, with text as the error reply: FailNext("HSET",
// "OOM command not allowed"). An empty name is any command. See [Engine.Inject] for more.
func (e *Engine) FailNext(command, text string) { e.Inject(Fault{Command: command, Error: text}) }

// SetError makes commands fail with text as the error reply, until SetError("") ends this and all
// other faults. Without on, every command fails; with on, those that one of the faults describes,
// each as often as it says, by default always:
//
//	e.SetError("LOADING Redis is loading the dataset in memory")
//	e.SetError("OOM no memory", redmoontest.Fault{Command: "HSET", Key: "cart:*", Times: 3})
func (e *Engine) SetError(text string, on ...Fault) {
	e.mu.Lock()
	e.faults = nil
	e.mu.Unlock()
	if text == "" {
		return
	}
	if len(on) == 0 {
		on = []Fault{{}}
	}
	for _, f := range on {
		f.Error = text
		if f.Times == 0 {
			f.Times = -1
		}
		e.Inject(f)
	}
}

// faults are the faults of an engine, in the order in which they were injected.
type faults []*Fault

// hit returns the error of the first fault that concerns a command, or nil.
func (fs *faults) hit(c engine.ProbedCommand) *engine.Error {
	for i, f := range *fs {
		if !f.concerns(c) {
			continue
		}
		if f.After > 0 {
			f.After--
			continue
		}
		if f.Times > 0 {
			if f.Times--; f.Times == 0 {
				*fs = slices.Delete(slices.Clone(*fs), i, i+1)
			}
		}
		return reply.ParseError(f.Error)
	}
	return nil
}

func (f *Fault) concerns(c engine.ProbedCommand) bool {
	if f.Command != "" && !strings.EqualFold(f.Command, c.Args[0]) || f.InScripts && !c.Script {
		return false
	}
	return f.Key == "" || slices.ContainsFunc(c.Keys(), func(key string) bool { return engine.MatchGlob(f.Key, key) })
}
