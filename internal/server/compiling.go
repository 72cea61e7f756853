package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// awaitCompiler makes a command with a long Lua text wait until the text is compiled. It returns
// false if the command can run now.
func (s *Server) awaitCompiler(sess *Session, spec *cmdtable.Spec, args []string) bool {
	text, library := textOf(spec, args)
	if len(text) < s.LongText {
		return false
	}
	w := &BlockedClient{Sess: sess, Spec: spec, db: sess.DB, Delayed: true}
	w.cancelled = s.CompileLater(text, library, func() {
		if s.leave(w) {
			w.Done(reply.None())
		}
	})
	if w.cancelled == nil {
		return false
	}
	w.Args = slices.Clone(args)
	s.count++
	s.on[w.On]++
	if !sess.shared {
		sess.Waiting = w
	}
	s.Blocked = w
	return true
}

// textOf returns the Lua text in the arguments of a command, or "", and whether it is the text of a
// library.
func textOf(spec *cmdtable.Spec, args []string) (text string, library bool) {
	parent := ""
	if spec.Parent != nil {
		parent = spec.Parent.Name
	}
	switch {
	case parent == "" && (spec.Name == "eval" || spec.Name == "eval_ro") && len(args) > 1:
		return args[1], false
	case parent == "script" && spec.Name == "load" && len(args) > 2:
		return args[2], false
	case parent == "function" && spec.Name == "load":
		return args[len(args)-1], true
	}
	return "", false
}
