package engine

import (
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugCall is an EVAL or EVAL_RO of a client that has sent SCRIPT DEBUG YES or SYNC: the script has not been run. Who serves the client runs it under a
// debugger, and answers.
type DebugCall struct {
	Sync       bool    // SCRIPT DEBUG SYNC: the script is to run on the engine itself and its changes stay; else on a [Engine.Fork]
	Script     *Script // where EVAL_RO was sent, one that may not write; see [Script.ReadOnly]
	Keys, Args []string
	Error      Value // an error reply: the number of keys is wrong, and there is nothing to run; else a null
	Proto      int   // 2 or 3: the protocol of the reply
	Muted      bool  // CLIENT REPLY drops the reply
}

func debugCall(h *server.HandedScript, proto int) *DebugCall {
	c := &DebugCall{Sync: h.Sync, Script: NewScript(h.Source), Keys: h.Keys, Args: h.Args, Error: h.Error, Proto: proto, Muted: h.Muted}
	c.Script.readOnly = h.ReadOnly
	return c
}

// errNoBatch answers an EVAL that is to be debugged where nobody can take it.
var errNoBatch = reply.Err("ERR a script can be debugged for who runs batches only")

// answers reports whether replies of a session's running batch, or of those before, have yet to be sent.
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
