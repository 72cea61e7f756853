package server

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
)

// notify publishes a change if the configuration asks for it: to a channel named for the key and to
// one named for the event.
func (s *Server) notify(ch *datastore.Change) {
	if len(s.Topics[OnChannel].List)+len(s.Topics[OnPattern].List) == 0 {
		return
	}
	at := "@" + strconv.Itoa(ch.DB.ID()) + "__:"
	if s.Config.Notify.Keyspace {
		s.Publish("__keyspace"+at+ch.Key, ch.Event)
	}
	if s.Config.Notify.Keyevent {
		s.Publish("__keyevent"+at+ch.Event, ch.Key)
	}
}

// missed publishes that a command looked up a key for reading that does not exist.
func (s *Server) missed(db *datastore.DB, key string) {
	if s.Config.Notify.Classes&datastore.ClassKeyMiss != 0 {
		s.notify(&datastore.Change{DB: db, Key: key, Class: datastore.ClassKeyMiss, Event: "keymiss"})
	}
}
