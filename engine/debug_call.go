package engine

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugCall is an EVAL or EVAL_RO of a client that has sent SCRIPT DEBUG YES or SYNC. It is for
// servers. The engine has not run the script: the server must run it under a debugger and send the
// reply.
type DebugCall struct {
	// Sync says that the script runs on the engine itself and its changes stay (SCRIPT DEBUG SYNC).
	// Otherwise it runs on an [Engine.Fork].
	Sync bool
	// Script is the script. After EVAL_RO it may not write; see [Script.ReadOnly].
	Script     *Script
	Keys, Args []string
	// Error is an error reply if the number of keys is wrong; the script must then not run. Otherwise
	// it is a null.
	Error Value
	Proto int  // the protocol of the reply, 2 or 3
	Muted bool // CLIENT REPLY drops the reply
}

func debugCall(h *server.HandedScript, proto int) *DebugCall {
	c := &DebugCall{Sync: h.Sync, Script: NewScript(h.Source), Keys: h.Keys, Args: h.Args, Error: h.Error, Proto: proto, Muted: h.Muted}
	c.Script.readOnly = h.ReadOnly
	return c
}

// errNoBatch is the reply to an EVAL that should be debugged by a caller that cannot do it.
var errNoBatch = reply.Err("ERR SCRIPT DEBUG is not supported by this caller")

// answers reports whether replies of a session's running batch, or of earlier ones, have not been
// sent yet.
func (e *Engine) answers(sess *server.Session) bool {
	if sess.Use != nil && sess.Use().Waiting > 0 {
		return true
	}
	r := e.current
	if r == nil || r.sess != sess || r.batch == nil {
		return false
	}
	for _, v := range r.batch.Replies {
		if v.Kind() != KindNone {
			return true
		}
	}
	return false
}
