package command

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// debugMode is what SCRIPT DEBUG has said of the scripts of a session.
type debugMode uint8

const (
	notDebugged debugMode = iota
	debugForked           // YES
	debugSync             // SYNC
)

// HandedScript is an EVAL or EVAL_RO that is to be debugged: it has passed the gate, and who serves the session runs it.
type HandedScript struct {
	Sync, ReadOnly bool
	Muted          bool // CLIENT REPLY drops the reply
	Source         string
	Keys, Args     []string
	Error          reply.Value // the error reply, where the number of keys is wrong; else a null
}

const errDebugPipelined = "ERR SCRIPT DEBUG must be called outside a pipeline"

// scriptDebug turns the debugger for the session's next EVAL on or off, where who serves the session has one.
func scriptDebug(c *Ctx) reply.Value {
	sess := c.Session
	if c.Door == DoorExec || c.Server.Answers != nil && c.Server.Answers(sess) {
		return reply.Err(errDebugPipelined)
	}
	mode := notDebugged
	switch strings.ToLower(c.Args[2]) {
	case "no":
	case "yes":
		mode = debugForked
	case "sync":
		mode = debugSync
	default:
		return reply.Err("ERR Use SCRIPT DEBUG YES/SYNC/NO")
	}
	if mode != notDebugged && !sess.MayDebug {
		return reply.Err("ERR SCRIPT DEBUG needs a connection to a server that has a debugger")
	}
	sess.debug = mode
	return reply.OK()
}

// handOver ends an EVAL of a session in debug mode without a reply. The mode ends with it, for the connection ends with the script.
func (c *Ctx) handOver(readOnly bool) reply.Value {
	h := &HandedScript{Sync: c.Session.debug == debugSync, ReadOnly: readOnly, Source: c.Args[1]}
	c.Session.debug = notDebugged
	if n, ok := parseInt(c.Args[2]); !ok {
		h.Error = reply.Err(errNotInteger)
	} else {
		h.Keys, h.Args, h.Error = c.scriptArguments(n)
		h.Keys, h.Args = slices.Clone(h.Keys), slices.Clone(h.Args)
	}
	st := &c.Server.Stats.Calls[c.Spec.ID]
	switch {
	case !h.Sync: // in Redis, what becomes of it is counted by another process
	case h.Error.IsError():
		st.Failed++
		c.Server.countError(h.Error)
	default: // it comes again, to be run, and is counted then
		st.Calls--
		c.Server.Stats.Commands--
		c.Session.shown = true
	}
	c.Server.began = &Waiter{sess: c.Session, spec: c.Spec, ended: true, handed: h}
	return reply.None()
}

// Handed is the script that is handed over in place of a wait, or nil.
func (w *Waiter) Handed() *HandedScript {
	if w.handed != nil {
		w.handed.Muted = w.muted
	}
	return w.handed
}
