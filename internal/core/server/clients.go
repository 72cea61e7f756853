package server

import (
	"slices"
	"unsafe"
)

// clients are the sessions of a server, what they watch and what they take.
type clients struct {
	ByID       map[int64]*Session // those that CLIENT LIST shows
	lastID     int64
	AnyNoTouch bool // a session has set CLIENT NO-TOUCH
	watched    map[WatchKey][]*Watcher

	// The memory of all clients, kept while it is limited; see client_evict.go.
	sum     int64 // sum of Session.Counted
	moves   int64 // number of changes of a client's size class
	Evicted int64

	overflowed  []*Session // sessions that did not read their output; their connections are closed
	pendingWork bool       // EndRequest has something to do
}

// Watch adds a watched key to a session.
func (c *clients) Watch(w *Watcher) {
	w.Sess.Watching = append(w.Sess.Watching, w)
	w.Sess.Began = true
	c.watched[w.WatchKey] = append(c.watched[w.WatchKey], w)
}

// Unwatch removes all watched keys of a session.
func (c *clients) Unwatch(sess *Session) {
	for _, w := range sess.Watching {
		k := w.WatchKey
		list := slices.DeleteFunc(c.watched[k], func(x *Watcher) bool { return x == w })
		if len(list) == 0 {
			delete(c.watched, k)
		} else {
			c.watched[k] = list
		}
	}
	sess.Watching = nil
}

// memory returns the memory of the sessions without their buffers.
func (c *clients) memory() uint64 {
	return uint64(len(c.ByID)) * uint64(unsafe.Sizeof(Session{}))
}

// Connected returns the number of sessions of clients.
func (c *clients) Connected() (n int) {
	return c.count(func(sess *Session) bool { return sess.Peer == PeerClient })
}

// count returns the number of sessions that pass.
func (c *clients) count(passes func(*Session) bool) (n int) {
	for _, sess := range c.ByID {
		if passes(sess) {
			n++
		}
	}
	return n
}

// discount removes the memory of a closing session from the sums.
func (c *clients) discount(sess *Session) {
	c.sum -= sess.Counted
	sess.Counted = 0
}
