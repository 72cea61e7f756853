package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// denial says what a user lacks for a command. The greater one of two counts.
type denial uint8

const (
	allowed denial = iota
	deniedCommand
	deniedKey
	deniedAuth // a wrong password; only in the log
	deniedChannel
)

// Channels says which arguments of a command are names of channels, and so need a user's permission.
type Channels uint8

// The kinds.
const (
	NoChannels  Channels = iota
	OneChannel           // the first argument (PUBLISH)
	AllChannels          // every argument (SUBSCRIBE)
	AllPatterns          // every argument, each a pattern (PSUBSCRIBE)
)

// count is how many arguments, from the first on, are names of channels.
func (c Channels) count(args []string) int {
	switch c {
	case NoChannels:
		return 0
	case OneChannel:
		return min(1, len(args)-1)
	}
	return len(args) - 1
}

// keyFinder finds the keys of a command line when the first selector asks for them.
type keyFinder struct {
	spec  *Spec
	args  []string
	found bool
	keys  []Key
}

func (f *keyFinder) find() []Key {
	if !f.found {
		f.keys, f.found = f.spec.FindKeys(f.args), true
	}
	return f.keys
}

// check tells whether a user may run a command line and, if not, at which argument that shows: of all
// selectors, the denial that came nearest to success.
func (u *User) check(spec *Spec, args []string) (why denial, at int) {
	keys := keyFinder{spec: spec, args: args}
	why = deniedCommand
	for _, s := range u.selectors {
		d, i := s.check(&keys)
		if d == allowed {
			return allowed, 0
		}
		if d > why || d == why && i > at {
			why, at = d, i
		}
	}
	return why, at
}

func (s *selector) check(f *keyFinder) (why denial, at int) {
	if !s.allowsCommand(f.spec, f.args) {
		return deniedCommand, 0
	}
	if !s.allKeys && (len(f.spec.Keys) > 0 || f.spec.Locate != nil) {
		for _, k := range f.find() {
			if k.Flags&NotKey == 0 && k.Pos < len(f.args) && !s.allowsKey(f.args[k.Pos], k.Flags) {
				return deniedKey, k.Pos
			}
		}
	}
	if !s.allChannels {
		for i := 1; i <= f.spec.Channels.count(f.args); i++ {
			if !s.allowsChannel(f.args[i], f.spec.Channels == AllPatterns) {
				return deniedChannel, i
			}
		}
	}
	return allowed, 0
}

func (s *selector) allowsCommand(spec *Spec, args []string) bool {
	if s.allCommands || spec.Flags&NoAuth != 0 || s.has(spec) {
		return true
	}
	if list := s.args[spec]; list != nil && len(args) > 1 {
		for _, a := range list {
			if strings.EqualFold(a, cut(args[1], len(args[1]))) {
				return true
			}
		}
	}
	return false
}

func (s *selector) allowsKey(key string, flags KeyFlag) bool {
	read, write := flags&Access != 0, flags&(Insert|Delete|Update) != 0
	for _, k := range s.keys {
		if (k.read || !read) && (k.write || !write) && MatchGlob(k.pattern, key, false) {
			return true
		}
	}
	return false
}

// allowsChannel compares a channel with the patterns; of a pattern to subscribe to it asks that it is one of them.
func (s *selector) allowsChannel(name string, isPattern bool) bool {
	for _, p := range s.channels {
		if isPattern && cut(p, len(p)) == cut(name, len(name)) || !isPattern && MatchGlob(p, name, false) {
			return true
		}
	}
	return false
}

// readsAll reports whether the user may run this command line and read all keys, by one selector. SORT asks it: which keys BY
// and GET read shows only when they are read.
func (u *User) readsAll(spec *Spec, args []string) bool {
	if u == nil || !u.restricted {
		return true
	}
	keys := keyFinder{spec: spec, args: args}
	for _, s := range u.selectors {
		if why, _ := s.check(&keys); why != allowed {
			continue
		}
		if s.allKeys {
			return true
		}
		for _, k := range s.keys {
			if k.pattern == "*" && k.read {
				return true
			}
		}
	}
	return false
}

// forbidden reports whether the session's user may not run the command. For a user who may do everything it costs nothing.
func (sess *Session) forbidden(spec *Spec, args []string) bool {
	if sess.user == nil || !sess.user.restricted {
		return false
	}
	why, _ := sess.user.check(spec, args)
	return why != allowed
}

// deny logs that the session's user may not run a command and says so in the words of the door.
func (s *Server) deny(sess *Session, door Door, spec *Spec, args []string) string {
	why, at := sess.user.check(spec, args)
	s.logDenial(sess, door, why, sess.user.name, denied(why, spec, args, at))
	script := [...]string{
		deniedCommand: "run this command or subcommand",
		deniedKey:     "access at least one of the keys mentioned in the command arguments",
		deniedChannel: "publish to the channel mentioned in the command",
	}
	queued := [...]string{
		deniedCommand: "no permission to execute the command or subcommand",
		deniedKey:     "no permission to touch the specified keys",
		deniedChannel: "no permission to access one of the channels used as arguments to the command",
	}
	plain := [...]string{
		deniedCommand: "run the '" + spec.FullName() + "' command",
		deniedKey:     "access one of the keys used as arguments",
		deniedChannel: "access one of the channels used as arguments",
	}
	switch {
	case door.FromScript():
		return "ERR The user executing the script can't " + script[why]
	case door == DoorExec:
		return "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. " +
			"This command is no longer allowed for the following reason: " + queued[why]
	}
	return "NOPERM this user has no permissions to " + plain[why]
}

// denied is what the user lacks: the name of a command, a key or a channel.
func denied(why denial, spec *Spec, args []string, at int) string {
	if why == deniedCommand {
		return spec.FullName()
	}
	return args[at]
}

// MayRun tells whether the session's user may run a command line, and whether there is such a command.
func (s *Server) MayRun(sess *Session, args []string) (may, known bool) {
	spec := s.Table.Resolve(args)
	if spec == nil || len(spec.Subs) > 0 && len(args) > 1 {
		return false, false
	}
	return !sess.forbidden(spec, args), true
}

// denyInside answers for a command of a script or transaction that the user may not run. Only those of scripts count as rejected.
func (s *Server) denyInside(sess *Session, door Door, spec *Spec, args []string) reply.Value {
	if door.FromScript() {
		return s.reject(sess, door, spec, args)
	}
	v := reply.Err(s.deny(sess, door, spec, args))
	s.countError(v)
	return v
}
