package command

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// slowlog holds the newest commands that took long.
type slowlog struct {
	entries []slowEntry // oldest first
	nextID  int64
}

type slowEntry struct {
	id, at, micros int64 // at in seconds since the epoch
	args           []string
	addr, name     string
}

// What an entry keeps of a command: so many arguments, so many bytes of each.
const (
	slowArgs  = 32
	slowBytes = 128
)

// noteSlow logs a command that took at least slowlog-log-slower-than.
func (s *Server) noteSlow(sess *Session, door Door, spec *Spec, args []string, micros int64) {
	cfg := s.Config
	if cfg.slowerThan < 0 || micros < cfg.slowerThan || spec.Flags&SkipSlowlog != 0 {
		return
	}
	l, addr := &s.slow, sess.Addr
	if door.FromScript() {
		addr = "?:0"
	}
	l.entries = append(l.entries, slowEntry{
		id: l.nextID, at: s.Store.Now() / 1000, micros: micros, args: shortArgs(redacted(spec, args)), addr: addr, name: sess.Name,
	})
	l.nextID++
	if over := len(l.entries) - int(cfg.Int("slowlog-max-len")); over > 0 {
		clear(l.entries[:over])
		l.entries = l.entries[over:]
	}
}

// shortArgs is the beginning of a long command line, saying how much is left out.
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

// redacted is the command line without passwords.
func redacted(spec *Spec, args []string) []string {
	hidden := map[int]bool{}
	switch spec.FullName() {
	case "auth":
		for i := range args[1:] {
			hidden[i+1] = true
		}
	case "hello":
		for i := 2; i+2 < len(args); i++ {
			if isToken(args[i], "auth") {
				hidden[i+1], hidden[i+2] = true, true
			}
		}
	case "config|set":
		for i := 2; i+1 < len(args); i += 2 {
			switch strings.ToLower(args[i]) {
			case "requirepass", "masterauth", "masteruser":
				hidden[i+1] = true
			}
		}
	case "acl|setuser":
		for i := 2; i < len(args); i++ {
			hidden[i] = true
		}
	case "migrate":
		for i := 6; i+1 < len(args); i++ {
			if isToken(args[i], "auth") {
				hidden[i+1] = true
			} else if isToken(args[i], "auth2") && i+2 < len(args) {
				hidden[i+1], hidden[i+2] = true, true
			}
		}
	}
	if len(hidden) == 0 {
		return args
	}
	out := append([]string(nil), args...)
	for i := range hidden {
		out[i] = "(redacted)"
	}
	return out
}

// slowlogGet answers entries, newest first.
func slowlogGet(c *Ctx) reply.Value {
	count := int64(10)
	switch c.NArg() {
	case 2:
	case 3:
		n, ok := parseInt(c.Args[2])
		if !ok || n < -1 || n > maxLong {
			return reply.Err("ERR count should be greater than or equal to -1")
		}
		count = n
	default:
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try SLOWLOG HELP.", oneLine(cut(c.Args[1], 128)))
	}
	entries := c.Server.slow.entries
	if count < 0 || count > int64(len(entries)) {
		count = int64(len(entries))
	}
	out := make([]reply.Value, 0, count)
	for i := len(entries) - 1; int64(len(out)) < count; i-- {
		e := &entries[i]
		out = append(out, reply.Array(reply.Int(e.id), reply.Int(e.at), reply.Int(e.micros), reply.Array(bulks(e.args)...),
			reply.Bulk(e.addr), reply.Bulk(e.name)))
	}
	return reply.Array(out...)
}

func slowlogLen(c *Ctx) reply.Value { return reply.Int(int64(len(c.Server.slow.entries))) }

func slowlogReset(c *Ctx) reply.Value {
	c.Server.slow.entries = nil
	return reply.OK()
}

func slowlogHelp() Handler {
	return help("SLOWLOG",
		"GET [<count>]",
		"    Return top <count> entries from the slowlog (default: 10, -1 mean all).",
		"    Entries are made of:",
		"    id, timestamp, time in microseconds, arguments array, client IP and port,",
		"    client name",
		"LEN",
		"    Return the length of the slowlog.",
		"RESET",
		"    Reset the slowlog.",
	)
}
