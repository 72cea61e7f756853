package redmoontest

import "github.com/redmoon-lua/redmoon/internal/tools/harness"

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
// the first fault that concerns it. A command of MULTI fails when EXEC runs it. Inject ends the
// test if Error is not one line.
func (e *Engine) Inject(f Fault) (remove func()) {
	e.t.Helper()
	fault := harness.Fault(f)
	if err := fault.Check(); err != nil {
		e.t.Fatalf("redmoontest: Inject: %v", err)
	}
	return e.seen.Inject(fault)
}

// FailNext makes the next run of a command fail, with text as the error reply: FailNext("HSET",
// "OOM command not allowed"). An empty name is any command. See [Engine.Inject] for more.
func (e *Engine) FailNext(command, text string) {
	e.t.Helper()
	e.Inject(Fault{Command: command, Error: text})
}

// SetError makes commands fail with text as the error reply, until SetError("") ends this and all
// other faults. Without on, every command fails; with on, those that one of the faults describes,
// each as often as it says, by default always:
//
//	e.SetError("LOADING Redis is loading the dataset in memory")
//	e.SetError("OOM no memory", redmoontest.Fault{Command: "HSET", Key: "cart:*", Times: 3})
func (e *Engine) SetError(text string, on ...Fault) {
	e.t.Helper()
	e.seen.RemoveFaults()
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
