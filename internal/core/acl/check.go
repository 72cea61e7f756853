package acl

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
)

// Denial says which permission a user lacks. Of two denials the greater one is reported.
type Denial uint8

// The denials.
const (
	Allowed Denial = iota
	DeniedDatabase
	DeniedCommand
	DeniedKey
	DeniedAuth // a wrong password; only in the log
	DeniedChannel
	Denials // the number of denials
)

// line is a command line that is checked.
type line struct {
	keyFinder
	place Place
}

// keyFinder finds the keys of a command line when the first selector asks for them.
type keyFinder struct {
	spec  *cmdtable.Spec
	args  []string
	found bool
	keys  []cmdtable.Key
}

func (f *keyFinder) find() []cmdtable.Key {
	if !f.found {
		f.keys, f.found = f.spec.FindKeys(f.args), true
	}
	return f.keys
}

// Check reports whether a user may run a command line. If not, at is the argument that is denied.
// Of the denials of all selectors it returns the one that came nearest to success.
func (u *User) Check(spec *cmdtable.Spec, args []string, place Place) (why Denial, at int) {
	l := line{keyFinder{spec: spec, args: args}, place}
	why = DeniedDatabase
	for _, s := range u.Selectors {
		d, i := s.check(&l)
		if d == Allowed {
			return Allowed, 0
		}
		if d > why || d == why && i > at {
			why, at = d, i
		}
	}
	return why, at
}

func (s *Selector) check(f *line) (why Denial, at int) {
	if at, ok := s.checkDatabases(f.spec, f.args, f.place); !ok {
		return DeniedDatabase, at
	}
	if !s.allowsCommand(f.spec, f.args) {
		return DeniedCommand, 0
	}
	if !s.allKeys && (len(f.spec.Keys) > 0 || f.spec.Locate != nil) {
		for _, k := range f.find() {
			if k.Flags&cmdtable.NotKey == 0 && k.Pos < len(f.args) && !s.allowsKey(f.args[k.Pos], k.Flags) {
				return DeniedKey, k.Pos
			}
		}
	}
	if !s.AllChannels {
		for i := 1; i <= f.spec.Channels.Count(f.args); i++ {
			if !s.AllowsChannel(f.args[i], f.spec.Channels == cmdtable.AllPatterns) {
				return DeniedChannel, i
			}
		}
	}
	return Allowed, 0
}

func (s *Selector) allowsCommand(spec *cmdtable.Spec, args []string) bool {
	if s.allCommands || spec.Flags&cmdtable.NoAuth != 0 || s.has(spec) {
		return true
	}
	if list := s.args[spec]; list != nil && len(args) > 1 {
		for _, a := range list {
			if strings.EqualFold(a, errtext.Cut(args[1], len(args[1]))) {
				return true
			}
		}
	}
	return false
}

func (s *Selector) allowsKey(key string, flags cmdtable.KeyFlag) bool {
	read, write := flags&cmdtable.Access != 0, flags&(cmdtable.Insert|cmdtable.Delete|cmdtable.Update) != 0
	for _, k := range s.keys {
		if (k.read || !read) && (k.write || !write) && glob.Match(k.pattern, key, false) {
			return true
		}
	}
	return false
}

// AllowsChannel reports whether a pattern of the selector matches the channel. A pattern to
// subscribe to must be one of the patterns.
func (s *Selector) AllowsChannel(name string, isPattern bool) bool {
	for _, p := range s.Channels {
		if isPattern && errtext.Cut(p, len(p)) == errtext.Cut(name, len(name)) || !isPattern && glob.Match(p, name, false) {
			return true
		}
	}
	return false
}

// ReadsAllKeys reports whether one selector allows the command line and reading all keys. SORT
// needs it, because the keys that BY and GET read are not known in advance.
func (u *User) ReadsAllKeys(spec *cmdtable.Spec, args []string, place Place) bool {
	if u == nil || !u.Restricted {
		return true
	}
	l := line{keyFinder{spec: spec, args: args}, place}
	for _, s := range u.Selectors {
		if why, _ := s.check(&l); why != Allowed {
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

// DeniedObject returns what the user may not use: the name of a command, a key or a channel, or a
// database, which is that of the session if there is the name of the command.
func DeniedObject(why Denial, spec *cmdtable.Spec, args []string, at int) string {
	if why == DeniedCommand || at == 0 {
		return spec.FullName()
	}
	return args[at]
}
