package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// awaitCompiler blocks a command with a long Lua text until the text is compiled. It returns false
// if the command can run now.
func (s *Server) awaitCompiler(sess *Session, spec *cmdtable.Spec, args []string) bool {
	text := spec.Text(args)
	if len(text) < s.Owner.LongText() {
		return false
	}
	w := &BlockedClient{Sess: sess, Spec: spec, db: sess.DB, Delayed: true}
	w.cancelled = s.Owner.CompileLater(text, spec.Library, func() {
		if s.leave(w) {
			w.Done(reply.None())
		}
	})
	if w.cancelled == nil {
		return false
	}
	w.Args = slices.Clone(args)
	s.waiterCount++
	s.waitersByType[w.On]++
	if !sess.shared {
		sess.Waiting = w
	}
	s.Blocked = w
	return true
}
