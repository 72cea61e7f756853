package server

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// slowlog holds the newest slow commands.
type slowlog struct {
	Entries []slowEntry // oldest first
	nextID  int64
}

type slowEntry struct {
	ID, At, Micros int64 // At is in seconds since the epoch
	Args           []string
	Addr, Name     string
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
	l, addr := &s.Slowlog, sess.Addr
	if door.FromScript() {
		addr = "?:0"
	}
	l.Entries = append(l.Entries, slowEntry{
		ID: l.nextID, At: s.Store.Now() / 1000, Micros: micros, Args: shortArgs(redacted(spec, args)), Addr: addr, Name: sess.Name,
	})
	l.nextID++
	if over := len(l.Entries) - int(cfg.Int("slowlog-max-len")); over > 0 {
		clear(l.Entries[:over])
		l.Entries = l.Entries[over:]
	}
	if spec.Runs != cmdtable.RunsNoScript {
		if line := s.Owner.HotLine(); line != "" {
			s.Log.Info(fmt.Sprintf("Slow script: %s took %d microseconds, hot line %s", strings.ToUpper(spec.FullName()), micros, line))
		}
	}
}

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
