package command

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// eventClasses are the classes of events by their letters in notify-keyspace-events; d, of modules, has none here.
var eventClasses = map[byte]datastore.Class{
	'g': datastore.ClassGeneric, '$': datastore.ClassString, 'l': datastore.ClassList, 's': datastore.ClassSet,
	'h': datastore.ClassHash, 'z': datastore.ClassZSet, 'x': datastore.ClassExpired, 'e': datastore.ClassEvicted,
	't': datastore.ClassStream, 'n': datastore.ClassNew, 'm': datastore.ClassKeyMiss,
}

// notifyConfig is notify-keyspace-events, taken apart.
type notifyConfig struct {
	classes            datastore.Class // 0: nothing is published
	keyspace, keyevent bool
}

func (n *notifyConfig) set(flags string) {
	*n = notifyConfig{keyspace: strings.Contains(flags, "K"), keyevent: strings.Contains(flags, "E")}
	if !n.keyspace && !n.keyevent {
		return
	}
	for _, f := range []byte(strings.ReplaceAll(flags, "A", eventFlags)) {
		n.classes |= eventClasses[f]
	}
}

// notify publishes a change as the configuration asks for: to a channel named for the key and to one named for the event.
func (s *Server) notify(ch *datastore.Change) {
	if len(s.topics[onChannel].list)+len(s.topics[onPattern].list) == 0 {
		return
	}
	at := "@" + strconv.Itoa(ch.DB.ID()) + "__:"
	if s.Config.notify.keyspace {
		s.publish("__keyspace"+at+ch.Key, ch.Event)
	}
	if s.Config.notify.keyevent {
		s.publish("__keyevent"+at+ch.Event, ch.Key)
	}
}

// missed publishes that a command has looked for a key to read that is not there.
func (s *Server) missed(db *datastore.DB, key string) {
	if s.Config.notify.classes&datastore.ClassKeyMiss != 0 {
		s.notify(&datastore.Change{DB: db, Key: key, Class: datastore.ClassKeyMiss, Event: "keymiss"})
	}
}
