package cmdtable

import (
	"slices"
	"strings"
)

// Things are what commands may read or change beside the keys among their arguments.
type Things uint16

// The things. A row without keys names at least one of them.
const (
	Nothing     Things = 1 << iota
	Session            // of the client itself: its name, user, database, modes
	Transaction        // of the client itself: MULTI and WATCH
	Connection         // of the client itself: it ends, or brings more than replies
	AllKeys            // any keys of the database
	Databases          // databases other than that of the session
	AccessTimes        // when keys were last used, and how often
	Subscribers        // of channels and patterns
	Scripts            // that EVALSHA knows
	Libraries          // of functions
	Settings           // parameters, users, modules
	Statistics         // counters and logs, which any command may change
	Clients            // other clients
	Servers            // masters, replicas, nodes of a cluster
	Files
)

// HasKeys reports whether the command may have keys among its arguments. Names of shard channels
// count as keys, as in Redis.
func (s *Spec) HasKeys() bool { return len(s.Keys) > 0 || s.Locate != nil }

// Beside are the things that the command reads or changes.
func (s *Spec) Beside() Things { return s.Reads | s.Changes }

// ChangesSession reports whether the command changes the state of its session.
func (s *Spec) ChangesSession() bool { return s.Changes&(Session|Transaction|Connection) != 0 }

// IsAboutServer reports whether the reply is about the server or its clients, more than about data.
func (s *Spec) IsAboutServer() bool {
	return s.Beside()&(Settings|Statistics|Clients|Servers) != 0 || !s.HasKeys() && s.Varies&(ByServer|ByClients) != 0
}

// ChangesOtherDatabase reports whether a command line changes a database other than that of the
// session.
func (s *Spec) ChangesOtherDatabase(args []string) bool {
	if s.Changes&Databases == 0 {
		return false
	}
	option := func(a Arg) bool { return a.Token == "DB" }
	return !slices.ContainsFunc(s.Arguments(), option) || slices.ContainsFunc(args, func(w string) bool { return strings.EqualFold(w, "DB") })
}
