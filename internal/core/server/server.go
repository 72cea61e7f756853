package server

import (
	"fmt"
	"log/slog"
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/core/migrate"
)

// Server is the state that all sessions share: keyspace, configuration, counters. What belongs
// together is a type of its own, in the file of its theme.
type Server struct {
	dataSet
	names
	settings
	scripting
	gate
	slotRules
	replicating
	measured

	Owner  Owner
	Access *acl.List
	Log    *slog.Logger

	Clients clients
	waiters
	effects effects
	Undo    undoing
	Topics  [topicKinds]topics
	observers
	tracking tracking
	Pause    pause
	Memory   memoryState
	Debug    debugState

	MigrateSockets *migrate.Sockets // the connections of MIGRATE
}

// NewServer returns the control of a new server on store with these commands, the default
// configuration and no sessions.
func NewServer(store *datastore.Store, c *Commands, log *slog.Logger) Control {
	table := c.Rows
	s := &Server{
		dataSet:  dataSet{Store: store},
		names:    names{Follows: table.Server(), Table: table},
		settings: settings{Config: config.New(store.Limits(), table.Server()), runID: NewRunID(store)},
		gate:     gate{commands: c},
		measured: measured{Stats: Stats{Errors: map[string]int64{}, Calls: newCallStats(table.Len())}},
		Owner:    NoOwner{}, Log: log,
		Clients: clients{ByID: map[int64]*Session{}, watched: map[WatchKey][]*Watcher{}}, waiters: newWaiters(),
		MigrateSockets: migrate.New(nil),
	}
	followIn(store.Limits(), s.Follows)
	s.Config.PasswordChanged = func(password string) { s.Access.SetDefaultPassword(password) }
	s.Config.MaxTrackedKeysChanged = s.trimSoon
	s.Config.ClientMemoryChanged = func() {
		s.accountAll()
		s.Clients.pendingWork = true
	}
	s.Config.Fix("databases", strconv.Itoa(store.Databases()))
	s.Access = acl.NewList(table, s.Config)
	store.Listen(s.changed)
	s.UpdateObserved()
	return Control{s}
}

// NewRunID returns 40 random hexadecimal digits that identify this server.
func NewRunID(store *datastore.Store) string {
	r := store.Rand()
	return fmt.Sprintf("%016x%016x%08x", r.Uint64(), r.Uint64(), r.Uint32())
}
