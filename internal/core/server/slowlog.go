package server

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// CommandLog holds the newest commands that took long, or whose request or reply was large.
type CommandLog struct {
	Entries []CommandEntry // oldest first
	nextID  int64
}

// CommandEntry is an entry of a log of commands.
type CommandEntry struct {
	ID, At     int64 // At is in seconds since the epoch
	Value      int64 // the time in us, or the size in bytes
	Args       []string
	Addr, Name string
}

// The limits of what an entry keeps of a command: the number of arguments, and the bytes of each.
const (
	slowArgs  = 32
	slowBytes = 128
)

// noteSlow logs a command that took slowlog-log-slower-than or longer.
func (s *Server) noteSlow(sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, micros int64) {
	cfg := s.Config
	if cfg.SlowlogSlowerThan < 0 || micros < cfg.SlowlogSlowerThan || spec.Flags&cmdtable.SkipSlowlog != 0 {
		return
	}
	s.note(&s.Slowlog, "slowlog-max-len", sess, door, spec, args, micros)
	if spec.Runs != cmdtable.RunsNoScript {
		if line := s.Owner.HotLine(); line != "" {
			s.Log.Info(fmt.Sprintf("Slow script: %s took %d microseconds, hot line %s", strings.ToUpper(spec.FullName()), micros, line))
		}
	}
}

// note adds an entry to a log. lengthOf is the parameter with the greatest number of entries.
func (s *Server) note(l *CommandLog, lengthOf string, sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string, value int64) {
	addr, name := sess.Addr, sess.Name
	if door.FromScript() {
		addr = scriptAddress.Of(s.Follows)
		if sess.Caller != nil && s.Follows.Has(servers.ScriptsOfClients) {
			addr, name = sess.Caller.Addr, sess.Caller.Name
		}
	}
	l.Entries = append(l.Entries, CommandEntry{
		ID: l.nextID, At: s.Store.Now() / 1000, Value: value, Args: shortArgs(redacted(spec, args)), Addr: addr, Name: name,
	})
	l.nextID++
	if over := len(l.Entries) - int(s.Config.Int(lengthOf)); over > 0 {
		clear(l.Entries[:over])
		l.Entries = l.Entries[over:]
	}
}

// scriptAddress is the address that the slow log shows for the commands of scripts.
var scriptAddress = errtext.Usual("?:0").Since("7.2.0", "")

// shortArgs shortens a long command line and says how much is left out.
func shortArgs(args []string) []string {
	n := min(len(args), slowArgs)
	out := make([]string, n)
	for i := range out {
		a := args[i]
		switch {
		case i == slowArgs-1 && len(args) > slowArgs:
			a = fmt.Sprintf("... (%d more arguments)", len(args)-slowArgs+1)
		case len(a) > slowBytes:
			a = fmt.Sprintf("%s... (%d more bytes)", a[:slowBytes], len(a)-slowBytes)
		}
		out[i] = a
	}
	return out
}

// redacted returns the command line without passwords.
func redacted(spec *cmdtable.Spec, args []string) []string {
	if spec.Hidden == nil {
		return args
	}
	out := append([]string(nil), args...)
	for _, i := range spec.Hidden(args) {
		out[i] = "(redacted)"
	}
	return out
}
