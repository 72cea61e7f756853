package engine

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

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
