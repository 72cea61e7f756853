package command

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Execute sends one command through the gate and, if the gate lets it pass, to its
// handler (or, inside MULTI, into the queue). It is the only way to a handler; the four
// doors all come here. Caller must pass at least one argument and must have set the
// store's clock.
func (s *Server) Execute(sess *Session, door Door, args []string) reply.Value {
	spec := s.Table.Resolve(args)
	if v, ok := s.admit(sess, door, spec, args); !ok {
		if spec != nil {
			s.Stats.Calls[spec.ID].Rejected++
		}
		if sess.inMulti && door == DoorClient {
			sess.dirty = true
		}
		s.countError(v)
		return v
	}
	if sess.inMulti && door == DoorClient && !runsInMulti(spec) {
		sess.queue = append(sess.queue, append([]string(nil), args...))
		return reply.Status("QUEUED")
	}
	return s.call(sess, door, spec, args)
}

// call runs the handler of an admitted command.
func (s *Server) call(sess *Session, door Door, spec *Spec, args []string) reply.Value {
	c := s.getCtx()
	c.Session, c.DB, c.Spec, c.Args, c.Proto, c.Door = sess, sess.DB, spec, args, sess.Proto, door
	v := spec.Handler(c)
	s.putCtx(c)
	st := &s.Stats.Calls[spec.ID]
	st.Calls++
	s.Stats.Commands++
	if v.IsError() {
		st.Failed++
		if !door.FromScript() || spec.Handler != nil {
			s.countError(v)
		}
	}
	return v
}

func (s *Server) countError(v reply.Value) {
	code, _, _ := strings.Cut(v.Text(), " ")
	s.Stats.Errors[code]++
}

// admit holds every check that comes before a handler, in Redis's order.
func (s *Server) admit(sess *Session, door Door, spec *Spec, args []string) (reply.Value, bool) {
	script := door.FromScript()
	switch {
	case spec == nil || spec.hidden(door):
		if script {
			return reply.Err("ERR Unknown Redis command called from script"), false
		}
		return unknownCommand(args), false
	case len(spec.Subs) > 0 && len(args) > 1: // Resolve found no such subcommand
		return unknownSubcommand(args), false
	case spec.Arity > 0 && len(args) != spec.Arity || len(args) < -spec.Arity:
		if script {
			return reply.Err("ERR Wrong number of args calling Redis command from script"), false
		}
		return reply.Errorf("ERR wrong number of arguments for '%s' command", spec.FullName()), false
	case script && spec.Flags&NoScript != 0:
		return reply.Err("ERR This Redis command is not allowed from script"), false
	case door == DoorScriptRO && spec.Flags&Write != 0:
		return reply.Err("ERR Write commands are not allowed from read-only scripts."), false
	case door == DoorClient && !sess.Authenticated && spec.Flags&NoAuth == 0 && s.Config.RequirePass() != "":
		return reply.Err(errNoAuth), false
	case door == DoorClient && sess.inMulti && spec.Flags&NoMulti != 0:
		return reply.Err("ERR Command not allowed inside a transaction"), false
	}
	return reply.Value{}, true
}

// hidden reports whether the row is there only for the checks of the script and EXEC doors.
func (s *Spec) hidden(door Door) bool {
	return s.Flags&Blocking != 0 && !door.FromScript()
}

// runsInMulti reports whether a command is run at once between MULTI and EXEC.
func runsInMulti(spec *Spec) bool {
	switch spec.Name {
	case "exec", "discard", "multi", "watch", "quit", "reset":
		return spec.Parent == nil
	}
	return false
}

func unknownCommand(args []string) reply.Value {
	var b strings.Builder
	for _, a := range args[1:] {
		if b.Len() >= 128 {
			break
		}
		fmt.Fprintf(&b, "'%s' ", cut(a, 128-b.Len()))
	}
	return reply.Err(oneLine(fmt.Sprintf("ERR unknown command '%s', with args beginning with: %s", cut(args[0], 128), b.String())))
}

func unknownSubcommand(args []string) reply.Value {
	return reply.Err(oneLine(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", cut(args[1], 128), strings.ToUpper(args[0]))))
}

func cut(s string, n int) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return s[:min(n, len(s))]
}

// oneLine puts spaces for the bytes that would end an error line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return ' '
		}
		return r
	}, s)
}

// touch is the change listener that marks the sessions whose watched key changed.
func (s *Server) touch(ch *datastore.Change) {
	if len(s.watched) == 0 {
		return
	}
	for _, sess := range s.watched[watchKey{ch.DB, ch.Key}] {
		sess.stale = true
	}
}
