package config

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
)

// eventClasses are the classes of events by their letters in notify-keyspace-events. There are no
// events of modules (d).
var eventClasses = map[byte]datastore.Class{
	'g': datastore.ClassGeneric, '$': datastore.ClassString, 'l': datastore.ClassList, 's': datastore.ClassSet,
	'h': datastore.ClassHash, 'z': datastore.ClassZSet, 'x': datastore.ClassExpired, 'e': datastore.ClassEvicted,
	't': datastore.ClassStream, 'n': datastore.ClassNew, 'm': datastore.ClassKeyMiss,
}

// Notify is the parsed value of notify-keyspace-events.
type Notify struct {
	Classes            datastore.Class // 0: nothing is published
	Keyspace, Keyevent bool
}

func (n *Notify) set(flags string) {
	*n = Notify{Keyspace: strings.Contains(flags, "K"), Keyevent: strings.Contains(flags, "E")}
	if !n.Keyspace && !n.Keyevent {
		return
	}
	for _, f := range []byte(strings.ReplaceAll(flags, "A", eventFlags)) {
		n.Classes |= eventClasses[f]
	}
}
